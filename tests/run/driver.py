# SPDX-License-Identifier: GPL-2.0-or-later
"""Common code of the tests of softgen-run: programs run under it with the host's Mesa, or with another release's in a chroot."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

import apt  # noqa: E402
import mesa_root  # noqa: E402
from common import BUILD, Failure  # noqa: E402, F401
from mesa_root import HostMesa, ReleaseMesa  # noqa: E402, F401
from picture import Picture  # noqa: E402
from video_encoders import DRIVERS, drivers_with_kernels, refusals  # noqa: E402, F401

CONFIG = {}
PIGLIT = "/usr/lib/x86_64-linux-gnu/piglit/bin/"


def mesa_of(release, *packages):
    """The Mesa of a Debian release, with PACKAGES if given; skips the tests where it cannot be had."""
    if mesa_root.possible():
        raise unittest.SkipTest(mesa_root.possible())
    try:
        return ReleaseMesa(release, *packages)
    except Failure as failure:
        raise unittest.SkipTest(f"The Mesa of {release} cannot be had: {failure}") from None


def psnr(a, b):
    """Of two sequences of bytes of one length, in dB."""
    error = sum((x - y) ** 2 for x, y in zip(a, b)) / len(a)
    return 10 * math.log10(255 ** 2 / error) if error else math.inf


def need_driver(test, driver):
    """Skips TEST where the package of the VA-API DRIVER is not installed."""
    if DRIVERS[driver] not in apt.installed([DRIVERS[driver]]):
        test.skipTest(f"{DRIVERS[driver]} is not installed")


class RunTest(unittest.TestCase):
    mesa = HostMesa()
    platform = "kbl"

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = pathlib.Path(work.name)

    def run_on_gpu(self, *program, options=(), timeout=120, **variables):
        """The finished process of PROGRAM under softgen-run; it is in self.folder, its standard input is silent and open."""
        if not self.mesa.has(program[0]):
            self.skipTest(f"{program[0]} is not installed")
        words = ["env", "XDG_RUNTIME_DIR=/tmp", "PIGLIT_PLATFORM=surfaceless_egl", *[f"{k}={v}" for k, v in variables.items()],
                 f"{self.mesa.softgen}/softgen-run", "--platform", self.platform, *options, "--", *program]
        silent, keep = os.pipe()
        try:
            return subprocess.run(self.mesa.command(words, self.folder), stdin=silent, capture_output=True, text=True, errors="replace",
                                  timeout=timeout, check=False, cwd=self.folder)
        finally:
            os.close(silent)
            os.close(keep)

    def ok(self, *program, **kwargs):
        done = self.run_on_gpu(*program, **kwargs)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout

    def compiled(self, name, sources=ROOT / "tests" / "boot" / "guest", libraries=()):
        """The path of a program of our build."""
        target = self.folder / name
        subprocess.run(["cc", "-O2", "-I/usr/include/libdrm", "-o", target, sources / f"{name}.c", *libraries], check=True)
        return str(target)


class GStreamerTest(RunTest):
    def setUp(self):
        super().setUp()
        if "gstreamer1.0-vaapi" not in apt.installed(["gstreamer1.0-vaapi"]):
            self.skipTest("gstreamer1.0-vaapi is not installed")

    def gstreamer(self, driver, pipeline):
        """What --stats says of the work. GStreamer's registry is made anew, since its plugin lists what the driver has, and by the process whose statistics count."""
        self.ok("gst-launch-1.0", "-q", *pipeline.split(), options=["--stats", "stats.json"], LIBVA_DRIVER_NAME=driver, GST_REGISTRY=str(self.folder / "registry"),
                GST_REGISTRY_FORK="no")
        return json.loads((self.folder / "stats.json").read_text())["work"]
