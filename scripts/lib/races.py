# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds softgen-replay with ThreadSanitizer in build-tsan/, and runs captures on many threads."""
import os
import subprocess

from build import variant
from common import CACHE, ROOT

BUILD = ROOT / "build-tsan"
LOG = CACHE / "logs" / "tsan.log"
CAPTURES = ROOT / "tests" / "golden" / "captures"
OPTIONS = ["-Db_sanitize=thread", "-Db_lundef=false", "-Dbuildtype=debugoptimized", "-Dqemu_headers="]
THREADS, RUN_SECONDS = 4, 600
RACE = 66  # exit status


def build():
    """The program's path."""
    variant(BUILD, "ThreadSanitizer", OPTIONS, lambda: ["softgen-replay"], LOG)
    return BUILD / "softgen-replay"


def captures():
    return sorted(CAPTURES.glob("*.aub*"))


def run(program, capture, engine):
    """None if no race was found, else the program's output. The code cache is off, so that the compiler runs under ThreadSanitizer, too."""
    environment = {**os.environ, "TSAN_OPTIONS": f"halt_on_error=1:exitcode={RACE}:second_deadlock_stack=1", "SOFTGEN_CACHE": "off"}
    command = [program, "--threads", str(THREADS), "--engine", engine, "--stats", capture]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                              timeout=RUN_SECONDS, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return f"it did not end within {RUN_SECONDS} s"
    if done.returncode == 0 and "ThreadSanitizer" not in done.stderr:
        return None
    return f"status {done.returncode}\n{done.stderr[-6000:]}"
