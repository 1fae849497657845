# SPDX-License-Identifier: GPL-2.0-or-later
"""Operands of compares as the fuzzers' feedback, without a machine: drivers are functions that list their compares. tests/boot/test_fuzz.py asks a real one."""
import random
import re
import sys
import unittest

from driver import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import fuzz_compares  # noqa: E402
import fuzz_plans  # noqa: E402
from fuzz_compares import Compare, Part  # noqa: E402

SEED, KEY = 7, 0x5F3C91A7
WORDS = fuzz_plans.vocabulary({"points": [], "registers": {"RING_CTL.rcs": [[20, 12], [0, 0]]}},
                              [{"point": "mmio.read", "where": "RING_CTL.rcs", "count": 9}, {"point": "mmio.write", "where": "RING_CTL.rcs", "count": 2},
                               {"point": "cs.csb", "where": "engine=rcs", "count": 1}], firmware=[0x400, 0x401, 0x1FFE])
KEPT = ["on irq source=gmbus do drop", "on mmio.read RING_CTL.rcs nth=2 do or 0x10"]


def read_value(plan):
    """What the driver reads by a plan."""
    numbers = [int(match.group(1), 16) for line in plan if (match := re.match(r"on mmio.read RING_CTL.rcs nth=2 do stuck (\w+)", line))]
    return numbers[0] if numbers else 1


def candidates(compares_of, plan=None, value_of=read_value):
    """The attempts that come of two executions of a driver with these compares."""
    plan = KEPT if plan is None else plan
    groups = fuzz_plans.PlanGroups(random.Random(SEED), WORDS._replace(sites=[], firmware=()))
    groups.keep(plan)
    groups.next()  # there are no other places
    tracer = fuzz_compares.Tracer(random.Random(SEED), groups.next)
    for _ in range(2):
        attempt = tracer.traced()
        attempt.compares = compares_of(value_of(attempt))
        tracer.seen(attempt)
    return list(iter(tracer.candidate, None))


class Compares(unittest.TestCase):
    def test_lines_of_the_device(self):
        self.assertEqual(fuzz_compares.read("ffffffffc0001000 4 cmp 5f3c91a7 10\n1000 1 test a b\n"),
                         [Compare(0xFFFFFFFFC0001000, 4, "cmp", KEY, 16), Compare(0x1000, 1, "test", 10, 11)])

    def test_parts_of_a_value(self):
        parts = fuzz_compares.parts_of(32, [[20, 12], [3, 0], [40, 30]])
        self.assertEqual(parts, [Part(0, 32), Part(0, 16), Part(16, 16), Part(12, 9), Part(0, 8), Part(8, 8), Part(16, 8), Part(24, 8)])
        self.assertEqual(fuzz_compares.with_part(0x12345678, Part(8, 16), 0xABCD), 0x12ABCD78)
        self.assertEqual(fuzz_compares.wanted([(0x12345678, [Part(0, 32), Part(8, 8)]), (0x56, [Part(0, 8)])]), [0x56, 0x12345678])

    def test_a_value_that_is_compared_with_memory(self):
        for sides in (lambda value: (value, KEY), lambda value: (KEY, value)):
            plans = candidates(lambda value, sides=sides: [Compare(0x1000, 4, "cmp", *sides(value))])
            self.assertEqual([read_value(plan) for plan in plans], [KEY, KEY + 1, KEY - 1])
            self.assertEqual({plan[0] for plan in plans}, {KEPT[0]})

    def test_a_field(self):
        plans = candidates(lambda value: [Compare(0x1000, 4, "cmp", value >> 12 & 0x1FF, 0x123)])
        self.assertEqual([read_value(plan) >> 12 & 0x1FF for plan in plans], [0x123, 0x124, 0x122])

    def test_a_difference(self):
        # As GCC makes a range check: value - 0x20 is compared.
        plans = candidates(lambda value: [Compare(0x1000, 4, "sub", value, 0x20), Compare(0x1004, 4, "cmp", value - 0x20 & 0xFFFFFFFF, 0x77)])
        self.assertLessEqual({0x20, 0x77 + 0x20}, {read_value(plan) for plan in plans})

    def test_bits_that_are_tested(self):
        values = [read_value(plan) for plan in candidates(lambda value: [Compare(0x1000, 4, "test", value, 0xF0F00000)])]
        self.assertTrue(any(value & 0xF0F00000 == 0xF0F00000 for value in values))
        self.assertTrue(any(value & 0xF0F00000 == 0 for value in values))

    def test_a_value_that_is_sign_extended(self):
        self.assertIn(0xFFFFFFF0, [read_value(plan) for plan in candidates(lambda value: [Compare(0x1000, 8, "cmp", value, (1 << 64) - 16)])])

    def test_what_is_like_a_tag_by_chance(self):
        # Another instruction each time; another part each time; nothing of the value.
        addresses = iter((0x1000, 0x2000))
        self.assertEqual(candidates(lambda value: [Compare(next(addresses), 4, "cmp", value, 9)]), [])
        shifts = iter((0, 8))
        self.assertEqual(candidates(lambda value: [Compare(0x1000, 1, "cmp", value >> next(shifts) & 0xFF, 9)]), [])
        self.assertEqual(candidates(lambda value: [Compare(0x1000, 4, "cmp", 0x11111111, 9)]), [])

    def test_how_many_values_are_tried(self):
        plans = candidates(lambda value: [Compare(0x1000 + at, 4, "cmp", value, 1000 * at) for at in range(100)])
        self.assertEqual(len(plans), fuzz_compares.MAX_CHANGES)

    def test_firmware(self):
        def bytes_of(plan):
            region = bytearray(0x2000)
            for line in plan:
                offset, value = line.removeprefix(fuzz_plans.OPREGION).split("=")
                region[int(offset, 16)] = int(value, 16)
            return int.from_bytes(region[0x401:0x405], "little")

        plans = candidates(lambda value: [Compare(0x1000, 4, "cmp", value, KEY), Compare(0x2000, 2, "cmp", value >> 8 & 0xFFFF, 0x1234)],
                           ["opregion 401=0"], bytes_of)
        self.assertIn([f"opregion {0x401 + at:x}={KEY >> 8 * at & 0xFF:x}" for at in range(4)], plans)
        self.assertIn(["opregion 402=34", "opregion 403=12"], plans)
        place = fuzz_plans.place_of(WORDS, "opregion 1fff=0")
        self.assertEqual(place.lines(1)[0], "opregion 1ffc=1")


class Groups(unittest.TestCase):
    def test_places_of_plans(self):
        self.assertIsNone(fuzz_plans.place_of(WORDS, KEPT[0]))
        self.assertIsNone(fuzz_plans.place_of(WORDS, "on irq source=gmbus every=1ms for=3s do raise"))
        self.assertIsNone(fuzz_plans.place_of(WORDS, "on mmio.write RING_CTL.rcs do value 1"))
        place = fuzz_plans.place_of(WORDS, KEPT[1])
        self.assertEqual(place.lines(KEY), ["on mmio.read RING_CTL.rcs nth=2 do stuck 0x5f3c91a7"])
        self.assertIn(Part(12, 9), place.parts)
        place = fuzz_plans.place_of(WORDS, "on cs.csb engine=rcs p=0.5 do flip bits=3")
        self.assertEqual((place.lines(1 << 40), place.parts[0]), (["on cs.csb engine=rcs p=0.5 do value 0x10000000000"], Part(0, 64)))

    def test_all_places_where_the_driver_reads_are_traced(self):
        groups, seen = fuzz_plans.PlanGroups(random.Random(SEED), WORDS), []
        for _ in range(2):
            group = groups.next()
            self.assertLessEqual(len(group.parts), fuzz_plans.TRACED_PLACES)
            seen += group.tagged([0] * len(group.parts))
        self.assertEqual(sorted(seen), sorted([*(f"on mmio.read RING_CTL.rcs nth={nth} do stuck 0x0" for nth in (1, 2, 3)), "on cs.csb engine=rcs nth=1 do value 0x0",
                                               *(f"opregion {offset:x}=0" for first in (0x400, 0x1FFC) for offset in range(first, first + 4))]))

    def test_plans_and_places_take_turns(self):
        groups = fuzz_plans.PlanGroups(random.Random(SEED), WORDS)
        for _ in range(2 * fuzz_plans.MAX_TRACED_PLANS):
            groups.keep(KEPT)
        kept = [KEPT[0] in groups.next().tagged([0] * 3) for _ in range(2 * fuzz_plans.MAX_TRACED_PLANS + 4)]
        self.assertEqual(kept[:4], [False, True, False, True])
        self.assertEqual(kept.count(True), fuzz_plans.MAX_TRACED_PLANS)

    def test_a_seed_repeats(self):
        def attempts():
            rng = random.Random(SEED)
            tracer = fuzz_compares.Tracer(rng, fuzz_plans.PlanGroups(rng, WORDS).next)
            made = []
            for _ in range(8):
                attempt = tracer.traced()
                attempt.compares = [Compare(0x1000, 4, "cmp", value, KEY) for value in attempt.wanted]
                tracer.seen(attempt)
                made += [list(attempt), tracer.candidate()]
            return made

        self.assertEqual(attempts(), attempts())


if __name__ == "__main__":
    unittest.main()
