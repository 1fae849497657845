# SPDX-License-Identifier: GPL-2.0-or-later
"""Coverage of the guest's modules: set in a running guest, and from the boot on by scripts/coverage."""
import json
import pathlib
import subprocess
import tempfile

from driver import CONFIG, ROOT, GuestTest, only_on

import coverage  # of scripts/lib

SHOW = "cat /sys/kernel/debug/dri/0/i915_capabilities"
NEVER = "i915_pci_remove"  # needs the device to be unbound


class Coverage(GuestTest):
    def cover(self, ranges):
        self.guest.put("coverage", ranges)

    def state(self):
        return json.loads(self.guest.get("coverage-state"))

    def entries(self):
        """{name: entries} of i915's functions."""
        known = coverage.functions(coverage.parse_symbols(self.sh(r"grep '\[i915\]$' /proc/kallsyms")))
        hits, _ = coverage.measure(known, coverage.parse_blocks(self.guest.get("coverage-blocks")))
        return {function.name: hit.entries for function, hit in zip(known, hits)}

    @only_on("softgen", "the counters are our plugin's")
    def test_in_a_running_guest(self):
        if self.guest.qmp.command("query-kvm")["enabled"]:
            self.skipTest("KVM executes the guest's code itself")
        # Off: QEMU knows no callback of ours, and has called none while the guest booted.
        self.assertEqual(self.state(), {"registered": False, "core": {}})
        self.sh(SHOW)  # translated before anything is counted
        self.cover(coverage.MODULE_AREA)
        self.addCleanup(self.cover, "")
        self.assertTrue(self.state()["registered"])
        self.sh(SHOW)
        entries = self.entries()
        self.assertEqual(entries["i915_capabilities"], 1)
        self.assertEqual(entries[NEVER], 0)
        # Elsewhere nothing gets a counter.
        blocks, state = self.guest.get("coverage-blocks"), self.state()
        self.cover("1000-2000")
        self.sh(SHOW)
        self.assertEqual(self.state()["core"]["blocks"], state["core"]["blocks"])
        self.assertEqual(self.guest.get("coverage-blocks"), "")
        # Off again: no callback, no more counts; what was counted is kept.
        self.cover("")
        off = self.state()
        self.assertFalse(off["registered"])
        self.sh(SHOW)
        self.assertEqual(self.state(), off)
        self.cover(coverage.MODULE_AREA)
        self.assertGreaterEqual(len(self.guest.get("coverage-blocks").splitlines()), len(blocks.splitlines()))
        self.sh(SHOW)
        self.assertEqual(self.entries()["i915_capabilities"], 2)

    @only_on("softgen", "the counters are our plugin's")
    def test_script(self):
        with tempfile.TemporaryDirectory() as work:
            report = pathlib.Path(work) / "report.json"
            done = subprocess.run([ROOT / "scripts/coverage", "--no-setup", "--guest", CONFIG["guest"], "--json", report, "--functions", "i915_driver_probe", "--",
                                   "sh", "-c", f"{SHOW} >/tmp/out; exit 3"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            rows = json.loads(report.read_text())["functions"]
        entries = {row["name"]: row["entries"] for row in rows if row["module"] == "i915"}
        self.assertEqual(entries["i915_driver_probe"], 1)
        self.assertEqual(entries["i915_capabilities"], 1)
        self.assertEqual(entries[NEVER], 0)
        self.assertIn("i915_driver_probe", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^drm +\d+/\d+ ")
