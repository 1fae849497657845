# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/gen_registers.py: the code generated from a small .def file, checked by the compiler, and errors."""
import re
import unittest

from driver import GeneratorTest, script

ENGINES = """engine bcs 0x22000 interrupt=0.16 reset=Blitter domain=blitter
engine rcs 0x2000 interrupt=0.0 reset=Render domain=render
register GDRST 0x941c
  3 Blitter : bool
  1 Render : bool
"""
REGISTERS = ENGINES + """# Comments and empty lines count for nothing.
group "Engine" engine domain=gt source="PRM"
register RING_CTL 0x3c mask=0x001ffc07 context hook=cs
  20:12 Buffer Length : uint
  0 Ring Buffer Enable : bool

group "Others"
register ONE 0x5000
  31:0 Whole Word : address
  # A comment between fields.
register MANY 0x6000 array=2,3 stride=0x100,4
  31 48-bit PPGTT : bool
register ROW 0x7000 array=4 stride=8
"""
CHECKS = """#include "registers.h"
using namespace softgen::reg;
static_assert(RING_CTL == 0x3c && ONE == 0x5000 && MANY(1, 2) == 0x6108 && MANY(1) == 0x6100 && ROW(3) == 0x7018);
static_assert(field::RING_CTL_BUFFER_LENGTH.of(0xffe01fff) == 1 && field::RING_CTL_BUFFER_LENGTH.in_place(0xffe01fff) == 0x1000);
static_assert(field::RING_CTL_BUFFER_LENGTH.mask() == 0x1ff000 && field::RING_CTL_RING_BUFFER_ENABLE.mask() == 1);
static_assert(field::RING_CTL_BUFFER_LENGTH.with(0xffffffff, 2) == 0xffe02fff);
static_assert(field::RING_CTL_BUFFER_LENGTH.with(0, 0x3ff) == 0x1ff000, "what does not fit is cut off");
static_assert(field::ONE_WHOLE_WORD.mask() == 0xffffffff && field::ONE_WHOLE_WORD.of(0x80000001) == 0x80000001);
static_assert(field::ONE_WHOLE_WORD.with(1, 0x80000000) == 0x80000000);
static_assert(field::MANY_48_BIT_PPGTT.of(0x80000000) == 1);
"""
OTHER = """import small except ONE, MANY, ROW, RING_CTL
register RING_CTL 0x3c engine
  21:12 Buffer Length : uint
  0 Ring Buffer Enable : bool
register ONE 0x5000
  31:0 Whole Word : address
register MANY 0x6000 array=2 stride=4
register FRESH 0x8000
  3:0 Nibble : uint
"""
OTHER_CHECKS = """#include "registers.h"
using namespace softgen::reg;
static_assert(GDRST == 0x941c && RING_CTL == 0x3c && ONE == 0x5000 && FRESH == 0x8000 && ROW(1) == 0x7008, "one place in all sets that have it");
static_assert(small::MANY(1, 2) == 0x6108 && other::MANY(1) == 0x6004);
static_assert(field::RING_CTL_RING_BUFFER_ENABLE.mask() == 1 && field::FRESH_NIBBLE.mask() == 15 && field::ONE_WHOLE_WORD.mask() == ~0u);
static_assert(small::field::RING_CTL_BUFFER_LENGTH.high == 20 && other::field::RING_CTL_BUFFER_LENGTH.high == 21);
"""


WAKE = """register ACK 0xd84 access=ro
register REQUEST 0xa278 acknowledge=ACK
register ACKS 0xd50 array=2 stride=4 access=ro
register REQUESTS 0xa540 array=2 stride=4 acknowledge=ACKS
"""
RANGES = ENGINES + WAKE + """register FUSE 0x9118 access=ro
  7:4 Units : uint
wake RENDER REQUEST
wake BOX REQUESTS[1]
replicated PAIR 2
replicated UNIT 4 disabled=FUSE.Units
shadowed 0x2030 0x2510..0x2550
range 0x1000..0x1fff AON PAIR
range 0x2000..0x2fff RENDER
range 0xb100..0xb3ff BOX UNIT
"""


class Registers(GeneratorTest, unittest.TestCase):
    def generate(self, text):
        (self.out / "small.def").write_text(text)
        return script("gen_registers.py", str(self.out), "--set", "small", str(self.out / "small.def"))

    def derive(self, text):
        """Two sets, of which the second may import the first."""
        (self.out / "small.def").write_text(REGISTERS)
        (self.out / "other.def").write_text(text)
        return script("gen_registers.py", str(self.out), "--set", "small", str(self.out / "small.def"), "--set", "other", str(self.out / "other.def"))

    def test_constants_and_fields(self):
        self.assert_accepted(self.generate(REGISTERS))
        self.assert_compiles(CHECKS)

    def test_constants_are_what_all_sets_agree_on(self):
        self.assert_accepted(self.derive(OTHER))
        self.assert_compiles(OTHER_CHECKS)
        text = (self.out / "registers.h").read_text()
        shared = text[:text.index("namespace small {")]
        for name in ("MANY", "RING_CTL_BUFFER_LENGTH"):
            self.assertNotIn(f" {name}", shared, "a fact that is not shared")
        table = (self.out / "other_registers.cpp").read_text()
        self.assertIn("namespace softgen::defs::other {", table)
        self.assertNotIn('"ROW"', table)
        self.assertLess(table.index('"GDRST"'), table.index('"RING_CTL"'))
        # By offset, with rows as numbers: GDRST, the engines' RING_CTL, ONE, MANY, FRESH.
        self.assertIn("{0x203c, 1}, {0x5000, 2}", table.replace("\n    ", " "))

    def test_an_import_may_have_another_number_of_instances(self):
        self.assert_accepted(self.derive("import small\ninstances 5 MANY\n"))
        many = [re.search(r'\{"MANY".*\{(\d+, \d+)\}, \{0x', (self.out / f"{name}_registers.cpp").read_text()).group(1) for name in ("small", "other")]
        self.assertNotEqual(many[0], many[1])
        self.assertIn("5", many[1])

    def test_import_of_single_rows(self):
        self.assert_accepted(self.derive("import small only ONE, GDRST\nengine rcs 0x2000 interrupt=0.0 reset=none domain=render\nregister NEW 0x6000\n"))
        table = (self.out / "other_registers.cpp").read_text()
        for name in ("ONE", "GDRST", "NEW"):
            self.assertIn(f'{{"{name}"', table)
        self.assertNotIn('"MANY"', table)
        self.assertIn(".reset = 0x0,", table)
        self.assert_refused(self.derive, (
            ("import small only LARGE\n", "only names unknown registers: ['LARGE']"),
            ("import tiny only ONE\n", "import of an unknown set tiny"),
            ("import small only ONE\nregister ONE 0x6000\n", "both imported and declared: ['ONE']")))

    def test_what_an_import_refuses(self):
        self.assert_refused(self.derive, (
            ("import tiny\n", "import of an unknown set tiny"),
            ("import small\ninstances 2 NONE\n", "instances of unknown registers: ['NONE']"),
            ("import small except LARGE\n", "except names unknown registers: ['LARGE']"),
            ("import small\nregister ONE 0x5004\n", "both imported and declared: ['ONE']"),
            ("import small\nregister NEW 0x5000\n", "registers NEW and ONE both stand at 0x5000")))

    def test_rows_of_the_table(self):
        self.generate(REGISTERS)
        table = (self.out / "small_registers.cpp").read_text()
        self.assertIn('fields_RING_CTL[] = {{"Buffer Length", 20, 12, uint}, {"Ring Buffer Enable", 0, 0, boolean}};', table)
        self.assertIn('{"RING_CTL", 0x3c, 0x0, 0x1ffc07, 0x0, 0xffffffff, false, true, true, true, false, 0x0, ResetDomain::gt, "cs", '
                      '0x0, {1, 1}, {0x0, 0x0}, fields_RING_CTL, source1}', table)
        engines = " ".join(table[table.index("EngineRow engines[]"):].split())
        self.assertTrue(engines.startswith(
            "EngineRow engines[] = { {.id = EngineId::rcs, .mmio_base = 0x2000, .box = 0x1000, .interrupt_word = 0, .interrupt_shift = 0, .instance = 0, "
            ".reset = 0x2, .domain = ResetDomain::render}, {.id = EngineId::bcs, .mmio_base = 0x22000, .box = 0x1000, .interrupt_word = 0, .interrupt_shift = 16, "
            ".instance = 0, .reset = 0x8, .domain = ResetDomain::blitter}, };"), engines)

    def test_an_engine_that_has_some_of_the_registers_only(self):
        text = REGISTERS + 'group "More" engine\nregister RING_TAIL 0x30\n' + "only bcs RING_TAIL\n"
        self.assert_accepted(self.generate(text))
        table = (self.out / "small_registers.cpp").read_text()
        self.assertIn('{"RING_CTL", 0x3c, 0x0, 0x1ffc07, 0x0, 0xffffffff, false, true, true, true, false, 0x2, ', table)
        self.assertIn('{"RING_TAIL", 0x30, 0x0, 0xffffffff, 0x0, 0xffffffff, false, true, false, true, false, 0x0, ', table)
        self.assertNotIn("0x2203c", table)
        self.assertIn("0x22030", table)

    def test_ranges_name_their_domain_and_group(self):
        self.assert_accepted(self.generate(RANGES))
        table = " ".join((self.out / "small_registers.cpp").read_text().split())
        self.assertIn('groups = {{ {"PAIR", 2, 0, 0, true}, {"UNIT", 4, 0x9118, 4, false}, }};', table)
        self.assertIn("ranges = {{ {0x1000, 0x1fff, 0x0, 1}, {0x2000, 0x2fff, 0xa278, 0}, {0xb100, 0xb3ff, 0xa544, 2}, }};", table)
        self.assertIn("shadowed = {{ {0x2030, 0x2030}, {0x2510, 0x2550}, }};", table)
        self.assert_refused(lambda text: self.generate(RANGES + text), (
            ("range 0xc000..0xc0ff MEDIA\n", "range: MEDIA is no domain"),
            ("range 0x1800..0x1fff AON\n", "is not behind the one before it"),
            ("range 0xc000..0xc0ff AON NONE\n", "unknown group NONE"),
            ("range 0xc001..0xc0ff AON\n", "a range of dwords"),
            ("replicated MANY 8 enabled=FUSE.Units\n", "no field FUSE.Units with a bit for each")))

    def test_requests_for_forcewake_name_their_acknowledge(self):
        self.assert_accepted(self.generate(ENGINES + WAKE))
        table = (self.out / "small_registers.cpp").read_text()
        self.assertIn("std::array<WakeRow, 3> forcewake = {{{0xa278, 0xd84}, {0xa540, 0xd50}, {0xa544, 0xd54}}};", table)
        self.assert_accepted(self.generate(ENGINES))
        self.assertIn("std::array<WakeRow, 0> forcewake = {{}};", (self.out / "small_registers.cpp").read_text())

    def test_what_it_refuses(self):
        register = "register A 0x5000\n"
        self.assert_refused(self.generate, (
            (register + "  7:0 Low : uint\n  8:7 High : uint\n", "small.def:3: field High overlaps another"),
            (register + "  0 One : bool\n  1 one : bool\n", "small.def:3: a second field one"),
            (register + "  32:31 Beyond : uint\n", "small.def:2: bad field"),
            (register + "  0:7 Upside Down : uint\n", "small.def:2: bad field"),
            (register + "  0 Kind : text\n", "small.def:2: bad field"),
            (register + "  Name : bool\n", "small.def:2: not a field"),
            (register + register, "register A is declared twice"),
            (register + "register B 0x5000\n", "registers B and A both stand at 0x5000"),
            ("engine rcs 0x2000 interrupt=0.0 reset=Moon domain=render\n", "engine rcs: GDRST has no field Moon"),
            ("engine rcs 0x2000\n", "small.def:1: 'domain'"),
            ("engine moon 0x2000 interrupt=0.0 reset=Render domain=render\n", "small.def:1: bad engine"),
            (ENGINES + "register A 0x24030\ngroup E engine\nregister B 0x2030\n", "registers B and A both stand at 0x24030"),
            ("register A 0x5000 acknowledge=B\n", "register A: no B to acknowledge each of it"),
            ("register A 0x5000 acknowledge=B\nregister B 0x5004 array=2 stride=4\n", "register A: no B to acknowledge each of it"),
            ("register A 0x5002\n", "offset 0x5002 is odd or outside"),
            ("register A 0x5000 domain=moon\n", "unknown reset domain moon"),
            ("register A 0x5000 colour=red\n", "unknown attributes ['colour']")))


if __name__ == "__main__":
    unittest.main()
