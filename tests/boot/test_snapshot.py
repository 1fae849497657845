# SPDX-License-Identifier: GPL-2.0-or-later
"""savevm, loadvm, reset and migration with the device in use."""
import pathlib
import tempfile

from driver import GuestTest, only_on, wait_for


class Snapshot(GuestTest):
    def test_saved_and_loaded_machine_goes_on(self):
        machine = self.own_guest()
        self.sh("echo before >/tmp/when; printf '\\033[2J\\033[Hbefore' >/dev/tty0; sleep 1", machine=machine)
        before = self.screenshot(machine).rows
        self.assertEqual(machine.qmp.monitor("savevm one").strip(), "")
        self.sh("echo after >/tmp/when; seq 100 >/dev/tty0; sleep 1", machine=machine)
        self.assertEqual(machine.qmp.monitor("loadvm one").strip(), "")
        self.assertEqual(self.sh("cat /tmp/when", machine=machine).strip(), "before")
        self.sh("sleep 1", machine=machine)
        after = self.screenshot(machine)
        # The cursor may blink; everything else is as it was.
        changed = sum(a != b for a, b in zip(before, after.rows))
        self.assertLess(changed, 20, f"{changed} of {after.height} rows differ")
        self.assert_graphics_silent(machine)

    @only_on("softgen", "needs i915")
    def test_saved_while_busy(self):
        machine = self.own_guest()
        self.sh("gpu_exec busy 20 >/tmp/busy 2>&1 & sleep 1", machine=machine)
        self.assertEqual(machine.qmp.monitor("savevm busy").strip(), "")
        self.assertEqual(machine.qmp.monitor("loadvm busy").strip(), "")
        wait_for("the busy program's end", lambda: self.sh("cat /tmp/busy", machine=machine).strip())
        self.assertIn("ok", self.sh("cat /tmp/busy", machine=machine))
        self.sh("gpu_exec store", machine=machine)
        self.assert_graphics_silent(machine)
        self.assert_no_error_state(machine)
