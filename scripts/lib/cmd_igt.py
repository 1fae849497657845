# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/igt: runs tests of an IGT build in the guest and prints a table."""
import argparse
import collections
import json
import pathlib
import re
import shlex
import time

import choice
import cmd_setup
import guest as guests
import guest_image
import igt_tests
import platforms
from common import ROOT, Failure, main, say

LISTS = ROOT / "tests" / "igt"
# lib/igt_core.h: IGT_EXIT_*
EXIT_WORDS = {0: "pass", 77: "skip", 79: "invalid", 98: "fail", 99: "fail", 112: "abort", 124: "timeout", 127: "missing", 137: "timeout"}
COMM_LENGTH = 15  # of a process's name, as pkill -x compares it
MEMORY = "6G"  # several tests skip with less
GOOD = ("pass",)
Result = collections.namedtuple("Result", "test word seconds note")


def read_list(path):
    """The first word of each line of a list file, without comments."""
    rows = [line.split("#")[0].split() for line in path.read_text().splitlines()]
    return [row[0] for row in rows if row]


def test_folder(overlay):
    """Where the tests are in the guest, from where they are in the overlay."""
    found = sorted(overlay.glob("**/libexec/igt-gpu-tools"))
    if not found:
        raise Failure(f"{overlay} holds no libexec/igt-gpu-tools; build IGT with meson and install it there with DESTDIR")
    return "/" + str(found[0].relative_to(overlay))


def library_folder(overlay):
    found = sorted(overlay.glob("**/libigt.so*"))
    return "/" + str(found[0].parent.relative_to(overlay)) if found else "/usr/lib"


class Runner:
    """Keeps a guest running; boots a new one when a test crashed or hung it."""

    def __init__(self, options, overlay):
        self._options, self._overlay, self._machine = options, overlay, None
        self._folder, self._libraries = test_folder(overlay), library_folder(overlay)

    def close(self):
        if self._machine:
            self._machine.close()
            self._machine = None

    def machine(self):
        if not self._machine:
            say("booting the guest")
            self._machine = guests.Guest(self._options.guest, overlay=self._overlay, append=self._options.append, platform=self._options.platform,
                                         device_args=self._options.device_args, accelerator=self._options.accel, memory=MEMORY)
            self._machine.boot()
            self._machine.capture("echo 1 >/proc/sys/kernel/printk_devkmsg; dmesg -C", 60)
        return self._machine

    def all_tests(self):
        def ask(script):
            status, out, _ = self.machine().capture(f"export LD_LIBRARY_PATH={self._libraries}; {script}", 60)
            return status, out
        return igt_tests.all_tests(ask, self._folder)

    def run_group(self, tests):
        """Runs subtests of one program in one process. If it ends early, the subtest at which it stopped runs alone, and the others in the next process. A
        subtest that fails runs again, alone, because some leave state behind for the next one (kms_lease). Yields (Result, output, log)."""
        while len(tests) > 1:
            whole, out, log = self.run(igt_tests.joined(tests))
            ended = igt_tests.ended_subtests(out)
            for test in [test for test in tests if test.split("@")[2] in ended]:
                word, seconds, text = ended[test.split("@")[2]]
                if word == "fail":
                    yield self.run(test)
                    continue
                # A program that skips all of its subtests prints the reason once, before the first one.
                text = out if word == "skip" and "Test requirement" not in text else text
                yield Result(test, word, seconds, note(word, text, "")), text, log
            tests = [test for test in tests if test.split("@")[2] not in ended]
            alone = len(tests) if whole.word == "lost" else 1
            for test in tests[:alone]:
                yield self.run(test)
            tests = tests[alone:]
        for test in tests:
            yield self.run(test)

    def run(self, test):
        limit = self._options.test_timeout
        # setsid: tests signal their own process group (i915_pm_rc6_residency), which must not have `timeout` in it. pkill: what a test that ran too long leaves.
        program = shlex.quote(test.split("@")[1][:COMM_LENGTH])
        script = (f"export LD_LIBRARY_PATH={self._libraries} IGT_SENTINEL_ON_STDERR=; cd /tmp; "
                  f"timeout -k 10 {limit} setsid -w {igt_tests.command(self._folder, test)} 2>&1; status=$?; pkill -KILL -x {program}; exit $status")
        machine = self.machine()
        start = time.monotonic()
        try:
            status, out, _ = machine.capture(script, limit + 60)
            _, log, _ = machine.capture(f"{guests.KERNEL_REPORTS}; dmesg -C", 60)
        except Failure as failure:
            self.close()
            return Result(test, "lost", time.monotonic() - start, f"the guest is gone: {failure}"), "", ""
        word = EXIT_WORDS.get(status, f"exit {status}")
        return Result(test, word, time.monotonic() - start, note(word, out, log)), out, log


def note(word, out, log):
    """The line of the output that explains the result, or ''."""
    lines = out.splitlines()
    if word == "skip":
        wanted = [line for line in lines if line.startswith("Test requirement")] + [line for line in lines if "SKIP" in line]
    elif word == "pass":
        wanted = [f"kernel: {line.split('] ', 1)[-1]}" for line in log.splitlines() if "WARN" in line or "*ERROR*" in line]
    else:
        wanted = [line for line in lines if "CRITICAL" in line or "Failed assertion" in line] + lines[-1:]
    return wanted[0].strip()[:160] if wanted else ""


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/igt", description="""Runs tests of IGT (igt-gpu-tools) in a guest on our device and prints a table. DIR is an installed
        IGT, as `DESTDIR=DIR ninja install` leaves it; it is laid over the guest's root. Debian packages no IGT tests, so it is
        built by hand from the public repository (docs/harness.md).""")
    parser.add_argument("directory", metavar="DIR")
    parser.add_argument("--guest", default="bookworm", choices=guest_image.GUESTS)
    parser.add_argument("--platform", default=platforms.names()[0], choices=platforms.names(), help="the chip (default: %(default)s)")
    parser.add_argument("--list", action="append", metavar="FILE", help="""file of test names, the name of one in tests/igt (default: fast-feedback), or
                        'all': the subtests that IGT's programs for this driver list; those of a program share a process""")
    parser.add_argument("--exclude", action="append", default=[], metavar="FILE", help="""leave out the tests that match one of the regular expressions in
                        FILE, one per line, as in IGT's tests/intel-ci/blacklist.txt: what its makers do not run, mostly because it takes too long""")
    parser.add_argument("--resume", action="store_true", help="leave out the tests that --json FILE has, and add to it")
    parser.add_argument("--test", action="append", default=[], metavar="NAME", help="run only this test (igt@BINARY@SUBTEST)")
    choice.add_options(parser)
    parser.add_argument("--test-timeout", type=int, default=180, metavar="SECONDS", help="for one test (default: 180)")
    parser.add_argument("--logs", metavar="DIR", help="keep each test's output in this directory")
    parser.add_argument("--json", metavar="FILE", help="also write the results there")
    parser.add_argument("--device-args", default="", metavar="STR", help="properties of the device")
    parser.add_argument("--append", default="", metavar="STR", help="more words for the guest kernel's command line")
    parser.add_argument("--accel", default="auto", choices=["auto", "kvm", "tcg"])
    parser.add_argument("--no-setup", action="store_true", help="use what is built")
    return parser.parse_args(argv)


def chosen(options, runner):
    """The tests to run, as lists: the tests of one list share a process."""
    if options.test:
        return [[test] for test in options.test]
    from_programs = options.list == ["all"]
    tests = choice.choose(without(options.exclude, runner.all_tests() if from_programs else listed(options)), options)
    return igt_tests.groups(tests) if from_programs else [[test] for test in tests]


def without(files, tests):
    """The tests that no expression of the files matches. As IGT's runner has it, an expression need not match the whole name."""
    try:
        expressions = [re.compile(line) for name in files for line in read_list(pathlib.Path(name))]
    except re.error as error:
        raise Failure(f"--exclude: {error}: '{error.pattern}'") from error
    return [test for test in tests if not any(expression.search(test) for expression in expressions)]


def listed(options):
    tests = []
    for name in options.list or ["fast-feedback"]:
        path = pathlib.Path(name) if pathlib.Path(name).is_file() else LISTS / f"{name}.txt"
        if not path.is_file():
            raise Failure(f"there is no list '{name}'")
        tests += [test for test in read_list(path) if test not in tests]
    return tests


def igt(argv):
    options = parse(argv)
    overlay = pathlib.Path(options.directory)
    if not overlay.is_dir():
        print(f"SKIPPED: there is no IGT in '{overlay}'; no test ran\n0 passed, 0 failed, 1 skipped")
        return 0
    if options.resume and not options.json:
        raise Failure("--resume needs --json FILE")
    runner = Runner(options, overlay.resolve())
    if not options.no_setup:
        cmd_setup.ensure()
    if options.logs:
        pathlib.Path(options.logs).mkdir(parents=True, exist_ok=True)
    results = []
    if options.resume and pathlib.Path(options.json).exists():
        results = [Result(**row) for row in json.loads(pathlib.Path(options.json).read_text())]
    try:
        run_all(chosen(options, runner), runner, options, results)
    finally:
        runner.close()
    return summary(results)


def run_all(groups, runner, options, results):
    """Runs the tests that `results` lacks, and adds them to it, to the logs and to the JSON file."""
    known = {result.test for result in results}
    for group in groups:
        tests = [test for test in group if test not in known]
        for result, out, log in runner.run_group(tests):
            results.append(result)
            print(f"{result.word:8} {result.seconds:7.1f} s  {result.test:64} {result.note}".rstrip(), flush=True)
            if options.logs:
                (pathlib.Path(options.logs) / f"{result.test.replace('/', '_')}.txt").write_text(f"{result.word}\n{out}\n--- kernel ---\n{log}")
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps([result._asdict() for result in results], indent=1))


def summary(results):
    words = collections.Counter(result.word for result in results)
    passed = sum(words[word] for word in GOOD)
    ran = len(results) - words["skip"]
    print(", ".join(f"{n} {word}" for word, n in words.most_common()) + f" of {len(results)}" +
          (f"; {100 * passed / ran:.1f} % of those that ran" if ran else ""))
    print(f"{passed} passed, {ran - passed} failed, {words['skip']} skipped")
    return 0 if passed == ran else 1


if __name__ == "__main__":
    main("igt", igt)
