# SPDX-License-Identifier: GPL-2.0-or-later
"""The port between fuzzers and their agent (hw/qemu/harness.c), its limit, and the fault plan as text."""
import base64
import json
import tempfile
import unittest

from machine import Machine
from qmp import QmpError

HARNESS = "/machine/peripheral/harness"
DATA, LENGTH, COMMAND, STATUS = 0x5E0, 0x5E4, 0x5E8, 0x5EC
READY, DONE = 1, 2


class Harness(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(extra=["-device", "softgen-harness,id=harness"])
        self.addCleanup(self.machine.close)

    def put(self, name, value):
        self.machine.put(name, value, HARNESS)

    def outcome(self):
        return json.loads(self.machine.get("outcome", HARNESS))

    def out(self, port, value, size="l"):
        self.machine.ask(f"out{size} {port:#x} {value:#x}")

    def value(self, port):
        return int(self.machine.ask(f"inl {port:#x}")[0], 0)

    def start(self, data):
        self.put("input", base64.b64encode(data).decode())

    def stopped(self):
        self.assertEqual(self.machine.qmp.event(("STOP",), 60), "STOP")

    def test_an_execution(self):
        self.assertEqual(self.value(LENGTH), 0)
        self.out(COMMAND, READY)
        self.stopped()
        self.assertEqual(self.outcome()["end"], "ready")
        self.start(b"abcdef")
        self.machine.command("cont")
        self.assertEqual(self.value(LENGTH), 6)
        self.assertEqual(self.value(DATA), int.from_bytes(b"abcd", "little"))
        self.assertEqual(self.value(DATA), int.from_bytes(b"ef", "little"))
        self.assertEqual(self.value(DATA), 0)
        for letter in b"hi":
            self.out(DATA, letter, "b")
        self.out(STATUS, 7)
        self.out(COMMAND, DONE)
        self.stopped()
        outcome = self.outcome()
        self.assertEqual((outcome["end"], outcome["status"], outcome["taken"], base64.b64decode(outcome["output"])), ("done", 7, 6, b"hi"))
        # An empty input leaves the agent what it has.
        self.start(b"")
        self.assertEqual(self.value(LENGTH), 6)
        self.assertEqual(self.outcome()["end"], "none")

    def test_the_limit(self):
        self.machine.command("stop")
        self.put("limit", 1000)
        self.start(b"x")
        self.machine.qmp.events.clear()  # that of the stop above
        self.machine.command("cont")
        self.stopped()
        self.assertEqual(self.outcome()["end"], "limit")

    def test_an_execution_in_one_command(self):
        self.machine.map_bars()
        self.machine.command("stop")
        self.machine.put("snapshot-take", True)
        with tempfile.NamedTemporaryFile("w") as file:
            def begin(text):
                file.seek(0)
                file.truncate()
                file.write(text)
                file.flush()
                self.put("begin", file.name)

            for text, why in (("1", "are expected"), ("1\n\non nowhere do ones\n", "nowhere"), ("1\n\nopregion x\n", "OFFSET=BYTE")):
                with self.assertRaisesRegex(QmpError, why):
                    begin(text)
                self.assertFalse(self.machine.command("query-status")["running"], text)
            begin("60000000\nYWJj\non mmio.read RING_HEAD.rcs do stuck 0x55\n")
            self.assertEqual(self.machine.mmio(0x2034), 0x55)
            self.assertEqual(self.value(LENGTH), 3)
            self.assertTrue(self.machine.command("query-status")["running"])
        with self.assertRaisesRegex(QmpError, "No such file"):
            self.put("begin", file.name)

    def test_what_is_refused(self):
        with self.assertRaisesRegex(QmpError, "needs a stopped machine"):
            self.start(b"x")
        self.machine.command("stop")
        with self.assertRaisesRegex(QmpError, "at most 65536 bytes"):
            self.start(bytes(65537))
        for text in ("x", "0", "0=100", "2000=1"):
            with self.assertRaisesRegex(QmpError, "OFFSET=BYTE"):
                self.put("opregion-byte", text)
        with self.assertRaisesRegex(QmpError, "no firmware"):
            self.put("opregion-byte", "400=1")
        with self.assertRaisesRegex(QmpError, "no firmware"):
            self.machine.get("opregion", HARNESS)
        with self.assertRaisesRegex(QmpError, "'begin' is expected"):
            self.machine.put("faults-census", "end")
        self.machine.put("coverage-compares", "")
        with self.assertRaisesRegex(QmpError, "there is no coverage"):
            self.machine.put("coverage-compares", "1")

    def test_a_plan_as_text(self):
        self.machine.map_bars()
        self.machine.put("faults-text", "seed 1\non mmio.read RING_HEAD.rcs do stuck 0x55\n")
        self.assertEqual(self.machine.mmio(0x2034), 0x55)
        self.machine.put("faults-census", "begin")
        self.machine.mmio(0x2034)
        self.assertEqual(json.loads(self.machine.get("faults-census")), [{"point": "mmio.read", "where": "RING_HEAD.rcs", "count": 1}])
        ids = self.machine.config(0)
        self.machine.put("faults-text", "on config.read offset=0 do xor 0xff0000\n")
        self.assertEqual(self.machine.config(0), ids ^ 0xFF0000)
        self.assertEqual(self.machine.config(2, 2), (ids ^ 0xFF0000) >> 16)
        self.assertEqual(self.machine.config(0, 1), ids & 0xFF)
        with self.assertRaisesRegex(QmpError, "line 2, column 1"):
            self.machine.put("faults-text", "seed 1\nhang\n")
        self.machine.put("faults-text", "")
        self.assertEqual(self.machine.mmio(0x2034), 0)
        self.assertIn("cs.request", self.machine.get("faults-vocabulary"))
