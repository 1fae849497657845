# SPDX-License-Identifier: GPL-2.0-or-later
"""i915 with the micro-controller's firmware, which the guest image has (Debian's package; ours has none)."""
from driver import GuestTest, only_on

REASON = "QEMU's standard VGA has no micro-controller"


class Microcontroller(GuestTest):
    def setUp(self):
        """Without the shared guest."""

    def guest_with(self, platform, mode):
        guest = self.own_guest(platform=platform, append=f"i915.enable_guc={mode}")
        self.assert_graphics_silent(guest)
        log = self.sh("dmesg", machine=guest)
        # Linux 6.1: "HuC authenticated"; 6.12: "GT0: HuC: authenticated for all workloads", "GT0: GUC: submission enabled".
        self.assertRegex(log, r"(?i)\bhuc:? authenticated")
        self.assertRegex(log, rf"(?i)\bguc:? submission {'enabled' if mode == 3 else 'disabled'}")
        return guest

    def works(self, guest):
        self.assert_engines_store(guest)
        self.assertIn("HuC 1, copy ok", self.sh("gpu_exec huc", machine=guest))

    def submits(self, platform):
        guest = self.guest_with(platform, 3)
        self.works(guest)
        self.assert_snapshot_while_busy(guest, 10)
        self.assert_hang_is_reset(guest)
        self.assert_engines_store(guest)
        self.sh("cd /sys/bus/pci/drivers/i915 && echo 0000:00:02.0 >unbind && echo 0000:00:02.0 >bind", machine=guest)
        self.works(guest)
        self.suspend_to_ram(guest)
        self.works(guest)
        self.assert_graphics_silent(guest)

    @only_on("softgen", REASON)
    def test_huc_on_kaby_lake(self):
        self.works(self.guest_with("kbl", 2))

    @only_on("softgen", REASON)
    def test_submission_on_ice_lake(self):
        self.submits("icl")

    @only_on("softgen", REASON)
    def test_submission_on_tiger_lake(self):
        self.submits("tgl")
