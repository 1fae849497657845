# SPDX-License-Identifier: GPL-2.0-or-later
"""The device in a machine: VGA picture, snapshot, migration, unplug, wrong arguments."""
import os
import re
import struct
import tempfile
import time
import unittest

import display_mode
from folder_test import FolderTest
from machine import DEVICE, LIMIT_S, Machine, run_device, run_once
import build
import platforms


class Picture(unittest.TestCase):
    def test_seabios_text_shows(self):
        with Machine(firmware=True) as machine:
            deadline = time.monotonic() + LIMIT_S
            while time.monotonic() < deadline:
                width, height, pixels = machine.picture()
                lit = sum(1 for i in range(0, len(pixels), 3) if pixels[i] > 100)
                if lit > 500:
                    break
                time.sleep(0.2)
            self.assertEqual((width, height), (720, 400), "VGA text mode")
            self.assertGreater(lit, 500, "SeaBIOS's text")

    def test_other_heads_are_off(self):
        with Machine("connectors=3") as machine:
            for head in (1, 2):
                machine.picture(head)


class Snapshot(FolderTest):
    def fill(self, machine):
        """State in each part of the device."""
        machine.map_bars()
        machine.set_config(0x5C, 0x0E000000)
        machine.set_config(0xFC, 0x0DFF0000)
        machine.mmio_write(0xA270, 0x00010001)
        machine.mmio_write(0x800000 + 8 * 5, 0x00300001, 8)
        machine.outl(machine.IO_BAR, 0x1234)
        machine.outb(0x3C4, 2)
        machine.outb(0x3C5, 7)
        machine.poke(machine.BAR2 + 0x5010, 0xCAFEF00D)
        machine.put("connector0", False)
        display_mode.light(machine)
        display_mode.unmask(machine, display_mode.VBLANK)
        machine.poll(lambda: machine.mmio(display_mode.PIPE_FRMCNT) > 2, "vertical blanks")

    def check(self, machine):
        self.assertEqual(machine.config(0x10), machine.BAR0 | 4)
        self.assertEqual(machine.config(0x5C), 0x0E000000)
        self.assertEqual(machine.config(0x50, 2), 0x02C1)
        self.assertEqual(machine.config(0xFC), 0x0DFF0000)
        self.assertEqual(machine.mmio(0x0D88) & 1, 1)
        self.assertEqual(machine.mmio(0x800000 + 8 * 5, 8), 0x00300001)
        self.assertEqual(machine.inl(machine.IO_BAR), 0x1234)
        machine.outb(0x3C4, 2)
        self.assertEqual(machine.inb(0x3C5), 7)
        self.assertEqual(machine.peek(machine.BAR2 + 0x5010), 0xCAFEF00D)
        self.assertFalse(machine.get("connector0"))
        frame = machine.mmio(display_mode.PIPE_FRMCNT)
        self.assertGreater(frame, 2)
        machine.poll(lambda: machine.mmio(display_mode.PIPE_FRMCNT) > frame, "the next vertical blank")

    def test_savevm_and_loadvm(self):
        with Machine() as machine:
            self.snapshot_disk(machine)
            self.fill(machine)
            self.job(machine, "snapshot-save", tag="one", vmstate="disk", devices=["disk"])
            machine.command("system_reset")
            machine.poll(lambda: machine.config(0x5C) == 0, "reset")
            self.job(machine, "snapshot-load", tag="one", vmstate="disk", devices=["disk"])
            self.check(machine)
            machine.mmio_write(0xA270, 0x00010000)
            self.assertEqual(machine.mmio(0x0D88) & 1, 0, "it runs on")

    def migrate(self, source_device="", target_device=""):
        address = f"unix:{self.folder}/migration"
        source = Machine(source_device)
        self.addCleanup(source.close)
        target = Machine(target_device, extra=["-incoming", "defer"])
        self.addCleanup(target.close)
        self.fill(source)
        target.command("migrate-incoming", uri=address)
        source.command("migrate", uri=address)
        return source, target

    def test_migration(self):
        source, target = self.migrate()
        source.wait_status("query-migrate", "completed")
        target.wait_status("query-status", "running")
        self.check(target)

    def test_migration_to_another_configuration_is_refused(self):
        source, target = self.migrate("", "stolen=32M")
        status, words = target.ended()
        self.assertNotEqual(status, 0)
        self.assertIn("stolen", words)
        del source

    def saved(self):
        """A saved machine's stream, and where in it the size of the GPU core's state stands (4 bytes, big endian, before the state)."""
        path = self.folder / "saved"
        machine = Machine()
        self.addCleanup(machine.close)
        self.fill(machine)
        machine.command("migrate", uri=f"file:{path}")
        machine.wait_status("query-migrate", "completed")
        stream = bytearray(path.read_bytes())
        state = stream.index(struct.pack("<I", 6) + b"device")
        return stream, state - 4

    def refused(self, stream):
        """Starts a machine from the stream, which has to end QEMU with a sentence; gives it."""
        path = self.folder / "strange"
        path.write_bytes(stream)
        machine = Machine(extra=["-incoming", "defer"])
        self.addCleanup(machine.close)
        machine.command("migrate-incoming", uri=f"file:{path}")
        status, words = machine.ended()
        self.assertEqual(status, 1, words)
        self.assertNotRegex(words, "(?i)assert|abort|sanitizer|core dumped")
        return words

    def test_a_strangers_state_is_refused_with_a_sentence(self):
        stream, size_at = self.saved()
        size = struct.unpack_from(">I", stream, size_at)[0]
        for wrong in (0xFFFFFFFF, 0x80000000, (64 << 20) + 1):
            with self.subTest(size=hex(wrong)):
                strange = bytearray(stream)
                struct.pack_into(">I", strange, size_at, wrong)
                self.assertIn("64 MiB", self.refused(strange))
        strange = bytearray(stream)
        strange[size_at + 4 + size // 2:size_at + 4 + size] = bytes(size - size // 2)
        self.assertIn("intel-gpu", self.refused(strange))

    def test_pages_written_by_the_device_migrate(self):
        # Written through the aperture while the migration is held back by its bandwidth limit.
        address = f"unix:{self.folder}/migration"
        source = Machine()
        self.addCleanup(source.close)
        target = Machine(extra=["-incoming", "defer"])
        self.addCleanup(target.close)
        self.fill(source)
        for page in range(16, 4096, 64):
            source.write(0x01000000 + page * 4096, os.urandom(4096))
        target.command("migrate-incoming", uri=address)
        source.command("migrate-set-parameters", max_bandwidth=65536)
        source.command("migrate", uri=address)
        source.wait_status("query-migrate", "active")
        for _ in range(20):
            time.sleep(0.05)
        source.poke(source.BAR2 + 0x5020, 0xD1417D17)
        source.command("migrate-set-parameters", max_bandwidth=1 << 30)
        source.wait_status("query-migrate", "completed")
        target.wait_status("query-status", "running")
        self.assertEqual(target.peek(0x00300020), 0xD1417D17)


class Unplug(unittest.TestCase):
    def test_plug_and_unplug(self):
        # The i440FX machine's root bus takes hot-plug; ejecting is done by the guest's ACPI, here by hand.
        with Machine(machine="pc", gpu=False) as machine:
            for _ in range(3):
                machine.command("device_add", driver=DEVICE, id="gpu", bus="pci.0", addr="5")
                self.assertTrue(machine.get("connector0"))
                machine.command("device_del", id="gpu")
                machine.outl(0xAE08, 1 << 5)
                names = [child["name"] for child in machine.command("qom-list", path="/machine/peripheral")]
                self.assertNotIn("gpu", names)
            self.assertEqual(machine.command("query-status")["status"], "running")


class Arguments(unittest.TestCase):
    """Each mistake: one sentence that names it, and a non-zero exit."""

    def refused(self, properties, wanted):
        status, text, _ = run_device(properties)
        self.assertNotEqual(status, 0, text)
        self.assertEqual(len(text.splitlines()), 1, text)
        self.assertRegex(text, wanted)

    def test_values(self):
        for properties, wanted in (
                ("connectors=0", "connectors=0 is outside 1 to 3"), ("connectors=4", "connectors=4 is outside"),
                ("aperture=100M", "aperture=104857600 is not a power of two"), ("aperture=64M", "aperture"),
                ("stolen=3M", "stolen=3145728"), ("stolen=80M", "stolen"), ("stolen=4G", "stolen"),
                ("xres=100", "100x1080"), ("yres=5000", "1920x5000"), ("refresh_rate=5", "refresh rate"),
                ("xres=3840,yres=2160", "pixel clock"), ("monitor0=big", "monitor0='big'"), ("monitor0=800x600@x", "monitor0"),
                ("monitor1=800x600", "only 1 connectors"), ("threads=-2", "threads=-2"), ("threads=1000", "threads=1000"),
                ("check=bytes", "no level 'bytes'"), ("coverage=i915", "no range"), ("coverage=2000-1000", "is empty"), ("colour=red", "colour"), ("connectors=many", "many")):
            with self.subTest(properties=properties):
                self.refused(properties, wanted)

    def test_files(self):
        self.refused("edid=/nonexistent/edid", "/nonexistent/edid")
        self.refused("record=/nonexistent/folder/a.aub", "/nonexistent/folder/a.aub")
        for contents, wanted in ((b"", "size"), (b"x" * 100, "size"), (b"x" * 128, "header")):
            with self.subTest(contents=contents), tempfile.NamedTemporaryFile() as file:
                file.write(contents)
                file.flush()
                self.refused(f"edid={file.name}", wanted)

    def test_two_devices(self):
        status, text, _ = run_once(["-device", DEVICE, "-device", DEVICE])
        self.assertNotEqual(status, 0)
        self.assertRegex(text, "at most one intel-gpu")

    def test_plugin_options(self):
        status, text, _ = run_once([], plugin=f"{build.PLUGIN},colour=red")
        self.assertNotEqual(status, 0)
        self.assertEqual(len(text.splitlines()), 1, text)
        self.assertIn("colour=red", text)

    def test_help(self):
        status, _, text = run_once([], plugin=f"{build.PLUGIN},help=on")
        self.assertEqual(status, 0)
        for name in ("aperture", "stolen", "connectors", "xres", "edid", "threads", "record", "connector0"):
            self.assertRegex(text, rf"(?m)^  {name} ")
        self.assertEqual(re.findall(r"(?m)^  intel-gpu-(\w+) ", text), platforms.names())

    def test_every_platform_has_a_device_type(self):
        with Machine() as machine:
            types = machine.qmp.command("qom-list-types", implements="intel-gpu", abstract=False)
        self.assertEqual(sorted(one["name"] for one in types), sorted(f"intel-gpu-{name}" for name in platforms.names()))


class Abi(unittest.TestCase):
    """Plugins made for another QEMU (build/softgen-abi-*.so) are refused."""

    def refused(self, name, wanted):
        plugin = build.PLUGIN.parent / name
        self.assertTrue(plugin.is_file(), f"{plugin} is not built")
        status, text, _ = run_once([], plugin=plugin)
        self.assertEqual(status, 1, text)
        self.assertEqual(len(text.splitlines()), 1, text)
        self.assertRegex(text, wanted)

    def test_version(self):
        self.refused("softgen-abi-version.so", r"built for QEMU 9\.1 and this is QEMU \d+\.\d+")

    def test_size(self):
        self.refused("softgen-abi-size.so", r"PCIDevice of 1234 bytes .* has \d+")
