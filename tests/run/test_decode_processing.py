# SPDX-License-Identifier: GPL-2.0-or-later
"""SFC for decoders: behind VCS for H.264 with a processing buffer (VAConfigAttribDecProcessing) and for JPEG into RGB; for HEVC with a processing buffer behind
VECS, or behind HCP on Tiger Lake. Debian's free iHD is built without them (media_feature_flags_linux.cmake, Decode_Processing_Supported): it reports the attribute, and refuses
the buffer."""
import json
import math
import pathlib
import subprocess

import apt
from driver import RunTest, drivers_with_kernels, psnr

HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT = 320, 192
LUMA = WIDTH * HEIGHT
RAW = ["-f", "rawvideo", "-pix_fmt", "nv12", "-s", f"{WIDTH}x{HEIGHT}", "-i", "source"]


def picture():
    """NV12, of smooth luma and chroma."""
    luma = bytes(round(126 + 100 * math.sin(0.13 * x + 0.05 * y)) for y in range(HEIGHT) for x in range(WIDTH))
    chroma = bytes(round(126 + 80 * math.cos(0.09 * (x // 2) + 0.07 * y + x % 2)) for y in range(HEIGHT // 2) for x in range(WIDTH))
    return luma + chroma


class SfcTest(RunTest):
    program = ""
    engines = {"vcs0"}

    def setUp(self):
        super().setUp()
        if "iHD" not in drivers_with_kernels():
            self.skipTest("the free iHD does not put SFC behind decoders: the non-free one is not installed")
        if not apt.installed(["libva-dev"]):
            self.skipTest("libva-dev is not installed")
        self.client = self.compiled(self.program, HERE, ["-lva", "-lva-drm"])
        self.source = picture()
        (self.folder / "source").write_bytes(self.source)

    def run_client(self, *arguments):
        """No other engine has a part in it."""
        self.ok(self.client, *arguments, LIBVA_DRIVER_NAME="iHD", options=("--stats", str(self.folder / "stats")))
        for name, engine in json.loads((self.folder / "stats").read_text())["engines"].items():
            self.assertEqual(engine["head"] != "0x0", name in self.engines, name)
        return (self.folder / "output").read_bytes()

    def ffmpeg(self, source, *words):
        return subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *source, *words, "-f", "rawvideo", "-"], cwd=self.folder, stdout=subprocess.PIPE, check=True,
                              timeout=60).stdout


class AvcChecks:
    program = "decode_processing"

    def processed(self, form, width, height):
        """What SFC makes; what it was made of is the stream's picture."""
        made = self.run_client("source", f"{WIDTH}x{HEIGHT}", "decoded", "output", form, f"{width}x{height}")
        self.assertEqual((self.folder / "decoded").read_bytes(), self.source)
        return made

    def software(self, filters, form):
        return self.ffmpeg(RAW, "-vf", filters, "-pix_fmt", form)

    def test_same_size(self):
        self.assertEqual(self.processed("NV12", WIDTH, HEIGHT), self.source)

    def test_packed(self):
        """Luma is the decoder's; chroma's second rows are interpolated."""
        ours = self.processed("YUY2", WIDTH, HEIGHT)
        self.assertEqual(ours[::2], self.source[:LUMA])
        self.assertGreater(psnr(ours[1::2], self.software("null", "yuyv422")[1::2]), 48)

    def test_to_rgb(self):
        """The matrix has ten binary places. Chroma is at the left of its pixels, midway between lines."""
        software = "scale=in_color_matrix=bt601:in_h_chr_pos=0:in_v_chr_pos=128:flags=bicubic+full_chroma_int+full_chroma_inp+accurate_rnd"
        self.assertGreater(psnr(self.processed("BGRA", WIDTH, HEIGHT), self.software(software, "bgra")), 52)

    def test_scaling(self):
        """iHD's filters are not swscale's: taps with six binary places, from a table of 32 phases."""
        for width, height in ((160, 144), (480, 288)):
            self.assertGreater(psnr(self.processed("NV12", width, height), self.software(f"scale={width}:{height}:flags=lanczos", "nv12")), 38)


class HevcChecks:
    program = "decode_processing_hevc"

    def processed(self, depth, form, width, height):
        coded = self.source
        if depth == 10:
            coded = b"".join((sample << 8).to_bytes(2, "little") for sample in self.source)
            (self.folder / "source").write_bytes(coded)
        made = self.run_client(str(depth), "source", f"{WIDTH}x{HEIGHT}", "decoded", "output", form, f"{width}x{height}")
        self.assertEqual((self.folder / "decoded").read_bytes(), coded)
        return made

    def test_same_size(self):
        for depth in (8, 10):
            with self.subTest(depth=depth):
                self.assertEqual(self.processed(depth, "NV12", WIDTH, HEIGHT), self.source)

    def test_packed(self):
        self.assertEqual(self.processed(8, "YUY2", WIDTH, HEIGHT)[::2], self.source[:LUMA])

    def test_scaling(self):
        for width, height in ((160, 144), (480, 288)):
            software = self.ffmpeg(RAW, "-vf", f"scale={width}:{height}:flags=lanczos", "-pix_fmt", "nv12")
            self.assertGreater(psnr(self.processed(8, "NV12", width, height), software), 38)


class JpegChecks:
    program = "decode_jpeg"

    def decoded(self, *sampling):
        """BGRA of our decoder, and the planes of FFmpeg's with chroma at each pixel."""
        image = self.ffmpeg(RAW, "-frames:v", "1", "-pix_fmt", "rgb24", "-c:v", "ppm")
        (self.folder / "jpeg").write_bytes(subprocess.run(["cjpeg", "-quality", "95", *sampling], input=image, stdout=subprocess.PIPE, check=True).stdout)
        return self.run_client("jpeg", "output"), self.ffmpeg(["-f", "mjpeg", "-i", "jpeg"], "-pix_fmt", "yuvj444p")

    def check(self, ours, planes, decibel):
        """The driver's matrix is BT.601's of video range."""
        expected = bytearray()
        for y, u, v in zip(planes[:LUMA], planes[LUMA:2 * LUMA], planes[2 * LUMA:]):
            luma, u, v = 1.16438 * (y - 16), u - 128, v - 128
            expected += bytes(min(max(round(c), 0), 255) for c in (luma + 2.01723 * u, luma - 0.39176 * u - 0.81297 * v, luma + 1.59603 * v, 255))
        self.assertGreater(psnr(ours, expected), decibel)

    def test_samplings(self):
        for sampling, decibel in ((["-sample", "1x1"], 56), (["-sample", "2x1"], 39), (["-sample", "2x2"], 39), (["-grayscale"], 56)):
            with self.subTest(sampling=sampling):
                self.check(*self.decoded(*sampling), decibel)


class DecodeProcessing(AvcChecks, SfcTest):
    pass


class HevcProcessing(HevcChecks, SfcTest):
    """HCP's picture goes through VEBOX, which has no effect on it, to SFC (codechal_decode_sfc_hevc.cpp)."""
    engines = {"vcs0", "vecs"}


class JpegToRgb(JpegChecks, SfcTest):
    pass


class IceLakeDecodeProcessing(DecodeProcessing):
    platform = "icl"


class IceLakeHevcProcessing(HevcProcessing):
    platform = "icl"


class IceLakeJpegToRgb(JpegToRgb):
    platform = "icl"


class TigerLakeDecodeProcessing(DecodeProcessing):
    platform = "tgl"


class TigerLakeHevcProcessing(HevcChecks, SfcTest):
    """HCP feeds SFC (codechal_decode_sfc_hevc_g12.cpp)."""
    platform = "tgl"


class TigerLakeJpegToRgb(JpegToRgb):
    platform = "tgl"
