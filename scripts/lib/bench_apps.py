# SPDX-License-Identifier: GPL-2.0-or-later
"""Real programs that measure themselves, under softgen-run: iris on our core against llvmpipe, with the same display."""
import re
import tempfile

import apt
from app_rows import packages
from app_rows import ROWS as PROGRAMS
from bench_glmark2 import LLVMPIPE
from bench_rows import SIZES, mesa_version, repeated, row
from bench_runs import output, under_softgen
from common import Failure
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


def rate(said, peer):
    """(frames per second, driver's version) that OpenArena prints."""
    driver, found = re.search(r"GL_RENDERER: (.*)", said), re.search(r"\d+ frames [\d.]+ seconds ([\d.]+) fps", said)
    if not driver or not found:
        raise Failure("openarena did not play its demo")
    if ("llvmpipe" in driver[1]) != peer:
        raise Failure(f"openarena runs on {driver[1]}")
    return float(found[1]), mesa_version(said)


def _openarena(mesa, size, peer):
    """rate() of a demo that is played as fast as it goes, with a home of its own."""
    with tempfile.TemporaryDirectory(prefix="softgen-bench-") as folder:
        place = mesa.place(folder)
        environment = {"PATH": PROGRAM_PATH, "HOME": place, "XDG_RUNTIME_DIR": place, "SDL_VIDEODRIVER": "kmsdrm", "SDL_AUDIODRIVER": "dummy", **peer}
        return rate("".join(output(mesa, under_softgen(mesa, OPENARENA, "--mode", f"{size}@0"), environment, folder)), bool(peer))


def openarena(options):
    """OpenArena's timedemo at each size."""
    mesa = _place(options, packages([next(program for program in PROGRAMS if program.name == "openarena")]))
    for size in options.size or SIZES:
        for peer in ({}, LLVMPIPE):
            _, driver = _openarena(mesa, size, peer)  # fills the caches of kernels and shaders
        ours, peers = repeated(options, f"openarena at {size}", lambda: _openarena(mesa, size, {})[0], lambda: _openarena(mesa, size, LLVMPIPE)[0])
        yield row(f"openarena/demo088@{size}", ours, peers, "frames/s", False, driver)
