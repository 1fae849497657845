# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/fuzz device: executions repeat, plans are valid, a fault that the driver complains about is found and reproduced."""
import argparse
import pathlib
import random
import subprocess
import tempfile

from driver import CONFIG, ROOT, GuestTest, only_on

import fuzz_campaign
import fuzz_compares
import fuzz_plans
import fuzz_seeds
import i915_module
from qmp import QmpError

PLANS, STEPS, SEED = 300, 12, 7
# i915 waits for a power well that never comes, and warns.
COMPLAINT = "on power.well PWR_WELL_CTL[1] do never"
HANG = ["on cs.request engine=rcs nth=1 do hang"]
# Status events that i915 did not submit anything for: it resets the engine for each request, and writes two lines.
LOUD = ["on mmio.write RING_ELSP.vcs0 do value 0x7fff", "on cs.request do hang"]


SOUGHT, PLACE = 0x5F3C91A7, "GT_IIR[3]"  # of the seed compared-value


def options(module=None):
    return argparse.Namespace(guest=CONFIG["guest"], platform="kbl", module=module, append="", device_args="", ignore=[], compares=True)


class FuzzDevice(GuestTest):
    def setUp(self):
        """Without the shared guest."""
        if CONFIG["guest"] != "bookworm" and not CONFIG.get("full"):
            self.skipTest("takes minutes per guest: with --full")

    def campaign(self, name, machine=None, module=None):
        campaign = fuzz_campaign.Campaign(name, options(module), SEED)
        campaign.start(machine)
        if not machine:
            self.addCleanup(campaign.machine.close)
        return campaign

    @only_on("softgen", "plans are for our device")
    def test_submissions(self):
        first = self.campaign("submit")
        points = {point for point, _, _ in first.words.sites}
        self.assertLessEqual({"cs.request", "cs.csb", "cs.image", "mmio.read", "mmio.write", "irq", "mem.write"}, points)
        # The same execution twice, with a reset of the engine in it.
        outcomes = [first.execute(HANG) for _ in range(3)]
        self.assertEqual({(outcome.end, outcome.status, outcome.time_ns) for outcome in outcomes}, {("done", outcomes[0].status, outcomes[0].time_ns)}, outcomes)
        self.assertGreater(outcomes[0].fresh["blocks"], 0)
        self.assertGreater(outcomes[0].time_ns, 100_000_000, "the guest waits for a heartbeat and the preemption timeout")
        self.assertEqual(outcomes[2].fresh["classes"], 0)
        # Restored memory is the snapshot's.
        machine = first.machine
        hashes = []
        for _ in range(2):
            machine.put("snapshot-restore", True)
            hashes.append(machine.get("snapshot-hash").split()[0])
            first.execute(HANG)
        self.assertEqual(*hashes)
        # What complains without an end is ended, and the next execution is as before.
        loud = first.execute(LOUD)
        self.assertEqual(loud.end, "loud", f"{len(loud.console)} bytes")
        self.assertIsNone(first.finding_of(loud))
        self.assertEqual(first.execute(HANG).time_ns, outcomes[0].time_ns)
        # All plans that the fuzzer makes are valid.
        rng, others = random.Random(SEED), []
        sweep = fuzz_plans.Sweep(rng, first.words)
        for _ in range(PLANS):
            plan = sweep.plan(first.words) if rng.randrange(2) else fuzz_plans.mutated(rng, first.words, rng.choice(others or [[]]), others)
            self.assertLessEqual(len(plan), fuzz_plans.MAX_LINES)
            self.assertIsNone(machine.refuses(fuzz_campaign.text_of(plan)), plan)
            self.assertFalse([line for line in plan if line.startswith(fuzz_plans.OPREGION)], "nothing reads it at this target")
            others.append(plan)
        # A campaign is its seed's.
        again = self.campaign("submit", machine)
        again.words = first.words  # constants of code that has run meanwhile are known, too
        for _ in range(STEPS):
            self.assertEqual(first._any_plan(), again._any_plan())

    def attempts_by_compares(self, campaign):
        """Those that come of tracing where the driver reads PLACE, after a campaign's seed."""
        rng = random.Random(SEED)
        words = campaign.words._replace(sites=[site for site in campaign.words.sites if site[:2] == ("mmio.read", PLACE)])
        tracer = fuzz_compares.Tracer(rng, fuzz_plans.PlanGroups(rng, words).next)
        for _ in range(4):  # twice each group of at most three places, of the four that there are
            attempt = tracer.traced()
            outcome = campaign.execute(attempt)
            self.assertEqual(outcome.end, "done", outcome.console[-2000:])
            self.assertEqual(campaign.execute(list(attempt)).time_ns, outcome.time_ns, "to trace takes no guest time")
            tracer.seen(attempt)
        return list(iter(tracer.candidate, None))

    @only_on("softgen", "plans are for our device")
    def test_compares_with_memory(self):
        """A number that no instruction has: the driver compares a register with memory."""
        if CONFIG["guest"] != "bookworm":
            self.skipTest("the seeds are for Linux 6.1")
        if not CONFIG.get("full"):
            self.skipTest("builds the guest's i915, which takes minutes: with --full")
        [seed] = [seed for seed in fuzz_seeds.SEEDS if seed.name == "compared-value"]
        campaign = self.campaign("submit", module=i915_module.Source("bookworm").kept_module(seed))
        self.assertNotIn(SOUGHT, campaign.words.constants)
        with self.assertRaisesRegex(QmpError, "no hexadecimal number"):
            campaign.machine.put("coverage-compares", "number")
        attempts = self.attempts_by_compares(campaign)
        self.assertEqual(attempts, self.attempts_by_compares(campaign))
        [first, *_] = [plan for plan in attempts if plan[0].endswith(f"{PLACE} nth=1 do stuck {SOUGHT:#x}")]
        outcome = campaign.execute(first)
        self.assertEqual(campaign.signature_of(outcome), "oops: gen8_gt_irq_handler", outcome.console[-2000:])
        # An execution that is not traced records nothing.
        machine = campaign.machine
        plan = [f"on mmio.read {PLACE} nth=1 do stuck {SOUGHT + 1:#x}"]
        machine.trace_compares([SOUGHT])
        self.assertEqual(machine.compares(), "")
        campaign.execute(plan)
        self.assertEqual(machine.compares(), "")
        machine.trace_compares([SOUGHT])
        campaign.execute(plan)
        self.assertIn(f" 4 cmp {SOUGHT:x} {SOUGHT + 1:x}\n", machine.compares())

    @only_on("softgen", "plans are for our device")
    def test_checkpoints_inside_an_execution(self):
        for name, behind in (("reset", "Resetting rcs"), ("resume", "PM: suspend entry")):
            with self.subTest(name):
                campaign = self.campaign(name)
                outcomes = [campaign.execute([]) for _ in range(3)]
                for outcome in outcomes:
                    self.assertEqual((outcome.end, outcome.status), ("done", 0), outcome)
                    self.assertNotIn(behind, outcome.console)
                # I/O instructions are translated again now and then, which makes other blocks (docs/fuzzing.md).
                self.assertLess(outcomes[2].fresh["blocks"], outcomes[2].fresh["all"] // 100)
                self.assertLess(max(outcome.time_ns for outcome in outcomes) - min(outcome.time_ns for outcome in outcomes), 10_000)
                campaign.machine.close()

    @only_on("softgen", "plans are for our device")
    def test_a_finding(self):
        campaign = self.campaign("probe")
        plan = ["on display.blank nth=1 do drop", COMPLAINT]
        self.assertLessEqual({0x400, 0x403}, set(campaign.words.firmware))  # "$VBT"
        # Without a signature of its Video BIOS Table, i915 finds no ports.
        outcome = campaign.execute([f"{fuzz_plans.OPREGION}400=0"])
        self.assertGreater(outcome.fresh["blocks"], 0)
        outcome = campaign.execute(plan)
        found = fuzz_campaign.finding_of(outcome)
        self.assertEqual(found and found[0], "WARN", outcome.console[-2000:])
        self.assertIsNone(fuzz_campaign.finding_of(outcome, ["WARN"]))
        with tempfile.TemporaryDirectory() as folder:
            fuzz_campaign.FINDINGS, kept = pathlib.Path(folder), fuzz_campaign.FINDINGS
            self.addCleanup(setattr, fuzz_campaign, "FINDINGS", kept)
            campaign.found(found, plan, outcome)
            [finding] = campaign.findings.values()
            self.assertEqual(finding.attempt, [COMPLAINT])
            campaign.close()
            done = subprocess.run([ROOT / "scripts" / "fuzz", "device", "--no-setup", "--repro", finding.path, "--times", "2"],
                                  stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(f"2 of 2 times: {finding.signature}", done.stdout)
