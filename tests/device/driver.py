# SPDX-License-Identifier: GPL-2.0-or-later
"""Common code of tests of the device without a guest system: a machine under QEMU's qtest protocol."""
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

import build  # noqa: E402
from guest import Machine  # noqa: E402
from qtest import QTest  # noqa: E402

# For a plugin of another build: its file, and what QEMU has to load before it (docs/qemu.md, "Under AddressSanitizer").
if "SOFTGEN_TEST_PLUGIN" in os.environ:
    build.PLUGIN = pathlib.Path(os.environ["SOFTGEN_TEST_PLUGIN"])
if "SOFTGEN_TEST_PRELOAD" in os.environ:
    Machine.environment = {"LD_PRELOAD": os.environ["SOFTGEN_TEST_PRELOAD"],
                           "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=0:exitcode=99"}

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
