# SPDX-License-Identifier: GPL-2.0-or-later
"""FEI, statistics and decisions between application and kernels, by Media SDK's samples and the non-free iHD. For Kaby Lake that driver lists FEI, but encodes
with its plain kernels, and ends in a fault of its own before it submits statistics (Stats). Its kernels of FEI are Skylake's: the samples of class AsSkylake see
that chip."""
import collections
import json
import random
import struct

import apt
import test_video_encode
from driver import ROOT, drivers_with_kernels

FOLDER = "/usr/share/mfx/samples/"
SKYLAKE = "0x1912"
QP, MAX_LOSS = "26", 1
STRUCTURES = {"I": ["-g", "1"], "P": ["-g", "8", "-r", "1"], "B": ["-g", "8", "-r", "3", "-x", "4"]}
MACROBLOCK, VECTORS = 64, 128  # bytes of a macroblock in the files of -mbcode and -mbstat, and of -mvout

# mfxExtFeiPreEncMBStatMB.
Statistics = collections.namedtuple("Statistics", ["distortion0", "mode0", "distortion1", "mode1", "intra", "intra_mode", "coefficients", "reserved0", "sum", "reserved1",
                                                   *[f"variance{part}" for part in ("", 0, 1, 2, 3)], *[f"mean{part}" for part in ("", 0, 1, 2, 3)]])


def core(values):
    """One dimension of the core transform (H.264, 8.5, the other way round)."""
    a, b, c, d = values
    return a + b + c + d, 2 * a + b - c - 2 * d, a - b - c + d, a - 2 * b + 2 * c - d


class FeiTest(test_video_encode.EncodingTest):
    FRAMES, chip = 8, None

    def setUp(self):
        super().setUp()
        if not apt.installed(["libmfx-tools"]):
            self.skipTest("libmfx-tools is not installed (Debian 13 has none)")
        if "iHD" not in drivers_with_kernels():
            self.skipTest("the free iHD has no kernels of encoders: the non-free one is not installed")
        self.software("in.yuv", "-f", "rawvideo")
        self.client = self.compiled("fei_client", ROOT / "tests" / "run", ["-shared", "-fPIC"])

    def sample(self, name, *words):
        """Runs a sample on in.yuv. Nothing that it asks for is illegal or missing."""
        variables = {"SOFTGEN_CHIP": self.chip} if self.chip else {}
        self.ok("sh", "-c", f'LD_PRELOAD="{self.client}:$LD_PRELOAD" exec "$@"', "sh", FOLDER + name, "-i", "in.yuv", "-w", str(self.WIDTH), "-h", str(self.HEIGHT),
                "-n", str(self.FRAMES), "-qp", QP, *words, options=["--stats", "stats.json"], LIBVA_DRIVER_NAME="iHD", **variables)
        failures = [failure for failure in json.loads((self.folder / "stats.json").read_text())["failures"] if failure["kind"] != "note"]
        self.assertEqual(failures, [])

    def macroblocks(self, name, size):
        """By frame, the records of a file."""
        data, count = (self.folder / name).read_bytes(), self.WIDTH * self.HEIGHT // 256
        self.assertEqual(len(data), count * size * self.FRAMES)
        return [[data[at:at + size] for at in range(frame, frame + count * size, size)] for frame in range(0, len(data), count * size)]

    def check_codes(self, intra_frames):
        """-mbcode: objects in raster order; the frames of `intra_frames` are intra, others are not."""
        for frame, records in enumerate(self.macroblocks("code", MACROBLOCK)):
            intra = 0
            for at, record in enumerate(records):
                dwords = struct.unpack("<16I", record)
                self.assertEqual((dwords[4] & 0xff, dwords[4] >> 8 & 0xff), (at % (self.WIDTH // 16), at // (self.WIDTH // 16)))
                intra += dwords[3] >> 13 & 1
            (self.assertEqual if frame in intra_frames else self.assertLess)(intra, len(records))

    def check_avc(self, *pipeline):
        """Streams are near to the source for their quantizer."""
        bound = self.decibel(self.software("model.h264", "-c:v", "libx264", "-preset", "ultrafast", "-qp", QP, "-x264-params", "ipratio=1")) - MAX_LOSS
        for name, structure in STRUCTURES.items():
            with self.subTest(name, pipeline=pipeline):
                self.sample("sample_fei", *pipeline, *structure, "-o", "out.h264", "-mbcode", "code", "-mvout", "vectors")
                self.assertGreater(self.decibel(self.folder / "out.h264"), bound)
                self.check_codes(range(self.FRAMES) if name == "I" else [0])


class KabyLake(FeiTest):
    def test_avc(self):
        self.check_avc("-encode")

    def test_avc_in_two_steps(self):
        self.check_avc("-encpak")

    def test_hevc(self):
        for name, structure in STRUCTURES.items():
            with self.subTest(name):
                self.sample("sample_hevc_fei", "-encode", *[word for word in structure if word not in ("-x", "4")], "-o", "out.h265")
                self.assertGreater(self.decibel(self.folder / "out.h265"), test_video_encode.Hevc.MIN_DECIBEL)


class AsSkylake(FeiTest):
    chip = SKYLAKE

    def test_avc(self):
        self.check_avc("-encode")

    def test_avc_after_statistics(self):
        """Their vectors are predictors of the encoder."""
        self.check_avc("-preenc", "-encode")

    def test_avc_in_two_steps(self):
        """The reconstruction is what FFmpeg decodes."""
        self.sample("sample_fei", "-encpak", *STRUCTURES["P"], "-o", "out.h264", "-recon", "out.nv12")
        luma, frame = self.WIDTH * self.HEIGHT, self.WIDTH * self.HEIGHT * 3 // 2
        kept = (self.folder / "out.nv12").read_bytes()
        self.assertEqual(b"".join(kept[at:at + luma] for at in range(0, len(kept), frame)), self.luma("-err_detect", "explode", "-i", self.folder / "out.h264"))


class Motion(FeiTest):
    """Statistics of a picture of noise that moves by the same vector in each frame, against those of its samples."""
    FRAMES, chip = 4, SKYLAKE
    ACROSS, DOWN = 6, 3  # samples, from a frame to the next
    ORDER = [0, 2, 1, 3]  # of coding
    MIN_SHARE = 0.9  # of macroblocks: some leave the picture

    def frame(self, number):
        """Rows of luma."""
        return [self.noise[y + self.DOWN * number][self.ACROSS * number:self.ACROSS * number + self.WIDTH] for y in range(self.HEIGHT)]

    def setUp(self):
        super().setUp()
        dice, columns = random.Random(1), self.WIDTH + self.ACROSS * self.FRAMES
        rows = [[dice.randrange(256) for _ in range(columns // 4 + 1)] for _ in range((self.HEIGHT + self.DOWN * self.FRAMES) // 4 + 1)]
        self.noise = [bytes(rows[y // 4][x // 4] for x in range(columns)) for y in range(self.HEIGHT + self.DOWN * self.FRAMES)]
        grey = bytes([128]) * (self.WIDTH * self.HEIGHT // 2)
        (self.folder / "in.yuv").write_bytes(b"".join(b"".join(self.frame(i)) + grey for i in range(self.FRAMES)))
        self.sample("sample_fei", "-preenc", "-8x8stat", "-forward_transform", "-g", "8", "-r", "2", "-x", "4", "-num_active_P", "1", "-num_active_BL0", "1", "-num_active_BL1", "1",
                    "-o", "none", "-mvout", "vectors", "-mbstat", "statistics")

    def test_vectors(self):
        """Of list 0 and, in the frame between two others, of list 1; quarter samples."""
        for coded, (frame, distances) in enumerate({0: [], 2: [2], 1: [1, -1], 3: [1]}.items()):
            self.assertEqual(frame, self.ORDER[coded])
            records = self.macroblocks("vectors", VECTORS)[coded]
            for number, distance in enumerate(distances):
                wanted = (4 * self.ACROSS * distance, 4 * self.DOWN * distance)
                share = sum(struct.unpack("<64h", record)[number * 2:number * 2 + 2] == wanted for record in records) / len(records)
                self.assertGreater(share, self.MIN_SHARE, (frame, number))

    def test_statistics(self):
        for frame, records in zip(self.ORDER, self.macroblocks("statistics", MACROBLOCK)):
            rows = self.frame(frame)
            for at, record in enumerate(records):
                ours = Statistics(*struct.unpack("<8H2I10I", record))
                left, top = at % (self.WIDTH // 16) * 16, at // (self.WIDTH // 16) * 16
                blocks = [(left, top, 16), *((left + i % 2 * 8, top + i // 2 * 8, 8) for i in range(4))]
                for (x, y, size), variance, mean in zip(blocks, ours[10:15], ours[15:20]):
                    samples = b"".join(row[x:x + size] for row in rows[y:y + size])
                    average = sum(samples) / len(samples)
                    self.assertLess(abs(mean - average), 1)
                    self.assertLess(abs(variance - sum((sample - average) ** 2 for sample in samples) / len(samples)), 1)

    def test_distortions(self):
        """A frame that has moved is nearer to its reference than to what intra prediction makes of its neighbours; a first frame has no reference."""
        for frame, records in zip(self.ORDER, self.macroblocks("statistics", MACROBLOCK)):
            all_of = [Statistics(*struct.unpack("<8H2I10I", record)) for record in records]
            if frame == 0:
                self.assertEqual({one.distortion0 for one in all_of}, {0xffff})
                continue
            self.assertGreater(sum(one.distortion0 < one.intra for one in all_of) / len(all_of), self.MIN_SHARE)
            self.assertEqual({one.distortion1 == 0xffff for one in all_of}, {frame != 1})

    def test_coefficients(self):
        """Of H.264's core transform of what a vector of 0 leaves: how many exceed the driver's threshold for this quantizer, and by how much."""
        threshold = 26
        for frame, reference, records in zip(self.ORDER[1:], [0, 0, 2], self.macroblocks("statistics", MACROBLOCK)[1:]):
            left = [[a - b for a, b in zip(*rows)] for rows in zip(self.frame(frame), self.frame(reference))]
            # Rows, then columns, by four.
            half = [[value for x in range(0, self.WIDTH, 4) for value in core(row[x:x + 4])] for row in left]
            columns = [[value for y in range(0, self.HEIGHT, 4) for value in core(column[y:y + 4])] for column in zip(*half)]
            for at, record in enumerate(records):
                ours, x, y = Statistics(*struct.unpack("<8H2I10I", record)), at % (self.WIDTH // 16) * 16, at // (self.WIDTH // 16) * 16
                beyond = [abs(value) - threshold for column in columns[x:x + 16] for value in column[y:y + 16] if abs(value) > threshold]
                self.assertEqual((ours.coefficients, ours.sum), (len(beyond), sum(beyond)))
