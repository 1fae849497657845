# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/bench: measures softgen and its peers on this machine and prints one table."""
import argparse
import json
import os
import sys
import time

import cmd_setup
import guest as guests
from bench_apps import openarena
from bench_glmark2 import gl, guest_gl
from bench_rates import jit, printed, program, rates, scaling, vulkan
from bench_rows import SIZES, Row, row
from bench_vkmark import guest_vkmark, vkmark
from common import Failure, main, print_table, say

MESAS = ("host", "trixie", "sid")
TICKS = os.sysconf("SC_CLK_TCK")
SETTLE_SECONDS, IDLE_SECONDS = 15, 30


def cpu_seconds(machine):
    """CPU time that QEMU has used so far, all threads (proc(5): utime and stime)."""
    fields = open(f"/proc/{machine.pid}/stat", encoding="ascii").read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def boot(options):
    """Time and CPU time from QEMU's start until the guest takes a command. The GPUs alternate, so that both see the same host load."""
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
    """Host CPU use of an idle guest in percent of one core. Both guests run at once, so that both see the same host load."""
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


def rows_of(name):
    """A benchmark program of tests/bench that prints rows."""
    def run(_):
        for entry in printed([program(name)])[0]["rows"]:
            yield Row(**{field: entry[field] for field in Row._fields if field in entry})
    return run


ALL = {"gl": gl, "vulkan": vulkan, "vkmark": vkmark, "rates": rates, "scaling": scaling, "openarena": openarena, "jit": jit, "eu": rows_of("bench_eu"),
       "blit": rows_of("bench_blit"), "submit": rows_of("bench_submit"), "boot": boot, "idle": idle, "guest": guest_gl, "guest-vkmark": guest_vkmark}


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def print_rows(rows):
    lines = [(r.name, number(r.softgen), number(r.peer), f"{r.ratio:.2f}", r.unit, f"{100 * r.spread:.0f} %", r.driver) for r in rows]
    print_table([("name", "softgen", "peer", "ratio", "unit", "spread", "driver"), *lines], left=(0, 4, 6))


def bench(argv):
    parser = argparse.ArgumentParser(prog="scripts/bench", description="""Measures ours and a peer in the same run on this machine and prints
        one table. A ratio above 1 means that softgen is better. Figures are medians; the spread is that of ours.""")
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"of {', '.join(ALL)} (default: all; that takes hours under TCG)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--repeats", type=int, default=5, help="measurements per figure (default: 5)")
    parser.add_argument("--seconds", type=float, default=2, help="how long each scene and rate runs (default: 2)")
    parser.add_argument("--scene", action="append", help="a scene of glmark2, in the form of its option -b (may be given more than once; default: all)")
    parser.add_argument("--size", action="append", choices=SIZES, help="the picture's size for gl, vulkan, vkmark and openarena (default: both)")
    parser.add_argument("--mesa", choices=MESAS, default="host", help="for gl, vulkan, vkmark, rates, scaling and openarena: the Mesa of this Debian release, "
                        "in a root folder of its own (needs root; default: the host's)")
    parser.add_argument("--guest", default="bookworm")
    parser.add_argument("--accel", default="auto", choices=["auto", "kvm", "tcg"])
    parser.add_argument("--no-setup", action="store_true", help="use what is built")
    options = parser.parse_args(argv)
    unknown = set(options.what) - set(ALL)
    if unknown:
        raise Failure(f"there is no benchmark '{min(unknown)}'; choose from {', '.join(ALL)}")
    if options.repeats < 1 or options.seconds <= 0:
        raise Failure("--repeats: at least 1" if options.repeats < 1 else "--seconds: the time must be above zero")
    if not options.no_setup:
        cmd_setup.ensure(("build", "headers", "guest", "programs"))  # programs: the peers
    rows = [r for name in options.what or ALL for r in ALL[name](options)]
    if options.json:
        json.dump({"rows": [r._asdict() for r in rows]}, sys.stdout, indent=1)
        print()
    else:
        print_rows(rows)
    return 0


if __name__ == "__main__":
    main("bench", bench)
