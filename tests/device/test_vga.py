# SPDX-License-Identifier: GPL-2.0-or-later
"""Registers of VGA and extended VGA as ports and at BAR0 + port (KBL PRM vol 3, "VGA and Extended VGA Register Map")."""
import unittest

from folder_test import FolderTest
from machine import Machine

MSR_WRITE, SEQUENCER, GRAPHICS, CRTC, EXTENSION = 0x3C2, 0x3C4, 0x3CE, 0x3D4, 0x3D6
DAC_MASK, DAC_READ, DAC_WRITE, DAC_DATA, STATUS = 0x3C6, 0x3C7, 0x3C8, 0x3C9, 0x3DA
CONFIG_COMMAND, DEVICE_CONTROL, FUNCTION_LEVEL_RESET = 0x04, 0x78, 1 << 15
VGA_MEMORY = 0xA0000


class VgaMachine(Machine):
    def write_indexed(self, index_port, index, value):
        self.outb(index_port, index)
        self.outb(index_port + 1, value)

    def change_all(self):
        """Each register that QEMU's core lacks, and the palette."""
        self.outb(DAC_WRITE, 7)
        for value in (9, 8, 7):
            self.outb(DAC_DATA, value)
        self.outb(DAC_MASK, 0x0F)
        self.outb(EXTENSION, 0x21)
        for index, value in ((0x11, 0x02), (0x10, 0x01), (0x18, 0x5C)):
            self.write_indexed(GRAPHICS, index, value)

    def read_indexed(self, index_port, index):
        self.outb(index_port, index)
        return self.inb(index_port + 1)

    def planar(self):
        """256 KiB of planes at A0000 with read and write mode 0, colour ports."""
        self.outb(MSR_WRITE, 0x67)
        self.write_indexed(SEQUENCER, 2, 0xF)
        self.write_indexed(SEQUENCER, 4, 0x06)
        for index, value in ((0, 0), (1, 0), (3, 0), (4, 0), (5, 0), (6, 0x05), (8, 0xFF)):
            self.write_indexed(GRAPHICS, index, value)

    def lit(self):
        """Bright pixels of the picture."""
        _, _, pixels = self.picture()
        return sum(1 for i in range(0, len(pixels), 3) if pixels[i] > 100)


class Registers(unittest.TestCase):
    platform = None

    def setUp(self):
        self.machine = VgaMachine(platform=self.platform)
        self.addCleanup(self.machine.close)
        self.machine.map_bars()
        self.machine.planar()

    def test_pixel_mask(self):
        self.assertEqual(self.machine.inb(DAC_MASK), 0xFF)
        self.machine.outb(DAC_MASK, 0x0F)
        self.assertEqual(self.machine.inb(DAC_MASK), 0x0F)

    def test_palette_is_read_back_through_a_mask(self):
        m = self.machine
        m.outb(DAC_WRITE, 0x42)
        for value in (1, 2, 3, 4, 5, 6):
            m.outb(DAC_DATA, value)
        m.outb(DAC_MASK, 0)
        m.outb(DAC_READ, 0x42)
        self.assertEqual(m.inb(DAC_READ), 3, "DACSTATE: read mode")
        self.assertEqual([m.inb(DAC_DATA) for _ in range(6)], [1, 2, 3, 4, 5, 6])
        m.outb(DAC_WRITE, 0)
        self.assertEqual(m.inb(DAC_READ), 0, "DACSTATE: write mode")

    def test_extended_graphics_registers_are_registers_of_their_own(self):
        # coreboot's graphics initialisation clears GR18, which must leave the bit mask in GR08 alone.
        m = self.machine
        for index, value in ((0, 5), (1, 6), (8, 0xA5), (0x10, 0x06), (0x11, 0x0A), (0x18, 0x5C)):
            m.write_indexed(GRAPHICS, index, value)
        self.assertEqual(m.inb(GRAPHICS), 0x18)
        for index, value in ((0, 5), (1, 6), (8, 0xA5), (0x10, 0x06), (0x11, 0x0A), (0x18, 0x5C), (0x19, 0), (0x0A, 0)):
            self.assertEqual(m.read_indexed(GRAPHICS, index), value, hex(index))

    def test_page_mapping(self):
        m = self.machine
        m.write_indexed(SEQUENCER, 4, 0x0E)  # chain 4: bytes of the VGA buffer in their order
        m.poke(VGA_MEMORY, 0x11, 1)
        m.write_indexed(GRAPHICS, 0x11, 3)
        self.assertEqual(m.peek(VGA_MEMORY, 1), 0x11, "not enabled yet")
        m.write_indexed(GRAPHICS, 0x10, 1)
        self.assertEqual(m.peek(VGA_MEMORY, 1), 0)
        m.poke(VGA_MEMORY, 0x33, 1)
        m.write_indexed(GRAPHICS, 0x11, 0)
        self.assertEqual(m.peek(VGA_MEMORY, 1), 0x11)
        m.write_indexed(GRAPHICS, 0x11, 3)
        self.assertEqual(m.peek(VGA_MEMORY, 1), 0x33)
        m.write_indexed(GRAPHICS, 0x11, 0xFF)  # past the end of the buffer
        m.poke(VGA_MEMORY + 0xFFFF, 0xFF, 1)
        m.write_indexed(GRAPHICS, 0x10, 0)
        self.assertEqual(m.peek(VGA_MEMORY, 1), 0x11)

    def test_extension_registers(self):
        m = self.machine
        m.outb(EXTENSION, 0x70)
        m.outb(EXTENSION + 1, 0xFF)
        self.assertEqual(m.inb(EXTENSION), 0x70)
        self.assertEqual(m.inb(EXTENSION + 1), 0, "the manual lists no XRxx")

    def test_read_latch(self):
        m = self.machine
        for plane, value in enumerate((0x12, 0x34, 0x56, 0x78)):
            m.write_indexed(SEQUENCER, 2, 1 << plane)
            m.poke(VGA_MEMORY + 0x100, value, 1)
        m.peek(VGA_MEMORY + 0x100, 1)
        for plane, value in enumerate((0x12, 0x34, 0x56, 0x78)):
            m.write_indexed(GRAPHICS, 4, plane)
            self.assertEqual(m.read_indexed(CRTC, 0x22), value)
            m.write_indexed(CRTC, 0x22, 0xFF)
            self.assertEqual(m.inb(CRTC + 1), value, "read only")

    def test_character_counter_reset(self):
        m = self.machine
        self.assertEqual(len({m.inb(STATUS) & 9 for _ in range(4)}), 2, "polling sees retrace come and go")
        m.write_indexed(SEQUENCER, 7, 0)
        self.assertEqual({m.inb(STATUS) & 9 for _ in range(4)}, {1}, "no character, so no line")
        m.write_indexed(SEQUENCER, 0, 3)
        self.assertEqual(len({m.inb(STATUS) & 9 for _ in range(4)}), 2)

    def test_memory_mapped_form(self):
        m = self.machine
        m.mmio_write(GRAPHICS, 0x18, 1)
        self.assertEqual(m.inb(GRAPHICS), 0x18)
        m.mmio_write(GRAPHICS + 1, 0x77, 1)
        self.assertEqual(m.inb(GRAPHICS + 1), 0x77)
        m.mmio_write(CRTC, 0x5A0E, 2)
        self.assertEqual(m.read_indexed(CRTC, 0x0E), 0x5A)
        self.assertEqual(m.mmio(CRTC, 2), 0x5A0E)
        m.outb(DAC_MASK, 0x3F)
        self.assertEqual(m.mmio(DAC_MASK, 1), 0x3F)
        m.outl(m.IO_BAR, CRTC)
        self.assertEqual(m.inl(m.IO_BAR + 4) & 0xFFFF, 0x5A0E, "index and data pair of the I/O BAR")
        m.set_config(CONFIG_COMMAND, 0x6, 2)  # no I/O decode
        m.mmio_write(CRTC, 0x330F, 2)
        self.assertEqual(m.mmio(CRTC + 1, 1), 0x33, "does not need the ports")

    def test_reserved_ports_are_not_claimed(self):
        m = self.machine
        for port in range(0x3BC, 0x3C0):
            m.outb(port, 0x5A)
            self.assertEqual(m.inb(port), 0xFF, hex(port))
            m.mmio_write(port, 0x5A, 1)
            self.assertEqual(m.mmio(port, 1), 0, hex(port))

    def test_resets(self):
        m = self.machine
        for reset in (lambda: m.command("system_reset"), lambda: m.set_config(DEVICE_CONTROL, FUNCTION_LEVEL_RESET, 2)):
            m.change_all()
            reset()
            m.command("query-status")
            m.map_bars()
            self.assertEqual(m.inb(DAC_MASK), 0xFF)
            self.assertEqual(m.inb(EXTENSION), 0)
            self.assertEqual([m.read_indexed(GRAPHICS, index) for index in (0x10, 0x11, 0x18)], [0, 0, 0])
            m.outb(DAC_READ, 7)
            self.assertEqual([m.inb(DAC_DATA) for _ in range(3)], [0, 0, 0])


class TigerLakeRegisters(Registers):
    """The same map (TGL PRM vol 13, "VGA and Extended VGA Register Map")."""

    platform = "tgl"


class State(FolderTest):
    def test_savevm_and_loadvm(self):
        with VgaMachine() as m:
            self.snapshot_disk(m)
            m.map_bars()
            m.planar()
            m.write_indexed(SEQUENCER, 4, 0x0E)
            m.change_all()
            m.poke(VGA_MEMORY, 0x22, 1)
            self.job(m, "snapshot-save", tag="one", vmstate="disk", devices=["disk"])
            m.command("system_reset")
            m.poll(lambda: m.config(0x10) & ~0xF == 0, "reset")
            self.job(m, "snapshot-load", tag="one", vmstate="disk", devices=["disk"])
            self.assertEqual(m.inb(GRAPHICS), 0x18)
            self.assertEqual(m.inb(GRAPHICS + 1), 0x5C)
            self.assertEqual(m.inb(EXTENSION), 0x21)
            self.assertEqual(m.inb(DAC_MASK), 0x0F)
            m.outb(DAC_READ, 7)
            self.assertEqual([m.inb(DAC_DATA) for _ in range(3)], [9, 8, 7])
            self.assertEqual(m.peek(VGA_MEMORY, 1), 0x22, "page 2 is still mapped")


class Picture(unittest.TestCase):
    def test_pixel_mask_selects_colours(self):
        with VgaMachine(firmware=True) as m:
            m.poll(lambda: m.lit() > 500, "SeaBIOS's text")
            m.outb(DAC_MASK, 0)
            self.assertEqual(m.lit(), 0, "every index is 0, which is black")
            m.outb(DAC_MASK, 0xFF)
            self.assertGreater(m.lit(), 500)
