# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/capture: a command's work in the guest, recorded, ends in the same memory when it is replayed."""
import json
import pathlib
import subprocess
import tempfile
import unittest

from driver import CONFIG, ROOT

import guest_programs

REPLAY = ROOT / "build" / "softgen-replay"


class Capture(unittest.TestCase):
    def test_recording_replays_to_the_same_memory(self):
        if CONFIG["gpu"] != "softgen":
            self.skipTest("needs our device")
        with tempfile.TemporaryDirectory() as work:
            file = pathlib.Path(work) / "store.aub"
            done = subprocess.run([ROOT / "scripts" / "capture", "-o", file, "--check", "--guest", CONFIG["guest"], "--overlay", guest_programs.overlay(),
                                   "--", "gpu_exec", "store"], capture_output=True, text=True, timeout=900, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("vecs0 ok", done.stdout)
            played = subprocess.run([REPLAY, file, "--stats"], capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual(played.returncode, 0, played.stderr)
            stats = json.loads(played.stdout)
            self.assertGreaterEqual(stats["submissions"], 4)
            self.assertGreaterEqual(stats["compared"]["pieces"], 4)
            self.assertEqual(stats["compared"]["different"], 0)
