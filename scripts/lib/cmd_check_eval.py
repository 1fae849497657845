# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/check-eval: is the checker silent on what is right, and does it find what is wrong?"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import cmd_setup
from bench_glmark2 import SCENES
from check_seeds import ELSEWHERE, SEEDS, read_stream, write_stream
from common import BUILD, ROOT, main, print_table, say

CAPTURES = ROOT / "tests/golden/captures"
SUPPRESSIONS = ROOT / "hw/debug/rules/mesa-22.3.supp"
FOUND = 99
MAX_TRIES = 20  # of a capture


def parse(argv):
    parser = argparse.ArgumentParser(prog="scripts/check-eval", description=__doc__, epilog="""The baseline is what stock drivers send: findings there are
        false, or faults of a shipped driver, which hw/debug/rules/mesa-22.3.supp names. Seeded faults are streams of captures, changed to what a driver without
        a certain hunk would have sent; beside each the stream without the fault must be silent. Exit status: 0 when the baseline is silent and every seeded fault is found.""")
    parser.add_argument("--scenes", action="store_true", help="the baseline also has the scenes of glmark2, and kmscube, under softgen-run")
    parser.add_argument("--json", metavar="FILE", help="the findings of the baseline and of the seeds")
    return parser.parse_args(argv)


def replay(capture, folder, *options):
    """(exit status, report) of one capture under the checker."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    done = subprocess.run([BUILD / "softgen-replay", capture, f"--check=commands,@{SUPPRESSIONS}", "--check-json", report, *options],
                          capture_output=True, text=True, check=False)
    return done.returncode, json.loads(report.read_text()) if report.exists() else {"findings": []}


def run(argv):
    options = parse(argv)
    cmd_setup.ensure(("build",))
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        noise = list(baseline(folder, options.scenes))
        seeds = [seeded(seed, folder) for seed in SEEDS]
    print_table([["baseline", "findings"], *[[name, str(len(found))] for name, found in noise if found], ["all", str(sum(len(found) for _, found in noise))]], [0])
    print_table([["bug", "rule", "faulty", "found", "false", "subject"],
                 *[[seed.number, seed.rule, str(tried), str(hits), str(wrong), seed.subject] for seed, tried, hits, wrong in seeds]], [0, 1, 5])
    for number, why in ELSEWHERE.items():
        say(f"bug {number}: {why}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"baseline": dict(noise), "seeds": [
            {"bug": seed.number, "rule": seed.rule, "faulty": tried, "found": hits, "false": wrong} for seed, tried, hits, wrong in seeds]}, indent=1))
    sound = all(tried and hits == tried and not wrong for _, tried, hits, wrong in seeds)
    return 0 if sound and not any(found for _, found in noise) else 1


def baseline(folder, scenes):
    """(name, findings) of everything that must be silent."""
    captures = sorted(CAPTURES.glob("*.aub.xz")) + sorted(CAPTURES.glob("*/*.aub.xz"))
    for capture in captures:
        status, report = replay(capture, folder)
        name = str(capture.relative_to(CAPTURES)).removesuffix(".aub.xz")
        yield name, report["findings"] if status in (0, FOUND) else [f"exit status {status}"]
    for name, command in (programs() if scenes else ()):
        say(name)
        yield name, run_program(command, folder)


def programs():
    yield "kmscube", ["kmscube", "-c", "60"]
    for scene in SCENES:
        yield f"glmark2 {scene}", ["glmark2-es2-drm", "--size", "400x300", "-b", f"{scene}:duration=1"]


def run_program(command, folder):
    report = folder / "program.json"
    report.unlink(missing_ok=True)
    subprocess.run([BUILD / "softgen-run", f"--check=commands,@{SUPPRESSIONS}", "--check-json", report, "--mode", "640x480@0", "--", *command],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=os.environ)
    if not report.exists():
        return ["it left no report"]
    return [one for process in json.loads(report.read_text()) for one in process["findings"]]


def seeded(seed, folder):
    """(seed, mutations tried, those that the seed's rule reports, streams without the fault in which it reports as well)."""
    tried = hits = wrong = 0
    for name in seed.captures:
        stream, changed = folder / "all.check", folder / "changed.check"
        replay(CAPTURES / f"{name}.aub.xz", folder, "--check-stream", stream)
        for faulty, sound in list(seed.mutate(list(read_stream(stream.read_text()))))[:MAX_TRIES]:
            tried += 1
            for events, expected in ((faulty, True), (sound, False)):
                changed.write_text(write_stream(events))
                _, report = replay(changed, folder)
                found = any(one["rule"] == seed.rule for one in report["findings"])
                hits += found and expected
                wrong += found and not expected
    return seed, tried, hits, wrong


if __name__ == "__main__":
    main("check-eval", run)
