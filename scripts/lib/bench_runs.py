# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of programs that measure themselves: under softgen-run, and in guests with our device and with the standard one."""
import os
import subprocess

import guest as guests
from bench_rows import THREADS
from common import Failure, say

# A Zen 2. With QEMU's default family and model LLVM detects a 32-bit Athlon, and llvmpipe aborts.
CPU_THAT_LLVM_KNOWS = ["-cpu", "max,la57=off,svm=off,family=23,model=49"]


def under_softgen(mesa, words, *options):
    """The command that runs `words` on our GPU, with as many threads as a peer has. `options`: of softgen-run."""
    return [f"{mesa.softgen}/softgen-run", "--threads", str(THREADS - 1), *options, "--", *words]


def output(mesa, words, environment, folder=None):
    """(standard output, standard error) of a command that ends well. `folder`: its working folder (default: this one)."""
    done = subprocess.run(mesa.command(words, folder or os.getcwd()), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", env={**os.environ, **environment}, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(words)} ended with status {done.returncode}: {done.stderr[-200:]}")
    return done.stdout, done.stderr


def in_guests(options, program, script, frames, overlay=None):
    """(ours, peers): of each run in a guest, what frames(text, peer) finds in the standard output of script(peer). Our device and QEMU's standard VGA, one
    machine each, in turn."""
    seen = {"softgen": [], "stock": []}
    for number in range(options.repeats):
        for gpu, runs in seen.items():
            peer = gpu == "stock"
            with guests.Guest(options.guest, gpu=gpu, accelerator=options.accel, overlay=overlay, qemu_args=CPU_THAT_LLVM_KNOWS) as machine:
                machine.boot()
                status, out, err = machine.capture(script(peer), 7200)
            if status != 0:
                raise Failure(f"{program} ended with status {status} in the guest: {err[-200:]}")
            runs.append(frames(out, peer))
            say(f"{program} in the guest, {gpu}: {number + 1} of {options.repeats}")
    return seen["softgen"], seen["stock"]
