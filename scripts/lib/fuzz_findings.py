# SPDX-License-Identifier: GPL-2.0-or-later
"""Findings of the fuzzers of guest drivers: complaints of a kernel, what those of one cause have in common, and files that repeat them."""
import collections
import pathlib
import re

import fuzz_machine
from common import Failure

# attempt: what was executed, as small as it got; text: the same for people; path: the file that --repro takes.
Finding = collections.namedtuple("Finding", "oracle what signature attempt text path")
# Seen anywhere in a loop or a wait.
WAITS = ("soft lockup", "hung task", "no end")


def complaint_of(outcome, ignored=()):
    """(oracle, line) of the kernel's first complaint, or None. `ignored`: oracles that do not count."""
    for oracle, line in fuzz_machine.complaints(outcome.console):
        # The machine itself makes a guest panic that does not end, to have its stack.
        if oracle not in ignored and (oracle != "panic" or outcome.end == "dead"):
            return oracle, line
    return None


def behind(line, console):
    """What a kernel says from a complaint on; all that it says when the complaint is not its own."""
    return console[max(0, console.find(line)):]


def driver_function(line, console):
    """The first function of i915 or drm that the stack behind a complaint shows, or None."""
    found = re.search(r"^\[[^\]]*\] +(\w[\w.]*)\+0x\w+/0x\w+ \[(?:i915|drm\w*)\]", behind(line, console), re.MULTILINE)
    return found and found.group(1)


def outermost_function(line, console):
    """The outermost function of a module that the first stack behind a complaint shows, or None."""
    trace = re.search(r"Call Trace:(.*?)(?:</TASK>|\Z)", behind(line, console), re.DOTALL)
    lines = re.sub(r"^\[[^]]*\]", "", trace.group(1), flags=re.MULTILINE) if trace else ""
    inside = re.findall(r"^\S*\s+(?!\?)(\w+)\+0x\S+ \[\w+\]", lines, re.MULTILINE)
    return inside[-1] if inside else None


def signature(oracle, line, console):
    """What findings of one cause have in common: the oracle and the function, or the place in the source."""
    if oracle in WAITS:
        return f"{oracle}: {outermost_function(line, console) or 'outside modules'}"
    if at := re.search(r" at (\S+) (\w+)", line):
        place, own = at.group(1), at.group(1).startswith("drivers/")
    elif line in console and (at := re.search(r"RIP: \w+:(\w+)\S*( \[)?", behind(line, console))):
        place, own = at.group(1), at.group(2)
    else:
        return f"{oracle}: {re.sub(r'0x[0-9a-f]+|[0-9]+|[0-9a-f]{16}', 'N', line)}"
    # The kernel's own code fails by what its caller asks for.
    caller = None if own else driver_function(line, console)
    return f"{oracle}: {place}" + (f" in {caller}" if caller else "")


def write(path, header, facts, line, text, console):
    """Writes a finding's file, and the kernel's messages beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([header, *(f"# {key}: {value}" for key, value in facts.items()), f"# {line}", text]))
    path.with_suffix(".console").write_text(console)


def read(path, header, what):
    """(facts, text) of a file that write() wrote. `what` it has to be, for the error message."""
    try:
        text = pathlib.Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"'{path}' cannot be read ({error})") from None
    if not text.startswith(header + "\n"):
        raise Failure(f"'{path}' is no {what}: its first line is not '{header}'")
    return dict(re.findall(r"^# (\w+): (.*)$", text, re.MULTILINE)), text
