# SPDX-License-Identifier: GPL-2.0-or-later
"""Monitors: EDID over GMBUS, connectors, plugging at run time, OpRegion and VBT."""
import pathlib
import struct
import tempfile
import unittest

from machine import Machine
from qmp import QmpError

GMBUS0, GMBUS1, GMBUS2, GMBUS3, GMBUS5 = 0xC5100, 0xC5104, 0xC5108, 0xC510C, 0xC5120
READY, NAK = 1 << 11, 1 << 10
PIN = (5, 4, 6)  # pin pairs of DDI-B, C, D


class Gmbus:
    """Reads a byte range as i915's gmbus_xfer does: one indexed transfer of up to 256 bytes a segment."""

    def __init__(self, machine):
        self.machine = machine

    def wait(self, wanted):
        self.machine.poll(lambda: self.machine.mmio(GMBUS2) & (wanted | NAK), "GMBUS2")
        return self.machine.mmio(GMBUS2)

    def read(self, pin, address, offset, count):
        """None without an answer."""
        m = self.machine
        m.mmio_write(GMBUS0, pin)
        data = b""
        m.mmio_write(GMBUS1, 1 << 30 | 3 << 25 | count << 16 | offset << 8 | address << 1 | 1)
        while len(data) < count:
            if self.wait(READY) & NAK:
                m.mmio_write(GMBUS1, 1 << 31)
                m.mmio_write(GMBUS1, 0)
                m.mmio_write(GMBUS0, 0)
                return None
            data += struct.pack("<I", m.mmio(GMBUS3))
        m.mmio_write(GMBUS1, 1 << 30 | 1 << 27)
        m.poll(lambda: not m.mmio(GMBUS2) & 1 << 9, "GMBUS idle")
        m.mmio_write(GMBUS0, 0)
        return data[:count]


def preferred_mode(edid):
    timing = edid[54:72]
    return timing[2] | (timing[4] & 0xF0) << 4, timing[5] | (timing[7] & 0xF0) << 4


class Edid(unittest.TestCase):
    def machine(self, properties=""):
        machine = Machine(properties)
        self.addCleanup(machine.close)
        machine.map_bars()
        return machine

    def test_default_monitor(self):
        edid = Gmbus(self.machine()).read(PIN[0], 0x50, 0, 256)
        self.assertIsNotNone(edid)
        self.assertEqual(edid[:8], bytes([0, 255, 255, 255, 255, 255, 255, 0]))
        self.assertEqual(sum(edid[:128]) & 0xFF, 0)
        self.assertEqual(sum(edid[128:]) & 0xFF, 0)
        self.assertEqual(preferred_mode(edid), (1920, 1080))
        self.assertIn(bytes([0x03, 0x0C, 0x00]), edid[132:132 + 40], "HDMI vendor block")

    def test_monitors_by_property(self):
        gmbus = Gmbus(self.machine("connectors=3,xres=1024,yres=768,monitor1=1280x720@50,monitor2=off"))
        self.assertEqual(preferred_mode(gmbus.read(PIN[0], 0x50, 0, 128)), (1024, 768))
        self.assertEqual(preferred_mode(gmbus.read(PIN[1], 0x50, 0, 128)), (1280, 720))
        self.assertIsNone(gmbus.read(PIN[2], 0x50, 0, 128))

    def test_absent_connector_and_absent_address(self):
        gmbus = Gmbus(self.machine())
        self.assertIsNone(gmbus.read(PIN[1], 0x50, 0, 4))
        self.assertIsNone(gmbus.read(PIN[0], 0x37, 0, 4))
        self.assertIsNotNone(gmbus.read(PIN[0], 0x50, 0, 4), "the bus works again after a NAK")

    def test_file(self):
        edid = bytearray(Gmbus(self.machine()).read(PIN[0], 0x50, 0, 256))
        edid[12] = 0x77  # serial number
        edid[127] = (edid[127] - 0x77) & 0xFF
        with tempfile.NamedTemporaryFile() as file:
            file.write(edid)
            file.flush()
            self.assertEqual(Gmbus(self.machine(f"edid={file.name}")).read(PIN[0], 0x50, 0, 256), bytes(edid))
            self.assertEqual(Gmbus(self.machine(f"monitor0=edid={file.name}")).read(PIN[0], 0x50, 0, 256), bytes(edid))

    def test_plug_at_run_time(self):
        machine = self.machine("connectors=2")
        gmbus = Gmbus(machine)
        self.assertTrue(machine.get("connector0"))
        machine.put("connector0", False)
        self.assertFalse(machine.get("connector0"))
        self.assertIsNone(gmbus.read(PIN[0], 0x50, 0, 4))
        self.assertIsNotNone(gmbus.read(PIN[1], 0x50, 0, 4))
        machine.put("connector0", True)
        self.assertIsNotNone(gmbus.read(PIN[0], 0x50, 0, 4))
        with self.assertRaisesRegex(QmpError, "only 2 connectors"):
            machine.put("connector2", True)

    def test_plug_sets_the_hot_plug_status(self):
        machine = self.machine("monitor0=off")
        machine.mmio_write(0xC4004, 0xFFFFFFFF & ~(1 << 21))  # SDEIMR: port B
        machine.mmio_write(0xC400C, 1 << 21)
        machine.mmio_write(0xC4030, 1 << 4)                   # SHOTPLUG_CTL: port B enabled
        self.assertEqual(machine.mmio(0xC4008) & 1 << 21, 0)
        machine.put("connector0", True)
        self.assertEqual(machine.mmio(0xC4008) & 1 << 21, 1 << 21)
        self.assertEqual(machine.mmio(0xC4030) & 3, 2, "long pulse")


class IceLake(unittest.TestCase):
    """Connectors 0 to 2 are DDI B and the Type-C ports 1 and 2."""

    PIN = (2, 9, 10)
    LIVE = (17, 24, 25)  # bits of SDEISR and SDEIIR

    def machine(self, properties=""):
        machine = Machine(properties, platform="icl")
        self.addCleanup(machine.close)
        machine.map_bars()
        return machine

    def test_monitors_answer_on_their_pins(self):
        machine = self.machine("connectors=3,monitor1=1280x720@50,monitor2=off")
        gmbus = Gmbus(machine)
        self.assertEqual(preferred_mode(gmbus.read(self.PIN[0], 0x50, 0, 128)), (1920, 1080))
        self.assertEqual(preferred_mode(gmbus.read(self.PIN[1], 0x50, 0, 128)), (1280, 720))
        self.assertIsNone(gmbus.read(self.PIN[2], 0x50, 0, 4))
        self.assertEqual(machine.mmio(0xC4000), 1 << self.LIVE[0] | 1 << self.LIVE[1], "live state")

    def test_a_plug_interrupts_through_the_whole_tree(self):
        machine = self.machine("connectors=3,monitor0=off,monitor1=off,monitor2=off")
        machine.mmio_write(0xC4004, 0)           # SDEIMR
        machine.mmio_write(0xC400C, 0xFFFFFFFF)  # SDEIER
        machine.mmio_write(0xC4030, 8 << 4)      # SHOTPLUG_CTL_DDI: DDI B enabled
        machine.mmio_write(0xC4034, 0x88)        # SHOTPLUG_CTL_TC: ports 1 and 2
        machine.mmio_write(0x44200, 1 << 31)     # DISPLAY_INT_CTL
        machine.mmio_write(0x190010, 1 << 31)    # GFX_MSTR_IRQ
        for connector, bit in enumerate(self.LIVE):
            machine.put(f"connector{connector}", True)
            self.assertEqual(machine.mmio(0x190010), 1 << 31 | 1 << 16)
            self.assertEqual(machine.mmio(0x44200), 1 << 31 | 1 << 23)
            self.assertEqual(machine.mmio(0xC4008), 1 << bit)
            machine.mmio_write(0xC4008, 1 << bit)
            self.assertEqual(machine.mmio(0x190010), 1 << 31)
        self.assertEqual(machine.mmio(0xC4030) & 3 << 4, 2 << 4, "long pulse")
        self.assertEqual(machine.mmio(0xC4034) & 0x33, 0x22)


class Firmware(unittest.TestCase):
    """fw_cfg by its I/O ports (docs/specs/fw_cfg.rst)."""

    def file(self, machine, name):
        def item(key, count):
            machine.ask(f"outw 0x510 {key:#x}")
            return bytes(machine.inb(0x511) for _ in range(count))

        count = struct.unpack(">I", item(0x19, 4))[0]
        directory = item(0x19, 4 + 64 * count)[4:]
        for i in range(count):
            size, key, _, raw = struct.unpack(">IHH56s", directory[64 * i:64 * i + 64])
            if raw.rstrip(b"\0").decode() == name:
                return item(key, size)
        return None

    def test_stolen_size(self):
        with Machine("stolen=32M") as machine:
            self.assertEqual(self.file(machine, "etc/igd-bdsm-size"), struct.pack("<Q", 32 << 20))
        with Machine("stolen=0") as machine:
            self.assertIsNone(self.file(machine, "etc/igd-bdsm-size"))

    def test_opregion_and_vbt(self):
        for connectors in (1, 2, 3):
            with self.subTest(connectors=connectors), Machine(f"connectors={connectors}") as machine:
                region = self.file(machine, "etc/igd-opregion")
                self.assertEqual(len(region), 8192)
                self.assertEqual(region[:16], b"IntelGraphicsMem")
                self.assertEqual(struct.unpack_from("<I", region, 16)[0], 8)
                vbt = region[0x400:0x1C00]
                self.assertEqual(vbt[:20], b"$VBT KABYLAKE       ")
                size, bdb = struct.unpack_from("<H", vbt, 24)[0], struct.unpack_from("<I", vbt, 28)[0]
                self.assertEqual(sum(vbt[:size]) & 0xFF, 0)
                self.assertEqual(self.children(vbt[bdb:]), [(0x60D2, 1, 5, 0x10), (0x60D2, 2, 4, 0x20), (0x60D2, 3, 6, 0x30)][:connectors])

    def test_ice_lake_has_other_pins(self):
        with Machine("connectors=3", platform="icl") as machine:
            vbt = self.file(machine, "etc/igd-opregion")[0x400:0x1C00]
            self.assertEqual(vbt[:20], b"$VBT ICELAKE        ")
            bdb = struct.unpack_from("<I", vbt, 28)[0]
            self.assertEqual(self.children(vbt[bdb:]), [(0x60D2, 1, 2, 0x10), (0x60D2, 2, 4, 0x20), (0x60D2, 3, 5, 0x30)])

    def test_tiger_lake_has_other_ports(self):
        with Machine("connectors=3", platform="tgl") as machine:
            vbt = self.file(machine, "etc/igd-opregion")[0x400:0x1C00]
            self.assertEqual(vbt[:20], b"$VBT TIGERLAKE      ")
            bdb = struct.unpack_from("<I", vbt, 28)[0]
            self.assertEqual(self.children(vbt[bdb:]), [(0x60D2, 1, 2, 0x10), (0x60D2, 3, 4, 0x30), (0x60D2, 12, 5, 0x50)])

    def children(self, bdb):
        """Device type, DVO port, DDC pin and AUX channel of each child device, read as i915's intel_bios.c does."""
        self.assertEqual(bdb[:15], b"BIOS_DATA_BLOCK")
        version, at, end = struct.unpack_from("<HHH", bdb, 16)
        self.assertTrue(195 < version <= 215, "child devices of 38 bytes")
        found = []
        while at < end:
            block, size = struct.unpack_from("<BH", bdb, at)
            data = bdb[at + 3:at + 3 + size]
            if block == 2:
                self.assertEqual(data[4], 38)
                for place in range(5, size, 38):
                    child = data[place:place + 38]
                    found.append((struct.unpack_from("<H", child, 2)[0], child[16], child[19], child[25]))
            at += 3 + size
        self.assertEqual(at, end)
        return found

    def test_swsci(self):
        with Machine() as machine:
            region = 0x00400000
            machine.set_config(0xFC, region)
            for scic, answer in ((4 << 1 | 1, 1), (6 << 1 | 1, 1), (6 << 1 | 5 << 8 | 1, 7)):
                machine.poke(region + 0x200, scic)
                machine.poke(region + 0x204, 0x1234)
                machine.set_config(0xE8, 1 << 15, 2)
                machine.set_config(0xE8, 1 << 15 | 1, 2)
                self.assertEqual(machine.peek(region + 0x200) & 1, 0, "answered")
                self.assertEqual(machine.peek(region + 0x200) >> 5 & 7, answer)
                self.assertEqual(machine.peek(region + 0x204), 0)
                self.assertEqual(machine.config(0xE8, 2), 1 << 15)
