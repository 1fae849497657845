# SPDX-License-Identifier: GPL-2.0-or-later
"""FFmpeg's VA-API filters with i965-va-driver, against software: what Kaby Lake's VEBOX and sample_8x8 execute."""
import math
import subprocess

import video_files
from driver import RunTest, need_driver, psnr
from video_streams import STREAMS

FRAMES = 6
WIDTH, HEIGHT = 176, 144
LUMA = WIDTH * HEIGHT
FRAME = LUMA * 3 // 2


class VideoFilters(RunTest):
    def setUp(self):
        super().setUp()
        need_driver(self, "i965")
        self.stream = video_files.ensure(next(stream for stream in STREAMS if stream.name == "h264-mbaff"))

    def frames(self, path, first=0):
        data = path.read_bytes()
        self.assertEqual(len(data) % FRAME, 0)
        return [data[at:at + FRAME] for at in range(first * FRAME, len(data), FRAME)]

    def software(self, filters="null", first=0):
        path = self.folder / "software.raw"
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", self.stream, "-frames:v", str(FRAMES + first), "-vf", filters, "-pix_fmt", "nv12",
                        "-f", "rawvideo", path], check=True, timeout=60)
        return self.frames(path, first)

    def gpu(self, filters):
        path = self.folder / "gpu.raw"
        self.ok("ffmpeg", "-v", "error", "-y", "-hwaccel", "vaapi", "-hwaccel_device", "/dev/dri/renderD128", "-hwaccel_output_format", "vaapi",
                "-i", str(self.stream), "-frames:v", str(FRAMES), "-vf", f"{filters},hwdownload,format=nv12", "-f", "rawvideo", str(path),
                LIBVA_DRIVER_NAME="i965")
        return self.frames(path)

    def test_bob(self):
        """The lines of the first field are the decoder's."""
        for ours, decoded in zip(self.gpu("deinterlace_vaapi=mode=bob"), self.software(), strict=True):
            for y in range(0, HEIGHT, 2):
                self.assertEqual(ours[y * WIDTH:(y + 1) * WIDTH], decoded[y * WIDTH:(y + 1) * WIDTH])
            self.assertNotEqual(ours, decoded)

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
        """Contrast is cut to U4.7 by the driver; chroma is scaled by it, too."""
        def clamp(value):
            return min(max(math.floor(value + 0.5), 0), 255)

        contrast, scale = int(1.2 * 128) / 128, int(1.2 * 256) / 256
        for ours, decoded in zip(self.gpu("procamp_vaapi=b=20:c=1.2"), self.software(), strict=True):
            self.assertEqual(ours[:LUMA], bytes(clamp((y - 16) * contrast + 36) for y in decoded[:LUMA]))
            self.assertEqual(ours[LUMA:], bytes(clamp((c - 128) * scale + 128) for c in decoded[LUMA:]))

    def test_formats(self):
        """Conversions of the same size by sample_8x8: 4:2:2 repeats the chroma of 4:2:0, and the way back drops it again."""
        self.assertEqual(self.gpu("scale_vaapi=format=yuyv422,scale_vaapi=format=nv12"), self.software())

    def test_scaling(self):
        """Twice the size and back, whose pixels at even places are the decoder's: i965's kernels align at the top left, and between pixels they interpolate."""
        for ours, decoded in zip(self.gpu(f"scale_vaapi=w={2 * WIDTH}:h={2 * HEIGHT}:mode=fast,scale_vaapi=w={WIDTH}:h={HEIGHT}:mode=fast"), self.software(),
                                 strict=True):
            self.assertGreater(psnr(ours, decoded), 30)
