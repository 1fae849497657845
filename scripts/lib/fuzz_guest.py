# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine of scripts/fuzz guest: a corpus of programs that reached new code, and what they found."""
import collections
import pathlib
import random
import re
import time

import fuzz_campaign
import fuzz_generate
import fuzz_machine
import fuzz_packets
import fuzz_program
import fuzz_table
import fuzz_text
from common import CACHE, Failure, content_key

FINDINGS = CACHE / "findings" / "guest"
SEEDS = fuzz_table.FOLDER / "seeds.txt"
HEADER = "# softgen fuzz guest"
NODE = "submit"
# An execution that takes longer than 12 s of guest time does not end: the agent interrupts its program after 5. What takes the host longer than 25 s
# is counted as slow: batches without an end cost the host more than the guest.
LIMIT_MS, LIMIT_SECONDS = 12_000, 25
FRESH_PROGRAMS = 12  # one in so many is made from nothing
RECENT = 24          # a third of the others change one of the newest
LONG_SECONDS = 0.7   # programs that take longer are kept only if they reach much
MUCH = 30
MAX_TRIES, MAX_SECONDS = 400, 120  # executions and time to make a finding's program smaller
BROKEN_ISOLATION, MALFORMED = 1, 2  # scripts/guest/fuzz/programs.h

Entry = collections.namedtuple("Entry", "calls seconds")  # of the corpus: a program, and how long the host ran it
Finding = collections.namedtuple("Finding", "oracle what signature text console path")


def finding_of(outcome):
    """(oracle, line) of an execution, or None."""
    if outcome.end == "done" and outcome.status & MALFORMED:
        raise Failure(f"the agent does not understand a program: {outcome.output[-200:]}")
    # The machine itself makes a guest panic that does not end, to have its stack.
    found = [complaint for complaint in fuzz_machine.complaints(outcome.console) if complaint[0] != "panic" or outcome.end == "dead"]
    if found:
        return found[0]
    if outcome.end == "done" and outcome.status & BROKEN_ISOLATION:
        return "isolation", "a program changed memory that is not its own"
    return ("no end", "the program does not end") if outcome.end in ("limit", "dead") else None


def signature(oracle, line, console):
    """What findings of one cause have in common: fuzz_campaign's, and the first function of i915 or drm that the stack shows."""
    name, function = fuzz_campaign.signature(oracle, line, console), fuzz_campaign.driver_function(line, console)
    return name if not function or name.endswith(f" in {function}") else f"{name} in {function}"


def read_programs(path):
    """The programs of a text: blank lines stand between them."""
    text = re.sub(r"(?m)^#.*\n", "", pathlib.Path(path).read_text())
    return [part for part in re.split(r"\n\s*\n", text.strip()) if part]


class Campaign:
    def __init__(self, options, seed):
        self.options, self.table = options, fuzz_table.load()
        self.packets = fuzz_packets.load(fuzz_packets.set_of(options.platform))
        self.random = random.Random(seed)
        self.mutator = fuzz_generate.Mutator(self.table, self.packets, self.random)
        self.corpus, self.findings, self.machine = [], {}, None
        self.executions, self.seconds, self.blocks, self.slow = 0, 0.0, 0, []
        self.errors = collections.Counter()  # (call, errno)

    def start(self):
        self.machine = fuzz_machine.FuzzMachine(self.options.guest, self.options.platform, NODE, self.options.module, self.options.append,
                                                self.options.device_args)
        complaints = fuzz_machine.complaints(self.machine.boot())
        if complaints:
            raise Failure(f"the kernel complains before the first execution: {complaints[0][1]}")

    def close(self):
        if self.machine:
            self.machine.close()
            self.machine = None

    def parse(self, text):
        return fuzz_text.read(self.table, text, self.packets)

    def seed(self, texts):
        """Runs programs that are known."""
        for text in texts:
            self.step(self.mutator.finished(self.parse(text)))

    def run(self, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            began = time.monotonic()
            self.step(self.next_program())
            self.seconds += time.monotonic() - began

    def next_program(self):
        if not self.corpus or self.random.randrange(FRESH_PROGRAMS) == 0:
            return self.mutator.fresh()
        # Of two programs mostly the one that costs less: modesets and waits take ten times what the others do.
        base, other = (self.random.choice(self.corpus[-RECENT:] if self.random.randrange(3) == 0 else self.corpus) for _ in range(2))
        if (base.seconds > other.seconds) == (self.random.randrange(5) != 0):
            base, other = other, base
        return self.mutator.mutated(base.calls, other.calls)

    def execute(self, calls):
        data = b"p" + fuzz_program.encode(self.table, self.packets, calls)
        return self.machine.execute(data, "", LIMIT_MS, LIMIT_SECONDS)

    def step(self, calls):
        try:
            outcome = self.execute(calls)
        except Failure as failure:  # QEMU has ended: a fault of ours
            self.keep("QEMU ends", str(failure), f"QEMU: {failure}", calls, "")
            self.close()
            self.start()
            return
        self.executions += 1
        self.blocks = outcome.fresh["all"]
        if outcome.end == "silent":
            self.slow.append(calls)
        for call, number in zip(calls, outcome.output.split()):
            self.errors[call.name, number] += 1
        found = finding_of(outcome)
        if found:
            self.found(found, calls, outcome)
        elif outcome.fresh["classes"] >= (1 if outcome.seconds < LONG_SECONDS else MUCH) and outcome.end == "done":
            self.corpus.append(Entry(calls, outcome.seconds))

    def found(self, found, calls, outcome):
        oracle, line = found
        name = signature(oracle, line, outcome.console)
        if name in self.findings:
            return

        def repeats(program):
            again = self.execute(program)
            now = finding_of(again)
            return now is not None and signature(*now, again.console) == name

        if not repeats(calls):
            self.keep(oracle, f"{line} (once; it did not repeat)", name, calls, outcome.console)
            return
        self.keep(oracle, line, name, calls, outcome.console)  # what stays when somebody stops us now
        self.keep(oracle, line, name, smaller(self.table, calls, repeats), outcome.console)

    def keep(self, oracle, line, name, calls, console):
        """Writes a finding's program and the kernel's words."""
        FINDINGS.mkdir(parents=True, exist_ok=True)
        path = FINDINGS / f"{content_key(name, self.options.guest, self.options.platform)}.program"
        facts = {"platform": self.options.platform, "guest": self.options.guest, "image": self.machine.image if self.machine else "", "finding": name}
        text = fuzz_text.write(self.table, calls)
        path.write_text("\n".join([HEADER, *(f"# {key}: {value}" for key, value in facts.items()), f"# {line}", text]))
        path.with_suffix(".console").write_text(console)
        self.findings[name] = Finding(oracle, line, name, text, console, path)


def smaller(table, calls, repeats):
    """The least program that still repeats(it): without calls, then with zeros for values."""
    tries, deadline = 0, time.monotonic() + MAX_SECONDS

    def holds(program):
        nonlocal tries
        tries += 1
        return tries <= MAX_TRIES and time.monotonic() < deadline and bool(program) and repeats(program)

    step = max(1, len(calls) // 2)
    while step:
        at = len(calls) - step
        while at >= 0:
            less = fuzz_program.renumbered(calls[:at] + calls[at + step:])
            if holds(less):
                calls = less
            at -= step
        step //= 2
    for index in range(len(calls)):
        spots = len(list(fuzz_program.places(table, calls[index])))
        for spot in reversed(range(spots)):
            while (less := with_zero(table, calls, index, spot)) and holds(less):
                calls = less
    return calls


def with_zero(table, calls, index, spot):
    """A copy with a lesser value at a place of a call, or None."""
    less = fuzz_program.copied(calls)
    places = list(fuzz_program.places(table, less[index]))
    return less if spot < len(places) and zeroed(table, places[spot]) else None


def zeroed(table, place):
    """Gives a value its default; False where it has that, or must keep its own."""
    value, one = place.value, place.field
    if one.kind.strict or isinstance(value, (fuzz_program.Rec, fuzz_program.Out)) or one.kind.name in ("const", "string", "text"):
        return False
    if isinstance(value, list) and one.count > 1:
        return False
    if isinstance(value, list) and value and one.kind.name in ("array", "chain", "batch"):
        place.value = value[1:] or None
        return True
    plain = fuzz_program.default(table, one) if one.count == 1 else 0
    if value == plain:
        return False
    place.value = plain
    return True


def read_program(path):
    """(facts, text) of a file that keep() wrote."""
    try:
        text = pathlib.Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"'{path}' cannot be read ({error})") from None
    if not text.startswith(HEADER + "\n"):
        raise Failure(f"'{path}' is no program: its first line is not '{HEADER}'")
    return dict(re.findall(r"^# (\w+): (.*)$", text, re.MULTILINE)), text
