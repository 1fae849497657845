# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/lib/tidy.py applies .clang-tidy's checks, whatever the build's warning options."""
import json
import pathlib
import sys
import tempfile
import unittest

from driver import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import tidy  # noqa: E402


class Tidy(unittest.TestCase):
    def found(self, *texts, options=()):
        """(groups that compile together, findings) of files 0.cpp, 1.cpp … with `texts`, compiled with `options`; without their folder."""
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work) / "hw"  # .clang-tidy's HeaderFilterRegex
            folder.mkdir()
            files = [str(folder / f"{number}.cpp") for number in range(len(texts))]
            for file, text in zip(files, texts):
                pathlib.Path(file).write_text(text)
            (folder / "compile_commands.json").write_text(json.dumps(
                [{"directory": work, "file": file, "arguments": ["c++", "-std=c++20", *options, "-c", file]} for file in files]))
            [(command, known)] = tidy.sources_by_command(folder).items()
            self.assertEqual(known, files)
            groups = tidy.compile_together(files, command)
            findings = set().union(*(tidy.check(group, command) for group in groups))
            return [[pathlib.Path(file).name for file in group] for group in groups], sorted(line.removeprefix(f"{folder}/") for line in findings)

    def test_a_finding(self):
        _, findings = self.found("int* nothing() { return 0; }\n")
        self.assertRegex("".join(findings), r"^0\.cpp:1:25: .*\[modernize-use-nullptr")

    def test_without_the_precompiled_header(self):
        """GCC's is nowhere that clang-tidy would find it."""
        _, findings = self.found("#include <vector>\nstd::vector<int> none();\n", options=["-fpch-preprocess", "-include", "nowhere.h"])
        self.assertEqual(findings, [])

    def test_findings_of_sources_that_compile_together(self):
        groups, findings = self.found("static int* one() { return 0; }\n", "static int* two() { return 0; }\n")
        self.assertEqual(groups, [["0.cpp", "1.cpp"]])
        self.assertEqual([line.split(":")[0] for line in findings], ["0.cpp", "1.cpp"])

    def test_findings_of_sources_that_do_not(self):
        groups, findings = self.found(*["static int* one() { return 0; }\n"] * 2, "static int* two() { return 0; }\n")
        self.assertEqual(groups, [["0.cpp", "2.cpp"], ["1.cpp"]])
        self.assertEqual([line.split(":")[0] for line in findings], ["0.cpp", "1.cpp", "2.cpp"])

    def test_compile_errors_are_findings(self):
        _, findings = self.found("int good() { return 1; }\n", "int bad() { return unknown; }\n")
        self.assertRegex("".join(findings), r"^1\.cpp:1:20: .*\[clang-diagnostic-error")

    def test_included_sources_are_findings_of_hw_alone(self):
        groups, findings = self.found("int one() { return 1; }\n", '#include "0.cpp"\n')
        self.assertEqual(groups, [["1.cpp"], ["0.cpp"]])
        self.assertEqual([line.split(":")[0] for line in findings], ["1.cpp"])
        self.assertIn("bugprone-suspicious-include", findings[0])

    def test_a_warning_turned_off_is_none_under_werror(self):
        text = "[[deprecated]] int old();\nint now() { return old(); }\n"
        self.assertEqual(self.found(text, options=["-Werror"]), ([["0.cpp"]], []))


if __name__ == "__main__":
    unittest.main()
