# SPDX-License-Identifier: GPL-2.0-or-later
"""The suites of scripts/test: each runs tests and adds the results to a Report."""
import collections
import concurrent.futures
import importlib
import json
import os
import pathlib
import subprocess
import sys
import unittest

import fuzz
import guest_image
import packages
import races
import tidy
from common import BUILD, ROOT, Failure
from report import UnittestResult

MESON_MINUTES = 30
FIRMWARE = "test_firmware.py"  # boots no guest system, so it is not repeated per release


class Suite(collections.namedtuple("Suite", "what run slow", defaults=[False])):
    """slow: runs only with --full or when named."""


def layers(report, options):
    done = subprocess.run(["/usr/bin/python3", "-B", ROOT / "scripts" / "check_layers.py"], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        report.ok("includes point upwards only")
    else:
        report.fail("includes point upwards only", done.stdout + done.stderr)


def meson_tests(report, build, full):
    """Runs meson's tests in `build` and reads the log, which has one line of JSON per test program."""
    log = build / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    command = ["meson", "test", "-C", build, "--no-rebuild", "--num-processes", str(os.cpu_count()), *([] if full else ["--no-suite", "slow"])]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=MESON_MINUTES * 60, check=False)
    if not log.exists():
        raise Failure(f"meson test left no log: {(done.stdout.strip().splitlines() or ['it said nothing'])[-1]}")
    for line in log.read_text().splitlines():
        result = json.loads(line)
        if result["result"] in ("OK", "EXPECTEDFAIL"):
            report.ok(result["name"], result["duration"], quiet=True)
        elif result["result"] == "SKIP":
            report.skip(result["name"], (result.get("stdout") or "no reason given").strip().splitlines()[-1])
        else:
            report.fail(f"{result['name']} ({result['result']})", (result.get("stdout") or "") + (result.get("stderr") or ""))


def unit(report, options):
    meson_tests(report, BUILD, options.full)


def python_tests(report, options, folder, chosen="test_*.py", left_out=(), **config):
    """Runs the files `chosen` in tests/FOLDER by unittest, with driver.CONFIG set to `config`."""
    path = str(ROOT / "tests" / folder)
    sys.path.insert(0, path)
    try:
        for name in [name for name in sys.modules if name == "driver" or name.startswith("test_")]:
            del sys.modules[name]
        driver = importlib.import_module("driver")
        driver.CONFIG.update(config)
        loader = unittest.TestLoader()
        for file in sorted(pathlib.Path(path).glob(chosen)):
            if file.name in left_out:
                continue
            tests = loader.loadTestsFromModule(importlib.import_module(file.stem))
            wanted = unittest.TestSuite(case for case in cases(tests) if options.filter in case.id())
            wanted.run(UnittestResult(report))
        getattr(driver, "forget_guest", lambda: None)()
    finally:
        sys.path.remove(path)


def cases(tests):
    """The single tests in a tree of suites."""
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from cases(test)
        else:
            yield test


def boot(release, slow=False):
    def run(report, options):
        guest_image.ensure(release)
        python_tests(report, options, "boot", left_out=[FIRMWARE], guest=release, gpu=options.gpu, full=options.full)
    return Suite(f"boots {release} ({guest_image.GUESTS[release]}) on the device", run, slow=slow)


def firmware(report, options):
    python_tests(report, options, "boot", chosen=FIRMWARE, gpu=options.gpu)


def device(report, options):
    if options.gpu != "softgen":
        report.skip("all", "--gpu stock has no device of ours")
        return
    python_tests(report, options, "device")


def scripts(report, options):
    python_tests(report, options, "scripts")


def programs(report, options):
    packages.ensure(("programs",))
    python_tests(report, options, "run")


def run_fuzz(report, options):
    sanitized_seconds, plain_seconds = 120, 60 if options.full else 3

    def sanitized(name, path):
        return fuzz.run_sanitized(name, path, sanitized_seconds, fuzz.SEED) if options.full else fuzz.run_repeatable(name, path, fuzz.SEED)

    def plain(name, path):
        return fuzz.run_plain(name, path, plain_seconds, fuzz.SEED)
    build = fuzz.build(everything=options.full)
    work = [(how, run, *target) for how, run, targets in (("at full speed", plain, fuzz.plain_targets()), ("under ASan and UBSan", sanitized, fuzz.targets(build)))
            for target in targets.items()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (how, _, name, _), result in zip(work, pool.map(lambda item: item[1](*item[2:]), work)):
            title = f"{name}, {how} ({result.executions} inputs)"
            if result.findings or result.trouble:
                report.fail(title, "\n".join([result.trouble, *(f"{what}\nrepeat with: {command}" for what, _, command in result.findings)]))
            else:
                report.ok(title)
    if options.full:
        meson_tests(report, build, full=False)


def run_tidy(report, options):
    count, found = tidy.run()
    if found:
        report.fail("clang-tidy", "\n".join(found))
    else:
        report.ok(f"clang-tidy, {count} files")


def run_races(report, options):
    program = races.build()
    for capture in races.captures():
        for engine in ("interp", "tiers"):
            trouble = races.run(program, capture, engine)
            name = f"{capture.name.split('.')[0]}, {engine}"
            if trouble is None:
                report.ok(name, quiet=True)
            else:
                report.fail(name, trouble)


ALL = {
    "layers": Suite("folders of hw/ include only those above them", layers),
    "unit": Suite("Catch2 tests of the units, and all other tests of meson", unit),
    "device": Suite("registers of the device, without a guest system", device),
    "scripts": Suite("the scripts themselves", scripts),
    "run": Suite("programs under softgen-run, on this Mesa and on Debian 13's", programs),
    "firmware": Suite("SeaBIOS and GRUB on the device's VGA", firmware),
    "boot-bookworm": boot("bookworm"),
    "boot-trixie": boot("trixie"),
    "boot-sid": boot("sid", slow=True),
    "fuzz": Suite("hostile input, under ASan and UBSan", run_fuzz),
    "tidy": Suite("clang-tidy over hw/ (with --full or by its name)", run_tidy, slow=True),
    "races": Suite("captures on four threads, under ThreadSanitizer (with --full or by its name)", run_races, slow=True),
}
