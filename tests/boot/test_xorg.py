# SPDX-License-Identifier: GPL-2.0-or-later
"""Xorg in the guest, by its modesetting driver: what glamor draws with Mesa is what the server draws with the CPU, and it is on the monitor."""
import pathlib
import tempfile

from driver import CONFIG, GuestTest, only_on

import app_rows
import app_run
import guest_packages

PACKAGES = [*app_rows.X_PACKAGES, "xserver-xorg-core"]
SHARE = "/mnt/share"


class Xorg(GuestTest):
    def setUp(self):
        """Without the shared guest."""
        self.guest = None
        if CONFIG["guest"] != "bookworm" and not CONFIG.get("full"):
            self.skipTest("downloads Xorg for each guest: with --full")

    def scene(self, guest, folder, method):
        """The pixels of the X screen with the clients of scripts/apps, and of the monitor; the server's log."""
        (folder / "card.conf").write_text(app_rows.XORG_CONFIGURATION.format(method))
        # Without glamor clients draw on the CPU, too. llvmpipe does not start on the CPU that TCG has ("64-bit code requested on a subtarget").
        self.sh(f"cd {SHARE} && GALLIUM_DRIVER=softpipe sh scene card.conf", timeout=120, machine=guest)
        monitor = self.screenshot(guest)
        self.sh("pkill Xorg; while pidof Xorg; do sleep 0.2; done", machine=guest)
        return app_run.pixels(folder / "picture.xwd"), monitor, (folder / "log").read_text()

    def check(self, platform, gpu):
        with tempfile.TemporaryDirectory(prefix="softgen-xorg-") as name:
            folder = pathlib.Path(name)
            (folder / "scene").write_text(app_rows.XORG_SCENE)
            guest = self.own_guest(platform=platform, share=folder, overlay=guest_packages.folder(CONFIG["guest"], PACKAGES))
            self.sh(guest_packages.SETTLE, machine=guest)
            glamor, monitor, log = self.scene(guest, folder, "glamor")
            self.assertRegex(log, rf"glamor X acceleration enabled on Mesa Intel\(R\) .*{gpu}")
            drawn, _, log = self.scene(guest, folder, "none")
            self.assertNotIn("glamor X acceleration enabled", log)
        self.assertEqual(app_run.compare([glamor], [drawn], 2).over, 0)
        # XWD has blue first.
        shown = bytearray(monitor.bytes())
        shown[0::3], shown[2::3] = shown[2::3], shown[0::3]
        self.assertEqual(app_run.compare([glamor], [bytes(shown)], 0).over, 0)
        self.assert_graphics_silent(guest)

    @only_on("softgen", "QEMU's standard VGA has no acceleration")
    def test_kaby_lake(self):
        self.check("kbl", "KBL")

    @only_on("softgen", "QEMU's standard VGA has no platforms")
    def test_ironlake(self):
        self.check("ilk", "ILK")
