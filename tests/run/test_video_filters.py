# SPDX-License-Identifier: GPL-2.0-or-later
"""FFmpeg's VA-API filters against software: what VEBOX and SFC of each chip execute, and Kaby Lake's sample_8x8."""
import math
import subprocess

import video_files
from driver import RunTest, drivers_with_kernels, need_driver, psnr
from video_streams import STREAMS

FRAMES = 6
WIDTH, HEIGHT = 176, 144
LUMA = WIDTH * HEIGHT
FRAME = LUMA * 3 // 2


class FilterTest(RunTest):
    driver = "i965"

    def setUp(self):
        super().setUp()
        self.stream = video_files.ensure(next(stream for stream in STREAMS if stream.name == "h264-mbaff"))

    def frames(self, path, first=0, frame=FRAME):
        data = path.read_bytes()
        self.assertEqual(len(data) % frame, 0)
        return [data[at:at + frame] for at in range(first * frame, len(data), frame)]

    def software(self, filters="null", first=0, form="nv12", frame=FRAME):
        path = self.folder / "software.raw"
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", self.stream, "-frames:v", str(FRAMES + first), "-vf", filters, "-pix_fmt", form,
                        "-f", "rawvideo", path], check=True, timeout=60)
        return self.frames(path, first, frame)

    def gpu(self, filters, form="nv12", frame=FRAME):
        path = self.folder / "gpu.raw"
        self.ok("ffmpeg", "-v", "error", "-y", "-hwaccel", "vaapi", "-hwaccel_device", "/dev/dri/renderD128", "-hwaccel_output_format", "vaapi",
                "-i", str(self.stream), "-frames:v", str(FRAMES), "-vf", f"{filters},hwdownload,format={form}", "-f", "rawvideo", str(path),
                LIBVA_DRIVER_NAME=self.driver)
        return self.frames(path, frame=frame)

    def check_bob(self):
        """The lines of the first field are the decoder's."""
        for ours, decoded in zip(self.gpu("deinterlace_vaapi=mode=bob"), self.software(), strict=True):
            for y in range(0, HEIGHT, 2):
                self.assertEqual(ours[y * WIDTH:(y + 1) * WIDTH], decoded[y * WIDTH:(y + 1) * WIDTH])
            self.assertNotEqual(ours, decoded)

    def check_procamp(self, fixed=int):
        """Contrast is U4.7, as the driver has it by FIXED; chroma is scaled by it, too."""
        def clamp(value):
            return min(max(math.floor(value + 0.5), 0), 255)

        contrast, scale = fixed(1.2 * 128) / 128, fixed(1.2 * 256) / 256
        for ours, decoded in zip(self.gpu("procamp_vaapi=b=20:c=1.2"), self.software(), strict=True):
            self.assertEqual(ours[:LUMA], bytes(clamp((y - 16) * contrast + 36) for y in decoded[:LUMA]))
            self.assertEqual(ours[LUMA:], bytes(clamp((c - 128) * scale + 128) for c in decoded[LUMA:]))


class VideoFilters(FilterTest):
    def setUp(self):
        super().setUp()
        need_driver(self, self.driver)

    def test_bob(self):
        self.check_bob()

    def test_motion_adaptive(self):
        """FFmpeg begins with the second frame; from the driver's second output on it is the second field of the frame before."""
        ours = self.gpu("deinterlace_vaapi=mode=motion_adaptive")
        theirs = self.software("yadif=mode=send_field", first=3)
        for mine, other in zip(ours[1:], theirs[::2]):
            self.assertGreater(psnr(mine[:LUMA], other[:LUMA]), 25)

    def test_denoise(self):
        for ours, decoded in zip(self.gpu("denoise_vaapi=denoise=32"), self.software(), strict=True):
            self.assertNotEqual(ours, decoded)
            self.assertGreater(psnr(ours, decoded), 30)

    def test_procamp(self):
        self.check_procamp()

    def test_formats(self):
        """Conversions of the same size by sample_8x8: 4:2:2 repeats the chroma of 4:2:0, and the way back drops it again."""
        self.assertEqual(self.gpu("scale_vaapi=format=yuyv422,scale_vaapi=format=nv12"), self.software())

    def test_scaling(self):
        """Twice the size and back, whose pixels at even places are the decoder's: i965's kernels align at the top left, and between pixels they interpolate."""
        for ours, decoded in zip(self.gpu(f"scale_vaapi=w={2 * WIDTH}:h={2 * HEIGHT}:mode=fast,scale_vaapi=w={WIDTH}:h={HEIGHT}:mode=fast"), self.software(),
                                 strict=True):
            self.assertGreater(psnr(ours, decoded), 30)


class NearTest(FilterTest):
    driver = "iHD"

    def assert_near(self, ours, theirs, decibel):
        self.assertEqual(len(ours), FRAMES)
        for mine, other in zip(ours, theirs, strict=True):
            self.assertGreater(psnr(mine, other), decibel)


class NonFreeTest(NearTest):
    def setUp(self):
        super().setUp()
        if self.driver not in drivers_with_kernels():
            self.skipTest("the free iHD has no kernels to process with on this chip: the non-free one is not installed")


class FreeTest(NearTest):
    """From Gen11 on the free iHD processes, too."""

    def setUp(self):
        super().setUp()
        if self.driver not in drivers_with_kernels():
            need_driver(self, self.driver)


class CompositionKernels(NonFreeTest):
    """iHD's kernels that scale and convert, and its parameters for VEBOX."""

    def test_scaling(self):
        """Other filters than swscale's: 8 taps for luma."""
        size = 3 * FRAME // 2 * 3 // 2
        self.assert_near(self.gpu(f"scale_vaapi=w={WIDTH * 3 // 2}:h={HEIGHT * 3 // 2}", frame=size),
                         self.software(f"scale={WIDTH * 3 // 2}:{HEIGHT * 3 // 2}:flags=bicubic", frame=size), 28)

    def test_to_rgb(self):
        """Chroma is interpolated in another way at edges."""
        size = 4 * LUMA
        self.assert_near(self.gpu("scale_vaapi=format=bgra", "bgra", size),
                         self.software("scale=in_color_matrix=bt601", form="bgra", frame=size), 24)

    def test_denoise(self):
        """A picture without noise keeps its edges."""
        self.assert_near(self.gpu("denoise_vaapi=denoise=32"), self.software(), 38)


class ScalerChecks:
    """SFC behind VEBOX, which iHD takes for scale_vaapi's mode=default."""

    def test_scaling(self):
        """Eight taps for luma, as swscale's lanczos filter has about; iHD's taps have six binary places."""
        for width, height in ((264, 216), (128, 128)):  # SFC has no smaller ones
            size = width * height * 3 // 2
            self.assert_near(self.gpu(f"scale_vaapi=w={width}:h={height}:mode=default", frame=size),
                             self.software(f"scale={width}:{height}:flags=lanczos", frame=size), 35)

    def test_to_rgb(self):
        """The matrix has ten binary places. Chroma is at the left of its pixels, midway between lines; at another place swscale's frames differ by 36 dB at best."""
        software = "scale=in_color_matrix=bt601:in_h_chr_pos=0:in_v_chr_pos=128:flags=bicubic+full_chroma_int+full_chroma_inp+accurate_rnd"
        self.assert_near(self.gpu("scale_vaapi=format=bgra:mode=default", "bgra", 4 * LUMA), self.software(software, form="bgra", frame=4 * LUMA), 40)

    def test_rotation(self):
        for ours, theirs in (("clock", "transpose=clock"), ("cclock", "transpose=cclock"), ("reversal", "hflip,vflip")):
            self.assertEqual(self.gpu(f"transpose_vaapi=dir={ours}"), self.software(theirs))

    def test_bob(self):
        """SFC takes the fields over."""
        self.check_bob()

    def test_sharpness(self):
        """Neighbours differ more; chroma is the decoder's."""
        def detail(frame):
            return sum(abs(a - b) for a, b in zip(frame[:LUMA], frame[1:LUMA]))

        for ours, decoded in zip(self.gpu("sharpness_vaapi=sharpness=44"), self.software(), strict=True):
            self.assertEqual(ours[LUMA:], decoded[LUMA:])
            self.assertGreater(detail(ours), 1.02 * detail(decoded))
            self.assertGreater(psnr(ours, decoded), 24)


class EnhancerChecks:
    """VEBOX's own output."""

    def test_denoise(self):
        """A picture without noise keeps its edges."""
        self.assert_near(self.gpu("denoise_vaapi=denoise=32"), self.software(), 38)

    def test_procamp(self):
        """vphal_render_vebox_procamp.cpp rounds."""
        self.check_procamp(round)

    def test_ten_bits(self):
        """SFC makes P010, which VEBOX denoises; the upper bytes are those of NV12."""
        frames = self.gpu("scale_vaapi=format=p010:mode=default,denoise_vaapi=denoise=32", "p010le", 2 * FRAME)
        self.assert_near([frame[1::2] for frame in frames], self.software(), 36)

    def test_from_rgb(self):
        """Back again; chroma is reduced twice."""
        self.assert_near(self.gpu("scale_vaapi=format=bgra:mode=default,scale_vaapi=format=nv12:mode=default"), self.software(), 30)


class Scaler(ScalerChecks, NonFreeTest):
    pass


class IceLake(ScalerChecks, EnhancerChecks, FreeTest):
    platform = "icl"


class TigerLake(ScalerChecks, EnhancerChecks, FreeTest):
    platform = "tgl"

    def test_mirrored(self):
        """Earlier chips mirror by kernels."""
        for ours, theirs in (("hflip", "hflip"), ("vflip", "vflip"), ("cclock_flip", "transpose=cclock_flip"), ("clock_flip", "transpose=clock_flip")):
            self.assertEqual(self.gpu(f"transpose_vaapi=dir={ours}"), self.software(theirs))
