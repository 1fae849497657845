# SPDX-License-Identifier: GPL-2.0-or-later
"""Operands of compares at run time as a fuzzer's feedback (input-to-state correspondence, as Redqueen and AFL++'s CmpLog have it).

A value of an attempt is replaced by a tag, a random number, in two executions whose compares the machine traces. What a compare has from the tag both
times, at the same instruction, comes from that value; the other operand, in its place, makes the compare equal. Deterministic: a random.Random decides."""
import collections

# One line of the device's property coverage-compares.
Compare = collections.namedtuple("Compare", "address bytes operation left right")
# Bits of a value: an operand may be a part of it. Narrower ones are like too many numbers.
Part = collections.namedtuple("Part", "low width")
MIN_WIDTH = 8
# As in hw/debug/compare_log.h: an operand so near a wide part was made of it by a constant that was added or taken away.
NEARNESS, NEAR_WIDTH = 0x1000, 24
MAX_CHANGES = 24       # made of one value's compares
MAX_CANDIDATES = 1024  # that wait; what exceeds them is left out


def read(text):
    return [Compare(int(address, 16), int(size), operation, int(left, 16), int(right, 16))
            for address, size, operation, left, right in (line.split() for line in text.splitlines())]


def parts_of(width, fields=()):
    """The whole, its halves and bytes, and `fields` [[high, low]] of at least MIN_WIDTH bits; wide ones first."""
    found = {Part(low, size) for size in (64, 32, 16, 8) if size <= width for low in range(0, width - size + 1, size)}
    found |= {Part(low, high - low + 1) for high, low in fields if high - low + 1 >= MIN_WIDTH and high < width} | {Part(0, width)}
    return sorted(found, key=lambda part: (-part.width, part.low))


def part_value(value, part):
    return value >> part.low & (1 << part.width) - 1


def with_part(value, part, new):
    mask = (1 << part.width) - 1
    return value & ~(mask << part.low) | (new & mask) << part.low


def wanted(tags):
    """Values to trace, of [(tag, parts)]."""
    return sorted({part_value(tag, part) for tag, parts in tags for part in parts})


def origins(compares, tag, parts):
    """{(address, bytes, operation, side, part, difference): other operands, in order}: what the compares may have from the tag."""
    found = {}
    for compare in compares:
        for side, mine, other in ((0, compare.left, compare.right), (1, compare.right, compare.left)):
            for part in parts:
                difference = mine - part_value(tag, part)
                near = NEARNESS if part.width >= NEAR_WIDTH and compare.bytes >= 4 else 0
                if abs(difference) <= near:
                    found.setdefault((compare.address, compare.bytes, compare.operation, side, part, difference), []).append(other)
    return found


def changes(first, second, tag):
    """[(value, part)]: new values in place of the tag of `second`, by what origins() has of both executions."""
    made = {}
    for key in sorted(first.keys() & second.keys(), key=lambda key: (-key[4].width, key)):
        size, operation, part, difference = key[1], key[2], key[4], key[5]
        for other in second[key]:
            if operation == "test":
                now = part_value(tag, part)
                numbers = [now | other, now & ~other, other]
            else:
                number = other - difference
                # The operand may be sign-extended.
                number -= 1 << 8 * size if other >> 8 * size - 1 and number >> part.width else 0
                numbers = [number, number + 1, number - 1]
            for number in numbers:
                if -(1 << part.width) < number < 1 << part.width and (new := with_part(tag, part, number)) != tag:
                    made.setdefault((new, part))
    return list(made)[:MAX_CHANGES]


class Traced(list):
    """An attempt whose compares are traced for the values `wanted`; run_on_machine() fills `compares`."""

    def __init__(self, attempt, group, tags):
        super().__init__(attempt)
        self.group, self.tags, self.compares = group, tags, []
        self.wanted = wanted(zip(tags, group.parts))


class Tracer:
    """Decides what is traced, and what to try for it. `next_group`() gives a group of values, or None: it has `parts`, of each of its values;
    tagged(tags), an attempt; changed(number, value, part), the attempt with one value replaced, and whether it is new."""

    def __init__(self, rng, next_group):
        self._rng, self._next_group = rng, next_group
        self._first = None  # an execution whose second one is to come
        self._candidates, self._tried = collections.deque(), set()

    def traced(self):
        """An attempt to trace, or None."""
        group = self._first.group if self._first else self._next_group()
        return group and Traced(group.tagged(tags := [self._rng.getrandbits(parts[0].width) for parts in group.parts]), group, tags)

    def seen(self, attempt):
        """Such an attempt was executed."""
        before, self._first = self._first, attempt if not self._first else None
        if not before:
            return
        for number, parts in enumerate(attempt.group.parts):
            both = [origins(one.compares, one.tags[number], parts) for one in (before, attempt)]
            for value, part in changes(*both, attempt.tags[number]):
                key, candidate = attempt.group.changed(number, value, part)
                if key not in self._tried and len(self._candidates) < MAX_CANDIDATES:
                    self._tried.add(key)
                    self._candidates.append(candidate)

    def candidate(self):
        """An attempt that may make a compare equal, or None."""
        return self._candidates.popleft() if self._candidates else None


class TracingCampaign:
    """What campaigns of both kinds do with a Tracer: mixed into BaseCampaign. options.compares: False: nothing."""
    TRACES, CANDIDATES = 12, 4  # of so many executions one is traced, and so many are candidates, if there are any
    tracer = None

    def by_compares(self):
        """The next attempt, or None: it is made by chance."""
        if not self.options.compares:
            return None
        draw = self.random.randrange(self.TRACES)
        if draw == 0:
            return self.tracer.traced()
        return self.tracer.candidate() if draw <= self.CANDIDATES else None

    def run_traced(self, attempt, execute):
        """execute(); of a Traced one with its compares."""
        if not isinstance(attempt, Traced):
            return execute()
        self.machine.trace_compares(attempt.wanted)
        outcome = execute()
        attempt.compares = read(self.machine.compares())
        return outcome
