# SPDX-License-Identifier: GPL-2.0-or-later
"""Doorbells and the GuC firmware's older interface, driven by a program in a guest without i915: no distribution's kernel that uses them is at hand."""
from driver import GuestTest, only_on


class Doorbells(GuestTest):
    def setUp(self):
        """Without the shared guest."""

    @only_on("softgen", "QEMU's standard VGA has no micro-controller")
    def test_work_by_doorbells(self):
        guest = self.own_guest(platform="kbl", append="nomodeset")
        self.assertIn("ok: 900 rings", self.sh("guc_doorbell", machine=guest))
        # The same machine once more, with a snapshot while it rings.
        self.sh("guc_doorbell 20 >/tmp/rings 2>&1 & until [ -s /tmp/rings ]; do sleep 0.1; done", machine=guest)
        self.save_and_load(guest)
        self.sh("while pidof guc_doorbell; do sleep 0.2; done", machine=guest)
        self.assertIn("ok: 6000 rings", self.sh("cat /tmp/rings", machine=guest))
