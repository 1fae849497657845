# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/gen_context.py: the code generated from a small context.def, and errors."""
import unittest

from driver import GeneratorTest, script

REGISTERS = """group "Engine" engine
register HEAD 0x34 context
register MODE 0x9c access=masked context
register CLOCK 0x358 nosave
register PDP 0x270 array=4 stride=4 context
register GPR 0x600 array=2,2 stride=8,4 context
group "Others"
register FLEX 0xe458 array=2,2 stride=0x100,4 context
register PLAIN 0x5000
"""
CONTEXT = """pages render=22 copy=2 video=2 video_enhance=2
image ring=0x20 documented=0x40 render=0x100 copy=0x80 video=0x80 video_enhance=0x80
list 0x01 all
  MODE            # a masked register
  HEAD batch
list 0x21 render unposted
  CLOCK never
  PDP[3..2]
  GPR[0..1][0..1]
space 0x41..0x80 render below=0x6000
space 0x81..0xff render below=0
  FLEX[1][0]
  FLEX[0][0..1]
"""


class Context(GeneratorTest, unittest.TestCase):
    def generate(self, text):
        (self.out / "registers_small.def").write_text(REGISTERS)
        (self.out / "moon").mkdir(exist_ok=True)
        (self.out / "moon" / "context.def").write_text(text)
        return script("gen_context.py", str(self.out), str(self.out / "moon" / "context.def"), "--set", "moon",
                      str(self.out / "registers_small.def"))

    def test_rows(self):
        self.assert_accepted(self.generate(CONTEXT))
        table = " ".join((self.out / "moon_context.cpp").read_text().split())
        self.assertIn("namespace softgen::defs::moon {", table)
        self.assertIn("render_lists[] = { {0x1, 2, true}, {0x21, 7, false}, };", table)
        self.assertIn("copy_lists[] = { {0x1, 2, true}, };", table)
        self.assertIn("render_slots[] = { {0x2, 0x9c, ContextLoad::masked}, {0x4, 0x34, ContextLoad::batch}, {0x22, 0x358, ContextLoad::never}, "
                      "{0x24, 0x27c, ContextLoad::value}, {0x26, 0x278, ContextLoad::value}, {0x28, 0x600, ContextLoad::value}, "
                      "{0x2a, 0x604, ContextLoad::value}, {0x2c, 0x608, ContextLoad::value}, {0x2e, 0x60c, ContextLoad::value}, };", table)
        self.assertIn("render_named1[] = {0xe558, 0xe458, 0xe45c};", table)
        self.assertIn("render_spaces[] = { {0x41, 0x80, 0x6000, {}}, {0x81, 0xff, 0x0, render_named1}, };", table)
        self.assertIn(".pages = 22, .ring_dwords = 0x20, .documented_dwords = 0x40, .list_dwords = 0x100, .relative = false, .lists = render_lists", table)

    def test_lists_that_are_relative_and_a_register_in_slots_side_by_side(self):
        done = self.generate(CONTEXT.replace("video_enhance=0x80\n", "video_enhance=0x80 relative=1\n").replace("  HEAD batch\n", "  HEAD\n  HEAD\n"))
        self.assert_accepted(done)
        table = " ".join((self.out / "moon_context.cpp").read_text().split())
        self.assertIn("{0x4, 0x34, ContextLoad::value}, {0x6, 0x34, ContextLoad::value},", table)
        self.assertIn(".relative = true, .lists = render_lists", table)

    def test_packets(self):
        done = self.generate(CONTEXT + "state 0x80 render\n  3DSTATE_VS 9\n  NOOP 3\n  STATE_SIP 3   # behind no-ops\n")
        self.assertIn("render: the packets from dword 0x80 on are not in order, overlap something, or do not end in the image", done.stderr)
        text = CONTEXT.replace("render=0x100", "render=0x120") + "state 0x100 render\n  3DSTATE_VS 9\n  NOOP 3\n  STATE_SIP 3   # behind no-ops\n"
        self.assert_accepted(self.generate(text))
        table = " ".join((self.out / "moon_context.cpp").read_text().split())
        self.assertIn("render_packets[] = { {0x100, 9, CommandId::_3DSTATE_VS}, {0x10c, 3, CommandId::STATE_SIP}, };", table)
        self.assertIn(".spaces = render_spaces, .packets = render_packets}", table)
        self.assertIn(".spaces = copy_spaces}", table)
        for first, row in ((0x112, "STATE_SIP 15"), (0x105, "STATE_SIP 3"), (0x15, "NOOP 20")):
            self.assertIn(f"from dword {first:#x} on", self.generate(f"{text}state {first:#x} render\n  {row}\n").stderr)
        self.assertIn("context.def:18: STATE_SIP has no dwords", self.generate(f"{text}  STATE_SIP 0\n").stderr)

    def test_spaces_at_even_dwords(self):
        text = CONTEXT.replace("space 0x81..0xff render below=0", "space 0x82..0xff render below=0 even")
        self.assert_accepted(self.generate(text))
        self.assertIn("unknown words ['odd']", self.generate(text.replace("even", "odd")).stderr)

    def test_what_it_refuses(self):
        image = "".join(CONTEXT.splitlines(keepends=True)[:2])
        self.assert_refused(lambda text: self.generate(image + text), (
            ("pages render=22\n", "context.def:3: pages names each engine class"),
            ("list 0x01 all\n  TAIL\n", "context.def:4: TAIL is no register"),
            ("list 0x01 all\n  PLAIN\n", "context.def:4: PLAIN is not marked `context`"),
            ("list 0x01 all\n  CLOCK\n", "context.def:4: CLOCK is not marked `context`"),
            ("list 0x01 all\n  FLEX[0][0]\n", "context.def:4: FLEX is not an engine's own"),
            ("list 0x01 all\n  PDP\n", "context.def:4: PDP has another number of dimensions"),
            ("list 0x01 all\n  PDP[4]\n", "context.def:4: PDP has no such instance"),
            ("list 0x01 all\n  HEAD sometimes\n", "context.def:4: unknown words ['sometimes']"),
            ("list 0x01 blitter\n", "context.def:3: unknown engine class in blitter"),
            ("list 0x01 all\n  HEAD\n  MODE\nlist 0x05 all\n  PDP[0]\n", "render: the block at dword 0x5 must start at an odd dword after the block before it and end in its part of the image"),
            ("list 0x02 all\n  HEAD\n", "render: the block at dword 0x2 must start at an odd dword after the block before it and end in its part of the image"),
            ("list 0x01 all\n  HEAD\n  MODE\n  HEAD\n", "render: two places for 0x34"),
            ("space 0x21..0x80 render below=0\n", "render: the block at dword 0x21 must start at an odd dword after the block before it and end in its part of the image"),
            ("space 0x41..0x80 render below=0\n  HEAD\n", "context.def:4: HEAD: a space names registers outside the engines' blocks")))
        self.assertIn("no pages line", self.generate(CONTEXT.partition("\n")[2]).stderr)


if __name__ == "__main__":
    unittest.main()
