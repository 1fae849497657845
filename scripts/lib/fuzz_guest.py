# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine of scripts/fuzz guest: a corpus of programs that reached new code, and what they found."""
import collections
import pathlib
import re

import fuzz_base
import fuzz_compares
import fuzz_findings
import fuzz_generate
import fuzz_packets
import fuzz_program
import fuzz_table
import fuzz_text
from common import CACHE, Failure

FINDINGS = CACHE / "findings" / "guest"
SEEDS = fuzz_table.FOLDER / "seeds.txt"
HEADER = "# softgen fuzz guest"
NODE = "submit"
# An execution that takes longer than 12 s of guest time does not end: the agent interrupts its program after 2. What takes the host longer than 25 s
# is counted as slow: batches without an end cost the host more than the guest.
LIMIT_US, LIMIT_SECONDS = 12_000_000, 25
FRESH_PROGRAMS = 12  # one in so many is made from nothing
RECENT = 24          # a third of the others change one of the newest
LONG_SECONDS = 0.7   # programs that take longer are kept only if they reach much
MUCH = 30
MAX_TRIES = 400      # executions to make a finding's program smaller
# A program has taken the machine's memory. Elsewhere Linux ends the process; here the agent is init, which it must not end.
NO_MEMORY = "Kernel panic - not syncing: System is deadlocked on memory"
BROKEN_ISOLATION, MALFORMED = 1, 2  # scripts/guest/fuzz/programs.h

Entry = collections.namedtuple("Entry", "calls seconds")  # of the corpus: a program, and how long the host ran it


def finding_of(outcome):
    """(oracle, line) of an execution, or None."""
    if outcome.end == "done" and outcome.status & MALFORMED:
        raise Failure(f"the agent does not understand a program: {outcome.output[-200:]}")
    if NO_MEMORY in outcome.console:
        return None
    found = fuzz_findings.complaint_of(outcome)
    if found:
        return found
    if outcome.end == "done" and outcome.status & BROKEN_ISOLATION:
        return "isolation", "a program changed memory that is not its own"
    return ("no end", "the program does not end") if outcome.end in ("limit", "dead") else None


def signature(oracle, line, console):
    """What findings of one cause have in common: fuzz_findings', and the first function of i915 or drm that the stack shows."""
    name, function = fuzz_findings.signature(oracle, line, console), fuzz_findings.driver_function(line, console)
    return name if not function or name.endswith(f" in {function}") else f"{name} in {function}"


def read_programs(path):
    """The programs of a text: blank lines stand between them."""
    text = re.sub(r"(?m)^#.*\n", "", pathlib.Path(path).read_text())
    return [part for part in re.split(r"\n\s*\n", text.strip()) if part]


class ValueGroup:
    """A number in a program, to be traced (fuzz_compares.Tracer)."""

    def __init__(self, table, calls, call, place, size):
        self._table, self._calls, self._call, self._place = table, calls, call, place
        self.parts = [fuzz_compares.parts_of(8 * size)]

    def _with(self, value):
        calls = fuzz_program.copied(self._calls)
        list(fuzz_program.places(self._table, calls[self._call]))[self._place].value = value
        return calls

    def tagged(self, tags):
        return self._with(tags[0])

    def changed(self, number, value, part):  # pylint: disable=unused-argument
        calls = self._with(value)
        return fuzz_text.write(self._table, calls), calls


def random_value(table, random, calls):
    """The ValueGroup of a number of `calls` that may be any, or None."""
    call = random.randrange(len(calls))
    spots = [(at, place.field.size) for at, place in enumerate(fuzz_program.places(table, calls[call]))
             if type(place.value) is int and fuzz_generate.Mutator.can_change(place) and not (place.field.kind.strict or place.field.kind.is_pointer)]
    return ValueGroup(table, calls, call, *random.choice(spots)) if spots else None


class Campaign(fuzz_compares.TracingCampaign, fuzz_base.BaseCampaign):
    HEADER, node = HEADER, NODE

    def __init__(self, options, seed):
        super().__init__(options, seed)
        self.table = fuzz_table.load()
        self.packets = fuzz_packets.load(fuzz_packets.set_of(options.platform))
        self.mutator = fuzz_generate.Mutator(self.table, self.packets, self.random)
        self.tracer = fuzz_compares.Tracer(self.random, lambda: random_value(self.table, self.random, self._any_entry().calls))
        self.slow = []
        self.entered = set()  # fuzz_coverage.entered(), at the end
        self.errors = collections.Counter()  # (call, errno)

    def parse(self, text):
        return fuzz_text.read(self.table, text, self.packets)

    def seed(self, texts):
        """Runs programs that are known."""
        for text in texts:
            self.step(self.mutator.finished(self.parse(text)))

    def _any_entry(self):
        return self.random.choice(self.corpus[-RECENT:] if self.random.randrange(3) == 0 else self.corpus)

    def next_attempt(self):
        if self.corpus and (attempt := self.by_compares()):
            return attempt
        if not self.corpus or self.random.randrange(FRESH_PROGRAMS) == 0:
            return self.mutator.fresh()
        one, other = self._any_entry(), self._any_entry()
        base = self.cheaper(one, other, lambda entry: entry.seconds)
        return self.mutator.mutated(base.calls, (other if base is one else one).calls)

    def run_on_machine(self, attempt):
        data = b"p" + fuzz_program.encode(self.table, self.packets, attempt)
        return self.run_traced(attempt, lambda: self.machine.execute(data, "", LIMIT_US, LIMIT_SECONDS))

    def finding_of(self, outcome):
        return finding_of(outcome)

    def signature(self, oracle, line, console):
        return signature(oracle, line, console)

    def executed(self, attempt, outcome, found):
        if isinstance(attempt, fuzz_compares.Traced):
            self.tracer.seen(attempt)
        if outcome.end == "silent":
            self.slow.append(attempt)
        for call, number in zip(attempt, outcome.output.split()):
            self.errors[call.name, number] += 1
        if not found and outcome.end == "done" and outcome.fresh["classes"] >= (1 if outcome.seconds < LONG_SECONDS else MUCH):
            self.corpus.append(Entry(list(attempt), outcome.seconds))

    def smaller(self, attempt, repeats):
        return smaller(self.table, attempt, repeats)

    def text_of(self, attempt):
        return fuzz_text.write(self.table, attempt)

    def file_of(self, key):
        return FINDINGS / f"{key}.program"


def smaller(table, calls, repeats):
    """The least program that still repeats(it): without calls, then with zeros for values."""
    tries = 0

    def holds(program):
        nonlocal tries
        tries += 1
        return tries <= MAX_TRIES and bool(program) and repeats(program)

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
    """(facts, text) of a finding's file."""
    return fuzz_findings.read(path, HEADER, "program")
