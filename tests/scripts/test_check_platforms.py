# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/check_platforms.py finds each kind of fact in a unit."""
import pathlib
import tempfile
import unittest

from driver import script

REGISTERS = """engine bcs 0x22000 interrupt=0.16 reset=Blitter domain=blitter
engine vcs0 0x12000 interrupt=1.0 reset=Media domain=media
group "Engines" engine
register RING_ELSP 0x230
group "Render"
register PS_DEPTH_COUNT 0x2350
"""
PLATFORMS = '{\n    .name = "kbl",\n    .pci_device_id = 0x5912,\n},\n'


class Tree(unittest.TestCase):
    """A small source tree whose unit hw/cs/unit.cpp the tests write."""

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.root = pathlib.Path(work.name)
        self.put("hw/defs/gen9/registers_all.def", REGISTERS)
        self.put("hw/defs/platform.cpp", PLATFORMS)

    def put(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def check(self, *options):
        return script("check_platforms.py", "--root", self.root, *options)

    def found(self, kind, line, name="hw/cs/unit.cpp"):
        """How often `kind` is found in a file that holds `line` only."""
        self.put(name, f"\n{line}\n")
        done = self.check()
        self.assertIn(done.returncode, (0, 1), done.stderr)
        heads = [line for line in done.stdout.splitlines() if not line.startswith("  ")]
        places, mine = [], False
        for line in done.stdout.splitlines():
            if line in heads:
                mine = line.startswith(f"{kind}: ")
            elif mine:
                self.assertTrue(line.startswith(f"  {name}:2: "), line)
                places.append(line)
        (self.root / name).unlink()
        return len(places)


class Kinds(Tree):
    def test_a_generation(self):
        self.assertEqual(self.found("generation", "defs::gen9::MI_NOOP a; gen11::MI_NOOP b;"), 2)
        self.assertEqual(self.found("generation", '#include "hw/defs/gen9/mi.h"'), 1)
        self.assertEqual(self.found("generation", "int gen9; // gen9::MI_NOOP"), 0)
        for home in ("hw/defs/a.h", "hw/render/decode/a.cpp", "hw/eu/isa/gen9/a.cpp", "hw/gt/platforms/kbl.cpp", "hw/display/skl/a.cpp"):
            self.assertEqual(self.found("generation", "gen9::MI_NOOP a;", home), 0, home)
        self.assertEqual(self.found("generation", "gen9::MI_NOOP a;", "hw/eu/isa/a.cpp"), 1)

    def test_bits_of_a_command(self):
        for line in ("bit(dw[0], 22)", "bits(dw[1], 15, 14)", "bit(packet.dwords[0], 8)", "bits(header, 1, 0)", "bits(packet->dwords[2], 3, 0)"):
            self.assertEqual(self.found("dword-bits", line), 1, line)
        self.assertEqual(self.found("dword-bits", "/* bit(dw[0], 22) */ bit(value, 22)"), 0)

    def test_a_registers_offset(self):
        for line in ("read(0x2350)", "read(0x0000'2350)", "uint32_t base = 0x12000;", "read(0x22230)", "elsp = 0x230;", "ring_elsp = 0x230;"):
            self.assertEqual(self.found("offset", line), 1, line)
        for line in ("read(0x2354)", "other = 0x230;", "half & 0x8000", "// 0x2350"):
            self.assertEqual(self.found("offset", line), 0, line)
        self.assertEqual(self.found("offset", "read(0x2350)", "hw/run/regs.h"), 0)

    def test_bits_of_a_message_descriptor(self):
        for line in ("bits(m.descriptor, 18u, 14u)", "bit(descriptor, 19)", "(descriptor >> 14) & 3", "i.ex_descriptor >> 6"):
            self.assertEqual(self.found("descriptor-bits", line), 1, line)
        self.assertEqual(self.found("descriptor-bits", "descriptor == other; bits(value, 3, 0); descriptors[1]"), 0)

    def test_a_comparison_with_a_platform(self):
        for line in ('if (name == "kbl")', 'if ("kbl" != name)', "case 0x5912:", "id == 0x5912", "platform.pci_device_id == id", "p.pci_id >= 0x5900",
                     "platform().name == other", "platform->name != other"):
            self.assertEqual(self.found("platform", line), 1, line)
        self.assertEqual(self.found("platform", "platform.name = name; print(platform.pci_device_id); file.name == other"), 0)
        self.assertEqual(self.found("platform", 'name == "kbl"', "hw/gt/platforms/kbl.cpp"), 0)


class Command(Tree):
    def test_a_tree_without_such_places(self):
        self.put("hw/cs/unit.cpp", "int a;\n")
        done = self.check()
        self.assertEqual((done.returncode, done.stdout), (0, "platforms: no fact of one generation outside hw/defs, decoders and lists of parts\n"))

    def test_places_are_named(self):
        self.put("hw/cs/unit.cpp", "int a;\nbool b = bit(dw[0], 22);\n")
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("dword-bits: bits of a command picked by number", done.stdout)
        self.assertIn("  hw/cs/unit.cpp:2: bool b = bit(dw[0], 22);", done.stdout)

    def test_help(self):
        done = script("check_platforms.py", "--help")
        self.assertEqual(done.returncode, 0)
        for word in ("--root", "generation", "dword-bits", "offset", "descriptor-bits", "platform", "exit status"):
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    unittest.main()
