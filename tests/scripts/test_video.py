# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/video: which streams it takes, and which of them Ironlake's driver does not decode."""
import fnmatch
import sys
import unittest

from driver import ROOT, script

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import video_ilk  # noqa: E402
import video_run  # noqa: E402
from video_streams import STREAMS  # noqa: E402


class Sample(unittest.TestCase):
    def test_sample_is_decoded_on_ironlake(self):
        taken = [stream for stream in STREAMS if video_ilk.in_sample(stream)]
        self.assertGreaterEqual(len(taken), 60)
        self.assertEqual({stream.codec for stream in taken}, {"mpeg2", "h264"})
        self.assertEqual([stream.name for stream in taken if video_ilk.refusal(stream)], [])
        names = [stream.name for stream in STREAMS]
        self.assertEqual([name for name in video_ilk.SAMPLE if not fnmatch.filter(names, name)], [])

    def test_refused_on_ironlake(self):
        refused = {stream.name for stream in STREAMS if stream.codec == "h264" and video_ilk.refusal(stream)}
        self.assertEqual(refused, {f"h264-syntax-paff-size-16x32-{coding}" for coding in ("cavlc", "cabac")})
        self.assertEqual(sum(stream.codec == "mpeg2" and bool(video_ilk.refusal(stream)) for stream in STREAMS), 12)
        self.assertTrue(all(video_ilk.refusal(stream) for stream in STREAMS if stream.codec not in ("mpeg2", "h264")))

    def test_frames_of_mpeg2_are_read_in_guests_of_this_release(self):
        stream = next(stream for stream in STREAMS if stream.name == "mpeg2-p")
        self.assertIn("release", video_ilk.refusal(stream, "no-such-release"))

    def test_no_speed_on_ironlake(self):
        done = script("video", "--platform", "ilk", "--speed", "--no-setup")
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not measure its speed", done.stderr)


class Preempt(unittest.TestCase):
    def test_not_on_ironlake(self):
        done = script("video", "--platform", "ilk", "--preempt", "3", "--no-setup")
        self.assertEqual(done.returncode, 1)
        self.assertIn("execlists", done.stderr)

    def test_run_without_preemptions_fails(self):
        self.assertIn("never preempted", video_run.trouble(0, "", 1.5, preempted=False))
        self.assertEqual(video_run.trouble(0, "", 1.5), "")

    def test_only_the_video_engines_count(self):
        engines = {"rcs": {"preemptions": 9}, "vcs0": {"preemptions": 2}, "vcs1": {"preemptions": 1}}
        work = video_run.work_of({"work": {"stage_milliseconds": {"video": 4}, "cs_threads": 5}, "engines": engines})
        self.assertEqual(work, video_run.Work(4, 5, 3))
