# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts/fuzz device and scripts/fuzz guest share: executions on a machine, a corpus, findings that are repeated and made smaller."""
import concurrent.futures
import random
import threading
import time

import fuzz_findings
import fuzz_machine
from common import Failure, content_key, say

PROGRESS_SECONDS = 15
# For making a finding smaller: an attempt that ends the guest takes up to 10 s.
SMALLER_SECONDS = 120
CHEAPER = 5  # four times of five


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


class BaseCampaign:
    """Attempts of one kind. A subclass has HEADER, the node, and the methods below that raise NotImplementedError."""
    HEADER = ""  # the first line of a finding's file

    def __init__(self, options, seed):
        self.options, self.random, self.stop = options, random.Random(seed), threading.Event()
        self.machine = None  # while executions are possible
        self.corpus, self.findings, self.executions, self.seconds, self.blocks = [], {}, 0, 0.0, 0
        self.loud = 0  # executions that were ended because the kernel wrote too much

    @property
    def node(self):
        raise NotImplementedError

    def next_attempt(self):
        raise NotImplementedError

    def run_on_machine(self, attempt):
        """An Outcome."""
        raise NotImplementedError

    def finding_of(self, outcome):
        """(oracle, line) or None."""
        raise NotImplementedError

    def signature(self, oracle, line, console):
        return fuzz_findings.signature(oracle, line, console)

    def signature_of(self, outcome):
        """That of an outcome's finding, or None."""
        found = self.finding_of(outcome)
        return found and self.signature(*found, outcome.console)

    def executed(self, attempt, outcome, found):
        """Puts an attempt into the corpus, if it is worth it."""
        raise NotImplementedError

    def is_valid(self, attempt):
        """False: the machine would refuse it."""
        return True

    def smaller(self, attempt, repeats):
        """The smallest attempt made of this one for which repeats(it)."""
        raise NotImplementedError

    def repeated(self, finding):
        """Called when a finding has been repeated and minimised."""

    def text_of(self, attempt):
        raise NotImplementedError

    def file_of(self, key):
        """The path of a finding's file; key: a short hash."""
        raise NotImplementedError

    def facts(self):
        return {"platform": self.options.platform, "guest": self.options.guest, "image": self.machine.image if self.machine else ""}

    def start(self, machine=None):
        """`machine`: one that stands at the node; None: a new one."""
        self.machine = machine or booted(self.options, self.node)
        self.machine.put("coverage-fresh", "begin")

    def close(self):
        if self.machine:
            self.machine.close()
            self.machine = None

    def rate(self):
        """Executions per second."""
        return self.executions / self.seconds if self.seconds else 0

    def cheaper(self, one, other, cost):
        """Of two entries of the corpus mostly the one that costs less: modesets, hangs and their captures take ten times what the others do, and more."""
        first, second = sorted((one, other), key=cost)
        return first if self.random.randrange(CHEAPER) else second

    def run(self, seconds):
        """Executions for so long, or until self.stop."""
        began = time.monotonic()
        while not self.stop.is_set() and time.monotonic() < began + seconds:
            self.step(self.next_attempt())
        self.seconds += time.monotonic() - began

    def execute(self, attempt):
        self.executions += 1
        return self.run_on_machine(attempt)

    def step(self, attempt):
        try:
            outcome = self.execute(attempt)
        except Failure as failure:  # QEMU has ended: a fault of ours
            self.keep("QEMU ends", str(failure), f"QEMU: {failure}", attempt, "")
            self.close()
            self.start()
            return
        self.blocks = outcome.fresh["all"]
        self.loud += outcome.end == "loud"
        found = self.finding_of(outcome)
        self.executed(attempt, outcome, found)
        if found:
            self.found(found, attempt, outcome)

    def found(self, found, attempt, outcome):
        oracle, line = found
        name = self.signature(oracle, line, outcome.console)
        if name in self.findings:
            return
        deadline = time.monotonic() + SMALLER_SECONDS

        def repeats(candidate):
            if self.stop.is_set() or time.monotonic() > deadline or not self.is_valid(candidate):
                return False
            return self.signature_of(self.execute(candidate)) == name

        if not repeats(attempt):
            self.keep(oracle, f"{line} (once; it did not repeat)", name, attempt, outcome.console)
            return
        self.keep(oracle, line, name, attempt, outcome.console)  # remains if the fuzzer is interrupted now
        attempt = self.smaller(attempt, repeats)
        self.keep(oracle, line, name, attempt, outcome.console)
        self.repeated(self.findings[name])

    def keep(self, oracle, line, name, attempt, console):
        """Writes a finding's file and the kernel's messages."""
        path, text = self.file_of(content_key(name, self.options.guest, self.options.platform)), self.text_of(attempt)
        fuzz_findings.write(path, self.HEADER, {**self.facts(), "finding": name}, line, text, console)
        self.findings[name] = fuzz_findings.Finding(oracle, line, name, attempt, text, path)


def run_all(works, campaigns, jobs, progress):
    """Runs the functions `works`, so many at once, with progress(campaign) of those that execute; campaigns stop when one work fails or the user interrupts."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(work) for work in works}
        try:
            while waiting:
                done, waiting = concurrent.futures.wait(waiting, PROGRESS_SECONDS, concurrent.futures.FIRST_EXCEPTION)
                for future in done:
                    future.result()
                if waiting:
                    say("; ".join(progress(campaign) for campaign in campaigns if campaign.machine) or "booting a machine")
        except BaseException:
            for campaign in campaigns:
                campaign.stop.set()
            raise
