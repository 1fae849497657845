# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/fuzz: hostile input for our own code, and for the guest's driver."""
import argparse
import concurrent.futures
import json
import os
import subprocess
import time

import cmd_fuzz_device
import cmd_fuzz_guest
import cmd_setup
import fuzz
from common import BUILD, Failure, main, output_file, print_table, say

PROGRESS_SECONDS = 15
EPILOG = """Each target gets --seconds of time: half of it at full speed, with inputs made from a seed and guest memory whose pages stand between
inaccessible ones; half under libFuzzer with ASan and UBSan, guided by coverage. (The targets that only libFuzzer runs get all of it there.)
The rate is that of the part at full speed, in executions per second of processor time. libFuzzer's corpus is kept in ~/.cache/softgen/corpus,
findings in ~/.cache/softgen/findings; docs/harness.md says how to proceed from one. Exit status: 0 no finding, 1 findings."""


def positive(text):
    number = float(text)
    if number <= 0:
        raise argparse.ArgumentTypeError("it must be more than 0")
    return number


def parse(argv):
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description="Feeds hostile input to our code, or to the guest's driver.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    own = commands.add_parser("own", help="our own code, by the targets of tests/fuzz", epilog=EPILOG,
                              description="Runs the fuzz targets with progress, and prints a table: target, executions, rate, new coverage, findings.")
    own.add_argument("--target", action="append", metavar="T", help="run only this target (may be given more than once); fuzz_T and T name the same")
    own.add_argument("--seconds", type=positive, default=60, metavar="N", help="for each target (default: %(default)s)")
    own.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2), metavar="J", help="processes at once (default: half the cores, %(default)s)")
    own.add_argument("--engine", choices=["both", "plain", "sanitized"], default="both", help="only at full speed, or only under the sanitizers")
    own.add_argument("--seed", type=int, default=None, metavar="N", help="seed of the inputs (default: the time; it is printed)")
    own.add_argument("--json", metavar="F", help='write {"targets":[{"name","executions","rate","findings"}]} to this file')
    own.add_argument("--list", action="store_true", help="print the targets' names and end")
    own.set_defaults(function=run_own)
    cmd_fuzz_device.add_parser(commands, positive)
    cmd_fuzz_guest.add_parser(commands, positive)
    return parser.parse_args(argv)


def tasks(options, plain, sanitized, seed):
    """(function, name, path, seconds, seed) for each process to run."""
    names = sorted(set(plain) | set(sanitized))
    copies = max(1, options.jobs // max(1, len(names)))
    for name in names:
        both = name in plain and name in sanitized
        seconds = options.seconds / (2 if both else 1)
        for copy in range(copies):
            if name in plain:
                yield fuzz.run_plain, name, plain[name], seconds, seed + copy
            if name in sanitized:
                yield fuzz.run_sanitized, name, sanitized[name], seconds, (seed + copy) % 2**31


def run_all(work, jobs):
    """One Result per target."""
    results, done, start = {}, 0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        waiting = {pool.submit(function, *rest): rest[0] for function, *rest in work}
        total = len(waiting)
        while waiting:
            ready, _ = concurrent.futures.wait(waiting, timeout=PROGRESS_SECONDS, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in ready:
                name, part = waiting.pop(future), future.result()
                results.setdefault(name, fuzz.Result(name)).add(part)
                done += 1
                say(f"{name}: {part.executions} executions in {part.seconds:.0f} s, {len(part.findings)} findings ({done} of {total} runs done)")
                for what, file, command in part.findings:
                    say(f"{name}: {what}\n  kept as {file}\n  repeat with: {command}")
                if part.trouble:
                    say(f"{name}: {part.trouble}")
            if not ready:
                say(f"{done} of {total} runs done, {time.monotonic() - start:.0f} s so far")
    return [results[name] for name in sorted(results)]


def print_results(results):
    lines = [(r.name, r.executions, f"{r.rate:.0f}/s", r.coverage, "failed" if r.trouble else len(r.findings)) for r in results]
    print_table([("target", "executions", "rate", "new coverage", "findings"), *lines], left=(0,))


def chosen(options, names):
    wanted = {name.removeprefix("fuzz_") for name in options.target or names}
    unknown = wanted - set(names)
    if unknown:
        raise Failure(f"there is no target '{min(unknown)}'; choose from {', '.join(sorted(names))}")
    return wanted


def run_own(options):
    if options.jobs < 1:
        raise Failure("--jobs must be 1 or more")
    report = output_file(options.json, "--json") if options.json else None
    cmd_setup.ensure(("build", "headers", "test"))
    plain = fuzz.plain_targets()
    names = set(plain) | {path.stem.removeprefix("fuzz_") for path in (fuzz.ROOT / "tests" / "fuzz").glob("fuzz_*.cpp")}
    if options.list:
        print("\n".join(sorted(names)))
        return 0
    wanted = chosen(options, names)
    plain = {name: path for name, path in plain.items() if name in wanted and options.engine != "sanitized"}
    sanitized = {}
    if options.engine != "plain":
        fuzz.build(names=wanted)
        sanitized = {name: path for name, path in fuzz.targets(fuzz.SANITIZED).items() if name in wanted}
    if plain:
        built = subprocess.run(["ninja", "-C", BUILD, *[path.relative_to(BUILD) for path in plain.values()]], capture_output=True, text=True, check=False)
        if built.returncode:
            raise Failure(f"the targets do not build: {built.stdout[-2000:]}")
    seed = int(time.time()) if options.seed is None else options.seed
    say(f"seed {seed}, {options.seconds:g} s per target, {options.jobs} at once")
    results = run_all(list(tasks(options, plain, sanitized, seed)), options.jobs)
    for path in sanitized.values():
        fuzz.merge_corpus(path)
    print_results(results)
    if report:
        rows = [{"name": r.name, "executions": r.executions, "rate": round(r.rate), "findings": len(r.findings)} for r in results]
        report.write_text(json.dumps({"targets": rows}, indent=1) + "\n")
    return 1 if any(r.findings or r.trouble for r in results) else 0


def main_fuzz(argv):
    options = parse(argv)
    return options.function(options)


if __name__ == "__main__":
    main("fuzz", main_fuzz)
