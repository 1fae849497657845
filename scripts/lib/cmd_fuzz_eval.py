# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/fuzz-eval: does scripts/fuzz device break a driver that has a known fault?"""
import argparse
import json
import time

import cmd_fuzz_device
import cmd_setup
import fuzz_campaign
from cmd_fuzz import positive
from common import Failure, main, output_file, print_table, say
from fuzz_seeds import SEEDS
from i915_module import Source

GUEST, PLATFORM = "bookworm", "kbl"  # fuzz_seeds is about Linux 6.1
# Of the driver that is shipped these are known; a seeded fault makes another.
KNOWN = ("WARN", "hung task", "soft lockup", "no end")


def parse(argv):
    parser = argparse.ArgumentParser(prog="scripts/fuzz-eval", description=__doc__, epilog="""Builds i915 of Debian 12's kernel with one seeded fault
        each (scripts/lib/fuzz_seeds.py), and fuzzes it until the kernel crashes by a plan that the driver as shipped withstands. Then this plan is
        repeated. What crashes both is said, and the search goes on. Exit status: 0 when every fault is found and repeats each time.""")
    parser.add_argument("--only", action="append", metavar="NAME", choices=[seed.name for seed in SEEDS],
                        help="only this fault (may be given more than once): " + ", ".join(seed.name for seed in SEEDS))
    parser.add_argument("--seconds", type=positive, default=3600, metavar="N", help="per fault, at most (default: %(default)s)")
    parser.add_argument("--times", type=int, default=10, metavar="N", help="repetitions of a plan (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the plans (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the table to this file")
    return parser.parse_args(argv)


def options_of(module):
    return argparse.Namespace(guest=GUEST, platform=PLATFORM, module=module, append="", device_args="", ignore=KNOWN, compares=True)


class Search(fuzz_campaign.Campaign):
    """Stops at the first finding that the driver without the fault does not have."""

    def __init__(self, seed, module, number):
        super().__init__(seed.target, options_of(module), number)
        self.own, self.stock = None, []  # that finding; signatures of the others

    def repeated(self, finding):
        super().repeated(finding)
        if finding.signature in signatures(self.name, None, finding.attempt):
            say(f"the driver without the fault has this, too: {finding.signature}: {'; '.join(finding.attempt)}")
            self.stock.append(finding.signature)
        else:
            self.own = finding
            self.stop.set()


def signatures(target, module, plan, times=1):
    """What the plan finds in each of so many executions on a new machine. `module`: None: the driver that Debian ships."""
    campaign = fuzz_campaign.Campaign(target, options_of(module), 0)
    try:
        campaign.start()
        return [campaign.signature_of(campaign.execute(plan)) for _ in range(times)]
    finally:
        campaign.close()


def evaluate(source, seed, options):
    """A row of the table."""
    module = source.kept_module(seed)
    # A seed without effect could not be found.
    if signatures(seed.target, module, [seed.plan]) == [None]:
        raise Failure(f"{seed.name}: the driver with the fault withstands '{seed.plan}'")
    campaign, began = Search(seed, module, options.seed), time.monotonic()
    cmd_fuzz_device.run_all([campaign], argparse.Namespace(seconds=options.seconds, jobs=1))
    own = campaign.own
    return {"fault": seed.name, "subject": seed.subject, "target": seed.target, "executions": campaign.executions, "seconds": round(time.monotonic() - began),
            "without_fault": campaign.stock, "finding": own and own.signature, "plan": own.attempt if own else [],
            "repeated": signatures(seed.target, module, own.attempt, options.times).count(own.signature) if own else 0}


def run(argv):
    options = parse(argv)
    report = output_file(options.json, "--json") if options.json else None
    cmd_setup.ensure(("build", "headers", "guest"))
    source = Source(GUEST)
    rows = []
    for seed in SEEDS:
        if options.only and seed.name not in options.only:
            continue
        say(f"{seed.name}: {seed.subject}, by the target {seed.target}")
        rows.append(evaluate(source, seed, options))
    print_table([("fault", "target", "executions", "seconds", "repeated", "finding"),
                 *((row["fault"], row["target"], row["executions"], row["seconds"], f"{row['repeated']} of {options.times}" if row["finding"] else "",
                    row["finding"] or "not found") for row in rows)], left=(0, 1, 5))
    for row in rows:
        if row["plan"]:
            print(f"\n{row['fault']}:\n" + "".join(f"  | {line}\n" for line in row["plan"]), end="")
    if report:
        report.write_text(json.dumps({"seed": options.seed, "faults": rows}, indent=1) + "\n")
    return 0 if all(row["repeated"] == options.times for row in rows) else 1


if __name__ == "__main__":
    main("fuzz-eval", run)
