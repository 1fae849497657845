# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/gen_defs.py: the View of a small .def file's packets, checked by the compiler, and errors."""
import os
import unittest

from driver import GeneratorTest, script

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

struct LINE length=2
  dw0 31:0 From : struct POINT
  dw1 31:0 To : struct POINT

command LIST mi 0x22 all length=1+
  repeat * dw1 size=64
    dw0 63:3 Address : address
    dw0 2:0 Code : int

command KEPT mi 0x05 all single overlaps
"""
OTHER = """import small except LIST
change SMALL length=4 min=3 without Mode
  dw0 13:11 Colour : uint
  dw3 7:0 Last : uint

change POINT
  dw0 0 Half : bool

command FRESH mi 0x02 rcs single state
position FRESH, KEPT
"""
OTHER_CHECKS = """
namespace defs = softgen::defs;
using S = defs::Small;
using O = defs::Other;
static_assert(std::is_same_v<O::KEPT, S::KEPT> && std::is_same_v<O::Colour, S::Colour>, "the same where nothing differs");
static_assert(!std::is_same_v<O::SMALL, S::SMALL> && !std::is_same_v<O::POINT, S::POINT>);
static_assert(!std::is_same_v<O::LINE, S::LINE> && std::is_same_v<decltype(O::LINE{}.from), O::POINT>, "it holds what differs");
constexpr uint32_t packet[] = {0x3800, 0, 0, 0x77};
constexpr O::SMALL::View view(packet);
static_assert(O::SMALL::dwords == 4 && view.last() == 0x77 && view.colour() == 7 && O::SMALL::match == S::SMALL::match);
template <class G>
concept has_mode = requires(typename G::SMALL::View packet) { packet.mode(); };
static_assert(has_mode<S> && !has_mode<O>);
template <class G>
concept has_list = requires { typename G::LIST; };
static_assert(has_list<S> && !has_list<O>);
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


class Defs(GeneratorTest, unittest.TestCase):
    folder = "hw/defs/small"

    def generate(self, text):
        """Writes the set `small`, and the CommandIds."""
        (self.out / "unit.def").write_text(text)
        small = ["--set", "small", str(self.out / "unit.def")]
        ids = script("gen_defs.py", str(self.out.parent), "--ids", *small)
        return ids if ids.returncode else script("gen_defs.py", str(self.out), *small)

    def derive(self, text):
        """Writes the set `other`, whose file may import `small`."""
        out = self.out.parent / "other"
        out.mkdir(exist_ok=True)
        (out / "more.def").write_text(text)
        sets = ["--set", "small", str(self.out / "unit.def"), "--set", "other", str(out / "more.def")]
        ids = script("gen_defs.py", str(self.out.parent), "--ids", *sets)
        return ids if ids.returncode else script("gen_defs.py", str(out), *sets)

    def test_view(self):
        self.assert_accepted(self.generate(LAYOUTS))
        self.assert_compiles('#include "hw/defs/small/unit.h"\n' + CHECKS)

    def test_unchanged_files_keep_their_times(self):
        """So ninja builds only what depends on files whose text changes."""
        self.assert_accepted(self.generate(LAYOUTS))
        files = [path for path in self.out.parent.rglob("*.h")]
        self.assertGreater(len(files), 3)
        for path in files:
            os.utime(path, (1, 1))
        self.assert_accepted(self.generate(LAYOUTS + "\nstruct NEW length=1\n  dw0 0 Bit : bool\n"))
        rewritten = {path.name for path in files if path.stat().st_mtime != 1}
        self.assertIn("unit.h", rewritten)
        self.assertNotIn("ids.h", rewritten)
        self.assertNotIn("set.h", rewritten)

    def test_import(self):
        self.assert_accepted(self.generate(LAYOUTS))
        self.assert_accepted(self.derive(OTHER))
        self.assert_compiles('#include <type_traits>\n#include "hw/defs/other/all.h"\n#include "hw/defs/small/all.h"\n' + OTHER_CHECKS)
        ids = (self.root / "hw/defs/ids.h").read_text()
        self.assertIn("  SMALL,\n  LIST,\n  KEPT,\n  FRESH,\n", ids)
        self.assertIn("command_ids = 4;", ids)
        tables = (self.root / "hw/defs/other/tables.cpp").read_text()
        self.assertNotIn('"LIST"', tables)
        self.assertIn('{{"KEPT", 1, false, {}, {}}, CommandId::KEPT, 0x02800000, 0xff800000, 15, 0, 0, 1, false, false, false, false, true, true}', tables)
        self.assertIn('CommandId::FRESH, 0x01000000, 0xff800000, 1, 0, 0, 1, true, false, false, false, false, true}', tables)
        self.assertIn('0x15000000, 0xff800000, 15, 7, 0, 3, false, false, false, false, false, false}', tables)

    def test_import_of_single_items(self):
        self.assert_accepted(self.generate(LAYOUTS))
        self.assert_accepted(self.derive("import small only LINE, Surface Format\n\ncommand FRESH mi 0x02 rcs single\n"))
        names = (self.root / "hw/defs/other/all.h").read_text()
        for name in ("LINE", "POINT", "SurfaceFormat", "FRESH"):  # POINT is in LINE
            self.assertIn(f"  using {name} = other::{name};", names)
        for name in ("SMALL", "KEPT", "Colour"):
            self.assertNotIn(f"  using {name} =", names)
        self.assert_compiles('#include <type_traits>\n#include "hw/defs/other/all.h"\n#include "hw/defs/small/all.h"\n'
                             "static_assert(std::is_same_v<softgen::defs::Other::LINE, softgen::defs::Small::LINE>);\n")
        self.assert_refused(self.derive, (
            ("import tiny only LINE\n", "other: import of an unknown set tiny"),
            ("import small only LINE, LARGE\n", "only names unknown items: ['LARGE']"),
            ("import small some LINE\n", "expected 'import SET except NAME, NAME' or 'import SET only NAME, NAME'")))

    def test_what_an_import_refuses(self):
        self.assert_accepted(self.generate(LAYOUTS))
        self.assert_refused(self.derive, (
            ("import tiny\n", "other: import of an unknown set tiny"),
            ("import small except LARGE\n", "other: except names unknown items: ['LARGE']"),
            ("import small\n\nstruct POINT length=1\n", "other: both imported and declared: ['POINT']"),
            ("import small except POINT\n", "LINE: no struct POINT"),
            ("import small\n\nchange LARGE\n", "other: change of a layout that is not imported: ['LARGE']"),
            ("import small\n\nchange POINT without Z\n", "more.def:3: POINT has no ['Z'] that could be left out"),
            ("import small\nposition SMALL, NONE\n", "other: position names unknown commands: ['NONE']"),
            ("import small\n\nchange POINT wide\n", "more.def:3: unknown word 'wide'"),
            ("import small\n\nchange POINT\n  dw1 3:0 Z : uint\n", "'Z' ends beyond dword 1")))

    def test_what_it_refuses(self):
        command = "command A mi 0x01 all length=2\n"
        self.assert_refused(self.generate, (
            (command + "  dw2 0 Beyond : bool\n", "'Beyond' ends beyond dword 2"),
            (command + "  dw0 0:5 Name : uint\n", "unit.def:2: bits 0:5 are upside down"),
            (command + "  dw0 5:0 Name : colour\n", "unit.def:2: unknown type 'colour'"),
            (command + "  dw0 5:0 Name : enum Colour\n", "no enum Colour"),
            (command + "  dw0 5:0 Name : struct S\n", "no struct S"),
            (command + "  dw0 5:0 Name : float\n", "unit.def:2: a float has 32 bits"),
            ("command A mi 0x01 all length=2 min=3\n", "unit.def:1: A: min=3 is not one of its 2 dwords"),
            (command + command, "declared twice: ['A']"),
            ("command A mi 0x01 all size=2\n", "unit.def:1: unknown word 'size=2'")))


if __name__ == "__main__":
    unittest.main()
