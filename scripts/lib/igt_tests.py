# SPDX-License-Identifier: GPL-2.0-or-later
"""IGT's tests: their names, the commands that run them, and the results in the output of a program that runs several subtests."""
import collections
import re
import shlex

from common import Failure

# Of `--list all`: programs of i915 and its display. The two left out enumerate each pair of ways to access a buffer: 485,520 subtests, in no list of IGT's own.
FAMILIES = ("kms_", "gem_", "gen9_", "i915_", "perf")
LEFT_OUT = ("gem_concurrent_all", "gem_concurrent_blit")
NO_SUBTESTS = 79   # IGT_EXIT_INVALID: the exit status of a program without subtests when it is asked to list them
MAX_SUBTESTS = 16  # per process
WORDS = {"SUCCESS": "pass", "SKIP": "skip", "FAIL": "fail", "CRASH": "crash", "TIMEOUT": "timeout"}  # lib/igt_core.c: exit_subtest()

Ended = collections.namedtuple("Ended", "word seconds text")  # a subtest


def command(folder, test):
    """The shell command of 'igt@BINARY@SUBTEST@DYNAMIC'."""
    parts = test.split("@")
    if len(parts) < 2 or parts[0] != "igt":
        raise Failure(f"'{test}' is no test name; they look like igt@gem_exec_basic@basic")
    words = [f"{folder}/{parts[1]}"]
    if len(parts) > 2:
        words += ["--run-subtest", parts[2]]
    if len(parts) > 3:
        words += ["--dynamic-subtest", parts[3]]
    return shlex.join(words)


def joined(tests):
    """The name that command() takes for several subtests of one program, by IGT's syntax of patterns."""
    return tests[0] if len(tests) == 1 else "@".join([*tests[0].split("@")[:2], ",".join(test.split("@")[2] for test in tests)])


def groups(tests):
    """Lists of neighbours in `tests` that one process can run: subtests of one program, at most MAX_SUBTESTS."""
    found = []
    for test in tests:
        parts = test.split("@")
        last = found[-1] if found else None
        if last and len(parts) == 3 and len(last) < MAX_SUBTESTS and last[0].split("@")[:2] == parts[:2] and last[0].count("@") == 2:
            last.append(test)
        else:
            found.append([test])
    return found


def ended_subtests(output):
    """{subtest: Ended} of a program's output. The text is the output from the subtest's start to its end.
    With IGT_SENTINEL_ON_STDERR a program prints a subtest's end twice; the first one counts."""
    found, start = {}, 0
    for line in re.finditer(r"^(?:Starting subtest: .*|Subtest (\S+): ([A-Z]+)(?: \(([0-9.]+)s\))?.*)$", output, re.MULTILINE):
        if not line[1]:
            start = line.start()
        elif line[2] in WORDS:
            found.setdefault(line[1], Ended(WORDS[line[2]], float(line[3] or 0), output[start:line.end()]))
            start = line.end() + 1
    return found


def all_tests(ask, folder):
    """The tests of FAMILIES. `ask` runs a shell command in the guest and returns status and output."""
    _, listing = ask(f"ls {shlex.quote(folder)}")
    programs = [name for name in listing.split() if name.startswith(FAMILIES) and name not in LEFT_OUT]
    tests = []
    for program in programs:
        status, subtests = ask(f"cd /tmp; {shlex.quote(f'{folder}/{program}')} --list-subtests 2>/dev/null")
        if status == NO_SUBTESTS:
            tests.append(f"igt@{program}")
        elif status == 0:
            tests += [f"igt@{program}@{subtest}" for subtest in subtests.split()]
        else:
            raise Failure(f"{program} does not list its subtests: exit status {status}")
    return tests
