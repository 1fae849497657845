# SPDX-License-Identifier: GPL-2.0-or-later
"""One target of scripts/fuzz device: a machine at a checkpoint, a corpus of fault plans, and what they found."""
import collections
import json
import re

import fuzz_base
import fuzz_compares
import fuzz_findings
import fuzz_machine
import fuzz_plans
from common import CACHE, Failure

FINDINGS = CACHE / "findings" / "device"
# A target: the node that the machine boots to, the workload, and the line whose firing is a further checkpoint behind the node's.
Target = collections.namedtuple("Target", "node workload checkpoint")
TARGETS = {
    "probe": Target("probe", "probe", None),  # i915 takes the device, shows pictures and runs batches
    "modeset": Target("modeset", "modeset", None),  # pictures on all monitors, page flips
    "hotplug": Target("modeset", "hotplug", None),  # monitors are looked at
    "submit": Target("submit", "submit", None),  # batches on all engines, from two contexts
    "hang": Target("submit", "hang", None),  # a batch without end, and the error state
    "reset": Target("submit", "hang", "on mmio.write GDRST nth=1 do or 0"),  # the same, from inside the reset on
    "wedge": Target("submit", "wedge", None),  # a reset of all engines that software asks for
    "suspend": Target("submit", "suspend", None),  # devices are suspended and resumed
    "resume": Target("submit", "suspend", "on mmio.write RING_HWS_PGA.rcs nth=1 do or 0"),  # the same, from the engines' resume on
    "rebind": Target("submit", "rebind", None),  # i915 leaves the device and takes it again
    "debugfs": Target("submit", "debugfs", None),  # all files of i915 in debugfs are read
}
FRESH_PLANS = 8    # one execution in so many has a plan made from nothing
SWEEPS = 4         # 1 of N executions runs a plan of fuzz_plans.Sweep
RESTORES_PER_LOOK = 20  # of check_restores()
ENDLESS_PLANS = 8  # plans that are drawn for one that is not known to end the guest
RECENT = 16        # half of the others change one of the newest plans
LONG_NS, MUCH = 5_000_000_000, 30  # plans with which the guest takes longer are kept only if they reach much
ORACLES = sorted({name for name, _ in fuzz_machine.ORACLES} | {"no end"})
PROBING = ("probe", "rebind")
HEADER = "# softgen fuzz device"
NO_END = "the guest does not end the workload"
Entry = collections.namedtuple("Entry", "plan time_ns")  # of the corpus: a plan, and how long the guest took


def finding_of(outcome, ignored=()):
    """(oracle, line) of an execution, or None. `ignored`: oracles that do not count."""
    no_end = outcome.end not in fuzz_machine.ALIVE and "no end" not in ignored
    return fuzz_findings.complaint_of(outcome, ignored) or (("no end", NO_END) if no_end else None)


class Campaign(fuzz_compares.TracingCampaign, fuzz_base.BaseCampaign):
    HEADER = HEADER

    def __init__(self, name, options, seed):
        super().__init__(options, f"{seed} {name}")
        self.name, self.target, self.words, self.sweep, self.groups = name, TARGETS[name], None, None, None
        self.restores, self.looks, self.other_devices = 0, 0, []  # of check_restores()
        self._data = b""
        self._endless = []  # of findings that end a guest: the points and actions of their plans

    @property
    def node(self):
        return self.target.node

    def start(self, machine=None):
        """Brings the machine to the checkpoint, and learns where the device asks its plan in a run without faults."""
        super().start(machine)
        self._data = b"w" + self.target.workload.encode()
        if self.target.checkpoint:
            self.machine.advance(self._data, self.target.checkpoint)
            self._data = b""
        self.machine.put("faults-census", "begin")
        outcome = self.machine.execute(self._data)
        census = json.loads(self.machine.get("faults-census"))
        found = finding_of(outcome)
        if found or outcome.status:
            raise Failure(f"{self.name}: the workload fails without any fault: {found[1] if found else outcome.output}")
        firmware = self.machine.firmware_offsets() if self.target.workload in PROBING else ()
        self.words = fuzz_plans.vocabulary(json.loads(self.machine.get("faults-vocabulary")), census, self.machine.constants(), firmware)
        self.sweep = fuzz_plans.Sweep(self.random, self.words)
        self.groups = fuzz_plans.PlanGroups(self.random, self.words)
        self.tracer = fuzz_compares.Tracer(self.random, self.groups.next)
        self.blocks = outcome.fresh["all"]

    def hand_over(self):
        """The machine, for the next target of the node."""
        machine, self.machine = self.machine, None
        return machine

    def next_attempt(self):
        """A plan; only now and then one that is known to end the guest, which takes seconds each time."""
        for _ in range(ENDLESS_PLANS):
            plan = self.by_compares() or self._any_plan()
            if not any(kinds <= kinds_of(plan) for kinds in self._endless):
                break
        return plan

    def _any_plan(self):
        if self.random.randrange(SWEEPS) == 0:
            return self.sweep.plan(self.words)
        if not self.corpus or self.random.randrange(FRESH_PLANS) == 0:
            return [fuzz_plans.line(self.random, self.words) for _ in range(self.random.randint(1, 3))]
        base = self.cheaper(self._any_entry(), self._any_entry(), lambda entry: entry.time_ns)
        return fuzz_plans.mutated(self.random, self.words, base.plan, [entry.plan for entry in self.corpus])

    def _any_entry(self):
        return self.random.choice(self.corpus[-RECENT:] if self.random.randrange(2) else self.corpus)

    def check_restores(self, count):
        """Restores so many times, with an attempt's execution before most of them, and looks at the hashes of memory and of devices' states. The number of
        the first restore behind which memory is not that behind the first look, or None; self.other_devices: behind which devices differ."""
        first = None
        while self.restores < count and not self.stop.is_set():
            for _ in range(min(RESTORES_PER_LOOK - 1, count - self.restores - 1)):
                attempt = self.next_attempt()
                outcome = self.execute(attempt)
                self.executed(attempt, outcome, self.finding_of(outcome))
                self.restores += 1
                if outcome.end not in fuzz_machine.ALIVE:
                    self._endless.append(kinds_of(attempt))
            memory, devices = self.machine.restored_hash().split()
            self.restores, self.looks, first = self.restores + 1, self.looks + 1, first or (memory, devices)
            if memory != first[0]:
                return self.restores
            if devices != first[1]:
                self.other_devices.append(self.restores)
        return None

    def run_on_machine(self, attempt):
        return self.run_traced(attempt, lambda: self.machine.execute(self._data, text_of(attempt)))

    def finding_of(self, outcome):
        return finding_of(outcome, self.options.ignore)

    def executed(self, attempt, outcome, found):
        if isinstance(attempt, fuzz_compares.Traced):
            self.tracer.seen(attempt)
        # What ends the guest would be found again and again.
        if outcome.end == "done" and outcome.fresh["classes"] >= (1 if outcome.time_ns < LONG_NS else MUCH):
            self.corpus.append(Entry(list(attempt), outcome.time_ns))
            self.groups.keep(list(attempt))

    def is_valid(self, attempt):
        """False: a line lost a word that it needs."""
        return not self.machine.refuses(text_of(attempt))

    def smaller(self, attempt, repeats):
        return fuzz_plans.smaller(attempt, repeats)

    def repeated(self, finding):
        if finding.oracle in fuzz_machine.ENDLESS:
            self._endless.append(kinds_of(finding.attempt))

    def text_of(self, attempt):
        return text_of(attempt)

    def file_of(self, key):
        return FINDINGS / f"{self.name}-{key}.plan"

    def facts(self):
        return {"target": self.name, **super().facts()}


def by_node(names):
    """The targets' names in groups that can share a machine, one after the other: a further checkpoint ends the node's."""
    groups = {}
    for name in sorted(names, key=lambda name: TARGETS[name].checkpoint is not None):
        groups.setdefault(TARGETS[name].node, []).append(name)
    return list(groups.values())


def kinds_of(plan):
    """The points and actions of a plan."""
    return frozenset(tuple(re.findall(r"^on (\S+)|do (\w+)|^(opregion \S+)", line)) for line in plan)


def text_of(plan):
    return "".join(f"{line}\n" for line in plan)


def read_plan(path):
    """(facts, plan lines) of a finding's file."""
    facts, text = fuzz_findings.read(path, HEADER, "reproducer")
    if facts.get("target") not in TARGETS or not {"platform", "guest"} <= set(facts):
        raise Failure(f"'{path}' does not say its target, platform and guest")
    return facts, [line for line in text.splitlines() if line and not line.startswith("#")]
