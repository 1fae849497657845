# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/bench: our figures and a peer's, measured side by side, as one table."""
import argparse
import collections
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time

import build
import cmd_setup
import guest as guests
from common import Failure, main, say

Row = collections.namedtuple("Row", "name softgen peer ratio unit spread")
TICKS = os.sysconf("SC_CLK_TCK")
SETTLE_SECONDS, IDLE_SECONDS = 15, 30


def cpu_seconds(machine):
    """CPU time that QEMU has used so far, all threads (proc(5): utime and stime)."""
    fields = open(f"/proc/{machine.pid}/stat", encoding="ascii").read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def row(name, ours, peers, unit, smaller_is_better=True):
    """Medians of both sides; the spread is (max - min) / median of ours."""
    softgen, peer = statistics.median(ours), statistics.median(peers)
    ratio = (peer / softgen if smaller_is_better else softgen / peer) if softgen and peer else 0.0
    return Row(name, softgen, peer, ratio, unit, (max(ours) - min(ours)) / softgen if softgen else 0.0)


def boot(options):
    """Time and CPU time from QEMU's start until the guest takes a command; both GPUs in turn, so that they meet the same load."""
    taken = {gpu: [] for gpu in ("softgen", "stock")}
    for number in range(options.repeats):
        for gpu, times in taken.items():
            with guests.Guest(options.guest, gpu=gpu, accelerator=options.accel) as machine:
                seconds = machine.boot()
                times.append((seconds, cpu_seconds(machine)))
            say(f"boot {number + 1} of {options.repeats}, {gpu}: {seconds:.1f} s")
    for index, (name, unit) in enumerate((("guest/boot", "s"), ("guest/boot-cpu", "CPU s"))):
        yield row(name, *[[pair[index] for pair in taken[gpu]] for gpu in ("softgen", "stock")], unit)


def idle(options):
    """Host CPU of an idle guest in percent of one core; both guests up at once, so that they meet the same load."""
    with guests.Guest(options.guest, gpu="softgen", accelerator=options.accel) as ours, \
            guests.Guest(options.guest, gpu="stock", accelerator=options.accel) as peer:
        machines = (ours, peer)
        for machine in machines:
            machine.boot()
        say(f"both guests are up; measuring after {SETTLE_SECONDS} s")
        time.sleep(SETTLE_SECONDS)
        parts = max(options.repeats, 1)
        used = [[], []]
        for _ in range(parts):
            before = [cpu_seconds(machine) for machine in machines]
            start = time.monotonic()
            time.sleep(IDLE_SECONDS / parts)
            span = time.monotonic() - start
            for figures, machine, old in zip(used, machines, before):
                figures.append(100 * (cpu_seconds(machine) - old) / span)
    yield row("guest/idle", used[0], used[1], "% of a core")


def program(name):
    """A benchmark program of tests/bench, which prints rows as JSON."""
    def run(options):
        path = build.BUILD / "tests" / "bench" / name
        if not path.exists():
            raise Failure(f"{path} is not built")
        done = subprocess.run([path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"{name} ended with status {done.returncode}")
        for entry in json.loads(done.stdout)["rows"]:
            yield Row(**{field: entry[field] for field in Row._fields})
    run.__doc__ = f"Runs {name}."
    return run


SCENES = ("build:use-vbo=true", "texture:texture-filter=nearest", "texture:texture-filter=linear", "texture:texture-filter=mipmap",
          "shading:shading=gouraud", "shading:shading=blinn-phong-inf", "shading:shading=phong", "bump:bump-render=normals",
          "effect2d:kernel=0,1,0;1,-4,1;0,1,0;", "pulsar:quads=5:texture=false:light=false", "desktop:effect=shadow:windows=4", "clear")
GL_SIZE, GL_SECONDS, GL_THREADS = "1920x1080", 3, 2


def glmark2(scene, env):
    """Frames a second of one scene under softgen-run, by whichever driver the environment names."""
    command = [build.BUILD / "softgen-run", "--threads", str(GL_THREADS - 1), "--mode", f"{GL_SIZE}@0", "--",
               "glmark2-es2-drm", "-b", f"{scene}:duration={GL_SECONDS}"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
                          env={**os.environ, **env}, check=False)
    renderer, times = re.search(r"GL_RENDERER:\s*(.*)", done.stdout), re.findall(r"FrameTime: ([\d.]+) ms", done.stdout)
    if done.returncode != 0 or not times or not renderer:
        raise Failure(f"glmark2-es2-drm {scene} ended with status {done.returncode}")
    # A driver that is not the one meant would make the ratio a lie.
    if ("llvmpipe" in renderer.group(1)) != ("MESA_LOADER_DRIVER_OVERRIDE" in env):
        raise Failure(f"glmark2-es2-drm runs on {renderer.group(1)}")
    return 1000 / max(float(times[0]), 0.001)


def gl(options):
    """glmark2 scenes on iris and our core against llvmpipe, in turn, on the same display and with as many threads."""
    peer = {"MESA_LOADER_DRIVER_OVERRIDE": "kms_swrast", "LP_NUM_THREADS": str(GL_THREADS)}
    rows = []
    for scene in SCENES:
        glmark2(scene, {})  # compiles what is not in the cache of kernels
        pairs = [(glmark2(scene, {}), glmark2(scene, peer)) for _ in range(options.repeats)]
        rows.append(row(f"glmark2/{scene}@{GL_SIZE}", [a for a, _ in pairs], [b for _, b in pairs], "frames/s", smaller_is_better=False))
        say(f"{rows[-1].name}: {rows[-1].softgen:.1f} against {rows[-1].peer:.1f} frames/s")
        yield rows[-1]
    mean = math.exp(statistics.fmean(math.log(max(r.ratio, 1e-9)) for r in rows))
    yield Row(f"glmark2/geometric-mean@{GL_SIZE}", mean, 1.0, mean, "of llvmpipe", 0.0)


ALL = {"gl": gl, "idle": idle, "boot": boot, "blit": program("bench_blit"), "submit": program("bench_submit")}


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def print_table(rows):
    cells = [("name", "softgen", "peer", "ratio", "unit", "spread")]
    cells += [(r.name, number(r.softgen), number(r.peer), f"{r.ratio:.2f}", r.unit, f"{100 * r.spread:.0f} %") for r in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    for line in cells:
        print("  ".join(cell.ljust(width) if i in (0, 4) else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))).rstrip())


def bench(argv):
    parser = argparse.ArgumentParser(prog="scripts/bench", description="""Measures ours and a peer in the same run on this machine and prints
        one table. A ratio above 1 means that softgen is better. Figures are medians; the spread is that of ours.""")
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"of {', '.join(ALL)} (default: all)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--repeats", type=int, default=5, help="of each figure (default: 5)")
    parser.add_argument("--guest", default="bookworm")
    parser.add_argument("--accel", default="auto", choices=["auto", "kvm", "tcg"])
    parser.add_argument("--no-setup", action="store_true", help="use what is built")
    options = parser.parse_args(argv)
    unknown = set(options.what) - set(ALL)
    if unknown or options.repeats < 1:
        raise Failure(f"there is no benchmark '{min(unknown)}'; choose from {', '.join(ALL)}" if unknown else "--repeats: at least 1")
    if not options.no_setup:
        cmd_setup.ensure()
    rows = [r for name in options.what or ALL for r in ALL[name](options)]
    if options.json:
        json.dump({"rows": [r._asdict() for r in rows]}, sys.stdout, indent=1)
        print()
    else:
        print_table(rows)
    return 0


if __name__ == "__main__":
    main("bench", bench)
