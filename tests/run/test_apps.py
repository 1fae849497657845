# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs of scripts/apps that take less than a minute: their pictures agree with the peer's, with the host's Mesa and with Debian 13's."""
from driver import RunTest, mesa_of

import app_rows
import app_run


class Apps(RunTest):
    def test_pictures_agree(self):
        for row in app_rows.SHORT:
            with self.subTest(row.name):
                if not self.mesa.has(row.command[0]):
                    self.skipTest(f"{row.command[0]} is not installed")
                if why := app_rows.obstacle(row, self.mesa.name, self.platform):
                    self.skipTest(why)
                ours, theirs = (app_run.run(row, self.mesa, peer, self.platform) for peer in (None, row.peer))
                _, wrong = app_run.verdict(row, ours, theirs)
                self.assertEqual(wrong, "")


class AppsOfDebian13(Apps):
    @classmethod
    def setUpClass(cls):
        cls.mesa = mesa_of("trixie", app_rows.packages(app_rows.SHORT))


class AppsOnIronlake(Apps):
    platform = "ilk"
