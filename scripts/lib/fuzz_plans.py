# SPDX-License-Identifier: GPL-2.0-or-later
"""Fault plans as a fuzzer's inputs: lines made and changed at random, by what a plan can say and where the device asks.

Deterministic: a random.Random decides all."""
import collections
import re

import fuzz_compares

# A line that is not the device's: `opregion OFFSET=BYTE` changes what firmware leaves to the driver when an execution begins. At 400h is the Video BIOS
# Table (docs/display.md). The driver reads it when it takes the device.
OPREGION, OPREGION_BYTES = "opregion ", 0x2000
# What a plan is made of: `points` {name: row of the device's vocabulary}, `registers` {name: [[high, low]]}, `sites` [(point, where, count)] of a run
# without faults, `constants` that the driver compares with; offsets of the OpRegion that `firmware` has set, if the driver reads it.
Vocabulary = collections.namedtuple("Vocabulary", "points registers sites constants firmware")
MAX_LINES = 8
OFTEN = 4  # an occurrence beyond the counted ones is asked for once in so many
DURATIONS = ["1us", "20us", "500us", "3ms", "40ms", "700ms", "3s"]
PERIODS = ["100us", "1ms", "10ms", "100ms"]
REGISTER_POINTS = {"mmio.read", "mmio.write"}
# Points that a run without faults never asks at, but that one with faults may.
RARE_POINTS = ["gdrst", "gdrst.ready", "resume", "irq", "hotplug", "display.underrun", "tlb"]
SWEPT_OCCURRENCES, SWEPT_LINES = 3, 6  # max per place; per plan
TRACED_PLACES = 3  # of a plan at once: a wrong value may end the work before the driver compares another one
MAX_TRACED_PLANS = 64  # that wait


def vocabulary(answer, census, constants=(), firmware=()):
    return Vocabulary({point["name"]: point for point in answer["points"]}, answer["registers"],
                      sorted((site["point"], site["where"], site["count"]) for site in census), sorted(constants), firmware)


def number(rng, limit, constants):
    """A number that drivers may stumble over."""
    kind = rng.randrange(6)
    if kind == 0:
        value = rng.choice([0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
    elif kind == 1:
        value = 1 << rng.randrange(32)
    elif kind == 2 and constants:
        value = rng.choice(constants) + rng.choice([-1, 0, 0, 1])
    elif kind == 3:
        value = rng.randrange(256)
    else:
        value = rng.getrandbits(32)
    return max(0, value) % (min(limit, 0xFFFFFFFF) + 1)


def field_action(rng, fields, constants):
    """An action of a register's read or write that changes one field."""
    high, low = rng.choice(fields)
    width = high - low + 1
    ones = ((1 << width) - 1) << low
    kind = rng.randrange(4)
    if kind == 0:
        return f"or {ones:#x}"
    if kind == 1:
        return f"and {0xFFFFFFFF ^ ones:#x}"
    return f"xor {max(1, number(rng, (1 << width) - 1, constants)) << low:#x}"


def action(rng, words, point, where):
    """The text behind `do`."""
    fields = words.registers.get(where)
    if point in REGISTER_POINTS and fields and rng.randrange(2):
        return field_action(rng, fields, words.constants)
    row = rng.choice(words.points[point]["actions"])
    kind, name = row["argument"], row["name"]
    if kind == "none" or (kind == "optional" and rng.randrange(2)):
        return name
    if kind == "number":
        return f"{name} {number(rng, row['limit'], words.constants):#x}"
    if kind == "bits":
        return f"{name} bits={1 + min(rng.getrandbits(5), rng.getrandbits(5))}"
    return f"{name} {rng.choice(DURATIONS)}"


def when(rng, count):
    """Keys that say when a line fires: mostly at one of the occurrences there are."""
    kind = rng.randrange(8)
    if kind == 0:
        return ""
    if kind == 1:
        return f" p={rng.choice(['0.5', '0.1', '0.02'])}"
    first = 1 + rng.randrange(max(1, count) * (1 + (rng.randrange(OFTEN) == 0)))
    if kind == 2:
        return f" nth={first} times={rng.choice([0, 2, 5])}"
    return f" nth={first}"


def opregion_line(rng, offset):
    return f"{OPREGION}{offset:x}={rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)]):x}"


def near_opregion_line(rng, text):
    """A line for an offset at most 3 from that of the line `text`."""
    offset = int(text.removeprefix(OPREGION).split("=")[0], 16) + rng.randint(-3, 3)
    return opregion_line(rng, min(max(offset, 0), OPREGION_BYTES - 1))


def line(rng, words):
    """A new line."""
    if words.firmware and rng.randrange(8) == 0:
        return opregion_line(rng, rng.choice(words.firmware) if rng.randrange(8) else rng.randrange(OPREGION_BYTES))
    if words.sites and rng.randrange(8):
        # A point first: registers have by far the most sites.
        point = rng.choice(sorted({site[0] for site in words.sites}))
        _, where, count = rng.choice([site for site in words.sites if site[0] == point])
    else:
        point, where, count = rng.choice([name for name in RARE_POINTS if name in words.points]), "", 4
    return line_at(rng, words, point, where, when(rng, count))


def line_at(rng, words, point, where, moment):
    """A line for one place; `moment`: the keys of when()."""
    row = words.points[point]
    if row["pulses"] and rng.randrange(2):
        what = rng.choice(row["keys"].get("source") or [""])
        where = f"source={what}" if what else ""
        return f"on {point} {where} every={rng.choice(PERIODS)} for={rng.choice(DURATIONS)} do raise".replace("  ", " ")
    choices = [act for act in row["actions"] if act["name"] != "raise"]
    if not choices:
        return f"on {point} every={rng.choice(PERIODS)} for={rng.choice(DURATIONS)} do raise"
    text = action(rng, words._replace(points={**words.points, point: {**row, "actions": choices}}), point, where)
    if row["register"] and not where:
        where = "*"
    if not row["register"] and rng.randrange(3) == 0:
        where = ""
    return f"on {point}{' ' * bool(where)}{where}{moment} do {text}"


class Sweep:
    """Plans that visit every place where a run without faults reads from the device, in random order: each place once per pass."""

    def __init__(self, rng, words):
        self._rng, self._left = rng, []
        self._places = [(point, where, nth + 1) for point, where, count in words.sites if point != "mmio.write" for nth in range(min(count, SWEPT_OCCURRENCES))]
        self._places += [(OPREGION, offset, 0) for offset in words.firmware]

    def plan(self, words):
        return [self._line(words, *self._next()) for _ in range(min(SWEPT_LINES, len(self._places)))]

    def _next(self):
        if not self._left:
            self._left = self._rng.sample(self._places, len(self._places))
        return self._left.pop()

    def _line(self, words, point, where, nth):
        return opregion_line(self._rng, where) if point == OPREGION else line_at(self._rng, words, point, where, f" nth={nth}")


class RegisterPlace:
    """A line whose action's number the driver reads; tagged, then replaced by what the driver compares it with (fuzz_compares)."""
    BITS = {"mmio.read": ("stuck", 32), "config.read": ("stuck", 32), "pcode": ("value", 32), "cs.csb": ("value", 64)}

    def __init__(self, words, head, point, where):
        self._head, (self._action, width) = head, self.BITS[point]
        self.parts = fuzz_compares.parts_of(width, words.registers.get(where, ()))

    def lines(self, value, part=None):  # pylint: disable=unused-argument
        return [f"{self._head} do {self._action} {value:#x}"]


class FirmwarePlace:
    """Four bytes of the OpRegion."""

    def __init__(self, offset):
        self._offset = min(offset, OPREGION_BYTES - 4)
        self.parts = sorted({*fuzz_compares.parts_of(32), fuzz_compares.Part(8, 16)}, key=lambda part: (-part.width, part.low))

    def lines(self, value, part=None):
        low, width = part or self.parts[0]
        return [f"{OPREGION}{self._offset + byte:x}={value >> 8 * byte & 0xff:x}" for byte in range(low // 8, (low + width) // 8)]


def place_of(words, text):
    """The place that a line is, or None."""
    if text.startswith(OPREGION):
        return FirmwarePlace(int(text.removeprefix(OPREGION).split("=")[0], 16))
    match = re.match(r"(on (\S+)(.*)) do (\w+)", text)
    if not match or match.group(2) not in RegisterPlace.BITS or "every=" in text:
        return None
    where = " ".join(word for word in match.group(3).split() if not re.match(r"(nth|times|p|from|for)=", word))
    return RegisterPlace(words, match.group(1), match.group(2), where)


class PlanGroup:
    """Places of a plan to be traced together: `places` {index of a line: place}; a place behind the plan's lines is added to it."""

    def __init__(self, plan, places):
        self._plan, self._places = plan, list(places.items())
        self.parts = [place.parts for place in places.values()]

    def _with(self, numbers, lines_of):
        lines = {at: lines_of(number, place) for number, (at, place) in enumerate(self._places) if number in numbers}
        return [line for at in range(max([len(self._plan), *(at + 1 for at in lines)])) for line in lines.get(at, self._plan[at:at + 1])]

    def tagged(self, tags):
        return self._with(range(len(tags)), lambda number, place: place.lines(tags[number]))

    def changed(self, number, value, part):
        """(its new lines, the plan)"""
        return tuple(self._places[number][1].lines(value, part)), self._with([number], lambda _, place: place.lines(value, part))


class PlanGroups:
    """What is traced next: alternately a plan that was kept, and places where a run without faults reads, in random order."""

    def __init__(self, rng, words):
        self._rng, self._words, self._plans, self._left, self._of_plan = rng, words, collections.deque(), [], False

    def keep(self, plan):
        if len(self._plans) < MAX_TRACED_PLANS:
            self._plans.append(plan)

    def next(self):
        self._of_plan = not self._of_plan
        while self._plans and not self._of_plan:
            plan = self._plans.popleft()
            places = {at: place for at, line in enumerate(plan) if (place := place_of(self._words, line))}
            if places:
                chosen = self._rng.sample(sorted(places), min(TRACED_PLACES, len(places)))
                return PlanGroup(plan, {at: places[at] for at in sorted(chosen)})
        if not self._left:
            self._left = self._all_places()
        some, self._left = self._left[:TRACED_PLACES], self._left[TRACED_PLACES:]
        return PlanGroup([], {at: place_of(self._words, line) for at, line in enumerate(some)}) if some else None

    def _all_places(self):
        lines = [f"on {point} {where} nth={nth + 1} do any" for point, where, count in self._words.sites if point in RegisterPlace.BITS
                 for nth in range(min(count, SWEPT_OCCURRENCES))]
        lines += [f"{OPREGION}{offset:x}=0" for offset in self._words.firmware if offset % 2 == 0]
        return self._rng.sample(lines, len(lines))


def changed_line(rng, words, text):
    """A line with another time, or another action."""
    if text.startswith(OPREGION):
        return near_opregion_line(rng, text)
    match = re.match(r"on (\S+)(.*) do (.*)$", text)
    if not match:
        return line(rng, words)
    point, middle, done = match.groups()
    if "every=" in middle or done == "raise":
        return re.sub(r"every=\S+", f"every={rng.choice(PERIODS)}", text)
    where = " ".join(word for word in middle.split() if not re.match(r"(nth|times|p|from|for|every)=", word))
    counts = [count for name, place, count in words.sites if name == point and place == where] or [4]
    if rng.randrange(2):
        row = words.points[point]
        rows = [act for act in row["actions"] if act["name"] != "raise"]
        done = action(rng, words._replace(points={**words.points, point: {**row, "actions": rows}}), point, where)
    else:
        middle = f"{' ' * bool(where)}{where}{when(rng, counts[0])}"
    return f"on {point}{middle} do {done}"


def mutated(rng, words, plan, others):
    """A plan made of another one: lines added, changed, removed, or taken from one of `others`."""
    lines = list(plan)
    for _ in range(1 + min(rng.getrandbits(2), rng.getrandbits(2))):
        kind = rng.randrange(6)
        if kind <= 1 or not lines:
            lines.insert(rng.randint(0, len(lines)), line(rng, words))
        elif kind <= 3:
            at = rng.randrange(len(lines))
            lines[at] = changed_line(rng, words, lines[at])
        elif kind == 4:
            del lines[rng.randrange(len(lines))]
        elif others:
            lines += rng.choice(others)
    lines = lines or [line(rng, words)]
    while len(lines) > MAX_LINES:
        del lines[rng.randrange(len(lines))]
    return lines


def smaller(plan, still_fails):
    """The fewest lines of a plan, each as simple as can be, for which still_fails(plan) holds."""
    at = 0
    while at < len(plan):
        rest = plan[:at] + plan[at + 1:]
        if rest and still_fails(rest):
            plan = rest
        else:
            at += 1
    for at, text in enumerate(plan):
        for pattern in (r" times=\S+", r" (?:engine|pipe|connector|source|command)=\S+", r" p=\S+", r" nth=\S+"):
            simple = re.sub(pattern, "", plan[at], count=1)
            if simple != plan[at] and still_fails([*plan[:at], simple, *plan[at + 1:]]):
                plan = [*plan[:at], simple, *plan[at + 1:]]
    return plan
