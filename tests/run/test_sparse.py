# SPDX-License-Identifier: GPL-2.0-or-later
"""Sparse images and buffers through anv, which binds them by tiled resource tables (TR-TT) on Tiger Lake: what sparse.c's shader read, texel by texel."""
import json
import pathlib
import struct
import subprocess

from driver import RunTest, mesa_of

HERE = pathlib.Path(__file__).resolve().parent
SIZE, PAGE = 256, 65536


class Tiles:
    """The image: a dictionary from a bound tile to the one in whose place its memory was written."""
    def __init__(self, size, bound):
        self.size, self.bound = size, bound

    def texel(self, x, y):
        """What was written there; None: it has no memory."""
        x, y = min(x, SIZE - 1), min(y, SIZE - 1)
        width, height = self.size
        source = self.bound.get((x // width, y // height))
        return source and (x % width + width * source[0]) + SIZE * (y % height + height * source[1]) + 1

    def read(self, samples):
        """What READ writes, texel by texel."""
        for y in range(SIZE):
            for x in range(SIZE):
                one = self.texel(x, y)
                if samples > 1:
                    yield (sum(7 << 3 * i for i in range(samples)), (1 << samples) - 1, 0, 0) if one else (0, 0, 0, 0)
                    continue
                four = [self.texel(x + i, y + j) for i in (0, 1) for j in (0, 1)]
                resident = (3 if one else 0) | (12 if all(four) else 0)
                total = sum(value or 0 for value in four)
                yield one or 0, one or 0, total, resident | total << 4


class Sparse(RunTest):
    platform = "tgl"

    @classmethod
    def setUpClass(cls):
        cls.mesa = mesa_of("trixie")

    def setUp(self):
        super().setUp()
        self.compiled("sparse", HERE, ["-lvulkan"])

    def compare(self, samples, tile, *options):
        for name, flags in (("store", ["-DSTORE"]), ("read", [])):
            subprocess.run(["glslangValidator", "-V", "--quiet", "--target-env", "vulkan1.3", f"-DSAMPLES={samples}", *flags,
                            HERE / "shaders" / "sparse.comp", "-o", self.folder / f"{name}.spv"], check=True)
        place = self.mesa.place(self.folder)
        out = self.ok("env", f"{place}/sparse", f"{place}/store.spv", f"{place}/read.spv", f"{place}/result", str(samples),
                      options=["--stats", f"{place}/stats.json", *options])
        self.assertEqual(tuple(map(int, out.split())), tile)
        result = (self.folder / "result").read_bytes()
        part = SIZE * SIZE * 16
        for run, bound in enumerate(({(0, 0): (0, 0), (1, 1): (1, 1)}, {(1, 0): (0, 0), (1, 1): (1, 1)})):
            found = struct.iter_unpack("<4I", result[run * part:(run + 1) * part])
            pairs = enumerate(zip(found, Tiles(tile, bound).read(samples), strict=True))
            wrong = [(i % SIZE, i // SIZE, here, there) for i, (here, there) in pairs if here != there]
            self.assertEqual(wrong[:8], [], f"run {run}: {len(wrong)} texels differ: x, y, found, expected")
        dwords = [value for value, in struct.iter_unpack("<I", result[2 * part:])]
        self.assertEqual(dwords, [i + 1 if i // (PAGE // 4) in (0, 2) else 0 for i in range(PAGE)])
        failures = json.loads((self.folder / "stats.json").read_text())["failures"]
        self.assertEqual([f for f in failures if f["kind"] == "unimplemented"], [])

    def test_tiles_and_pages(self):
        for options in ([], ["--threads", "0"], ["--engine", "interp"], ["--engine", "jit"]):
            with self.subTest(options):
                self.compare(1, (128, 128), *options)

    def test_samples(self):
        for samples, tile in ((2, (64, 128)), (4, (64, 64)), (8, (32, 64))):
            with self.subTest(samples):
                self.compare(samples, tile)
