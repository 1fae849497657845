# SPDX-License-Identifier: GPL-2.0-or-later
"""Configuration space, BARs, interrupts, resets."""
import unittest

from machine import Machine, run_once

CAP_PM, CAP_MSI, CAP_EXPRESS, CAP_AF = 0x01, 0x05, 0x10, 0x13
GGC, BDSM, ASLE, SWSCI, ASLS = 0x50, 0x5C, 0xE4, 0xE8, 0xFC
BDSM_WIDE = 0xC0


class Identity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = Machine()
        cls.addClassCleanup(cls.machine.close)

    def test_ids(self):
        self.assertEqual(self.machine.config(0x00), 0x59128086)
        self.assertEqual(self.machine.config(0x08), 0x03000004)
        self.assertEqual(self.machine.config(0x3D, 1), 1, "interrupt pin A")

    def bar_size(self, register):
        self.machine.set_config(register, 0xFFFFFFFF)
        low = self.machine.config(register)
        self.machine.set_config(register + 4, 0xFFFFFFFF)
        high = self.machine.config(register + 4)
        self.machine.set_config(register, 0)
        self.machine.set_config(register + 4, 0)
        return 1 << 64 and (~(high << 32 | low & ~0xF) + 1) & (1 << 64) - 1, low & 0xF

    def test_bars(self):
        self.assertEqual(self.bar_size(0x10), (16 << 20, 0x4))
        self.assertEqual(self.bar_size(0x18), (256 << 20, 0xC))
        self.machine.set_config(0x20, 0xFFFFFFFF)
        self.assertEqual(self.machine.config(0x20), 0xFFFFFFC1)
        self.machine.set_config(0x20, 0)

    def test_capabilities(self):
        self.assertEqual(self.machine.capability(CAP_EXPRESS), 0x70)
        self.assertEqual(self.machine.config(0x72, 1) >> 4, 9, "root complex integrated endpoint")
        self.assertTrue(self.machine.config(0x74) & 1 << 28, "function-level reset")
        self.assertEqual(self.machine.capability(CAP_MSI), 0xAC)
        self.assertEqual(self.machine.capability(CAP_PM), 0xD0)
        self.assertIsNone(self.machine.capability(CAP_AF))

    def test_graphics_registers(self):
        m = self.machine
        self.assertEqual(m.config(GGC, 2), 0x00C1, "8 MiB of GTT, no stolen memory before firmware placed it")
        m.set_config(BDSM, 0x0ABCDEF0)
        self.assertEqual(m.config(BDSM), 0x0AB00000, "1 MiB steps")
        self.assertEqual(m.config(GGC, 2), 0x02C1, "64 MiB")
        m.set_config(GGC, 0, 2)
        self.assertEqual(m.config(GGC, 2), 0x02C1, "read only")
        m.set_config(BDSM, 0)
        self.assertEqual(m.config(GGC, 2), 0x00C1)
        for register in (ASLE, ASLS):
            m.set_config(register, 0x12345678)
            self.assertEqual(m.config(register), 0x12345678)


class WideStolenBase:
    """What differs from Kaby Lake in configuration space. `platform`: its name, `ids`: device and vendor, `revision`: class and revision."""

    @classmethod
    def setUpClass(cls):
        cls.machine = Machine(platform=cls.platform)
        cls.addClassCleanup(cls.machine.close)

    def stolen(self):
        """BDSM where a driver reads it, and STOLEN_RESERVED."""
        m = self.machine
        m.map_bars()
        return m.config(BDSM_WIDE + 4) << 32 | m.config(BDSM_WIDE), m.mmio(0x1082C4) << 32 | m.mmio(0x1082C0)

    def test_ids(self):
        self.assertEqual(self.machine.config(0x00), self.ids)
        self.assertEqual(self.machine.config(0x08), self.revision, "the revision of products")

    def test_stolen_memory(self):
        m = self.machine
        self.assertEqual(m.config(GGC, 2), 0x00C1)
        self.assertEqual(self.stolen(), (0, 0))
        m.set_config(BDSM, 0x0ABCDEF0)
        self.assertEqual(self.stolen(), (0x0AB00000, 0x0EA00000), "firmware that knows the old place only; the last MiB is reserved")
        self.assertEqual(m.config(GGC, 2), 0x02C1)
        m.set_config(BDSM_WIDE, 0x0C000FFF)
        m.set_config(BDSM_WIDE + 4, 0xFFFFFF81)
        self.assertEqual(self.stolen(), (0x10C000000, 0x10FF00000), "addresses of 39 bits")
        self.assertEqual(m.config(BDSM), 0x0C000000)
        m.set_config(BDSM, 0)
        self.assertEqual(self.stolen(), (0, 0))
        self.assertEqual(m.config(GGC, 2), 0x00C1)

    def test_capabilities_do_not_reach_into_bdsm(self):
        self.assertEqual(self.machine.capability(CAP_MSI), 0xAC)
        self.assertEqual(self.machine.capability(CAP_PM), 0xD0)


class IceLake(WideStolenBase, unittest.TestCase):
    platform, ids, revision = "icl", 0x8A528086, 0x03000007


class TigerLake(WideStolenBase, unittest.TestCase):
    platform, ids, revision = "tgl", 0x9A498086, 0x03000003

    def test_reserved_for_virtualization(self):  # TGL PRM vol 13, "SW Virtualization Reserved MMIO range"
        self.machine.map_bars()
        for offset in (0x178000, 0x178FFC):
            self.machine.mmio_write(offset, 0xFFFFFFFF)
            self.assertEqual(self.machine.mmio(offset), 0)

    def test_forcewake(self):
        self.machine.map_bars()
        for request, acknowledge in ((0xA278, 0xD84), (0xA188, 0x130044), (0xA540, 0xD50), (0xA548, 0xD58), (0xA560, 0xD70)):
            self.machine.mmio_write(request, 0x00010001)
            self.assertEqual(self.machine.mmio(acknowledge) & 1, 1)


class Ironlake(unittest.TestCase):
    """What intel-gtt and early-quirks.c read: sizes in the host bridge's GMCH_CTRL."""

    GMCH = 0x52

    def machine(self, options=""):
        machine = Machine(options, platform="ilk")
        self.addCleanup(machine.close)
        return machine

    def test_ids_and_bars(self):
        machine = self.machine()
        self.assertEqual(machine.config(0x00), 0x00428086)
        self.assertEqual(machine.config(0x08) >> 8, 0x030000)
        self.assertEqual(machine.bar_size(0x10), 4 << 20)
        self.assertEqual(machine.bar_size(0x18), 256 << 20)

    def test_the_mobile_chip_has_its_own_id(self):
        machine = Machine("", platform="ilkm")
        self.addCleanup(machine.close)
        self.assertEqual(machine.config(0x00), 0x00468086)

    def test_stolen_memory(self):
        machine = self.machine("stolen=48M")
        self.assertEqual(machine.config(self.GMCH, 2, slot=0), 0x0300, "2 MiB of entries, no stolen memory before firmware placed it")
        machine.set_config(BDSM, 0x0ABCDEF0)
        self.assertEqual(machine.config(BDSM), 0x0AB00000)
        self.assertEqual(machine.config(self.GMCH, 2, slot=0), 0x0360)
        self.assertEqual(machine.config(GGC, 2), 0)

    def test_vga_disable_stays(self):  # intel_vga.c:intel_vga_set_state
        machine = self.machine()
        machine.set_config(self.GMCH, 0x0302, 2, slot=0)
        machine.set_config(BDSM, 0x0AB00000)
        self.assertEqual(machine.config(self.GMCH, 2, slot=0), 0x0372)

    def test_global_table_and_fences(self):
        machine = self.machine()
        machine.map_bars()
        machine.mmio_write(2 << 20 | 0x7FFFF * 4, 0x12345001)
        self.assertEqual(machine.mmio(2 << 20 | 0x7FFFF * 4), 0x12345001)
        machine.mmio_write(0x3004, 0x107000)
        machine.mmio_write(0x3000, 0x10001D)
        self.assertEqual(machine.mmio(0x100000), 0x100001)
        self.assertEqual(machine.mmio(0x100004), 0x107007)


class Variants(unittest.TestCase):
    def test_stolen_sizes_of_ironlake(self):
        status, text, _ = run_once(["-device", "intel-gpu-ilk,stolen=12M"])
        self.assertNotEqual(status, 0)
        self.assertIn("stolen=12582912 is none of 0, 1, 4", text)

    def test_aperture_property(self):
        with Machine("aperture=512M") as m:
            m.set_config(0x18, 0xFFFFFFFF)
            self.assertEqual(m.config(0x18), 0xE000000C)

    def test_stolen_in_4_mib_steps(self):
        with Machine("stolen=12M") as m:
            m.set_config(BDSM, 0x0F000000)
            self.assertEqual(m.config(GGC, 2), 0xF2C1)

    def test_no_stolen(self):
        with Machine("stolen=0") as m:
            m.set_config(BDSM, 0x0F000000)
            self.assertEqual(m.config(GGC, 2), 0x00C1)

    def test_conventional_bus_has_advanced_features(self):
        with Machine(machine="pc") as m:
            self.assertIsNone(m.capability(CAP_EXPRESS))
            self.assertEqual(m.capability(CAP_AF), 0xA4)
            m.map_bars()
            m.set_config(0xA4 + 4, 1, 1)
            self.assertEqual(m.config(0x04, 2) & 7, 0, "function-level reset clears the command register")


class Access(unittest.TestCase):
    """BARs reach the core; FORCEWAKE_MEDIA's acknowledge mirrors its request (gen9-map B1)."""

    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.close)
        self.machine.map_bars()

    def test_registers(self):
        self.machine.mmio_write(0xA270, 0x00010001)
        self.assertEqual(self.machine.mmio(0x0D88) & 1, 1)

    def test_gtt_window(self):
        self.machine.mmio_write(0x800000 + 8 * 100, 0x12345001, 8)
        self.assertEqual(self.machine.mmio(0x800000 + 8 * 100, 8), 0x12345001)
        self.assertEqual(self.machine.mmio(0x800000 + 8 * 100 + 4), 0)

    def test_io_bar_is_an_index_and_data_pair(self):
        m = self.machine
        m.outl(m.IO_BAR, 0xA270)
        m.outl(m.IO_BAR + 4, 0x00010001)
        m.outl(m.IO_BAR, 0x0D88)
        self.assertEqual(m.inl(m.IO_BAR + 4) & 1, 1)
        m.outl(m.IO_BAR, 8 * 7 | 1)
        m.outl(m.IO_BAR + 4, 0x00ABC001)
        self.assertEqual(m.mmio(0x800000 + 8 * 7), 0x00ABC001)
        m.outl(m.IO_BAR, 0xFFFFFFFC)
        m.outl(m.IO_BAR + 4, 1)
        self.assertEqual(m.inl(m.IO_BAR + 4), 0, "past the end of the GTT")

    def test_aperture_writes_memory_through_the_gtt(self):
        m = self.machine
        m.mmio_write(0x800000, 0x00300001, 8)
        m.mmio_write(0x101008, 1)
        m.poke(m.BAR2 + 0x10, 0xCAFEF00D)
        self.assertEqual(m.peek(0x00300010), 0xCAFEF00D)
        m.poke(0x00300020, 0x5EED5EED)
        self.assertEqual(m.peek(m.BAR2 + 0x20), 0x5EED5EED)

    def mapped(self):
        """Whether QEMU lists a direct mapping of the aperture."""
        return "intel-gpu-gmadr-direct" in self.machine.qmp.monitor("info mtree")

    def fill_aperture(self, start, count):
        for place in range(start, start + 8 * count, 8):
            self.machine.poke(self.machine.BAR2 + place, 0xA5A5A5A500000000 | place, 8)

    def test_busy_place_of_the_aperture_is_mapped_until_the_gtt_changes(self):
        m = self.machine
        for page in range(64):
            m.mmio_write(0x800000 + 8 * page, 0x00300001 + 4096 * page, 8)
        self.fill_aperture(0, 300)
        self.assertTrue(self.mapped())
        self.fill_aperture(0x20000, 10)
        self.assertEqual(m.peek(0x00320008, 8), 0xA5A5A5A500020008, "writes still arrive")
        m.mmio_write(0x800000 + 8 * 33, 0x00500001, 8)
        self.assertFalse(self.mapped())
        m.poke(m.BAR2 + 33 * 4096, 0x5EED5EED)
        self.assertEqual(m.peek(0x00500000), 0x5EED5EED, "the new page is written")
        self.assertEqual(m.peek(0x00321000), 0, "the old one is not")

    def test_fences_and_the_command_register_end_mappings(self):
        m = self.machine
        for page in range(64):
            m.mmio_write(0x800000 + 8 * page, 0x00300001 + 4096 * page, 8)
        self.fill_aperture(0, 300)
        self.assertTrue(self.mapped())
        m.mmio_write(0x100000, 0x00008000_00000001 | 3 << 32, 8)  # X tiled, pages 0 to 8, pitch 512
        self.assertFalse(self.mapped())
        self.fill_aperture(0x10000, 300)
        self.assertTrue(self.mapped(), "behind the fence")
        m.config(0x04, 2)
        m.set_config(0x04, 0x3, 2)
        m.poll(lambda: not self.mapped(), "mapping gone")
        m.poke(m.BAR2 + 0x10000, 0x12121212)
        self.assertNotEqual(m.peek(0x00310000), 0x12121212, "no bus mastering")

    def test_scattered_pages_are_not_mapped(self):
        m = self.machine
        for page in range(64):
            m.mmio_write(0x800000 + 8 * page, 0x00300001 + 8192 * page, 8)
        self.fill_aperture(0, 300)
        self.assertFalse(self.mapped())

    def test_no_bus_mastering_no_memory(self):
        m = self.machine
        m.mmio_write(0x800000, 0x00300001, 8)
        m.set_config(0x04, 0x3, 2)
        m.poke(m.BAR2 + 0x10, 0xCAFEF00D)
        self.assertEqual(m.peek(0x00300010), 0)

    def test_odd_sizes_and_places_do_no_harm(self):
        m = self.machine
        for offset in (0x1, 0x1FFFFF, 0x200000, 0x7FFFFF, 0x800001, 0xFFFFFF):
            m.peek(m.BAR0 + offset, 1)
            m.poke(m.BAR0 + offset, 0xFF, 1)
        self.assertEqual(m.peek(m.BAR0 + 0xFFFFF8, 8) >> 56, 0xFF)


class Reset(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.close)
        self.machine.map_bars()
        self.machine.set_config(BDSM, 0x0E000000)
        self.machine.set_config(ASLS, 0x0DFF0000)
        self.machine.mmio_write(0xA270, 0x00010001)

    def state(self):
        self.machine.map_bars()
        return self.machine.mmio(0x0D88) & 1

    def test_function_level_reset(self):
        m = self.machine
        m.set_config(0x78, 1 << 15, 2)
        self.assertEqual(m.config(0x78, 2) & 1 << 15, 0, "reads as zero")
        self.assertEqual(m.config(0x04, 2) & 7, 0)
        self.assertEqual(m.config(0x10) & ~0xF, 0)
        self.assertEqual(m.config(BDSM), 0x0E000000, "what firmware placed stays")
        self.assertEqual(m.config(ASLS), 0x0DFF0000)
        self.assertEqual(self.state(), 0)

    def test_system_reset(self):
        self.machine.command("system_reset")
        self.machine.command("query-status")
        self.assertEqual(self.machine.config(BDSM), 0)
        self.assertEqual(self.machine.config(ASLS), 0)
        self.assertEqual(self.state(), 0)


class Interrupts(unittest.TestCase):
    """GMBUS's done interrupt by way of SDE and the master register (gen9-map B5, B7), as message and as pin."""

    MESSAGE = 0x00200000  # a message is a memory write: here to RAM

    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.close)
        self.machine.map_bars()

    def raise_interrupt(self):
        m = self.machine
        m.mmio_write(0xC4004, 0xFFFFFFFF & ~(1 << 17))  # SDEIMR
        m.mmio_write(0xC400C, 1 << 17)                  # SDEIER
        m.mmio_write(0x44200, 1 << 31)
        m.mmio_write(0xC5110, 0x1F)                     # GMBUS4: all its interrupts
        m.mmio_write(0xC5100, 5)
        m.mmio_write(0xC5104, 1 << 30 | 1 << 27 | 1 << 25 | 1 << 16 | 0x50 << 1 | 1)
        m.poll(lambda: m.mmio(0xC4008) & 1 << 17, "GMBUS's interrupt")

    def test_message(self):
        m = self.machine
        m.set_config(0xB0, self.MESSAGE)
        m.set_config(0xB4, 0x4321, 2)
        m.set_config(0xAE, 1, 2)
        self.raise_interrupt()
        m.poll(lambda: m.peek(self.MESSAGE) == 0x4321, "message")

    def test_pin(self):
        m = self.machine
        self.assertEqual(m.config(0x06, 2) & 1 << 3, 0)
        self.raise_interrupt()
        m.poll(lambda: m.config(0x06, 2) & 1 << 3, "interrupt status set")
        m.mmio_write(0x44200, 0)
        m.poll(lambda: not m.config(0x06, 2) & 1 << 3, "interrupt status clear")
