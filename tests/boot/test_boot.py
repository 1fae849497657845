# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest boots on the device: the unmodified i915 binds, reports no problem, and shows its console."""
import pathlib
import tempfile

import rfb
from driver import CONFIG, GuestTest, LastPicture, Picture, only_on, vnc_socket, wait_for

BLANK = range(0, 200)  # lit pixels: none, or the cursor


class Boot(GuestTest):
    @only_on("softgen", "QEMU's standard VGA is not driven by i915")
    def test_i915_drives_the_device(self):
        driver = self.sh("readlink /sys/bus/pci/devices/0000:00:02.0/driver").strip()
        self.assertTrue(driver.endswith("/i915"), f"the driver of 00:02.0 is '{driver}'")
        self.sh("test -c /dev/dri/card0 && test -c /dev/dri/renderD128")

    def test_kernel_log_names_no_graphics_driver(self):
        self.assert_graphics_silent()

    @only_on("softgen", "only i915 has an error state")
    def test_no_error_state(self):
        self.assert_no_error_state()

    def test_console_picture(self):
        picture = self.screenshot()
        self.assertEqual((picture.width, picture.height), (1920, 1080))
        # The banner alone has 40 letters of about 30 pixels.
        self.assertGreater(picture.lit(), 1000, "the console is black")
        self.assertLess(picture.lit(), 1920 * 1080 // 4, "the console is not text on black")

    def test_console_shows_what_is_written(self):
        self.sh("printf '\\033[2J\\033[H' >/dev/tty0")
        self.wait_lit(BLANK)
        self.sh("for i in 1 2 3 4 5 6 7 8; do echo HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH; done >/dev/tty0")
        self.wait_lit(range(320 * 10, 320 * 100))

    def test_vnc_shows_what_screendump_does(self):
        self.sh("printf '\\033[?25l\\033[2J\\033[H' >/dev/tty0")
        self.wait_lit(BLANK)
        try:
            with rfb.Screen(vnc_socket()) as screen:
                screen.update(incremental=False)
                self.assertEqual((screen.width, screen.height), (1920, 1080))
                self.assertEqual(screen.rows, self.screenshot().rows)
                self.sh("for i in 1 2 3 4; do echo 'what VNC must draw anew'; done >/dev/tty0")
                self.wait_lit(range(4 * 30 * 10, 10**5))
                while screen.rows != self.screenshot().rows:
                    screen.update(incremental=True)  # ends by its time-out when nothing comes
                self.assertGreater(sum(any(row) for row in screen.rows), 20)
        finally:
            self.sh("printf '\\033[?25h' >/dev/tty0")

    def test_monitor_is_found(self):
        modes = self.sh("for c in /sys/class/drm/card0-*; do [ $(cat $c/status) = connected ] && cat $c/modes; done")
        self.assertEqual(modes.split()[0], "1920x1080", "the first connected monitor's preferred mode")

    def test_desktop(self):
        self.check_shared_guest()
        self.sh("/run/softgen/desktop start", timeout=240)
        try:
            colours = self.screenshot().colours()
            background = colours.get((0x20, 0x4A, 0x87), 0)
            self.assertGreater(background, 1920 * 1080 // 2, f"the desktop's background covers {background} pixels")
            self.assertGreater(len(colours), 20, "the desktop shows a terminal and a panel")
            if CONFIG["gpu"] == "softgen":
                self.assertIn("GL renderer: Mesa Intel(R) HD Graphics 630", self.sh("cat /run/softgen/weston.log"))
        finally:
            self.sh("killall weston; while pidof weston; do sleep 0.2; done")
        self.assert_graphics_silent()
        self.assert_checker_silent()

    @only_on("softgen", "QEMU's standard VGA has no 3D engine")
    def test_kmscube(self):
        """iris draws in the guest: a cube of many colours on grey, and it is what LastPicture keeps when the program has ended."""
        with tempfile.TemporaryDirectory() as work:
            cube = pathlib.Path(work) / "cube.png"
            last = LastPicture(self.guest, cube.parent)

            def cube_kept():
                last.look()
                return last.kept.exists() and len(Picture(last.kept).colours()) > 1000  # its first frame is grey alone

            # It ends when its standard input does.
            self.sh("sleep 600 | kmscube >/dev/null 2>&1 &")
            try:
                wait_for("a picture of the cube's shaded faces", cube_kept)
            finally:
                self.sh("killall kmscube sleep; while pidof kmscube; do sleep 0.2; done")
            last.save(cube)
            colours = Picture(cube).colours()
        grey = sum(n for colour, n in colours.items() if max(colour) - min(colour) <= 1 and 126 <= colour[0] <= 129)
        self.assertGreater(grey, 1920 * 1080 // 2, f"the background covers {grey} pixels")
        self.assertGreater(len(colours), 1000, "the cube's faces are shaded")
        self.assert_graphics_silent()
