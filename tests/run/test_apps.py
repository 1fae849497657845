# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs of scripts/apps that take less than a minute: their pictures agree with the peer's."""
import shutil

from driver import RunTest

import app_rows
import app_run

LONG = ("openarena",)  # and its data are 400 MB


class Apps(RunTest):
    def test_pictures_agree(self):
        for row in app_rows.ROWS:
            if row.name in LONG:
                continue
            with self.subTest(row.name):
                if not shutil.which(row.command[0]):
                    self.skipTest(f"{row.command[0]} is not installed")
                _, wrong = app_run.verdict(row, app_run.run(row), app_run.run(row, row.peer))
                self.assertEqual(wrong, "")
