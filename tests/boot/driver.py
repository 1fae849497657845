# SPDX-License-Identifier: GPL-2.0-or-later
"""Common code of boot tests: one guest per release, which is booted once and shared, and guests of single tests.

scripts/test sets CONFIG, imports tests/boot/test_*.py and runs them by unittest, once for each release."""
import atexit
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

import guest as guests  # noqa: E402
import guest_programs  # noqa: E402
from common import Failure  # noqa: E402
from last_picture import LastPicture  # noqa: E402, F401
from picture import Picture  # noqa: E402

CONFIG = {"guest": "bookworm", "gpu": "softgen"}
# Faults of shipped drivers are in the file. F10 is left out: i915 keeps forcewake for 1 ms behind an access, so what it reports depends on the host's load.
CHECK = f"commands,-F10,@{ROOT / 'hw/debug/rules/mesa-22.3.supp'}"
CHECKED = "check=" + CHECK.replace(",", ",,")  # arguments of a device that is checked from its first access on
VGA_TEXT, VGA_TEXT_BYTES = 0xB8000, 80 * 25 * 2
_shared = {}


def shared_guest():
    """The guest of CONFIG that tests share; booted at first use."""
    key = CONFIG["guest"], CONFIG["gpu"]
    if key not in _shared:
        forget_guest()
        machine = guests.Guest(CONFIG["guest"], gpu=CONFIG["gpu"], overlay=guest_programs.overlay(), qemu_args=["-vnc", f"unix:{vnc_socket()}"])
        try:
            machine.boot_seconds = machine.boot()
        except BaseException:
            machine.close()
            raise
        _shared[key] = machine
    return _shared[key]


@functools.cache
def vnc_socket():
    """The socket of the shared guest's VNC server (scripts/lib/rfb.py)."""
    folder = tempfile.TemporaryDirectory(prefix="softgen-vnc-")
    atexit.register(folder.cleanup)
    return pathlib.Path(folder.name) / "socket"


@atexit.register
def forget_guest():
    """Ends the shared guest; the next test boots a new one."""
    for machine in _shared.values():
        machine.close()
    _shared.clear()


def only_on(gpu, reason):
    """Skips a test, with a reason, unless the machine has this GPU."""
    def decorate(function):
        def wrapper(self, *args):
            if CONFIG["gpu"] != gpu:
                self.skipTest(reason)
            return function(self, *args)
        wrapper.__name__ = function.__name__
        return wrapper
    return decorate


def vga_text(machine):
    """The 25 lines of the VGA text screen as the guest's memory shows them."""
    with tempfile.NamedTemporaryFile() as dump:
        machine.qmp.command("pmemsave", val=VGA_TEXT, size=VGA_TEXT_BYTES, filename=dump.name)
        cells = pathlib.Path(dump.name).read_bytes()[::2]
    text = cells.decode("cp437").replace("\0", " ")
    return [text[i:i + 80].rstrip() for i in range(0, len(text), 80)]


def wait_for(what, probe, timeout=120):
    """The first true value of probe(); AssertionError after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        value = probe()
        if value:
            return value
        time.sleep(0.2)
    raise AssertionError(f"{what} did not come within {timeout} s")


class GuestTest(unittest.TestCase):
    """A test that uses the shared guest."""

    def setUp(self):
        try:
            self.guest = shared_guest()
        except Failure as failure:
            self.fail(f"the guest {CONFIG['guest']} does not boot: {failure}")

    def own_guest(self, **kwargs):
        """Boots a guest for this test alone."""
        machine = guests.Guest(CONFIG["guest"], **{"gpu": CONFIG["gpu"], "overlay": guest_programs.overlay(), **kwargs})
        self.addCleanup(machine.close)
        machine.boot()
        return machine

    def own_machine(self, **kwargs):
        """Starts a machine without a guest system for this test alone."""
        machine = guests.Machine(**{"gpu": CONFIG["gpu"], **kwargs})
        self.addCleanup(machine.close)
        return machine.start()

    def check_shared_guest(self):
        """Starts the checker in the shared guest's device, until the test ends."""
        if CONFIG["gpu"] == "softgen":
            self.guest.put("check", CHECK)
            self.addCleanup(self.guest.put, "check", "off")

    def assert_checker_silent(self, machine=None):
        """The checker, if the device has one, has found nothing but what CHECK's file names."""
        if CONFIG["gpu"] != "softgen":
            return
        report = json.loads((machine or self.guest).get("check-report"))
        found = [f"{one['rule']}: {one['text']} ({one['context']}: {one['fields']}; {one['detail']})" for one in report["findings"]]
        self.assertEqual(found, [])

    def sh(self, script, timeout=120, machine=None):
        """The stdout of `script` in the guest; fails the test if it fails."""
        machine = machine or self.guest
        try:
            status, out, err = machine.capture(script, timeout)
        except Failure as failure:
            if machine is self.guest:
                forget_guest()
            self.fail(f"`{script}`: {failure}")
        self.assertEqual(status, 0, f"`{script}` ended with {status}:\n{out}{err}")
        return out

    def screenshot(self, machine=None):
        with tempfile.TemporaryDirectory() as work:
            path = pathlib.Path(work) / "screen.png"
            (machine or self.guest).screenshot(path)
            return Picture(path)

    def wait_lit(self, pixels, machine=None):
        """Waits until so many pixels (a range) of the screen are lit."""
        wait_for(f"a screen with {pixels.start} to {pixels.stop - 1} lit pixels", lambda: self.screenshot(machine).lit() in pixels)

    def assert_graphics_silent(self, machine=None):
        """No warning or error in the kernel's log names the graphics driver, but for those on the time that the host gave the guest."""
        named = guests.graphics_reports(self.sh(guests.KERNEL_REPORTS, machine=machine))
        self.assertEqual(named, [], "the kernel warns:\n" + "\n".join(named))

    def assert_no_error_state(self, machine=None):
        state = self.sh("cat /sys/class/drm/card0/error", machine=machine)
        self.assertIn(state.strip(), ("", "No error state collected"))

    def assert_engines_store(self, machine=None, program="gpu_exec store", engines=("rcs0", "bcs0", "vcs0", "vecs0")):
        stored = self.sh(program, machine=machine)
        self.assertEqual([line for line in stored.splitlines() if re.match(r"\w+ (ok|FAILED)$", line)], [f"{engine} ok" for engine in engines])

    def save_and_load(self, machine):
        """Saves the machine's state and loads it again."""
        self.assertEqual(machine.qmp.monitor("savevm saved").strip(), "")
        self.assertEqual(machine.qmp.monitor("loadvm saved").strip(), "")

    def suspend_to_ram(self, machine):
        """Suspends the machine to RAM; its clock wakes it up."""
        self.sh("rtcwake -m mem -s 1", machine=machine)
        self.assertIn("PM: suspend exit", self.sh("dmesg", machine=machine))

    def assert_snapshot_while_busy(self, machine, seconds):
        """Saves and loads the machine's state while the GPU works for `seconds`; the work ends without an error."""
        self.sh(f"gpu_exec busy {seconds} >/tmp/busy 2>&1 & until [ -s /tmp/busy ]; do sleep 0.1; done", machine=machine)
        self.save_and_load(machine)
        self.sh("while pidof gpu_exec; do sleep 0.2; done", machine=machine)
        self.assertIn("ok", self.sh("cat /tmp/busy", machine=machine))
        self.assert_graphics_silent(machine)
        self.assert_no_error_state(machine)

    def assert_hang_is_reset(self, machine):
        self.assertIn("guilty of 1 reset", self.sh("gpu_exec hang", timeout=180, machine=machine))
