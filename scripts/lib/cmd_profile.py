# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/profile: a flame graph of a program under softgen-run."""
import argparse
import collections
import pathlib
import re
import subprocess
import tempfile

import cmd_setup
from bench_glmark2 import PROGRAM
from bench_rows import SIZES, THREADS
from build import variant
from common import CACHE, ROOT, Failure, command_words, main, output_file, say, step

BUILD = ROOT / "build-profile"
LOG = CACHE / "logs" / "profile.log"
# perf unwinds by frame pointers; release builds have none.
OPTIONS = ["-Dc_args=-fno-omit-frame-pointer", "-Dcpp_args=-fno-omit-frame-pointer", "-Dqemu_headers="]
FLAMEGRAPH = pathlib.Path("/usr/share/perl5/Devel/NYTProf/flamegraph.pl")
SAMPLES_PER_SECOND = 997  # a prime, so that sampling does not run in step with periodic work
MIN_PERCENT = 0.3  # of all samples; smaller frames are not drawn


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/profile", usage="scripts/profile [OPTIONS] (SCENE | -- PROGRAM [ARGUMENTS])",
        description=f"""Runs a scene of glmark2, or any program, under softgen-run, samples its threads with perf, and writes a flame graph.
        Builds softgen with frame pointers in {BUILD.name}/ for that.""")
    parser.add_argument("-o", "--output", default="profile.svg", metavar="FILE.svg", help="the picture (default: profile.svg)")
    parser.add_argument("--seconds", type=float, default=4, metavar="N", help="how long a scene runs (default: 4); a program runs to its end")
    parser.add_argument("--size", default="1920x1080", choices=SIZES, help="window size of a scene (default: 1920x1080)")
    parser.add_argument("--threads", type=int, default=THREADS - 1, metavar="N", help=f"softgen-run's worker threads (default: {THREADS - 1})")
    parser.add_argument("--no-setup", action="store_true", help="use what is built and installed")
    parser.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    program = options.command[:1] == ["--"]
    options.command = command_words(options.command)
    if not options.command or (not program and len(options.command) > 1):
        parser.error("name one scene, or a program after --")
    options.scene = None if program else options.command[0]
    return options


def function_name(frame):
    """A frame of `perf script` without address, offset and parameters. Code of compiled kernels has no symbol."""
    name, _, place = frame.rpartition(" (")
    name = re.sub(r"\+0x[0-9a-f]+$", "", name.split(" ", 1)[-1])
    if "[unknown]" in name:
        return "compiled kernel" if "perf-" in place or "anon" in place or "memfd" in place else "[unknown]"
    name = re.sub(r"\(anonymous namespace\)::|softgen::", "", name)
    return re.sub(r"\(.*$", "", name).replace(";", ":") or "[unknown]"


def collapsed(text):
    """`perf script`'s stacks in flamegraph.pl's format: frames from the outermost to the innermost, and the count of each stack."""
    stacks = collections.Counter()
    for sample in text.strip().split("\n\n"):
        lines = [line.strip() for line in sample.splitlines() if line.strip()]
        if len(lines) < 2:
            continue
        frames = [function_name(line) for line in lines[1:]]
        while frames and frames[-1] == "[unknown]":
            frames.pop()
        if frames:
            stacks[";".join([lines[0].split()[0], *reversed(frames)])] += 1
    return stacks


def profile(argv):
    options = parse(argv)
    output = output_file(options.output, "--output")
    if not options.no_setup:
        cmd_setup.ensure(("build", "programs", "profile"))
        variant(BUILD, "frame pointers", OPTIONS, lambda: ["softgen-run", "libsoftgen-run.so"], LOG)
    if not FLAMEGRAPH.is_file():
        raise Failure("flamegraph.pl is not installed (libdevel-nytprof-perl)")
    run = [BUILD / "softgen-run", "--threads", str(options.threads), *(["--mode", f"{options.size}@0"] if options.scene else []), "--"]
    run += [PROGRAM, "--size", "320x240", "-b", f"{options.scene}:duration={options.seconds:g}"] if options.scene else options.command
    with tempfile.TemporaryDirectory() as work:
        samples = pathlib.Path(work) / "perf.data"
        step("running under perf", ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(SAMPLES_PER_SECOND), "-g", "-o", samples, "--", *run], LOG)
        text = subprocess.run(["perf", "script", "-i", samples, "-F", "comm,ip,sym,symoff,dso"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace", check=True).stdout
    stacks = collapsed(text)
    total = sum(stacks.values())
    if not total:
        raise Failure("perf took no samples")
    command = ["perl", FLAMEGRAPH, "--title", options.scene or " ".join(options.command), "--countname", "samples", "--minwidth",
               f"{1200 * MIN_PERCENT / 100:g}", "--width", "1200", "--hash"]
    drawn = subprocess.run(command, input="".join(f"{stack} {count}\n" for stack, count in sorted(stacks.items())), stdout=subprocess.PIPE,
                           text=True, check=True).stdout
    output.write_text(drawn)
    say(f"{total} samples in {output}")
    return 0


if __name__ == "__main__":
    main("profile", profile)
