# SPDX-License-Identifier: GPL-2.0-or-later
"""Work that never ends, submitted by hand (endless.py): each command of the monitor returns within a second all the same."""
import json
import time
import unittest

import endless
from folder_test import FolderTest
from machine import DEVICE, Machine

ANSWER_S = 1
RAM = 0x01000000  # where the work's region of the GGTT lies
GGTT, GDRST, IPEHR, ESR = 0x800000, 0x941C, 0x2068, 0x20B8
RENDER_DOMAIN = 1 << 1
BAR0, COMMAND = 0x10, 0x04
KERNELS = ("vertex_shader", "hull_shader", "domain_shader", "geometry_shader", "pixel_shader", "compute", "media")
# Their last packet's opcode.
OTHERS = {"batch": 0x1880, "semaphore": 0x0E40, "widest_walker": 0x7105}
EJECT_PORT = 0xAE08  # of i440FX's ACPI hot-plug


class Liveness(FolderTest):
    def start(self, **kwargs):
        machine = Machine(memory="64M", **kwargs)
        self.addCleanup(machine.close)
        return machine

    def submit(self, machine, name):
        """Returns when the work is under way."""
        work = endless.WORK[name]()
        machine.poke(RAM + endless.RESULT, 0)
        for address, data in work.memory.items():
            machine.write(RAM + address, data)
        for page in range(0, endless.SIZE, 4096):
            machine.mmio_write(GGTT + page // 512, RAM + page | 1, 8)
        for offset, value in work.registers():
            machine.mmio_write(offset, value)
        if name in KERNELS:
            machine.poll(lambda: "EU thread in the kernel" in machine.get("where"), f"a thread of {name}")
        else:
            machine.poll(lambda: machine.mmio(IPEHR) >> 16 == OTHERS[name], f"{name} at its packet")

    def again(self, machine, name):
        """The guest resets the engine, and runs the work anew."""
        machine.mmio_write(GDRST, RENDER_DOMAIN)
        self.assertEqual(machine.mmio(ESR), 0)
        self.submit(machine, name)

    def within(self, what, action):
        begin = time.monotonic()
        action()
        self.assertLess(time.monotonic() - begin, ANSWER_S, what)

    def hangs(self, machine):
        abandoned = json.loads(machine.get("report"))["engines"]["rcs"]["abandoned_packets"]
        return bool(abandoned and abandoned["stands"])

    def saves(self, machine, name):
        save = {"tag": name, "vmstate": "disk", "devices": ["disk"]}
        self.within("savevm", lambda: self.job(machine, "snapshot-save", **save))
        self.job(machine, "snapshot-load", **save)
        self.assertEqual(self.hangs(machine), name in KERNELS)
        if name in KERNELS:
            self.assertIn("abandoned", machine.get("where"))
            self.assertEqual(machine.mmio(ESR) & 1, 1)

    def resets(self, machine):
        def reset():
            machine.command("system_reset")
            machine.poll(lambda: machine.config(BAR0) & ~15 == 0, "reset")
        self.within("system_reset", reset)
        machine.map_bars()

    def goes_through(self, name):
        machine = self.start()
        machine.map_bars()
        self.snapshot_disk(machine)
        self.submit(machine, name)
        self.within("stop", lambda: machine.command("stop"))
        self.within("cont", lambda: machine.command("cont"))
        self.assertEqual(self.hangs(machine), name in KERNELS)
        self.again(machine, name)
        self.saves(machine, name)
        self.again(machine, name)
        self.resets(machine)
        self.submit(machine, name)
        self.within("quit", lambda: (machine.command("quit"), machine.ended()))

    def is_unplugged(self, name):
        machine = self.start(machine="pc", gpu=False)
        machine.command("device_add", driver=DEVICE, id="gpu", bus="pci.0", addr="2")
        machine.map_bars()
        self.submit(machine, name)

        def unplug():
            machine.command("device_del", id="gpu")
            machine.outl(EJECT_PORT, 1 << 2)
            names = [child["name"] for child in machine.command("qom-list", path="/machine/peripheral")]
            self.assertNotIn("gpu", names)
        self.within("device_del", unplug)
        machine.command("quit")
        self.assertEqual(machine.ended()[0], 0)

    def test_stop_cont_savevm_reset_and_quit(self):
        for name in (*KERNELS, *OTHERS):
            with self.subTest(name):
                self.goes_through(name)

    def test_device_del(self):
        for name in (*KERNELS, *OTHERS):
            with self.subTest(name):
                self.is_unplugged(name)


if __name__ == "__main__":
    unittest.main()
