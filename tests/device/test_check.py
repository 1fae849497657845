# SPDX-License-Identifier: GPL-2.0-or-later
"""The checker as properties of the device, and its QMP event."""
import json

import folder_test
from machine import Machine
from qmp import QmpError

MI_MODE = 0x209C  # of the render engine: a masked register
FORCEWAKE_GT, RC_CONTROL, RC6_ENABLE = 0xA188, 0xA090, 1 << 18


class Check(folder_test.FolderTest):
    def machine(self, properties="", platform=None):
        machine = Machine(properties, platform=platform)
        self.addCleanup(machine.close)
        machine.map_bars()
        return machine

    def rules(self, machine):
        return [one["rule"] for one in json.loads(machine.get("check-report"))["findings"]]

    def events(self, machine):
        machine.command("query-status")
        return [event["data"] for event in machine.qmp.events if event["event"] == "SOFTGEN_CHECK"]

    def test_a_finding_is_an_event_and_in_the_report(self):
        machine = self.machine("check=commands,,+F12")
        self.assertEqual((self.rules(machine), machine.get("check")), ([], "commands,+F12"))
        for value in (1, 1, 1 << 16):
            machine.mmio_write(MI_MODE, value)
        self.assertEqual(self.rules(machine), ["F12"])
        events = self.events(machine)
        self.assertEqual([(event["rule"], event["fields"]) for event in events], [("F12", "RING_MI_MODE.rcs = 0x1")])

    def test_started_and_stopped_at_run_time(self):
        machine = self.machine()
        self.assertEqual((machine.get("check"), machine.get("check-report")), ("off", "{}"))
        machine.mmio_write(MI_MODE, 1)
        machine.put("check", "+F12")
        self.assertEqual(self.rules(machine), [])
        machine.mmio_write(MI_MODE, 1)
        self.assertEqual(self.rules(machine), ["F12"])
        machine.put("check", "off")
        self.assertEqual((machine.get("check"), machine.get("check-report")), ("off", "{}"))

    def test_a_wrong_value_is_refused(self):
        machine = self.machine()
        with self.assertRaisesRegex(QmpError, "there is no rule or class 'Z1'"):
            machine.put("check", "+Z1")
        self.assertEqual(machine.get("check"), "off")

    def test_an_access_without_forcewake(self):
        machine = self.machine("check=on", platform="tgl")
        machine.mmio_write(FORCEWAKE_GT, 1 << 16 | 1)
        machine.mmio_write(RC_CONTROL, RC6_ENABLE)
        self.assertEqual(machine.mmio(RC_CONTROL), RC6_ENABLE)
        self.assertEqual(self.rules(machine), [])
        machine.mmio_write(FORCEWAKE_GT, 1 << 16)
        self.assertEqual(machine.mmio(RC_CONTROL), 0)
        self.assertEqual(self.rules(machine), ["F10"])
        self.assertEqual([event["context"] for event in self.events(machine)], ["register read"])
