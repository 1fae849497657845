# SPDX-License-Identifier: GPL-2.0-or-later
"""softgen-run --check."""
import json
import pathlib
import subprocess

from driver import BUILD, RunTest
import platforms

HERE = pathlib.Path(__file__).resolve().parent


class Check(RunTest):
    def setUp(self):
        super().setUp()
        self.program = self.compiled("tlb_flush", HERE)

    def findings(self, options, *program):
        """The finished process, and the findings of all its processes."""
        done = self.run_on_gpu(*program, options=[*options, "--check-json", "found.json"])
        return done, [one for process in json.loads((self.folder / "found.json").read_text()) for one in process["findings"]]

    def test_a_finding_ends_with_99(self):
        done, found = self.findings(["--check"], self.program)
        self.assertEqual(done.returncode, 99, done.stderr)
        self.assertIn("check B3 error: TLB invalidation", done.stderr)
        self.assertEqual([(one["rule"], one["address"], one["count"]) for one in found], [("B3", "0x200000", 1)])

    def test_right_commands_are_silent(self):
        done, found = self.findings(["--check"], self.program, "stall")
        self.assertEqual((done.returncode, found), (0, []), done.stderr)

    def test_iris_and_our_own_kernel_part_are_silent(self):
        for platform in platforms.names():
            with self.subTest(platform=platform):
                self.platform = platform
                done, found = self.findings(["--check", "--mode", "320x240@0"], "kmscube", "--count", "2")
                self.assertEqual((done.returncode, found), (0, []), done.stderr)

    def test_the_programs_own_status_goes_first(self):
        done, found = self.findings(["--check=commands"], "sh", "-c", f"{self.program}; {self.program}; exit 3")
        self.assertEqual((done.returncode, len(found)), (3, 2), done.stderr)

    def test_rules_left_out_suppressions_and_status(self):
        (self.folder / "known.supp").write_text("B3 command=PIPE_CONTROL # for the test\n")
        for options, status in ((["--check=-B3"], 0), (["--check=@known.supp"], 0), (["--check", "--check-exit", "7"], 7)):
            with self.subTest(options=options):
                self.assertEqual(self.findings(options, self.program)[0].returncode, status)

    def test_a_wrong_option_is_refused_in_a_sentence(self):
        done = subprocess.run([BUILD / "softgen-run", "--check=+Z1", "--", "true"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("there is no rule or class 'Z1'", done.stderr)
