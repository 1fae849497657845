# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/check_style.py: this tree passes, and violations are found."""
import pathlib
import tempfile
import unittest

from driver import ROOT, script


class Style(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.root = pathlib.Path(work.name)
        (self.root / ".clang-format").write_text((ROOT / ".clang-format").read_text())

    def check(self, text, *options):
        """The output for a tree whose only source is `text`."""
        path = self.root / "hw/unit/file.cpp"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        done = script("check_style.py", "--root", self.root, *options)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.stdout

    @staticmethod
    def function(lines):
        return "int f(int a) {\n" + "  ++a;\n" * (lines - 3) + "  return a;\n}\n"

    @staticmethod
    def record(members):
        return "struct S {\n" + "".join(f"  int m{i};\n" for i in range(members)) + "};\n"

    def test_this_tree(self):
        done = script("check_style.py")
        self.assertEqual(done.stdout, "style: all sources are formatted and include what they use, no function or class is too large\n", done.stderr)

    def test_format(self):
        self.assertIn("hw/unit/file.cpp: not as clang-format-19 writes it", self.check("int  a;\n"))
        self.assertIn("all sources are formatted", self.check("int  a;\n", "--fix"))
        self.assertEqual((self.root / "hw/unit/file.cpp").read_text(), "int a;\n")

    def test_long_functions(self):
        self.assertIn("all sources", self.check(self.function(60)))
        self.assertIn("hw/unit/file.cpp: f has 61 lines, at most 60 may be", self.check(self.function(61)))
        self.assertIn("A::f has 62 lines", self.check("struct A {\n  int f(int);\n};\n" + self.function(62).replace("f(", "A::f(", 1)))

    def test_large_classes(self):
        self.assertIn("all sources", self.check(self.record(20)))
        self.assertIn("S has 21 data members, at most 20 may be", self.check(self.record(21)))

    def test_includes(self):
        text = "inline std::span<int> f();\n"
        self.assertIn("hw/unit/file.cpp: needs #include <span>", self.check(text))
        self.assertIn("all sources", self.check("#include <span>\n" + text))
        (self.root / "hw/unit/other.h").write_text("#include <span>\n")
        self.assertIn("all sources", self.check('#include "other.h"\n' + text))
        self.assertIn("all sources", self.check("// std::span\n"))
