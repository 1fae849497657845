# SPDX-License-Identifier: GPL-2.0-or-later
"""The platforms that are not the shared guest's, each in a guest of its own."""
import re

from driver import CHECKED, GuestTest, only_on


class Platform:
    """i915 binds without a complaint, finds the monitor, and Mesa draws the desktop. `name` is the platform's, `gpu` how what Mesa calls it ends."""

    engines, checked = ("rcs0", "bcs0", "vcs0", "vecs0"), True

    def setUp(self):
        """Without the shared guest."""

    @only_on("softgen", "QEMU's standard VGA has no platforms")
    def test_platform(self):
        guest = self.own_guest(platform=self.name, device_args=CHECKED if self.checked else "")
        driver = self.sh("readlink /sys/bus/pci/devices/0000:00:02.0/driver", machine=guest).strip()
        self.assertTrue(driver.endswith("/i915"), f"the driver of 00:02.0 is '{driver}'")
        self.assert_graphics_silent(guest)
        self.assertEqual(self.sh("cat /sys/class/drm/card0-HDMI-A-1/status", machine=guest).strip(), "connected")
        self.assert_engines_store(guest, engines=self.engines)
        self.sh("/run/softgen/desktop start", timeout=240, machine=guest)
        colours = self.screenshot(guest).colours()
        background = colours.get((0x20, 0x4A, 0x87), 0)
        self.assertGreater(background, 1920 * 1080 // 2, f"the desktop's background covers {background} pixels")
        log = self.sh("cat /run/softgen/weston.log", machine=guest)
        self.assertRegex(log, rf"GL renderer: Mesa Intel\(R\) .*{re.escape(self.gpu)}")
        self.assert_graphics_silent(guest)
        self.assert_no_error_state(guest)
        if self.checked:
            self.assert_checker_silent(guest)

    @only_on("softgen", "QEMU's standard VGA has no platforms")
    def test_monitors_snapshot_and_hang(self):
        guest = self.own_guest(platform=self.name, device_args="connectors=3")
        status = self.sh("cat /sys/class/drm/card0-HDMI-A-*/status", machine=guest).split()
        self.assertEqual(status, ["connected"] * 3)
        self.assert_snapshot_while_busy(guest, 20)
        self.assert_hang_is_reset(guest)
        self.assertIn("rcs0 ok", self.sh("gpu_exec store", machine=guest))
        self.assertIn("Kernel:", self.sh("cat /sys/class/drm/card0/error", machine=guest))


class IceLake(Platform, GuestTest):
    name, gpu = "icl", "Iris(R) Plus Graphics (ICL GT2)"


class TigerLake(Platform, GuestTest):
    name, gpu = "tgl", "Xe Graphics (TGL GT2)"


class Ironlake(Platform, GuestTest):
    """crocus draws here."""

    name, gpu = "ilk", "HD Graphics (ILK)"
    engines = ("rcs0", "vcs0")

    @only_on("softgen", "QEMU's standard VGA has no platforms")
    def test_console_and_stolen_memory(self):
        guest = self.own_guest(platform="ilk")
        log = self.sh("dmesg", machine=guest)
        self.assertRegex(log, "Intel HD Graphics Chipset")  # intel-gtt
        self.assertRegex(log, "detected 65536K stolen memory")
        self.sh("clear > /dev/tty1; printf '\\033[97;47m%01000d' 7 > /dev/tty1", machine=guest)
        self.wait_lit(range(128_000, 129_000), guest)  # 1000 characters on grey, and the cursor
