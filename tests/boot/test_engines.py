# SPDX-License-Identifier: GPL-2.0-or-later
"""Command execution through i915, by a small program of ours (tests/boot/guest/gpu_exec.c)."""
from driver import GuestTest, only_on


class Engines(GuestTest):
    @only_on("softgen", "needs i915")
    def test_every_engine_stores(self):
        self.assert_engines_store()

    @only_on("softgen", "needs i915")
    def test_many_batches(self):
        self.assertIn("ok", self.sh("gpu_exec busy 5"))
        self.assert_no_error_state()

    @only_on("softgen", "needs i915")
    def test_hang_is_reset_and_the_next_batch_runs(self):
        machine = self.own_guest()
        out = self.sh("gpu_exec hang", timeout=180, machine=machine)
        self.assertIn("guilty of 1 reset", out)
        self.assertIn("rcs0 ok", self.sh("gpu_exec store", machine=machine))
        self.assertIn("GPU HANG", self.sh("dmesg", machine=machine))
        self.assertIn("Kernel:", self.sh("cat /sys/class/drm/card0/error", machine=machine))
