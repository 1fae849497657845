# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/run on QEMU's standard VGA, so that failures are the script's."""
import pathlib
import tempfile
import unittest

from driver import script

STOCK = ["--no-setup", "--headless", "--gpu", "stock"]


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The first run of all makes the guest's image and looks for KVM, and says so; the tests below count sentences.
        done = script("run", *STOCK, "--", "true")
        assert done.returncode == 0, done.stderr

    def test_outputs_status_share_overlay_and_screenshot(self):
        with tempfile.TemporaryDirectory() as work:
            share, overlay, picture = (pathlib.Path(work) / name for name in ("share", "overlay", "screen.png"))
            share.mkdir()
            (share / "in").write_text("from the host\n")
            (overlay / "usr/local/bin").mkdir(parents=True)
            (overlay / "usr/local/bin/hello").write_text("#!/bin/sh\necho hello from the overlay\n")
            (overlay / "usr/local/bin/hello").chmod(0o755)
            (overlay / "lib/softgen-test").mkdir(parents=True)
            (overlay / "lib/softgen-test/file").write_text("merged into usr\n")
            (overlay / "opt").mkdir()
            (overlay / "opt/file").write_text("a new file\n")
            done = script("run", *STOCK, "--share", str(share), "--overlay", str(overlay), "--screenshot", str(picture), "--", "sh", "-c",
                          "cat /mnt/share/in; hello; cat /usr/lib/softgen-test/file /opt/file; id -un; echo to stderr >&2;"
                          "echo back >/mnt/share/out; printf 'no newline'; exit 42")
            self.assertEqual(done.stdout, "from the host\nhello from the overlay\nmerged into usr\na new file\nroot\nno newline", done.stderr)
            self.assertEqual(done.stderr, "to stderr\n")
            self.assertEqual(done.returncode, 42)
            self.assertEqual((share / "out").read_text(), "back\n")
            self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")

    def test_timeout_is_124_and_one_sentence(self):
        done = script("run", *STOCK, "--timeout", "2", "--", "sleep", "1000")
        self.assertEqual(done.returncode, 124)
        self.assertEqual(done.stderr, "scripts/run: timed out after 2 s\n")

    def test_signals_to_the_process_group_reach_the_command_alone(self):
        done = script("run", *STOCK, "--", "sh", "-c", "kill -TERM 0")
        self.assertEqual((done.returncode, done.stderr), (128 + 15, ""))

    def test_guest_that_ends_is_told(self):
        done = script("run", *STOCK, "--", "busybox", "poweroff", "-f")
        self.assertEqual(done.returncode, 125)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_what_is_missing_is_named_in_one_sentence(self):
        for arguments, word in ((["--share", "/nonexistent", "--", "true"], "/nonexistent"),
                                (["--overlay", "/nonexistent", "--", "true"], "/nonexistent"),
                                (["--screenshot", "/nonexistent/a.png", "--", "true"], "/nonexistent/a.png"),
                                (["--guest", "potato", "--", "true"], "potato"),
                                (["--timeout", "0", "--", "true"], "--timeout")):
            with self.subTest(arguments=arguments):
                done = script("run", "--no-setup", "--headless", *arguments)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
                self.assertIn(word, done.stderr)

    def test_help_is_complete(self):
        done = script("run", "--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--guest", "--headless", "--screenshot", "--share", "--timeout", "--device-args", "--gpu", "--overlay"):
            self.assertIn(option, done.stdout)
