# SPDX-License-Identifier: GPL-2.0-or-later
"""Common code of the tests of scripts/."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = {}


def script(name, *arguments, timeout=600):
    """Runs scripts/NAME; the finished process with text outputs."""
    return subprocess.run([ROOT / "scripts" / name, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
                          check=False)
