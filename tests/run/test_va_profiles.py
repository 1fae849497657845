# SPDX-License-Identifier: GPL-2.0-or-later
"""What the installed VA-API drivers list on Kaby Lake is on docs/va-profiles.md, and listing it ends without an error."""
import pathlib
import re

from driver import RunTest, need_driver

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "va-profiles.md"


def documented():
    """Pairs of profile and entry point, as the page's table has them."""
    rows = re.findall(r"^\| ([\w, ]+) \| (\w+) \| [^|]+ \| (?:works|missing|not tried)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {(profile, entry) for profiles, entry in rows for profile in profiles.split(", ")}


def listed(text):
    return set(re.findall(r"^\s*VAProfile(\w+)\s*:\s*VAEntrypoint(\w+)$", text, re.MULTILINE))


class VaProfiles(RunTest):
    def check(self, driver):
        need_driver(self, driver)
        pairs = listed(self.ok("vainfo", "--display", "drm", LIBVA_DRIVER_NAME=driver))
        self.assertIn(("H264High", "VLD"), pairs)
        self.assertEqual(pairs - documented(), set(), "not on docs/va-profiles.md")

    def test_ihd(self):
        self.check("iHD")

    def test_i965(self):
        self.check("i965")
