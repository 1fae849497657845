# SPDX-License-Identifier: GPL-2.0-or-later
"""The consoles' pictures; no caller waits for them: they are composed outside QEMU's lock."""
import tempfile
import time
import unittest

import display_mode as display
from machine import Machine
from rfb import Screen

ANSWER_S = 2
GTT, PLANE_SURFLIVE = 0x800000, 0x701AC
RED, GREEN = 0x0010_0000, 0x0080_0000  # where the two surfaces are, in guest memory and in the GTT
PS_WIN_POS, PS_WIN_SZ, PS_CTRL = 0x68170, 0x68174, 0x68180


class DisplayTest(unittest.TestCase):
    def start(self, *args, **kwargs):
        machine = Machine(*args, **kwargs)
        self.addCleanup(machine.close)
        machine.map_bars()
        return machine

    def map_memory(self, machine, size):
        """The GTT's addresses from 0 on are guest memory's."""
        for first in range(0, size >> 12, 512):
            entries = b"".join((page << 12 | 1).to_bytes(8, "little") for page in range(first, first + 512))
            machine.write(machine.BAR0 + GTT + 8 * first, entries)

    def paint(self, machine, address, pixel, count):
        machine.write(address, pixel.to_bytes(4, "little") * count)

    def colour(self, machine):
        """Of the picture's first and last pixel, which must be one."""
        width, height, pixels = machine.picture()
        self.assertEqual((width, height), (640, 480))
        self.assertEqual(pixels[:3], pixels[-3:])
        return pixels[:3]

    def flip(self, machine, surface):
        machine.mmio_write(display.PLANE_SURF, surface)
        machine.poll(lambda: machine.mmio(PLANE_SURFLIVE) == surface, "flip")


class LitTest(DisplayTest):
    def lit(self, *args, **kwargs):
        machine = self.start(*args, **kwargs)
        self.map_memory(machine, 16 << 20)
        self.paint(machine, RED, 0xFF0000, 640 * 480)
        self.paint(machine, GREEN, 0x00FF00, 640 * 480)
        display.light(machine, 640, 480, total_width=2200, total_height=1125)
        display.show_plane(machine, RED, 640, 480)
        self.flip(machine, RED)
        return machine


class Pictures(LitTest):
    def test_a_screendump_right_after_a_flip_shows_it(self):
        for properties in ("", "threads=0"):
            machine = self.lit(properties)
            for _ in range(10):
                self.flip(machine, GREEN)
                self.assertEqual(self.colour(machine), b"\0\xff\0")
                self.flip(machine, RED)
                self.assertEqual(self.colour(machine), b"\xff\0\0")

    def test_what_the_cpu_draws_shows(self):
        machine = self.lit()
        for _ in range(12):
            self.assertEqual(self.colour(machine), b"\xff\0\0")
        self.paint(machine, RED, 0x0000FF, 640 * 480)
        time.sleep(0.2)  # longer than the device's interval between two checks of a static picture
        self.assertEqual(self.colour(machine), b"\0\0\xff")

    def test_a_stopped_machine_has_its_picture(self):
        machine = self.lit()
        machine.command("stop")
        self.assertEqual(self.colour(machine), b"\xff\0\0")
        machine.command("cont")
        self.flip(machine, GREEN)
        machine.command("stop")
        self.assertEqual(self.colour(machine), b"\0\xff\0")

    def test_the_picture_follows_mode_changes(self):
        machine = self.lit()
        for width, height in ((320, 200), (1024, 768), (640, 480)):
            display.set_timing(machine, width, height, 2200, 1125)
            self.assertEqual(machine.picture()[:2], (width, height))
        machine.mmio_write(display.TRANS_CONF, 0)
        machine.picture()  # "Display output is not active."
        self.assertEqual(machine.command("query-status")["status"], "running")


class Vnc(LitTest):
    """The same pictures by a refresh that comes by itself."""

    def test_flips_arrive(self):
        folder = tempfile.TemporaryDirectory(prefix="softgen-vnc-")
        self.addCleanup(folder.cleanup)
        machine = self.lit("", extra=["-vnc", f"unix:{folder.name}/vnc"])
        client = Screen(f"{folder.name}/vnc")
        self.addCleanup(client.close)

        def shows(colour):
            """Asks until the whole picture has it; an update waits at the server until there is a change."""
            client.update(incremental=False)
            while (client.width, client.height) != (640, 480) or {client.pixel(0, 0), client.pixel(639, 479)} != {colour}:
                client.update(incremental=True)

        shows(0xFF0000)
        for surface, colour in ((GREEN, 0x00FF00), (RED, 0xFF0000), (GREEN, 0x00FF00)):
            self.flip(machine, surface)
            shows(colour)
        self.paint(machine, GREEN, 0x0000FF, 640 * 480)
        shows(0x0000FF)
        self.flip(machine, RED)
        self.assertEqual(self.colour(machine), b"\xff\0\0", "a screendump beside it")


class NoVcpuWaits(DisplayTest):
    """The most expensive frames that the hardware has: every plane, both scalers, a CRC of each."""

    def load(self, machine):
        display.light(machine, 5120, 4096)
        for plane in range(4):
            base = plane * 0x100
            for register, value in ((display.PLANE_STRIDE, 5120 * 4 // 64), (display.PLANE_POS, 0), (display.PLANE_SIZE, 4095 | 4095 << 16),
                                    (display.PLANE_CTL, 1 << 31 | 4 << 24 | 2 << 4), (display.PLANE_SURF, RED)):
                machine.mmio_write(register + base, value)
        for scaler in range(2):
            base = scaler * 0x100
            machine.mmio_write(PS_CTRL + base, 1 << 31 | (scaler + 1) << 25)
            machine.mmio_write(PS_WIN_POS + base, 0)
            machine.mmio_write(PS_WIN_SZ + base, 2000 << 16 | 2000)
        display.unmask(machine, display.VBLANK | display.CRC_DONE)
        machine.mmio_write(display.PIPE_CRC_CTL, 1 << 31 | 4 << 28)

    def asked(self, machine, rounds):
        for _ in range(rounds):
            start = time.monotonic()
            machine.qmp.command("query-status", timeout=ANSWER_S)
            machine.mmio(display.PIPE_FRMCNT)
            machine.mmio_write(display.DE_PIPE_IIR, 0xFFFFFFFF)
            self.assertLess(time.monotonic() - start, ANSWER_S)
            time.sleep(0.05)

    def test_monitor_and_registers_answer_while_frames_are_composed(self):
        machine = self.start()
        self.map_memory(machine, 16 << 20)
        self.load(machine)
        self.asked(machine, 40)
        width, height, _ = machine.picture()
        self.assertEqual((width, height), (5120, 4096))
        frame = machine.mmio(display.PIPE_FRMCNT)
        def frame_done():
            machine.mmio_write(display.DE_PIPE_IIR, 0xFFFFFFFF)
            machine.mmio(display.PIPE_CRC_RES)
            return machine.mmio(display.PIPE_FRMCNT) != frame
        machine.poll(frame_done, "a frame with its CRC")
        for command in ("stop", "cont", "system_reset"):
            machine.qmp.command(command, timeout=ANSWER_S)
        machine.command("quit")
        self.assertEqual(machine.ended()[0], 0)

    def test_rasters_beyond_the_hardware_do_not_run(self):
        machine = self.start()
        display.light(machine, 8000, 8000, total_width=8192, total_height=8192)
        machine.mmio_write(display.PIPE_CRC_CTL, 1 << 31 | 4 << 28)
        self.asked(machine, 10)
        self.assertEqual(machine.mmio(display.PIPE_FRMCNT), 0)


if __name__ == "__main__":
    unittest.main()
