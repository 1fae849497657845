# SPDX-License-Identifier: GPL-2.0-or-later
"""xe instead of i915 on the Tiger Lake device: submission by the micro-controller alone, page tables written by the copy engine."""
import re

from driver import CONFIG, GuestTest, only_on

import guest as guests

APPEND = "i915.force_probe=!9a49 xe.force_probe=9a49"
# xe's own list of steppings (xe_step.c) ends before revision 3 of the U and Y parts, which i915's has; it goes on with the newest it knows of.
EXPECTED = "Unknown revid 0x03"
# Both video engines of the device: VCS0 and VCS2, which xe numbers in a row.
ENGINES = ("rcs0", "bcs0", "vcs0", "vcs1", "vecs0")


class Xe(GuestTest):
    def setUp(self):
        """Without the shared guest."""
        if CONFIG["guest"] == "bookworm":
            self.skipTest("Linux 6.1 has no xe")

    def assert_xe_silent(self, guest):
        lines = self.sh(guests.KERNEL_REPORTS, machine=guest).splitlines()
        named = [line for line in lines if re.search(r"\bxe\b|drm|WARNING", line) and EXPECTED not in line]
        self.assertEqual(named, [], "the kernel warns:\n" + "\n".join(named))

    def assert_hangs_end(self, guest):
        """Each engine's, by its reset; xe waits for 5 s by default."""
        self.sh("for time in /sys/class/drm/card0/device/tile0/gt0/engines/*/job_timeout_ms; do echo 500 >$time; done; dmesg -C; xe_exec hang",
                timeout=180, machine=guest)
        resets = re.findall(r"Engine reset: engine_class=(\w+)", self.sh("dmesg -c", machine=guest))
        self.assertEqual(sorted(set(resets)), ["bcs", "rcs", "vcs", "vecs"])
        self.assert_engines_store(guest, "xe_exec", ENGINES)

    @only_on("softgen", "QEMU's standard VGA has no platforms")
    def test_probe_exec_and_desktop(self):
        guest = self.own_guest(platform="tgl", append=APPEND)
        driver = self.sh("readlink /sys/bus/pci/devices/0000:00:02.0/driver", machine=guest).strip()
        self.assertTrue(driver.endswith("/xe"), f"the driver of 00:02.0 is '{driver}'")
        self.assertIn("Using GuC firmware from i915/tgl_guc_70.bin", self.sh("dmesg", machine=guest))
        self.assert_engines_store(guest, "xe_exec", ENGINES)
        frequency = self.sh("cat /sys/class/drm/card0/device/tile0/gt0/freq0/cur_freq", machine=guest)
        self.assertGreater(int(frequency), 0)
        self.save_and_load(guest)
        self.assert_engines_store(guest, "xe_exec", ENGINES)
        self.suspend_to_ram(guest)
        self.assert_engines_store(guest, "xe_exec", ENGINES)
        self.assert_hangs_end(guest)
        self.sh("/run/softgen/desktop start", timeout=240, machine=guest)
        background = self.screenshot(guest).colours().get((0x20, 0x4A, 0x87), 0)
        self.assertGreater(background, 1920 * 1080 // 2, f"the desktop's background covers {background} pixels")
        self.assertRegex(self.sh("cat /run/softgen/weston.log", machine=guest), r"GL renderer: Mesa Intel\(R\) .*TGL GT2")
        self.assert_xe_silent(guest)
