# SPDX-License-Identifier: GPL-2.0-or-later
"""LastPicture keeps the program's picture, whenever the console is shown again."""
import pathlib
import sys
import tempfile
import unittest

from driver import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
from last_picture import LastPicture  # noqa: E402

CONSOLE, PROGRAM = "0x00100000", "0x00900000"


class Machine:
    """Shows the surfaces of `shown`, one for each question of the monitor; a screenshot says which one it is of."""

    def __init__(self, *shown):
        self.qmp, self._shown, self._now = self, list(shown), None

    def monitor(self, command):
        if command == "info pci":
            return "VGA controller: PCI device 8086:5912\n BAR0: 64 bit memory at 0xfd000000 [0xfdffffff].\n"
        self._now = self._shown.pop(0)
        return f"00000000fd0701ac: {self._now}\n"

    def screenshot(self, path):
        # The screen may change between the question and the picture.
        pathlib.Path(path).write_text(self._shown[0] if self._shown else self._now)


class Save(unittest.TestCase):
    def saved(self, looks, *shown):
        with tempfile.TemporaryDirectory() as work:
            last = LastPicture(Machine(*shown), pathlib.Path(work))
            for _ in range(looks):
                last.look()
            last.save(pathlib.Path(work) / "saved.png")
            return (pathlib.Path(work) / "saved.png").read_text()

    def test_program_that_still_shows_is_pictured(self):
        self.assertEqual(self.saved(0, CONSOLE, PROGRAM, PROGRAM, PROGRAM), PROGRAM)

    def test_console_that_came_back_is_not(self):
        self.assertEqual(self.saved(1, CONSOLE, PROGRAM, PROGRAM, CONSOLE, CONSOLE), PROGRAM)

    def test_console_that_comes_back_before_the_last_picture_is_not(self):
        self.assertEqual(self.saved(1, CONSOLE, PROGRAM, PROGRAM, PROGRAM, CONSOLE, CONSOLE), PROGRAM)

    def test_console_is_pictured_when_no_program_showed_anything(self):
        self.assertEqual(self.saved(1, CONSOLE, CONSOLE, CONSOLE, CONSOLE), CONSOLE)
