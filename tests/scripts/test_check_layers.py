# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/check_layers.py finds each include that points downwards."""
import pathlib
import tempfile
import unittest

from driver import script


class Layers(unittest.TestCase):
    def check(self, name, included):
        """The output for a tree whose only file, `name`, includes `included`."""
        with tempfile.TemporaryDirectory() as work:
            path = pathlib.Path(work) / name
            path.parent.mkdir(parents=True)
            path.write_text(f'#include "{included}"\n')
            return script("check_layers.py", "--root", work)

    def test_folders(self):
        self.assertEqual(self.check("hw/render/a.cpp", "hw/eu/interp/run.h").returncode, 0)
        done = self.check("hw/eu/interp/a.cpp", "hw/render/draw.h")
        self.assertEqual(done.returncode, 1)
        self.assertIn("hw/eu/interp/a.cpp:1: hw/eu may not include hw/render", done.stdout)
        self.assertIn("hw/nowhere is not in the list of folders", self.check("hw/nowhere/a.cpp", "hw/base/log.h").stdout)

    def test_parts_of_eu(self):
        """The interpreter and the compiler include eu/program, which includes neither."""
        for part, others in {"program": ["isa"], "interp": ["isa", "program"], "jit": ["isa", "program", "interp"]}.items():
            for other in others:
                self.assertEqual(self.check(f"hw/eu/{part}/a.cpp", f"hw/eu/{other}/b.h").returncode, 0)
        for part, other in [("isa", "program"), ("program", "interp"), ("program", "jit"), ("interp", "jit")]:
            done = self.check(f"hw/eu/{part}/a.cpp", f"hw/eu/{other}/b.h")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"hw/eu/{part} may not include hw/eu/{other}", done.stdout)
        self.assertIn("hw/eu/other is not in the list of parts", self.check("hw/eu/other/a.cpp", "hw/eu/isa/b.h").stdout)


if __name__ == "__main__":
    unittest.main()
