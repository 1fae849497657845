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
        self.assertIn("ok: 900 rings", self.sh("guc_doorbell", machine=guest), "the same machine once more")
