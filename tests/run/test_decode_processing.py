# SPDX-License-Identifier: GPL-2.0-or-later
"""H.264 decoded with a processing buffer (VAConfigAttribDecProcessing): SFC behind Kaby Lake's VCS. Debian's free iHD reports the attribute and refuses the
buffer: it is built without _DECODE_PROCESSING_SUPPORTED (media_feature_flags_linux.cmake)."""
import json
import math
import pathlib
import subprocess

import apt
from driver import RunTest, drivers_with_kernels, psnr

HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT = 320, 192
LUMA = WIDTH * HEIGHT


def picture():
    """NV12, of smooth luma and chroma."""
    luma = bytes(round(126 + 100 * math.sin(0.13 * x + 0.05 * y)) for y in range(HEIGHT) for x in range(WIDTH))
    chroma = bytes(round(126 + 80 * math.cos(0.09 * (x // 2) + 0.07 * y + x % 2)) for y in range(HEIGHT // 2) for x in range(WIDTH))
    return luma + chroma


class DecodeProcessing(RunTest):
    def setUp(self):
        super().setUp()
        if "iHD" not in drivers_with_kernels():
            self.skipTest("the free iHD refuses processing buffers: the non-free one is not installed")
        if not apt.installed(["libva-dev"]):
            self.skipTest("libva-dev is not installed")
        self.program = self.compiled("decode_processing", HERE, ["-lva", "-lva-drm"])
        self.source = picture()
        (self.folder / "source").write_bytes(self.source)

    def processed(self, form, width, height):
        """What SFC makes; what it was made of is the stream's picture. VECS and RCS have no part in it."""
        self.ok(self.program, "source", f"{WIDTH}x{HEIGHT}", "decoded", "output", form, f"{width}x{height}", LIBVA_DRIVER_NAME="iHD",
                options=("--stats", str(self.folder / "stats")))
        self.assertEqual((self.folder / "decoded").read_bytes(), self.source)
        engines = json.loads((self.folder / "stats").read_text())["engines"]
        for name, engine in engines.items():
            self.assertEqual(engine["head"] != "0x0", name == "vcs0", name)
        return (self.folder / "output").read_bytes()

    def software(self, filters, form):
        return subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-f", "rawvideo", "-pix_fmt", "nv12", "-s", f"{WIDTH}x{HEIGHT}", "-i", self.folder / "source",
                               "-vf", filters, "-pix_fmt", form, "-f", "rawvideo", "-"], stdout=subprocess.PIPE, check=True, timeout=60).stdout

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
