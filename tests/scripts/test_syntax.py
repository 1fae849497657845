# SPDX-License-Identifier: GPL-2.0-or-later
"""The syntax writers of scripts/video: FFmpeg finds in their streams what was written."""
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from driver import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import syntax_avc  # noqa: E402
import syntax_bits  # noqa: E402
import syntax_hevc  # noqa: E402
import syntax_mpeg2  # noqa: E402
import syntax_vc1  # noqa: E402
import video_streams  # noqa: E402

WIDTH, HEIGHT = 96, 64


def decoded(data, kind):
    """The frames of a stream as one string of yuv420p; FFmpeg's complaints are an error."""
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / f"stream.{kind}"
        path.write_bytes(data)
        done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-threads", "1", "-i", path, "-vf", "setpts=N/25/TB", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"],
                              capture_output=True, check=True)
    if done.stderr:
        raise AssertionError(done.stderr.decode())
    return done.stdout


class Basics(unittest.TestCase):
    def test_codes(self):
        bits = syntax_bits.Bits()
        for value in (0, 1, 4):
            bits.ue(value)
        for value in (1, -1, 2):
            bits.se(value)
        bits.trailing()
        self.assertEqual(bits.bytes(), int("1" "010" "00101" "010" "011" "00100" "1000", 2).to_bytes(3, "big"))

    def test_emulation_prevention(self):
        self.assertEqual(syntax_bits.escaped(b"\0\0\1\0\0\0\0\4"), b"\0\0\3\1\0\0\3\0\0\4")

    def test_the_table(self):
        names = collections.Counter(stream.name for stream in video_streams.STREAMS)
        self.assertGreaterEqual(len(names), 400)
        self.assertEqual([name for name, count in names.items() if count > 1], [])


@unittest.skipUnless(shutil.which("ffmpeg"), "FFmpeg is not installed")
class Streams(unittest.TestCase):
    def test_both_entropy_codings_have_the_same_frames(self):
        for options in ({"structures": ["frame", "tb"]}, {"structures": ["bt"], "long_term": 1, "reorder": 1, "weights": 1, "slices": 2}):
            with self.subTest(options):
                frames = [decoded(syntax_avc.write(3, width=WIDTH, height=HEIGHT, cabac=cabac, **options), "h264") for cabac in (0, 1)]
                self.assertEqual(len(frames[0]), 7 * WIDTH * HEIGHT * 3 // 2)
                self.assertEqual(frames[0], frames[1])

    def test_pcm_blocks_keep_their_samples(self):
        """Without filters. A wrong bit before a block would spoil it."""
        for options in ({"tiles": [2, 2], "kinds": "I"}, {"wpp": 1, "segment": 2, "dependent": 60}, {"transform_skip": 1, "weights": 1, "long_term": 1, "kinds": "IPPPPB"}):
            with self.subTest(options):
                writer = syntax_hevc.Hevc(2, width=WIDTH, height=HEIGHT, pcm=8, sao=0, deblock=0, **options)
                data, blocks = writer.write(), writer.pcm_blocks
                frames = decoded(data, "hevc")
                self.assertTrue(blocks)
                for picture, x, y, size, samples in blocks:
                    first = picture * WIDTH * HEIGHT * 3 // 2 + y * WIDTH + x
                    rows = b"".join(frames[first + row * WIDTH:first + row * WIDTH + size] for row in range(size))
                    self.assertEqual(rows, bytes(samples[:size * size]))

    def test_mpeg2(self):
        for options in ({}, {"structures": ["frame", "bt"], "concealment": 1, "alternate_scan": 1, "intra_vlc": 1}, {"pictures": "IPPP", "motions": ["dual"]}):
            with self.subTest(options):
                frames = decoded(syntax_mpeg2.write(4, width=WIDTH, height=HEIGHT, **options), "m2v")
                self.assertEqual(len(frames) % (WIDTH * HEIGHT * 3 // 2), 0)

    def test_vc1(self):
        for options in ({"pictures": "IPPBP", "modes": ["mixed"], "imodes": ["raw", "diff6"]}, {"profile": 1, "pictures": "IPBP", "alternative": "choice"},
                        {"pictures": "IPPP", "slices": 1, "overlap": 1, "conditions": [2], "transforms": "macroblock"},
                        {"pictures": ["I/I", "P/P", "B/B", "I"], "interlaced": 1, "modes": ["mixed"]}, {"pictures": ["Ii", "Pi", "Bi", "P"], "interlaced": 1}):
            with self.subTest(options):
                frames = decoded(syntax_vc1.write(4, width=WIDTH, height=HEIGHT, **options), "vc1")
                self.assertEqual(len(frames), len(options["pictures"]) * WIDTH * HEIGHT * 3 // 2)


if __name__ == "__main__":
    unittest.main()
