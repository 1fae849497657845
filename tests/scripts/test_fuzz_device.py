# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/fuzz device without a machine: plans, how they become smaller, what findings have in common, files of findings."""
import argparse
import collections
import random
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock

from driver import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import fuzz_campaign  # noqa: E402
import fuzz_cores  # noqa: E402
import fuzz_findings  # noqa: E402
import fuzz_machine  # noqa: E402
import fuzz_plans  # noqa: E402
import fuzz_seeds  # noqa: E402
from common import Failure  # noqa: E402

WORDS = fuzz_plans.vocabulary(
    {"points": [
        {"name": "mmio.read", "register": True, "pulses": False, "keys": {},
         "actions": [{"name": "stuck", "argument": "number", "limit": 0xFFFFFFFF}, {"name": "ones", "argument": "none", "limit": 0}]},
        {"name": "cs.csb", "register": False, "pulses": False, "keys": {"engine": ["rcs"]}, "actions": [{"name": "late", "argument": "duration", "limit": 0}]},
        {"name": "irq", "register": False, "pulses": True, "keys": {"source": ["gmbus"]},
         "actions": [{"name": "drop", "argument": "none", "limit": 0}, {"name": "raise", "argument": "none", "limit": 0}]},
        {"name": "hotplug", "register": False, "pulses": True, "keys": {}, "actions": [{"name": "raise", "argument": "none", "limit": 0}]}],
     "registers": {"RING_CTL.rcs": [[20, 12], [0, 0]]}},
    [{"point": "mmio.read", "where": "RING_CTL.rcs", "count": 9}, {"point": "cs.csb", "where": "engine=rcs", "count": 3}], [0x1234], [0x400, 0x401, 0x600])
OOPS = """[    1.0] BUG: unable to handle page fault for address: ffff888000000000
[    1.0] RIP: 0010:process_csb+0x12/0x40 [i915]
"""
LOCK = """[    1.0] BUG: kernel NULL pointer dereference, address: 00000000000005a0
[    1.0] RIP: 0010:_raw_spin_lock+0x13/0x30
[    1.0] Call Trace:
[    1.0]  <IRQ>
[    1.0]  display_pipe_crc_irq_handler+0x6a/0x140 [i915]
"""
WARN = """[    1.0] WARNING: CPU: 0 PID: 9 at mm/page_alloc.c:5606 __alloc_pages+0x1/0x2
[    1.0] RIP: 0010:__alloc_pages+0x1/0x2
[    1.0] Call Trace:
[    1.0]  <TASK>
[    1.0]  __kmalloc+0x1/0x2
[    1.0]  edid_copy+0x1/0x2 [drm]
[    1.0]  </TASK>
"""
HUNG = """[    1.0] INFO: task kworker/u2:1:23 blocked for more than 30 seconds.
[    1.0] Call Trace:
[    1.0]  <TASK>
[    1.0]  __schedule+0x1/0x2
[    1.0]  capture+0x1/0x2 [i915]
[    1.0]  execlists_capture_work+0x1/0x2 [i915]
[    1.0]  process_one_work+0x1/0x2
[    1.0]  </TASK>
"""


class Cores(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = pathlib.Path(work.name) / "cores"

    def take(self, allowed, present):
        core = fuzz_cores.take(allowed, present, self.folder)
        if core:
            self.addCleanup(core.release)
        return core

    def number(self, allowed, present):
        core = self.take(allowed, present)
        return core and core.number

    def test_each_machine_has_its_own(self):
        self.assertEqual([self.number({0, 1, 2}, 3) for _ in range(3)], [0, 1, 2])

    def test_one_that_was_given_back_is_taken_again(self):
        first, second = self.take({0, 1}, 2), self.take({0, 1}, 2)
        first.release()
        self.assertEqual((self.number({0, 1}, 2), second.number), (0, 1))

    def test_more_machines_than_cores_run_anywhere(self):
        self.assertEqual([self.number({0, 1}, 2) for _ in range(3)], [0, 1, None])

    def test_one_core_is_left_alone(self):
        self.assertIsNone(self.number({0}, 1))

    def test_the_callers_choice_is_left_alone(self):
        self.assertIsNone(self.number({0, 1}, 4))


def outcome(console="", end="done"):
    return fuzz_machine.Outcome(end, 0, 0, "", console, {}, 0)


def name_of(console, end="done"):
    said = outcome(console, end)
    return fuzz_findings.signature(*fuzz_campaign.finding_of(said), console)


class Plans(unittest.TestCase):
    def test_lines_follow_the_vocabulary_and_the_seed(self):
        plans = []
        for seed in (1, 1, 2):
            rng, made = random.Random(seed), []
            for _ in range(400):
                made.append(fuzz_plans.mutated(rng, WORDS, made[-1] if made else [], made))
            plans.append(made)
        self.assertEqual(plans[0], plans[1])
        self.assertNotEqual(plans[0], plans[2])
        lines = [line for plan in plans[0] for line in plan]
        self.assertLessEqual(max(map(len, plans[0])), fuzz_plans.MAX_LINES)
        kinds = collections.Counter(line.split()[0] for line in lines)
        self.assertEqual(set(kinds), {"on", "opregion"})
        for line in lines:
            self.assertRegex(line, r"^(opregion [0-9a-f]+=[0-9a-f]{1,2}|on (mmio\.read (RING_CTL\.rcs|\*)|cs\.csb|irq|hotplug)( \S+=\S+)* do \w+( \S+)?)$")
        # Fields of the register, and a constant of the driver.
        self.assertTrue([line for line in lines if line.endswith("or 0x1ff000")])
        self.assertTrue([line for line in lines if re.search("0x1234|0x1233|0x1235", line)])

    def test_a_sweep_visits_each_place_once_per_pass(self):
        sweep = fuzz_plans.Sweep(random.Random(1), WORDS)
        places = 3 + 3 + 3  # max occurrences of the register, those of the point; bytes of the OpRegion
        lines = []
        while len(lines) < 2 * places:
            lines += sweep.plan(WORDS)
        for half in (lines[:places], lines[places:2 * places]):
            self.assertEqual(len({re.sub(r" do .*|=[0-9a-f]+$", "", line) for line in half}), places)

    def test_a_changed_opregion_line_stays_near_its_offset(self):
        rng = random.Random(1)
        offsets = [int(fuzz_plans.changed_line(rng, WORDS, "opregion 600=1").split()[1].split("=")[0], 16) for _ in range(100)]
        self.assertEqual(set(offsets), set(range(0x5FD, 0x604)))

    def test_a_plan_becomes_smaller(self):
        tried = []

        def fails(plan):
            tried.append(plan)
            return any("do hang" in line for line in plan) and any("bcs" in line for line in plan)

        plan = ["on irq do drop", "on cs.request engine=rcs nth=3 times=2 do hang", "on cs.csb engine=bcs p=0.5 do drop", "on mmio.read * do ones"]
        self.assertEqual(fuzz_plans.smaller(plan, fails), ["on cs.request do hang", "on cs.csb engine=bcs do drop"])
        self.assertTrue(all(tried))


class Corpus(unittest.TestCase):
    def setUp(self):
        self.campaign = fuzz_campaign.Campaign("submit", argparse.Namespace(ignore=[]), 1)
        self.campaign.groups = unittest.mock.Mock()

    def execute(self, plan, classes, **facts):
        self.campaign.executed(plan, outcome()._replace(fresh={"classes": classes, "blocks": 0, "all": 0}, **facts), None)

    def test_what_takes_long_is_kept_only_if_it_reaches_much(self):
        few, much, long = 1, fuzz_campaign.MUCH, fuzz_campaign.LONG_NS
        self.execute(["short"], few, time_ns=long - 1)
        self.execute(["nothing new"], 0, time_ns=1)
        self.execute(["long"], few, time_ns=long)
        self.execute(["long, much"], much, time_ns=long)
        self.execute(["loud"], much, time_ns=1, end="loud")
        self.assertEqual([entry.plan for entry in self.campaign.corpus], [["short"], ["long, much"]])

    def test_of_two_plans_mostly_the_shorter_one_is_changed(self):
        entries = [fuzz_campaign.Entry(["long"], 2), fuzz_campaign.Entry(["short"], 1)]
        drawn = collections.Counter(self.campaign.cheaper(*entries, lambda entry: entry.time_ns).plan[0] for _ in range(1000))
        self.assertGreater(drawn["short"], 3 * drawn["long"])
        self.assertGreater(drawn["long"], 100)


class Findings(unittest.TestCase):
    def test_what_findings_have_in_common(self):
        self.assertEqual(name_of(OOPS), "oops: process_csb")
        self.assertEqual(name_of(LOCK), "oops: _raw_spin_lock in display_pipe_crc_irq_handler")
        self.assertEqual(name_of(WARN), "WARN: mm/page_alloc.c:5606 in edid_copy")
        self.assertEqual(name_of(HUNG), "hung task: execlists_capture_work")
        self.assertEqual(name_of("", "silent"), "no end: outside modules")
        self.assertIsNone(fuzz_campaign.finding_of(outcome()))
        self.assertIsNone(fuzz_campaign.finding_of(outcome(WARN), ["WARN"]))
        self.assertIsNone(fuzz_campaign.finding_of(outcome("", "limit"), ["no end"]))
        self.assertIsNone(fuzz_campaign.finding_of(outcome("", "loud")))
        self.assertEqual(fuzz_campaign.finding_of(outcome(WARN, "loud"))[0], "WARN")
        # The panic that the fuzzer itself asks for is none.
        self.assertEqual(fuzz_campaign.finding_of(outcome("Kernel panic - not syncing: NMI", "limit"))[0], "no end")
        self.assertEqual(fuzz_campaign.finding_of(outcome("Kernel panic - not syncing: NMI", "dead"))[0], "panic")

    def test_targets_of_a_node_share_a_machine_and_a_checkpoint_comes_last(self):
        groups = fuzz_campaign.by_node(["reset", "probe", "submit", "hang"])
        self.assertEqual(groups, [["probe"], ["submit", "hang", "reset"]])

    def test_seeded_faults_name_targets_and_change_the_source(self):
        self.assertEqual(len({seed.name for seed in fuzz_seeds.SEEDS}), len(fuzz_seeds.SEEDS))
        self.assertLessEqual({seed.target for seed in fuzz_seeds.SEEDS}, set(fuzz_campaign.TARGETS))
        self.assertFalse([seed.name for seed in fuzz_seeds.SEEDS if seed.old == seed.new])

    def test_files_of_findings(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "a.plan"
        path.write_text(f"{fuzz_campaign.HEADER}\n# target: submit\n# platform: tgl\n# guest: sid\n# finding: x: y\n\non irq do drop\nopregion 400=1\n")
        facts, plan = fuzz_campaign.read_plan(path)
        self.assertEqual((facts["target"], facts["platform"], facts["finding"]), ("submit", "tgl", "x: y"))
        self.assertEqual(plan, ["on irq do drop", "opregion 400=1"])
        for text, why in (("on irq do drop\n", "its first line"), (f"{fuzz_campaign.HEADER}\n# target: nowhere\n", "does not say its target")):
            path.write_text(text)
            with self.assertRaisesRegex(Failure, why):
                fuzz_campaign.read_plan(path)
        with self.assertRaisesRegex(Failure, "cannot be read"):
            fuzz_campaign.read_plan(path.with_name("nowhere"))
