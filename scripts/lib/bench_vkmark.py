# SPDX-License-Identifier: GPL-2.0-or-later
"""vkmark without a window, natively under softgen-run and in the guest: anv on our core against lavapipe. Debian has it from release 13 on."""
import os
import re
import subprocess

import guest as guests
import guest_packages
from app_rows import LAVAPIPE
from bench_glmark2 import CPU_THAT_LLVM_KNOWS
from bench_rows import SIZES, THREADS, geometric_mean, row
from common import Failure, say
from mesa_root import PACKAGES, ReleaseMesa

PROGRAM = "vkmark"
WITHOUT = ("host", "bookworm")  # Debian 12 has no package of it
PEER = {**LAVAPIPE.environment, "LP_NUM_THREADS": str(THREADS)}


def _words(options, size):
    """vkmark's default scenes, each for the time of the options."""
    return [PROGRAM, "--winsys", "headless", "--size", size, "--benchmark", f":duration={options.seconds:g}"]


def frames(text, peer):
    """{scene: frames per second} of vkmark's output."""
    device = re.search(r"Device Name:\s*(.*)", text)
    # With another driver than the intended one the ratio would mean nothing.
    if not device or ("llvmpipe" in device[1]) != peer:
        raise Failure(f"{PROGRAM} runs on {device[1] if device else 'nothing'}")
    found = re.findall(r"^\[(.*?)\] (.*?): ?FPS: \d+ FrameTime: ([\d.]+) ms", text, re.MULTILINE)
    return {f"{scene}:{what}": 1000 / max(float(milliseconds), 0.001) for scene, what, milliseconds in found}


def driver(text):
    """Mesa's version, from a driver version as VK_MAKE_API_VERSION packs it."""
    packed = int(re.search(r"Driver Version:\s*(\d+)", text)[1])
    return f"Mesa {packed >> 22 & 127}.{packed >> 12 & 1023}.{packed & 4095}"


def _rows(prefix, suffix, ours, peers, version="-"):
    """One row per scene from both sides' runs, then their mean."""
    if not ours[0] or any(set(run) != set(ours[0]) for run in ours + peers):
        raise Failure(f"{PROGRAM} did not show each scene in every run")
    rows = [row(f"{prefix}/{scene}@{suffix}", [run[scene] for run in ours], [run[scene] for run in peers], "frames/s", False, version) for scene in ours[0]]
    return [*rows, geometric_mean(f"{prefix}/geometric-mean@{suffix}", rows, "of lavapipe")]


def vkmark(options):
    """Natively, with the Mesa of the options."""
    if options.mesa in WITHOUT:
        say(f"{PROGRAM}: not measured; Debian has it for --mesa trixie and sid")
        return
    mesa = ReleaseMesa(options.mesa, [*PACKAGES, PROGRAM])

    def run(size, peer):
        words = _words(options, size)
        if not peer:
            words = [f"{mesa.softgen}/softgen-run", "--threads", str(THREADS - 1), "--", *words]
        done = subprocess.run(mesa.command(words, os.getcwd()), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace", env={**os.environ, **(PEER if peer else {})}, check=False)
        if done.returncode != 0:
            raise Failure(f"{PROGRAM} ended with status {done.returncode}: {done.stderr[-200:]}")
        return done.stdout

    for size in options.size or SIZES:
        version = driver(run(size, False))  # fills the cache of kernels
        ours, peers = [], []
        for number in range(options.repeats):
            ours.append(frames(run(size, False), peer=False))
            peers.append(frames(run(size, True), peer=True))
            say(f"{PROGRAM} at {size}: {number + 1} of {options.repeats}")
        yield from _rows(PROGRAM, size, ours, peers, version)


def guest_vkmark(options):
    """In the guest: our device against lavapipe on QEMU's standard VGA, one machine each, in turn."""
    if options.guest in WITHOUT:
        say(f"{PROGRAM} in the guest: not measured; Debian has it for --guest trixie and sid")
        return
    overlay = guest_packages.folder(options.guest, [PROGRAM])
    size = SIZES[0]
    seen = {"softgen": [], "stock": []}
    for number in range(options.repeats):
        for gpu, runs in seen.items():
            with guests.Guest(options.guest, gpu=gpu, accelerator=options.accel, overlay=overlay, qemu_args=CPU_THAT_LLVM_KNOWS) as machine:
                machine.boot()
                environment = " ".join(f"{name}={value}" for name, value in PEER.items()) if gpu == "stock" else ""
                status, out, err = machine.capture(f"{guest_packages.SETTLE}; {environment} {' '.join(_words(options, size))}", 7200)
            if status != 0:
                raise Failure(f"{PROGRAM} ended with status {status} in the guest: {err[-200:]}")
            runs.append(frames(out, peer=gpu == "stock"))
            say(f"{PROGRAM} in the guest, {gpu}: {number + 1} of {options.repeats}")
    yield from _rows(f"guest/{PROGRAM}", size, seen["softgen"], seen["stock"])
