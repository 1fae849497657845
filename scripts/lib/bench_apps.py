# SPDX-License-Identifier: GPL-2.0-or-later
"""Real programs that measure themselves, under softgen-run: iris or anv on our core against llvmpipe or lavapipe, with the same display."""
import os
import pathlib
import re
import subprocess
import tempfile

import apt
from app_rows import packages
from app_rows import ROWS as PROGRAMS
from bench_glmark2 import LLVMPIPE
from bench_rows import SIZES, THREADS, mesa_version, row
from common import Failure, say
from mesa_root import PROGRAM_PATH, HostMesa, ReleaseMesa

# r_mode -2: the display's size. nextdemo: what runs when the demo has ended.
OPENARENA = ["openarena", "+set", "r_mode", "-2", "+set", "r_fullscreen", "1", "+set", "r_swapInterval", "0", "+set", "cl_renderer", "opengl1",
             "+set", "s_initsound", "0", "+set", "nextdemo", "quit", "+set", "timedemo", "1", "+demo", "demo088-test1"]


def _place(options, wanted):
    """Where the programs run; installs their packages."""
    if options.mesa != "host":
        return ReleaseMesa(options.mesa, wanted)
    if not options.no_setup:
        apt.ensure("the programs", wanted)
    return HostMesa()


def _output(mesa, size, words, environment):
    """What a program prints under softgen-run, with a home of its own."""
    with tempfile.TemporaryDirectory(prefix="softgen-bench-") as name:
        folder = pathlib.Path(name)
        place = mesa.place(folder)
        command = [f"{mesa.softgen}/softgen-run", "--threads", str(THREADS - 1), "--mode", f"{size}@0", "--", *words]
        done = subprocess.run(mesa.command(command, folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False, env={**os.environ, "PATH": PROGRAM_PATH, "HOME": place, "XDG_RUNTIME_DIR": place, **environment})
    if done.returncode != 0:
        raise Failure(f"{words[0]} ended with status {done.returncode}: {done.stdout[-300:]}")
    return done.stdout


def rate(said, peer):
    """(frames per second, driver's version) that OpenArena prints."""
    driver, found = re.search(r"GL_RENDERER: (.*)", said), re.search(r"\d+ frames [\d.]+ seconds ([\d.]+) fps", said)
    if not driver or not found:
        raise Failure("openarena did not play its demo")
    if ("llvmpipe" in driver[1]) != peer:
        raise Failure(f"openarena runs on {driver[1]}")
    return float(found[1]), mesa_version(said)


def _openarena(mesa, size, peer):
    """rate() of a demo that is played as fast as it goes."""
    return rate(_output(mesa, size, OPENARENA, {"SDL_VIDEODRIVER": "kmsdrm", "SDL_AUDIODRIVER": "dummy", **peer}), bool(peer))


def openarena(options):
    """OpenArena's timedemo at each size."""
    mesa = _place(options, packages([next(program for program in PROGRAMS if program.name == "openarena")]))
    for size in options.size or SIZES:
        for peer in ({}, LLVMPIPE):
            _, driver = _openarena(mesa, size, peer)  # fills the caches of kernels and shaders
        ours, peers = [], []
        for number in range(options.repeats):
            ours.append(_openarena(mesa, size, {})[0])
            peers.append(_openarena(mesa, size, LLVMPIPE)[0])
            say(f"openarena at {size}: {number + 1} of {options.repeats}")
        yield row(f"openarena/demo088@{size}", ours, peers, "frames/s", False, driver)
