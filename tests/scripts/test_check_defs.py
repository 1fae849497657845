# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/check_defs.py in small trees: comparisons, disagreements, known disagreements, and the skip without a tree."""
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from driver import ROOT, script

sys.path.insert(0, str(ROOT / "scripts"))
import check_defs  # noqa: E402

LAYOUTS = """command MI_SMALL mi 0x2a all length=4
  dw0 22 Use Global GTT : bool
  dw1 47:2 Memory Address : address
  dw3 7:0 Only Ours : uint
command MI_LIST mi 0x22 all length=1+
  repeat * dw1 size=64
    dw0 22:2 Register : offset mmio
"""
REGISTERS = """engine rcs 0x2000 interrupt=0.0 reset=Render domain=render
register CACHE_MODE_1 0x7004
  4 Early Depth Fails Disable : bool
register RPSTAT 0xa01c
  31:23 Current Frequency : uint
group "Engine" engine
register RING_CTL 0x3c
"""
OLDER = """<genxml gen="8">
  <instruction name="MI_SMALL"><field name="Use Global GTT" start="22" end="22" type="bool"/>
    <field name="Memory Address" start="34" end="63" type="address"/><field name="Memory Address High" start="64" end="79" type="address"/>
  </instruction>
  <struct name="GONE"/>
</genxml>"""
NEWER = """<genxml gen="9"><import name="gen80.xml"><exclude name="GONE"/></import>
  <instruction name="MI_LIST"><group count="0" start="32" size="64"><field name="Register" start="2" end="22" type="offset"/></group></instruction>
  <register name="CACHE_MODE_1" length="1" num="0x7004"><field name="Early Depth Fails Disable" start="4" end="4" type="bool"/></register>
</genxml>"""
HEADER = """#define GEN12_RPSTAT _MMIO(0x1381b4)
#define GEN6_RPSTAT\t\t_MMIO(0xa01c)
#define   RPSTAT_CURRENT_FREQUENCY_MASK\tREG_GENMASK(31, 23)
#define RING_CTL(base) _MMIO((base) + 0x3c)
"""


class CheckDefs(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.root = pathlib.Path(work.name)
        self.put("hw/defs/gen9/mi.def", LAYOUTS)
        self.put("hw/defs/gen9/registers_all.def", REGISTERS)
        self.put("genxml/gen80.xml", OLDER)
        self.put("genxml/gen90.xml", NEWER)
        for header in check_defs.HEADERS:
            self.put(f"i915/{header}", HEADER if header == "i915_reg.h" else "")

    def put(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def change(self, name, old, new):
        text = (self.root / name).read_text()
        self.assertIn(old, text)
        self.put(name, text.replace(old, new))

    def check(self):
        return script("check_defs.py", "--root", self.root, "--genxml", self.root / "genxml", "--i915", self.root / "i915")

    def test_agreement(self):
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "genxml: 4 fields compared, 0 problems\ni915: 3 offsets and fields compared, 0 problems\n")

    def test_each_disagreement_is_found(self):
        for file, old, new, complaint in (
                ("genxml/gen80.xml", 'start="22" end="22"', 'start="21" end="21"', "genxml MI_SMALL.Use Global GTT: ours dword 0:[22:22], theirs dword 0:[21:21]"),
                ("genxml/gen80.xml", 'end="79"', 'end="95"', "genxml MI_SMALL.Memory Address: ours dword 1:[47:2], theirs dword 1:[63:2]"),
                ("genxml/gen90.xml", 'start="2" end="22"', 'start="0" end="22"', "genxml MI_LIST.Register: ours dword 1:[22:2], theirs dword 1:[22:0]"),
                ("genxml/gen90.xml", 'start="4" end="4"', 'start="5" end="5"', "genxml CACHE_MODE_1.Early Depth Fails Disable: ours dword 0:[4:4]"),
                ("i915/i915_reg.h", "REG_GENMASK(31, 23)", "REG_GENMASK(31, 24)", "i915 RPSTAT.Current Frequency: ours dword 0:[31:23]"),
                ("i915/i915_reg.h", "_MMIO(0xa01c)", "_MMIO(0xa020)", "i915 RPSTAT offset: ours 0xa01c, theirs 0xa020"),
                ("i915/i915_reg.h", "+ 0x3c)", "+ 0x38)", "i915 RING_CTL offset: ours 0x3c, theirs 0x38")):
            with self.subTest(complaint):
                before = (self.root / file).read_text()
                self.change(file, old, new)
                done = self.check()
                self.assertEqual(done.returncode, 1)
                self.assertIn(complaint, done.stdout)
                self.put(file, before)

    def test_known_disagreements(self):
        self.change("genxml/gen80.xml", 'start="22" end="22"', 'start="21" end="21"')
        self.put("scripts/defs_disagreements.txt", "# why\ngenxml MI_SMALL.Use Global GTT: a typing error there\n")
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("known: genxml MI_SMALL.Use Global GTT: a typing error there", done.stdout)
        self.change("genxml/gen80.xml", 'start="21" end="21"', 'start="22" end="22"')
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("remove the line", done.stdout)

    def test_no_tree_is_a_skip(self):
        with mock.patch.dict(os.environ):
            for name in ("SOFTGEN_GENXML", "SOFTGEN_I915"):
                os.environ.pop(name, None)
            done = script("check_defs.py")
        self.assertEqual(done.returncode, 77)
        self.assertIn("no source tree", done.stdout)

    def test_a_tree_without_the_headers(self):
        done = script("check_defs.py", "--root", self.root, "--i915", self.root / "genxml")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("i915_reg.h: not there", done.stderr)

    def test_help(self):
        done = script("check_defs.py", "--help")
        self.assertEqual(done.returncode, 0)
        for word in ("--genxml", "--i915", "--root", "SOFTGEN_GENXML", "SOFTGEN_I915", "77"):
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    unittest.main()
