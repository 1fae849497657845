# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/gen_defs.py: the View of a small .def file's packets, by the compiler's judgement, and what it refuses."""
import pathlib
import subprocess
import tempfile
import unittest

from driver import ROOT, script

LAYOUTS = """enum Surface Format
  0 NONE
enum Colour
  0 RED
  3 BLUE

struct POINT length=1
  dw0 31:16 X : int
  dw0 15:0 Y : int

command SMALL mi 0x2a all length=3
  dw0 22 Use Global GTT : bool
  dw0 15:14 Mode : enum
    0 Off
    2 On And On
  dw0 13:12 Colour : enum Colour
  dw1 22:2 Register : offset mmio
  dw1 63:30 Over Two Dwords : uint
  dw2 31:0 Single : float

command LIST mi 0x22 all length=1+
  repeat * dw1 size=64
    dw0 63:3 Address : address
    dw0 2:0 Code : int
"""
CHECKS = """
using namespace softgen::defs::small;
constexpr uint32_t packet[] = {0x0040b000 | SMALL::match, 0xc0123457, 0x40400000};
constexpr SMALL::View view(packet);
static_assert(view.use_global_gtt() && view.mode() == SMALL::Mode::ON_AND_ON && view.colour() == softgen::defs::small::Colour::BLUE);
static_assert(view.register_() == 0x123454, "an offset stays in place");
static_assert(view.over_two_dwords() == 0x101000003 && view.single() == 3.0f);
constexpr SMALL::View cut({packet, 2});
static_assert(cut.over_two_dwords() == 3 && cut.single() == 0.0f && SMALL::View({packet, 0}).register_() == 0, "missing dwords read as zero");

constexpr uint32_t list[] = {LIST::match, 0x1000000f, 0x1, 0x20000001, 0x2, 0x3000000f};
constexpr LIST::View elements(list);
static_assert(elements.elements() == 2, "the third is not whole");
static_assert(elements.address(0) == 0x110000008 && elements.code(0) == -1);
static_assert(elements.address(1) == 0x220000000 && elements.code(1) == 1);
static_assert(LIST::View({list, 1}).elements() == 0 && LIST::View({list, 0}).elements() == 0);
constexpr uint32_t point[] = {0xfffe0005};
static_assert(POINT::View(point).x() == -2 && POINT::View(point).y() == 5);
"""


class Defs(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.root = pathlib.Path(work.name)
        self.out = self.root / "hw/defs/small"
        self.out.mkdir(parents=True)

    def generate(self, text):
        (self.out / "unit.def").write_text(text)
        return script("gen_defs.py", "small", str(self.out), str(self.out / "unit.def"))

    def test_view(self):
        done = self.generate(LAYOUTS)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.root / "checks.cpp").write_text('#include "hw/defs/small/unit.h"\n' + CHECKS)
        command = ["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{self.root}", f"-I{ROOT}", f"-I{ROOT}/include",
                   str(self.root / "checks.cpp")]
        compiled = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(compiled.returncode, 0, compiled.stderr)

    def test_what_it_refuses(self):
        command = "command A mi 0x01 all length=2\n"
        for text, complaint in (
                (command + "  dw2 0 Beyond : bool\n", "'Beyond' ends beyond dword 2"),
                (command + "  dw0 0:5 Name : uint\n", "unit.def:2: bits 0:5 are upside down"),
                (command + "  dw0 5:0 Name : colour\n", "unit.def:2: unknown type 'colour'"),
                (command + "  dw0 5:0 Name : enum Colour\n", "no enum Colour"),
                (command + "  dw0 5:0 Name : struct S\n", "no struct S"),
                (command + "  dw0 5:0 Name : float\n", "unit.def:2: a float has 32 bits"),
                (command + command, "declared twice: ['A']"),
                ("command A mi 0x01 all size=2\n", "unit.def:1: unknown word 'size=2'")):
            with self.subTest(text):
                done = self.generate(text)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(complaint, done.stderr)


if __name__ == "__main__":
    unittest.main()
