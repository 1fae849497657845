# SPDX-License-Identifier: GPL-2.0-or-later
"""PCI identity, BARs, capabilities and resets of intel-gpu-kbl."""
import subprocess

import build
import guest as guests
from driver import DeviceTest
from qtest import BAR0, BAR2, BAR4, MMIO_BASE

CAPABILITY_POINTER, INTERRUPT_PIN = 0x34, 0x3D
PM, MSI, EXPRESS = 0x01, 0x05, 0x10
# PCI Express base specification, 7.5.3.3 and 7.5.3.4
DEVICE_CAPABILITIES, FLR_CAPABLE, DEVICE_CONTROL, INITIATE_FLR = 4, 1 << 28, 8, 1 << 15
GTT = 8 << 20  # upper half of BAR 0
# i915_reg.h
RENDER_RING_BASE, RING_MI_MODE = 0x2000, 0x9C
FORCEWAKE_RENDER_GEN9, FORCEWAKE_ACK_RENDER_GEN9 = 0xA278, 0x0D84
GEN8_GT_IMR_0 = 0x44304


class Pci(DeviceTest):
    def test_identity(self):
        machine = self.machine(mapped=False)
        self.assertEqual(machine.config(0), 0x59128086, "i915_pciids.h: Kaby Lake GT2 desktop")
        self.assertEqual(machine.config(8) >> 8, 0x030000, "a VGA controller")
        self.assertGreaterEqual(machine.config(8, 1), 4, "a revision past the early steppings' workarounds")
        self.assertEqual(machine.config(INTERRUPT_PIN, 1), 1, "INTA")

    def test_bar_sizes(self):
        machine = self.machine(mapped=False)
        self.assertEqual(machine.bar_size(BAR0), 16 << 20)
        self.assertEqual(machine.config(BAR0) & 15, 4, "BAR 0 is 64 bit, not prefetchable")
        self.assertEqual(machine.bar_size(BAR2), 256 << 20)
        self.assertEqual(machine.config(BAR2) & 15, 12, "BAR 2 is 64 bit, prefetchable")
        self.assertEqual(machine.config(BAR4) & 1, 1, "BAR 4 is I/O")

    def test_aperture_is_a_property(self):
        machine = self.machine(mapped=False, device_args="aperture=512M")
        self.assertEqual(machine.bar_size(BAR2), 512 << 20)

    def capabilities(self, machine):
        """{identity: offset}"""
        found, offset = {}, machine.config(CAPABILITY_POINTER, 1)
        while offset and len(found) < 48:
            found[machine.config(offset, 1)] = offset
            offset = machine.config(offset + 1, 1)
        return found

    def test_capabilities(self):
        found = self.capabilities(self.machine(mapped=False))
        self.assertLessEqual({PM, MSI, EXPRESS}, set(found))

    def test_function_level_reset_clears_registers(self):
        machine = self.machine()
        fresh = machine.reg(GEN8_GT_IMR_0)
        machine.set_reg(GEN8_GT_IMR_0, fresh ^ 0xFFFF)
        express = self.capabilities(machine)[EXPRESS]
        self.assertTrue(machine.config(express + DEVICE_CAPABILITIES) & FLR_CAPABLE)
        machine.set_config(express + DEVICE_CONTROL, machine.config(express + DEVICE_CONTROL, 2) | INITIATE_FLR, 2)
        machine.map_bars()
        self.assert_reg(machine, GEN8_GT_IMR_0, fresh)

    def test_gtt_entries_stick_and_bus_reset_clears_registers(self):
        machine = self.machine()
        machine.write(MMIO_BASE + GTT, (0x12345001).to_bytes(8, "little"))
        self.assertEqual(int.from_bytes(machine.read(MMIO_BASE + GTT, 8), "little"), 0x12345001)
        fresh = machine.reg(GEN8_GT_IMR_0)
        machine.set_reg(GEN8_GT_IMR_0, fresh ^ 0xFFFF)
        self.assert_reg(machine, GEN8_GT_IMR_0, fresh ^ 0xFFFF)
        machine.qmp.command("set-action", reboot="reset")
        machine.qmp.command("system_reset")
        while not any(event["event"] == "RESET" for event in machine.qmp.events):
            machine.qmp.command("query-status")
        machine.map_bars()
        self.assert_reg(machine, GEN8_GT_IMR_0, fresh)

    def test_forcewake_is_acknowledged(self):
        machine = self.machine()
        machine.set_reg(FORCEWAKE_RENDER_GEN9, 1 << 16 | 1)
        self.assert_reg(machine, FORCEWAKE_ACK_RENDER_GEN9, 1, mask=1)
        machine.set_reg(FORCEWAKE_RENDER_GEN9, 1 << 16)
        self.assert_reg(machine, FORCEWAKE_ACK_RENDER_GEN9, 0, mask=1)

    def test_masked_register(self):
        machine = self.machine()
        machine.set_reg(FORCEWAKE_RENDER_GEN9, 1 << 16 | 1)
        register = RENDER_RING_BASE + RING_MI_MODE
        before = machine.reg(register)
        machine.set_reg(register, 1 << 14)  # no mask bit: nothing changes
        self.assert_reg(machine, register, before)

    def test_unknown_registers_read_zero_and_do_no_harm(self):
        machine = self.machine()
        for offset in (0x1FF000, 0x17FFFC, 0x7FFFFC):
            machine.set_reg(offset, 0xDEADBEEF)
            machine.reg(offset)
        self.assertEqual(machine.config(0) & 0xFFFF, 0x8086)


class Refusals(DeviceTest):
    """A wrong property gives one sentence and a non-zero exit."""

    def refusal(self, device_args):
        done = subprocess.run([guests.QEMU, "-accel", "tcg", "-S", "-M", "q35", "-vga", "none", "-nodefaults", "-display", "none",
                               "-plugin", str(build.PLUGIN), "-device", f"intel-gpu-kbl,addr=2.0,{device_args}"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr

    def test_unknown_property(self):
        self.assertIn("speed", self.refusal("speed=11"))

    def test_bad_values(self):
        for device_args, word in (("aperture=100M", "aperture"), ("stolen=3M", "stolen"), ("connectors=4", "connectors"),
                                  ("edid=/nonexistent", "/nonexistent"), ("monitor0=huge", "monitor0")):
            with self.subTest(device_args=device_args):
                self.assertIn(word, self.refusal(device_args))
