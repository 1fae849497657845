# SPDX-License-Identifier: GPL-2.0-or-later
"""Desktops in the guest on our GPU: what the monitor shows is what llvmpipe draws there (scripts/apps --guest)."""
from driver import CONFIG, GuestTest, only_on

import app_guest
import app_run


class Desktops(GuestTest):
    def setUp(self):
        """Without the shared guest."""
        self.guest = None
        if CONFIG["guest"] != "bookworm":
            self.skipTest("the desktops' packages are those of Debian 12")
        if not CONFIG.get("full"):
            self.skipTest("minutes, and 300 MB of packages: with --full")

    @only_on("softgen", "QEMU's standard VGA draws nothing")
    def test_desktops_agree_with_llvmpipe(self):
        for session in app_guest.SESSIONS:
            with self.subTest(session.name):
                ours, theirs = (app_guest.run(session, software=software) for software in (False, True))
                _, wrong = app_run.verdict(session, ours, theirs)
                self.assertEqual(wrong, "")
