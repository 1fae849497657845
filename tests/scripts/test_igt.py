# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/igt: which subtests share a process, and how those run that the process did not reach."""
import argparse
import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

from driver import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import cmd_igt  # noqa: E402
import igt_tests  # noqa: E402

OUTPUT = """IGT-Version: 1.27.1
Starting subtest: first
Subtest first: SUCCESS (0.250s)
Starting subtest: second
(kms_x:7) CRITICAL: Failed assertion: crc_equal(a, b)
Subtest second: FAIL (1.500s)
Subtest second: FAIL (1.500s)
Starting subtest: third
Starting dynamic subtest: rcs0
Dynamic subtest rcs0: SUCCESS (0.100s)
"""


class Output(unittest.TestCase):
    def test_subtests_that_ended(self):
        ended = igt_tests.ended_subtests(OUTPUT)
        self.assertEqual([(name, ended[name].word, ended[name].seconds) for name in ended], [("first", "pass", 0.25), ("second", "fail", 1.5)])
        self.assertIn("Failed assertion", ended["second"].text)
        self.assertNotIn("first", ended["second"].text)

    def test_groups_are_subtests_of_one_program(self):
        names = [f"igt@kms_a@s{i}" for i in range(igt_tests.MAX_SUBTESTS + 1)] + ["igt@kms_b", "igt@kms_c@x", "igt@kms_c@y@dynamic", "igt@kms_c@z"]
        groups = igt_tests.groups(names)
        self.assertEqual([len(group) for group in groups], [igt_tests.MAX_SUBTESTS, 1, 1, 1, 1, 1])
        self.assertEqual(sum(groups, []), names)
        self.assertEqual(igt_tests.command("/t", igt_tests.joined(["igt@kms_a@s0", "igt@kms_a@s1"])), "/t/kms_a --run-subtest s0,s1")


class Exclude(unittest.TestCase):
    def test_expressions_leave_tests_out(self):
        names = ["igt@gem_a@basic", "igt@gem_a@long", "igt@gem_b@x-hang-y", "igt@gem_c"]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "blacklist.txt"
            file.write_text("# long ones\nigt@gem_a@(?!.*basic).*\n\n  @.*-hang\n")
            self.assertEqual(cmd_igt.without([file], names), ["igt@gem_a@basic", "igt@gem_c"])
            self.assertEqual(cmd_igt.without([], names), names)
            file.write_text("igt@(\n")
            self.assertRaisesRegex(cmd_igt.Failure, r"--exclude: .*'igt@\('", cmd_igt.without, [file], names)


class FakeRunner(cmd_igt.Runner):
    """Subtests of `bad` have the result `word`. A time-out ends the process there, and a lost guest loses its output; a failure does not end it."""

    def __init__(self, bad, word):
        self._bad, self._word, self.runs = bad, word, []

    def run(self, test):
        self.runs.append(test.split("@")[2])
        out = ""
        for name in self.runs[-1].split(","):
            out += f"Starting subtest: {name}\n"
            if name in self._bad and self._word == "fail":
                out += f"Subtest {name}: FAIL (0.001s)\n"
                continue
            if name in self._bad:
                return cmd_igt.Result(test, self._word, 1.0, ""), "" if self._word == "lost" else out, ""
            out += f"Subtest {name}: SUCCESS (0.001s)\n"
        return cmd_igt.Result(test, "pass", 1.0, ""), out, ""


class LocalRunner(cmd_igt.Runner):
    """Runs on the host what would run in a guest."""

    def __init__(self, folder):
        self._options, self._folder, self._libraries = argparse.Namespace(test_timeout=60), folder, folder

    def machine(self):
        return self

    def capture(self, script, _limit):
        if script.startswith(cmd_igt.guests.KERNEL_REPORTS):
            return 0, "", ""
        run = subprocess.run(["setsid", "-w", "sh", "-c", script], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout, run.stderr


class Processes(unittest.TestCase):
    def test_program_leads_its_process_group(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "sg_leads_group"
            program.write_text("#!/bin/sh\n[ $(ps -o pgid= -p $$) = $$ ] || exit 98\necho leads\nexit 77\n")
            program.chmod(0o755)
            result, out, _ = LocalRunner(folder).run("igt@sg_leads_group")
        self.assertEqual((result.word, out), ("skip", "leads\n"))


class Groups(unittest.TestCase):
    NAMES = [f"igt@gem_x@{letter}" for letter in "abcde"]

    def results(self, runner):
        return [(result.test[-1], result.word) for result, _, _ in runner.run_group(list(self.NAMES))]

    def test_one_process_where_all_end(self):
        runner = FakeRunner((), "")
        self.assertEqual(self.results(runner), [(letter, "pass") for letter in "abcde"])
        self.assertEqual(runner.runs, ["a,b,c,d,e"])

    def test_time_out_counts_for_one_subtest(self):
        runner = FakeRunner(("b",), "timeout")
        self.assertEqual(self.results(runner), [("a", "pass"), ("b", "timeout"), ("c", "pass"), ("d", "pass"), ("e", "pass")])
        self.assertEqual(runner.runs, ["a,b,c,d,e", "b", "c,d,e"])

    def test_failed_subtest_runs_again_alone(self):
        runner = FakeRunner(("c",), "fail")
        self.assertEqual(self.results(runner), [(letter, "pass") for letter in "abcde"])
        self.assertEqual(runner.runs, ["a,b,c,d,e", "c"])

    def test_after_a_lost_guest_each_runs_alone(self):
        runner = FakeRunner(("d",), "lost")
        self.assertEqual(self.results(runner), [("a", "pass"), ("b", "pass"), ("c", "pass"), ("d", "lost"), ("e", "pass")])


class Shards(unittest.TestCase):
    NAMES = [f"igt@gem_y@{i}" for i in range(7)]

    def chosen(self, shard):
        class Listing:
            all_tests = staticmethod(lambda: self.NAMES)
        options = cmd_igt.parse(["--list", "all", "--shard", shard, "DIR"])
        return cmd_igt.chosen(options, Listing)

    def test_parts_are_the_list(self):
        parts = [self.chosen(f"{i}/3") for i in (1, 2, 3)]
        self.assertEqual([len(part) for part in parts], [1, 1, 1])
        self.assertEqual(sorted(test for part in parts for group in part for test in group), sorted(self.NAMES))

    def test_bad_shard(self):
        for text in ("0/3", "4/3", "2", "a/b"):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                self.chosen(text)


if __name__ == "__main__":
    unittest.main()
