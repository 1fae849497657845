# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/fuzz-eval: does scripts/fuzz device break a driver that has a known fault?"""
import argparse
import json
import time

import cmd_setup
import fuzz_campaign
from cmd_fuzz import positive
from common import CACHE, main, output_file, print_table, say
from fuzz_seeds import SEEDS
from i915_module import Source

GUEST, PLATFORM = "bookworm", "kbl"  # fuzz_seeds is about Linux 6.1
# Of the driver that is shipped these are known; a seeded fault makes another.
KNOWN = ("WARN", "hung task", "soft lockup", "no end")
PROGRESS_SECONDS = 15


def parse(argv):
    parser = argparse.ArgumentParser(prog="scripts/fuzz-eval", description=__doc__, epilog="""Builds i915 of Debian 12's kernel with one seeded fault
        each (scripts/lib/fuzz_seeds.py), and fuzzes it until the kernel crashes by a plan that the driver without the fault withstands. Then this plan is
        repeated. What crashes both is said, and the search goes on. Exit status: 0 when every fault is found and repeats each time.""")
    parser.add_argument("--only", action="append", metavar="NAME", choices=[seed.name for seed in SEEDS],
                        help="only this fault (may be given more than once): " + ", ".join(seed.name for seed in SEEDS))
    parser.add_argument("--seconds", type=positive, default=3600, metavar="N", help="per fault, at most (default: %(default)s)")
    parser.add_argument("--times", type=int, default=10, metavar="N", help="repetitions of a plan (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the plans (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the table to this file")
    return parser.parse_args(argv)


def options_of(module, seed):
    return argparse.Namespace(guest=GUEST, platform=PLATFORM, module=module, append="", device_args="", ignore=KNOWN, seed=seed)


def search(campaign, seconds, is_own):
    """Executions until the kernel crashes by a finding that is the fault's own: that finding, or None after so many seconds."""
    seen, end, said = 0, time.monotonic() + seconds, time.monotonic()
    while time.monotonic() < end:
        campaign.step(campaign.next_attempt())
        for finding in list(campaign.findings.values())[seen:]:
            seen += 1
            if is_own(finding):
                return finding
        if time.monotonic() > said + PROGRESS_SECONDS:
            said = time.monotonic()
            say(f"{campaign.executions} executions, {campaign.blocks} blocks, {end - said:.0f} s left")
    return None


def repeated(module, seed, finding, times):
    """How often, of so many times, the plan makes the finding on a new machine."""
    campaign = fuzz_campaign.Campaign(seed.target, options_of(module, 0), 0)
    try:
        campaign.start()
        outcomes = [campaign.execute(finding.attempt) for _ in range(times)]
        found = [(campaign.finding_of(outcome), outcome.console) for outcome in outcomes]
        return sum(one is not None and campaign.signature(*one, console) == finding.signature for one, console in found)
    finally:
        campaign.close()


def evaluate(source, seed, options):
    """A row of the table."""
    folder = CACHE / "i915"
    module, plain, stock = folder / f"{source.version}-{seed.name}.ko", folder / f"{source.version}.ko", []
    if not plain.exists():
        source.module(None, plain)
    source.module(seed, module)

    def is_own(finding):
        if not repeated(plain, seed, finding, 1):
            return True
        say(f"the driver without the fault has this, too: {finding.signature}: {'; '.join(finding.attempt)}")
        stock.append(finding.signature)
        return False

    campaign = fuzz_campaign.Campaign(seed.target, options_of(module, options.seed), options.seed)
    began = time.monotonic()
    try:
        campaign.start()
        found = search(campaign, options.seconds, is_own)
    finally:
        campaign.close()
    return {"fault": seed.name, "subject": seed.subject, "target": seed.target, "executions": campaign.executions, "seconds": round(time.monotonic() - began),
            "without_fault": stock, "finding": found and found.signature, "plan": found.attempt if found else [],
            "repeated": repeated(module, seed, found, options.times) if found else 0}


def run(argv):
    options = parse(argv)
    report = output_file(options.json, "--json") if options.json else None
    cmd_setup.ensure(("build", "headers", "guest"))
    source = Source(GUEST)
    source.fetch()
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
