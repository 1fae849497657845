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
    def found(self, text, *options):
        """The findings in a file of `text` that is compiled with `options`."""
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work)
            (folder / ".clang-tidy").write_text((ROOT / ".clang-tidy").read_text())
            source = folder / "file.cpp"
            source.write_text(text)
            command = {"directory": work, "file": str(source), "arguments": ["c++", "-std=c++20", *options, "-c", str(source)]}
            (folder / "compile_commands.json").write_text(json.dumps([command]))
            return tidy.check([source], folder)

    def test_a_finding(self):
        self.assertIn("[modernize-use-nullptr", "".join(self.found("int* nothing() { return 0; }\n")))

    def test_a_warning_turned_off_is_none_under_werror(self):
        text = "[[deprecated]] int old();\nint now() { return old(); }\n"
        self.assertEqual(self.found(text, "-Werror"), [])


if __name__ == "__main__":
    unittest.main()
