# SPDX-License-Identifier: GPL-2.0-or-later
"""savevm, loadvm, reset and migration with the device in use."""
from driver import GuestTest, only_on, wait_for

WORD = range(60, 600)  # pixels of a word of six letters, with or without the cursor


class Snapshot(GuestTest):
    def test_saved_and_loaded_machine_goes_on(self):
        machine = self.own_guest()
        self.sh("echo before >/tmp/when; printf '\\033[2J\\033[Hbefore' >/dev/tty0", machine=machine)
        self.wait_lit(WORD, machine)
        before = self.screenshot(machine).rows
        self.assertEqual(machine.qmp.monitor("savevm one").strip(), "")
        self.sh("echo after >/tmp/when; seq 100 >/dev/tty0", machine=machine)
        self.wait_lit(range(WORD.stop, 10**6), machine)
        self.assertEqual(machine.qmp.monitor("loadvm one").strip(), "")
        self.assertEqual(self.sh("cat /tmp/when", machine=machine).strip(), "before")
        # The cursor may blink; everything else is as it was.
        wait_for("the saved picture", lambda: sum(a != b for a, b in zip(before, self.screenshot(machine).rows)) < 20)
        self.assert_graphics_silent(machine)

    @only_on("softgen", "needs i915")
    def test_saved_while_busy(self):
        machine = self.own_guest()
        self.assert_snapshot_while_busy(machine, 20)
        self.sh("gpu_exec store", machine=machine)
        self.assert_graphics_silent(machine)
        self.assert_no_error_state(machine)
