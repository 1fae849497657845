# SPDX-License-Identifier: GPL-2.0-or-later
"""One target of scripts/fuzz device: a machine at a checkpoint, a corpus of fault plans, and what they found."""
import collections
import json
import pathlib
import random
import re
import time

import fuzz_machine
import fuzz_plans
from common import CACHE, Failure, content_key

FINDINGS = CACHE / "findings" / "device"
# A target: the node that the machine boots to, the workload, and the line whose firing is a further checkpoint behind the node's.
Target = collections.namedtuple("Target", "node workload checkpoint what")
TARGETS = {
    "probe": Target("probe", "probe", None, "i915 takes the device, shows pictures and runs batches"),
    "modeset": Target("modeset", "modeset", None, "pictures on all monitors, page flips"),
    "hotplug": Target("modeset", "hotplug", None, "monitors are looked at"),
    "submit": Target("submit", "submit", None, "batches on all engines, from two contexts"),
    "hang": Target("submit", "hang", None, "a batch without end, and the error state"),
    "reset": Target("submit", "hang", "on gdrst nth=1 do late 300ms", "the same, from inside the reset on"),
    "wedge": Target("submit", "wedge", None, "a reset of all engines that software asks for"),
    "suspend": Target("submit", "suspend", None, "devices are suspended and resumed"),
    "rebind": Target("submit", "rebind", None, "i915 leaves the device and takes it again"),
    "debugfs": Target("submit", "debugfs", None, "all files of i915 in debugfs are read"),
}
FRESH_PLANS = 8  # one execution in so many has a plan made from nothing
ENDLESS_PLANS = 8
SMALLER_SECONDS = 120  # a finding's plan gets smaller for so long: what ends the guest takes up to 10 s each time
RECENT = 16      # half of the others change one of the newest plans
ORACLES = sorted({name for name, _ in fuzz_machine.ORACLES} | {"no end"})
PROBING = ("probe", "rebind")
HEADER = "# softgen fuzz device"
NO_END = "the guest does not end the workload"

Finding = collections.namedtuple("Finding", "oracle what signature plan console path")


def signature(oracle, line, console):
    """What findings of one cause have in common: the oracle and the function."""
    if oracle in ("soft lockup", "hung task", "no end"):  # seen anywhere in a loop: the outermost function of a module
        trace = re.search(r"Call Trace:(.*?)(?:</TASK>|\Z)", console[max(0, console.find(line)):], re.DOTALL)
        inside = re.findall(r"^\S*\s+(?!\?)(\w+)\+0x\S+ \[(\w+)\]", re.sub(r"^\[[^]]*\]", "", trace.group(1), flags=re.MULTILINE), re.MULTILINE) if trace else []
        return f"{oracle}: {inside[-1][0] if inside else 'outside modules'}"
    place = re.search(r"RIP: \w+:(\w+)", console[console.find(line):]) if line in console else None
    at = re.search(r" at (\S+) (\w+)", line)
    # The allocator warns for whoever asks for too much.
    caller = driver_function(line, console) if at and not at.group(1).startswith("drivers/") else None
    where = f" in {caller}" if caller else ""
    return f"{oracle}: {at.group(1) if at else place.group(1) if place else re.sub(r'0x[0-9a-f]+|[0-9]+|[0-9a-f]{16}', 'N', line)}{where}"


def driver_function(line, console):
    """The first function of i915 or drm that the stack behind a complaint shows, or None."""
    found = re.search(r"^\[[^\]]*\] +(\w[\w.]*)\+0x\w+/0x\w+ \[(?:i915|drm\w*)\]", console[max(0, console.find(line)):], re.MULTILINE)
    return found and found.group(1)


def finding_of(outcome, ignored=()):
    """(oracle, line) of an execution, or None. `ignored`: oracles that do not count."""
    found = [complaint for complaint in fuzz_machine.complaints(outcome.console) if complaint[0] != "panic" or outcome.end == "dead"]
    found = [complaint for complaint in found if complaint[0] not in ignored]
    if found:
        return found[0]
    return ("no end", NO_END) if outcome.end != "done" else None


class Campaign:
    def __init__(self, name, options, seed):
        self.name, self.target, self._options = name, TARGETS[name], options
        self._rng = random.Random(f"{seed} {name}")
        self.corpus, self.findings, self.executions, self.seconds, self.blocks = [], {}, 0, 0.0, 0
        self.machine, self.words, self.running = None, None, False
        self._endless = []  # of findings that end a guest: the points and actions of their plans

    def start(self, machine=None):
        """Brings a machine to the checkpoint, and learns where the device asks its plan in a run without faults. `machine`: one that stands at
        the target's node; None: a new one."""
        target = self.target
        self.machine = machine or booted(self._options, target.node)
        self.machine.put("coverage-fresh", "begin")
        self._data = b"w" + target.workload.encode()
        if target.checkpoint:
            self.machine.advance(self._data, target.checkpoint)
            self._data = b""
        self.machine.put("faults-census", "begin")
        outcome = self.machine.execute(self._data)
        census = json.loads(self.machine.get("faults-census"))
        found = finding_of(outcome)
        if found or outcome.status:
            raise Failure(f"{self.name}: the workload fails without any fault: {found[1] if found else outcome.output}")
        self.words = fuzz_plans.vocabulary(json.loads(self.machine.get("faults-vocabulary")), census, self.machine.constants(), target.workload in PROBING)
        self.blocks = outcome.fresh["all"]

    def close(self):
        if self.machine:
            self.machine.close()
            self.machine = None

    def run(self, seconds):
        """Executions for so long."""
        deadline, self.running = time.monotonic() + seconds, True
        while time.monotonic() < deadline:
            began = time.monotonic()
            self.step()
            self.seconds += time.monotonic() - began
        self.running = False

    def _next_plan(self):
        """A plan; only now and then one that is known to end the guest, which takes seconds each time."""
        for _ in range(ENDLESS_PLANS):
            plan = self._any_plan()
            if not any(kinds <= kinds_of(plan) for kinds in self._endless):
                break
        return plan

    def _any_plan(self):
        if not self.corpus or self._rng.randrange(FRESH_PLANS) == 0:
            return [fuzz_plans.line(self._rng, self.words) for _ in range(self._rng.randint(1, 3))]
        base = self._rng.choice(self.corpus[-RECENT:] if self._rng.randrange(2) else self.corpus)
        return fuzz_plans.mutated(self._rng, self.words, base, self.corpus)

    def step(self):
        plan = self._next_plan()
        try:
            outcome = self.execute(plan)
        except Failure as failure:  # QEMU has ended: a fault of ours
            self.keep("QEMU ends", str(failure), f"QEMU: {failure}", plan, "")
            self.close()
            self.start()
            return
        self.blocks = outcome.fresh["all"]
        found = finding_of(outcome, self._options.ignore)
        # What ends the guest would be found again and again.
        if outcome.fresh["classes"] and outcome.end == "done":
            self.corpus.append(plan)
        if found:
            self.found(found, plan, outcome)

    def execute(self, plan):
        self.executions += 1
        return self.machine.execute(self._data, text_of(plan))

    def found(self, found, plan, outcome):
        oracle, line = found
        name = signature(oracle, line, outcome.console)
        if name in self.findings:
            return

        deadline = time.monotonic() + SMALLER_SECONDS

        def repeats(lines):
            # A line may have lost a word that it needs.
            if time.monotonic() > deadline or self.machine.refuses(text_of(lines)):
                return False
            again = self.execute(lines)
            now = finding_of(again, self._options.ignore)
            return now is not None and signature(*now, again.console) == name

        if not repeats(plan):
            self.findings[name] = Finding(oracle, f"{line} (once; it did not repeat)", name, plan, outcome.console, None)
            return
        self.keep(oracle, line, name, fuzz_plans.smaller(plan, repeats), outcome.console)

    def keep(self, oracle, line, name, plan, console):
        """Writes a finding's plan and the kernel's words."""
        FINDINGS.mkdir(parents=True, exist_ok=True)
        path = FINDINGS / f"{self.name}-{content_key(name, self._options.guest, self._options.platform)}.plan"
        facts = {"target": self.name, "platform": self._options.platform, "guest": self._options.guest, "image": self.machine.image}
        path.write_text("\n".join([HEADER, *(f"# {key}: {value}" for key, value in facts.items()), f"# finding: {name}", f"# {line}", *plan]) + "\n")
        path.with_suffix(".console").write_text(console)
        self.findings[name] = Finding(oracle, line, name, plan, console, path)
        if oracle in fuzz_machine.ENDLESS:
            self._endless.append(kinds_of(plan))


def booted(options, node):
    """A machine at a node."""
    machine = fuzz_machine.FuzzMachine(options.guest, options.platform, node, options.module, options.append, options.device_args)
    try:
        complaints = fuzz_machine.complaints(machine.boot())
        if complaints:
            raise Failure(f"{node}: the kernel complains before the first execution: {complaints[0][1]}")
    except BaseException:
        machine.close()
        raise
    return machine


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
    """(facts, plan lines) of a file that keep() wrote."""
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"'{path}' cannot be read ({error})") from None
    if lines[:1] != [HEADER]:
        raise Failure(f"'{path}' is no reproducer: its first line is not '{HEADER}'")
    facts = dict(re.findall(r"^# (\w+): (.*)$", "\n".join(lines), re.MULTILINE))
    if facts.get("target") not in TARGETS or not {"platform", "guest"} <= set(facts):
        raise Failure(f"'{path}' does not say its target, platform and guest")
    return facts, [line for line in lines if line and not line.startswith("#")]
