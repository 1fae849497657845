# SPDX-License-Identifier: GPL-2.0-or-later
"""Snapshots of the machine in memory: snapshot-take, snapshot-restore."""
import json

from driver import GuestTest, only_on

from qmp import QmpError

# A clock that is not restored would be no difference of ours.
CLOCK = ["-rtc", "base=2026-01-01,clock=vm"]


class RamSnapshot(GuestTest):
    def setUp(self):
        """Without the shared guest."""

    @only_on("softgen", "the properties are our device's")
    def test_restores(self):
        guest = self.own_guest(accelerator="tcg", memory="512M", qemu_args=CLOCK)

        def restored_hash():
            guest.qmp.command("stop")
            guest.put("snapshot-restore", True)
            value = guest.get("snapshot-hash")
            guest.qmp.command("cont")
            return value

        self.assertRaisesRegex(QmpError, "none was taken", guest.put, "snapshot-restore", True)
        # Something is always under way: files, programs, all engines.
        self.sh("echo before >/tmp/mark; (while :; do ls -lR /usr/share >/tmp/list; gpu_exec store; done) >/dev/null 2>&1 &", machine=guest)
        guest.put("snapshot-take", True)
        self.assertRaisesRegex(QmpError, "stopped machine", guest.get, "snapshot-hash")
        wanted = restored_hash()
        for attempt in range(8):
            self.assertEqual(self.sh("cat /tmp/mark", machine=guest), "before\n")
            self.sh(f"echo after {attempt} >/tmp/mark; sync; gpu_exec store >/dev/null", machine=guest)
            if attempt % 4 == 3:
                self.assertEqual(restored_hash(), wanted)
            else:
                guest.put("snapshot-restore", True)
            state = json.loads(guest.get("snapshot-state"))
            self.assertGreater(state["pages"], 0)
        self.assertEqual(state["restores"], 9)
        self.assert_engines_store(guest)
        self.assert_graphics_silent(guest)
        # A later snapshot takes the first one's place.
        self.sh("echo second >/tmp/mark", machine=guest)
        guest.put("snapshot-take", True)
        self.sh("rm /tmp/mark", machine=guest)
        guest.put("snapshot-restore", True)
        self.assertEqual(self.sh("cat /tmp/mark", machine=guest), "second\n")

    @only_on("softgen", "the properties are our device's")
    def test_shared_memory_is_refused(self):
        machine = self.own_machine(accelerator="tcg", memory="64M",
                                   qemu_args=["-S", "-object", "memory-backend-memfd,id=ram,size=64M,share=on", "-machine", "memory-backend=ram"])
        with self.assertRaisesRegex(QmpError, "private anonymous memory is needed"):
            machine.put("snapshot-take", True)
