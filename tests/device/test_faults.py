# SPDX-License-Identifier: GPL-2.0-or-later
"""Fault plans by QOM properties, their log, and the QMP event."""
import unittest

import folder_test
from common import Failure
from machine import Machine
from qmp import QmpError

RING_HEAD, FORCEWAKE_RENDER, FORCEWAKE_ACK_RENDER = 0x2034, 0xA278, 0xD84


class FaultPlans(folder_test.FolderTest):
    def machine(self, properties="", **kwargs):
        machine = Machine(properties, **kwargs)
        self.addCleanup(machine.close)
        machine.map_bars()
        return machine

    def plan(self, text):
        path = self.folder / "plan"
        path.write_text(text)
        return path

    def events(self, machine):
        machine.command("query-status")
        return [event["data"] for event in machine.qmp.events if event["event"] == "SOFTGEN_FAULT"]

    def test_a_plan_by_file(self):
        machine = self.machine(f"faults={self.plan('seed 1 # of all')}")
        self.assertEqual(machine.mmio(RING_HEAD), 0)
        machine.put("faults", str(self.plan("\non mmio.read RING_HEAD.rcs do stuck 0x55")))
        self.assertEqual(machine.mmio(RING_HEAD), 0x55)
        self.assertIn("line 2, mmio.read RING_HEAD.rcs, 1 times: on mmio.read RING_HEAD.rcs do stuck 0x55", machine.get("faults-log"))
        machine.put("faults", "")
        self.assertEqual(machine.mmio(RING_HEAD), 0)
        self.assertEqual(machine.get("faults"), "")

    def test_a_wrong_plan_is_refused(self):
        path = self.plan("on cs.request do hang\non cs.reqest do hang")
        with self.assertRaisesRegex(Failure, rf"{path}: line 2, column 4: expected a point \(cs.request, .*, found 'cs.reqest'"):
            self.machine(f"faults={path}")
        machine = self.machine()
        with self.assertRaisesRegex(QmpError, "line 2, column 4"):
            machine.put("faults", str(path))
        with self.assertRaisesRegex(QmpError, "No such file"):
            machine.put("faults", str(self.folder / "nowhere"))
        with self.assertRaisesRegex(QmpError, "line 1, column 1: expected 'on' or 'seed', found 'hang'"):
            machine.put("faults-add", "hang")
        self.assertEqual(machine.get("faults-log"), "")

    def test_lines_at_run_time_and_their_event(self):
        machine = self.machine()
        machine.put("faults-add", "on forcewake FORCEWAKE_RENDER nth=2 do never")
        for wanted in (1, 1, 0):
            machine.mmio_write(FORCEWAKE_RENDER, 1 << 16 | wanted)
        # The second did not follow: it asked for what was there.
        self.assertEqual(machine.mmio(FORCEWAKE_ACK_RENDER), 0)
        events = self.events(machine)
        self.assertEqual([(event["point"], event["where"], event["count"]) for event in events], [("forcewake", "FORCEWAKE_RENDER", 1)])
        self.assertEqual(events[0]["text"], "on forcewake FORCEWAKE_RENDER nth=2 do never")
        machine.put("faults", "")
        machine.mmio_write(FORCEWAKE_RENDER, 1 << 16 | 1)
        self.assertEqual(machine.mmio(FORCEWAKE_ACK_RENDER), 1)
        self.assertEqual(len(self.events(machine)), 1)

    def test_a_line_that_is_its_own_cause(self):
        machine = self.machine()
        machine.put("faults-add", "on hotplug connector=0 every=1ms do raise")
        machine.mmio_write(0xC4004, 0xFFFFFFFF & ~(1 << 21))  # SDEIMR: port B
        machine.mmio_write(0xC4030, 1 << 4)                   # SHOTPLUG_CTL: port B enabled
        machine.poll(lambda: machine.mmio(0xC4008) & 1 << 21, "a hot-plug event")
        # A storm of them does not become a storm of events to the monitor.
        machine.poll(lambda: "64 times" in machine.get("faults-log"), "64 firings")
        self.assertLessEqual(len(self.events(machine)), 32)

    def test_every_platform_takes_a_plan(self):
        for platform in ("kbl", "icl", "tgl"):
            machine = self.machine("faults=" + str(self.plan("on mmio.read * p=0.01 do flip")), platform=platform)
            for offset in range(0x2000, 0x2400, 4):
                machine.mmio(offset)
            self.assertIn("mmio.read", machine.get("faults-log"))


if __name__ == "__main__":
    unittest.main()
