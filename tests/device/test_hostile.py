# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest kernel may do to its host with BARs, messages, resets and plugging. The oracle: QEMU answers its monitor within 2 s, and
exits by itself when asked to.

The tests run under AddressSanitizer too: docs/qemu.md, "Under AddressSanitizer"."""
import unittest

import display_mode
import endless
from machine import DEVICE, Machine

ANSWER_S = 2
MSI_CONTROL, MSI_ADDRESS, MSI_DATA = 0xAE, 0xB0, 0xB4
COMMAND, BAR2, DEVICE_CONTROL, FLR = 0x04, 0x18, 0x78, 1 << 15
IO_MEMORY, IO_MEMORY_MASTER = 3, 7
GIB = 1 << 30


class HostileTest(unittest.TestCase):
    def start(self, *args, mapped=True, **kwargs):
        machine = Machine(*args, **kwargs)
        self.addCleanup(machine.close)
        if mapped:
            machine.map_bars()
        return machine

    def answers(self, machine):
        return machine.qmp.command("query-status", timeout=ANSWER_S)["status"]

    def ends(self, machine):
        """QEMU exits when asked to, and has printed no warnings."""
        machine.command("quit")
        status, log = machine.ended()
        words = "\n".join(line for line in log.splitlines() if not line.startswith("["))  # without qtest's own record
        self.assertEqual(status, 0, words)
        self.assertNotRegex(words, "ERROR: AddressSanitizer|(?i:assertion)")

    def place_aperture(self, machine, address):
        machine.set_config(BAR2, address & 0xFFFFFFFF)
        machine.set_config(BAR2 + 4, address >> 32)


class BarsOverRam(HostileTest):
    """RAM wins over BARs, so the aperture may stand where RAM is: what the device holds of that RAM must not depend on it."""

    def move_about(self, machine, rounds):
        for _ in range(rounds):
            machine.set_config(COMMAND, IO_MEMORY, 2)
            self.place_aperture(machine, 4 * GIB)
            machine.set_config(COMMAND, IO_MEMORY_MASTER, 2)
            self.place_aperture(machine, machine.BAR2)
            machine.set_config(COMMAND, IO_MEMORY, 2)
        machine.set_config(COMMAND, IO_MEMORY_MASTER, 2)

    def test_references_to_ram_are_given_back_as_often_as_taken(self):
        machine = self.start(memory="5G")
        machine.poke(4 * GIB + 0x123450, 0xC0FFEE00)
        self.move_about(machine, 100)
        self.assertEqual(machine.peek(4 * GIB + 0x123450), 0xC0FFEE00)
        self.assertIn("intel-gpu", machine.qmp.monitor("info qtree"))
        self.assertEqual(self.answers(machine), "running")
        self.ends(machine)

    def test_the_other_order_leaves_no_reference(self):
        machine = self.start(memory="5G")
        for _ in range(100):
            self.place_aperture(machine, 4 * GIB)
            machine.set_config(COMMAND, IO_MEMORY, 2)
            self.place_aperture(machine, machine.BAR2)
            machine.set_config(COMMAND, IO_MEMORY_MASTER, 2)
        self.assertEqual(self.answers(machine), "running")
        self.ends(machine)

    def test_the_gpu_reaches_ram_under_its_aperture(self):
        machine = self.start(memory="5G")
        page = 4 * GIB + 0x5000
        machine.poke(page + 8, 0x5EED0001)
        machine.set_config(COMMAND, IO_MEMORY, 2)
        self.place_aperture(machine, 4 * GIB)
        machine.set_config(COMMAND, IO_MEMORY_MASTER, 2)
        self.place_aperture(machine, machine.BAR2)
        machine.mmio_write(0x800000, page | 1, 8)
        self.assertEqual(machine.peek(machine.BAR2 + 8), 0x5EED0001)

    def test_bars_over_each_other(self):
        machine = self.start()
        for base in (machine.BAR0, machine.BAR0 & ~0x0FFFFFFF, 0, 0xFEE00000 & ~0x0FFFFFFF):
            self.place_aperture(machine, base)
            machine.peek(machine.BAR0 + display_mode.MASTER_INT_CTL)
            machine.poke(base + 0x2000, 1)
            self.assertEqual(self.answers(machine), "running")
        self.ends(machine)


class MessagesToOneself(HostileTest):
    """An MSI is a memory write, and the guest says where to."""

    def aim(self, machine, address, data=0x8000):
        machine.set_config(MSI_ADDRESS, address)
        machine.set_config(MSI_DATA, data, 2)
        machine.set_config(MSI_CONTROL, 1, 2)

    def vblanks(self, machine):
        """Lets the pipe's vertical blanks raise interrupts for a while, acknowledging none or each."""
        frame = machine.mmio(display_mode.PIPE_FRMCNT)
        def passed():
            machine.mmio_write(display_mode.DE_PIPE_IIR, 0xFFFFFFFF)
            self.answers(machine)
            return machine.mmio(display_mode.PIPE_FRMCNT) - frame >= 5
        machine.poll(passed, "five vertical blanks")

    def test_messages_to_own_registers(self):
        for register in (display_mode.MASTER_INT_CTL, display_mode.DE_PIPE_IMR, display_mode.DE_PIPE_IIR, display_mode.TRANS_CONF,
                         display_mode.PLANE_SURF, 0x2230, 0x100000, 0x800000):
            with self.subTest(register=hex(register)):
                machine = self.start()
                self.aim(machine, machine.BAR0 + register)
                display_mode.light(machine)
                display_mode.unmask(machine, display_mode.VBLANK)
                self.vblanks(machine)
                machine.put("connector0", False)
                machine.put("connector0", True)
                machine.picture()
                self.assertEqual(self.answers(machine), "running")
                self.ends(machine)

    def test_messages_to_the_aperture(self):
        machine = self.start()
        machine.mmio_write(0x800000, 0x00300001, 8)
        self.aim(machine, machine.BAR2)
        display_mode.light(machine)
        display_mode.unmask(machine, display_mode.VBLANK)
        self.vblanks(machine)
        self.ends(machine)


def rewrites_the_gtt():
    """A batch that writes one entry of the GTT in an endless loop; each write tells QEMU that mappings of the aperture are stale."""
    update = [0x23 << 23 | 2, 0x3FF000, 0x3FF001, 0]  # MI_UPDATE_GTT (SKL PRM vol 2a): entry 0x3ff to itself
    return endless.Work(8 * update + endless.packet("MI_BATCH_BUFFER_START", {"Batch Buffer Start Address": endless.BATCH}))


class WorkInFlight(HostileTest):
    """Resets and unplugging while an engine, a pipe and its CRC are busy."""

    SLOT = 5

    def submit(self, machine, work):
        machine.write(machine.BAR0 + 0x800000, b"".join((page << 12 | 1).to_bytes(8, "little") for page in range(endless.SIZE >> 12)))
        for address, data in work.memory.items():
            machine.write(address, data)
        for offset, value in work.registers():
            machine.mmio_write(offset, value)
        machine.poll(lambda: machine.mmio(endless.RENDER + 0x74), "the engine at work")  # RING_ACTHD

    def busy(self, machine):
        display_mode.light(machine)
        display_mode.show_plane(machine, 0x100000)
        display_mode.unmask(machine, display_mode.VBLANK | display_mode.CRC_DONE)
        machine.mmio_write(display_mode.PIPE_CRC_CTL, 1 << 31 | 4 << 28)
        self.submit(machine, rewrites_the_gtt())

    def test_function_level_resets(self):
        machine = self.start()
        for _ in range(10):
            self.busy(machine)
            machine.set_config(DEVICE_CONTROL, FLR, 2)
            self.assertEqual(self.answers(machine), "running")
            machine.map_bars()
        self.ends(machine)

    def test_system_resets_and_stops(self):
        machine = self.start()
        for command in ("stop", "cont", "system_reset"):
            self.busy(machine)
            machine.qmp.command(command, timeout=ANSWER_S)
            self.answers(machine)
            machine.map_bars()
        self.busy(machine)
        self.ends(machine)

    def test_looking_at_a_running_engine(self):
        machine = self.start()
        self.busy(machine)
        for _ in range(50):
            self.assertIn("stands at", machine.get("where"))
            self.assertIn("rcs", machine.get("report"))
        self.ends(machine)

    def map_slot(self, machine):
        for offset, value, size in ((0x10, machine.BAR0, 4), (0x14, 0, 4), (BAR2, machine.BAR2, 4), (BAR2 + 4, 0, 4), (COMMAND, IO_MEMORY_MASTER, 2)):
            machine.set_config(offset, value, size, slot=self.SLOT)

    def test_unplug(self):
        # The guest's ACPI ejects by this port; QEMU's i440FX machine, whose root bus takes hot-plug.
        machine = self.start(machine="pc", gpu=False, mapped=False)
        for _ in range(5):
            machine.command("device_add", driver=DEVICE, id="gpu", bus="pci.0", addr=str(self.SLOT))
            self.map_slot(machine)
            self.busy(machine)
            for place in range(0, 512 * 8, 8):  # a direct mapping of the aperture, for the GTT's rewriting to end
                machine.peek(machine.BAR2 + place, 8)
            machine.qmp.command("device_del", timeout=ANSWER_S, id="gpu")
            machine.outl(0xAE08, 1 << self.SLOT)
            self.assertEqual(self.answers(machine), "running")
            names = [child["name"] for child in machine.command("qom-list", path="/machine/peripheral")]
            self.assertNotIn("gpu", names)
        self.ends(machine)


class Sandbox(HostileTest):
    """As libvirt starts QEMU (its seccomp_sandbox = 1)."""

    def test_start_up(self):
        machine = self.start(extra=["-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"])
        display_mode.light(machine)
        display_mode.unmask(machine, display_mode.VBLANK)
        machine.poll(lambda: machine.mmio(display_mode.PIPE_FRMCNT) > 2, "vertical blanks")
        self.assertEqual(machine.picture()[:2], (1920, 1080))
        self.assertEqual(self.answers(machine), "running")
        self.ends(machine)


if __name__ == "__main__":
    unittest.main()
