# SPDX-License-Identifier: GPL-2.0-or-later
"""Coarse pixels through anv (VK_KHR_fragment_shading_rate, pipeline's rate): the picture of shading_rate.c, pixel by pixel."""
import itertools
import json
import math
import pathlib
import struct
import subprocess

from driver import RunTest, mesa_of

HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT = 64, 48
# Of shading_rate.c: left, top, right, bottom.
NEAR, COARSE = (13, 9, 37, 30), (3, 2, 61, 47)
SIZES = (1, 2, 4)


def inside(area, x, y):
    return area[0] <= x < area[2] and area[1] <= y < area[3]


def shaded(x, y, size, discards):
    """The place that a pixel's invocation says, and what its colour is."""
    width, height = size
    place = (x - x % width + width // 2, y - y % height + height // 2)
    rate = (width >> 1) << 2 | height >> 1
    if discards:
        return None if 40 <= place[0] < 48 else (*place, rate, 0)
    return (*place, rate | width << 8 | height << 12, round(256 * math.log2(max(size))))


def expected(size, discards):
    """The pictures' pixels and the invocations for fragments of SIZE around a rectangle of single pixels."""
    pixels, invocations = [], set()
    for y, x in itertools.product(range(HEIGHT), range(WIDTH)):
        near = inside(NEAR, x, y) and shaded(x, y, (1, 1), discards)
        coarse = not near and inside(COARSE, x, y) and shaded(x, y, size, discards)
        pixels.append(near or coarse or (0, 0, 0, 0))
        # Depth is tested before shaders that discard nothing.
        if inside(COARSE, x, y) and (discards or not near):
            invocations.add((x // size[0], y // size[1]))
    return pixels, len(invocations)


class ShadingRate(RunTest):
    platform = "icl"

    def setUp(self):
        super().setUp()
        self.compiled("shading_rate", HERE, ["-lvulkan"])
        for name, options in (("plain", []), ("discard", ["-DDISCARD"])):
            for stage in ("vert", "frag"):
                subprocess.run(["glslangValidator", "-V", "--quiet", "--target-env", "vulkan1.3", *options, HERE / "shaders" / f"shading_rate.{stage}", "-o",
                                self.folder / f"{name}.{stage}.spv"], check=True)

    def compare(self, size, samples, shader, *options, **variables):
        place = self.mesa.place(self.folder)
        out = self.ok("env", f"{place}/shading_rate", f"{place}/{shader}", f"{place}/picture", *map(str, (*size, samples)),
                      options=["--stats", f"{place}/stats.json", *options], **variables)
        found = list(struct.iter_unpack("<4H", (self.folder / "picture").read_bytes()))
        pixels, invocations = expected(size, shader == "discard")
        wrong = [(i % WIDTH, i // WIDTH, found[i], pixels[i]) for i in range(WIDTH * HEIGHT) if found[i] != pixels[i]]
        self.assertEqual(wrong[:8], [], f"{len(wrong)} pixels differ: x, y, found, expected")
        self.assertEqual(int(out), invocations)
        failures = json.loads((self.folder / "stats.json").read_text())["failures"]
        self.assertEqual([f for f in failures if f["kind"] == "unimplemented"], [])

    def test_blocks_of_every_size(self):
        for size in itertools.product(SIZES, SIZES):
            with self.subTest(size):
                self.compare(size, 1, "plain")

    def test_discard(self):
        for size in ((2, 2), (4, 4), (1, 4)):
            with self.subTest(size):
                self.compare(size, 1, "discard")

    def test_samples(self):
        for size, samples in (((2, 2), 4), ((4, 4), 8), ((4, 1), 16)):
            with self.subTest((size, samples)):
                self.compare(size, samples, "plain")

    def test_threads_and_engines(self):
        for options in (["--threads", "0"], ["--threads", "2"], ["--engine", "interp"], ["--engine", "jit"]):
            with self.subTest(options):
                self.compare((4, 2), 1, "plain", *options)


class ShadingRateMesa25(ShadingRate):
    @classmethod
    def setUpClass(cls):
        cls.mesa = mesa_of("trixie")


class ShadingRateTigerLake(ShadingRate):
    platform = "tgl"


class ShadingRateTigerLakeMesa25(ShadingRateMesa25):
    platform = "tgl"

    def test_threads_of_two_objects(self):
        """Dual SIMD8 dispatch, which anv uses for this variable alone."""
        self.compare((1, 1), 1, "plain", INTEL_SIMD_DEBUG="fs2x8")
