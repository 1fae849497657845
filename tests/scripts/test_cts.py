# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/cts with programs that print like dEQP's: results, a crash, a case that never ends."""
import pathlib
import sys
import tempfile
import unittest

from driver import ROOT, script

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import choice  # noqa: E402
import cts_process  # noqa: E402
from common import Failure  # noqa: E402

# Prints like tcuTestSessionExecutor.cpp. A case's last word determines its outcome.
PROGRAM = r"""
import os, sys, time
for case in sys.stdin.read().split():
    if case == "unknown":
        continue
    print(f"\nTest case '{case}'..", flush=True)
    word = case.split(".")[-1]
    if word == "crash":
        os.abort()
    if word == "hang":
        time.sleep(1000)
    if word == "silent":
        continue
    print(f"  {word} (text (of) {case})", flush=True)
"""


class Process(unittest.TestCase):
    def run_cases(self, *cases, timeout=60):
        with tempfile.TemporaryFile() as stderr:
            return cts_process.run(["/usr/bin/python3", "-c", PROGRAM], cases, None, stderr, timeout)

    def test_results_and_their_texts(self):
        outcomes = self.run_cases("a.Pass", "b.Fail", "c.NotSupported")
        self.assertEqual({case: (o.word, o.text) for case, o in outcomes.items()},
                         {"a.Pass": ("Pass", "text (of) a.Pass"), "b.Fail": ("Fail", "text (of) b.Fail"),
                          "c.NotSupported": ("NotSupported", "text (of) c.NotSupported")})

    def test_cases_after_a_crash_and_a_hang_are_run(self):
        outcomes = self.run_cases("a.Pass", "b.crash", "c.hang", "d.crash", "e.Pass", timeout=1)
        self.assertEqual([(case, o.word) for case, o in outcomes.items()],
                         [("a.Pass", "Pass"), ("b.crash", "Crash"), ("c.hang", "Timeout"), ("d.crash", "Crash"), ("e.Pass", "Pass")])

    def test_a_case_without_a_result_is_an_error(self):
        outcomes = self.run_cases("a.silent", "b.Pass")
        self.assertEqual([o.word for o in outcomes.values()], ["InternalError", "Pass"])

    def test_a_case_that_the_program_does_not_know_ends_the_run(self):
        with self.assertRaisesRegex(Failure, "did not run 'unknown'"):
            self.run_cases("a.Pass", "unknown")


class Reasons(unittest.TestCase):
    def of(self, platform, name):
        with tempfile.TemporaryDirectory() as folder:
            rows = pathlib.Path(folder) / "failing.txt"
            rows.write_text("# a.* | a comment\n\nilk,tgl: a.* | chip\nb@config 0: [x] | all\n")
            return choice.reason(name, choice.known_reasons(rows, platform))

    def test_rows_count_on_their_platforms_only(self):
        self.assertEqual([self.of(platform, "a.b") for platform in ("ilk", "tgl", "kbl")], ["chip", "chip", ""])

    def test_rows_without_platforms_count_on_all(self):
        self.assertEqual([self.of(platform, "b@config 0: [x]") for platform in ("ilk", "kbl")], ["all", "all"])


class Script(unittest.TestCase):
    def test_what_is_missing_is_named_in_one_sentence(self):
        with tempfile.TemporaryDirectory() as empty:
            for directory in ("/nonexistent", empty):
                with self.subTest(directory=directory):
                    done = script("cts", "--no-setup", directory)
                    self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
                    self.assertIn(directory, done.stderr)
