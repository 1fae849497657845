# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/apps: verdicts on runs, and errors for unknown names."""
import pathlib
import sys
import tempfile
import unittest

from driver import ROOT, script

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import app_guest  # noqa: E402
import app_run  # noqa: E402
from app_rows import LLVMPIPE, Bound, Row  # noqa: E402

ROW = Row("program", [], ["program"], "raw out", 2, LLVMPIPE, Bound(2, 0.25, "rounding"), 60)


def result(*pictures, trouble=""):
    return app_run.Run([bytes(p) for p in pictures], 1.0, 1, trouble)


class Judgement(unittest.TestCase):
    def verdict(self, ours, theirs):
        return app_run.verdict(ROW, ours, theirs)

    def test_differences_within_the_bound(self):
        difference, wrong = self.verdict(result([0, 10], [20, 30]), result([2, 10], [20, 130]))
        self.assertEqual((difference.largest, difference.over, wrong), (100, 0.25, ""))

    def test_differences_beyond_the_bound(self):
        _, wrong = self.verdict(result([0, 10], [20, 30]), result([3, 10], [20, 33]))
        self.assertIn("50.000 % of the values differ by more than 2", wrong)

    def test_pictures_of_another_size(self):
        self.assertEqual(self.verdict(result([0, 10]), result([0])), (None, "the pictures differ in size"))

    def test_a_failed_run_is_named(self):
        self.assertEqual(self.verdict(result([1]), result([1], trouble="status 1: no")), (None, "llvmpipe: status 1: no"))

    def test_black_screens_and_repetitions_are_not_shown(self):
        black, first, rounded_otherwise, second = bytes(2), bytes([10, 20]), bytes([11, 20]), bytes([13, 20])
        self.assertEqual(app_run.shown([black, first, rounded_otherwise, first, second, black], 1), [first, second])

    def test_faults_of_a_run(self):
        for peer, status, said, drawn, pictures, wrong in (
                (None, 0, "", 5, 2, ""), (LLVMPIPE, 0, "", 0, 2, ""), (None, None, "", 5, 2, "ran longer than 60 s"),
                (None, 3, "a\nb\n", 5, 2, "status 3: b"), (None, 0, "softgen: unimplemented: x: y\n", 5, 2, "unimplemented: x: y"),
                (None, 0, "", 0, 2, "drew nothing on our GPU"), (LLVMPIPE, 0, "", 5, 2, "drew on our GPU instead of its own"),
                (None, 0, "", 5, 1, "1 pictures instead of 2")):
            self.assertEqual(app_run.trouble(ROW, peer, status, said, drawn, pictures), wrong)

    def test_draws_are_those_of_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            stats = pathlib.Path(folder) / "stats.json"
            self.assertEqual(app_run.drawn_on_our_gpu(stats), 0)
            for report, drawn in (("", 0), ('{"work": {"draws": 3, "walkers": 4}}', 7)):
                stats.write_text(report)
                self.assertEqual(app_run.drawn_on_our_gpu(stats), drawn)


class Desktop(unittest.TestCase):
    """scripts/apps --guest: what is wrong with a session in a guest."""
    SESSION = app_guest.Session("desk", [], ["compositor", "shell"], LLVMPIPE, Bound(2, 0, "rounding"), [(1, 0, 5, 2)], 60)
    BOTH = "render compositor 12\nrender shell 3\nrender terminal 0\n"

    def test_faults_of_a_run(self):
        for software, status, said, kernel, log, wrong in (
                (False, 0, self.BOTH, "", "", ""), (True, 0, "render compositor 0\nrender shell 0\n", "", "", ""),
                (False, 1, "a\nnot in time: b\n", "", "", "status 1: not in time: b"),
                (False, 0, "render compositor 12\nrender shell 0\n", "", "", "shell drew nothing on our GPU"),
                (False, 0, "render shell 5\n", "", "", "compositor drew nothing on our GPU"),
                (True, 0, "render compositor 0\nrender shell 3\n", "", "", "drew on our GPU instead of its own: shell"),
                (False, 0, self.BOTH, "x: a\ni915 0000:00:02.0: [drm] GPU HANG\n", "", "i915 0000:00:02.0: [drm] GPU HANG"),
                (False, 0, self.BOTH, "", "note: a\nsoftgen: unimplemented: x: y\n", "unimplemented: x: y")):
            self.assertEqual(app_guest.fault(self.SESSION, software, status, said, kernel, log), wrong)

    def test_hidden_pixels_are_black(self):
        class Picture:
            width, height = 3, 3

            def bytes(self):
                return bytes([7] * 27)
        self.assertEqual(app_guest.visible(Picture(), [(1, 0, 1, 2)]), bytes([7, 7, 7, 0, 0, 0, 7, 7, 7] * 2 + [7] * 9))


class Command(unittest.TestCase):
    def test_unknown_desktop(self):
        done = script("apps", "--guest", "bookworm", "mpv-gpu")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("there is no program 'mpv-gpu'; there are plasma", done.stderr)

    def test_unknown_program(self):
        done = script("apps", "nothing")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("there is no program 'nothing'", done.stderr)
