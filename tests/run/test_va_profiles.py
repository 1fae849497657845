# SPDX-License-Identifier: GPL-2.0-or-later
"""What the installed VA-API drivers list is on docs/va-profiles.md, and listing it ends without an error."""
import pathlib
import re

from driver import RunTest, drivers_with_kernels, need_driver

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "va-profiles.md"
STATES = "(?:works|missing|not tried)"


def section(title):
    return PAGE.read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]


def pairs_of(rows):
    return {(profile, entry) for profiles, entry in rows for profile in profiles.split(", ")}


def listed(text):
    return set(re.findall(r"^\s*VAProfile(\w+)\s*:\s*VAEntrypoint(\w+)$", text, re.MULTILINE))


class VaProfiles(RunTest):
    """Pairs of profile and entry point."""

    def documented(self):
        return pairs_of(re.findall(rf"^\| ([\w, ]+) \| (\w+) \| [^|]+ \| {STATES}", section("Kaby Lake"), re.MULTILINE))

    def check(self, driver):
        need_driver(self, driver)
        pairs = listed(self.ok("vainfo", "--display", "drm", LIBVA_DRIVER_NAME=driver))
        self.assertIn(("H264High", "VLD"), pairs)
        self.assertEqual(pairs - self.documented(), set(), "not on docs/va-profiles.md")
        return pairs

    def test_ihd(self):
        self.check("iHD")

    def test_i965(self):
        self.check("i965")


class IceLake(VaProfiles):
    """The page says which build of the only driver lists a pair, too."""
    platform, column = "icl", 0

    def documented(self):
        builds = "all|non-free" if "iHD" in drivers_with_kernels() else "all"
        rows = re.findall(rf"^\| ([\w, ]+) \| (\w+) \| ([\w-]+) \| ([\w-]+) \| {STATES}", section("Ice Lake and Tiger Lake"), re.MULTILINE)
        return pairs_of((profiles, entry) for profiles, entry, *columns in rows if re.fullmatch(builds, columns[self.column]))

    def test_ihd(self):
        self.assertEqual(self.documented() - self.check("iHD"), set(), "on docs/va-profiles.md, and not listed")

    test_i965 = None  # it knows neither chip


class TigerLake(IceLake):
    platform, column = "tgl", 1
