# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of the device without a guest system share: a machine under QEMU's qtest protocol."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

from qtest import QTest  # noqa: E402

CONFIG = {}


class DeviceTest(unittest.TestCase):
    def machine(self, mapped=True, **kwargs):
        """A new machine with the device, its BARs placed."""
        machine = QTest(**kwargs)
        self.addCleanup(machine.close)
        machine.start()
        if mapped:
            machine.map_bars()
        return machine

    def assert_reg(self, machine, offset, value, mask=0xFFFFFFFF):
        found = machine.reg(offset) & mask
        self.assertEqual(found, value, f"register {offset:#x} reads {found:#x} instead of {value:#x}")
