# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/fuzz device: a device that fails by plan against the guest's stock driver."""
import argparse
import concurrent.futures
import json
import pathlib
import threading
import time

import cmd_setup
import fuzz_campaign
import guest_image
import platforms
from common import Failure, output_file, print_table, say

PROGRESS_SECONDS = 15
EPILOG = """Each execution restores the machine to a checkpoint, gives the device a fault plan, and has the guest do the target's work. Plans that reach
new code of i915 or drm are kept and changed further. An oops, WARN, BUG, hung task, lockdep report, soft lockup, or a guest that does not end its
work is a finding: it is repeated, minimised, and kept in ~/.cache/softgen/findings/device with a plan that --repro takes (docs/fuzzing.md).
Exit status: 0 no finding (or --repro: none repeated), 1 findings."""


def add_parser(commands, positive):
    """Adds the command `device` to scripts/fuzz."""
    parser = commands.add_parser("device", help="the guest's driver, by a device that fails", epilog=EPILOG,
                                 description="Fuzzes the guest's i915 by fault plans, guided by the coverage of its code. TCG, no KVM.")
    parser.add_argument("--target", action="append", metavar="T", choices=list(fuzz_campaign.TARGETS), help="only this one (may be given more than once): " +
                        ", ".join(fuzz_campaign.TARGETS))
    parser.add_argument("--platform", default=platforms.names()[0], choices=platforms.names(), help="the chip (default: %(default)s)")
    parser.add_argument("--guest", default="bookworm", choices=list(guest_image.GUESTS), help="whose kernel (default: bookworm)")
    parser.add_argument("--seconds", type=positive, default=600, metavar="N", help="for all targets together, without the boots (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="machines at once (default: 1; each needs 1 core, 700 MB)")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the plans (default: the time; it is printed)")
    parser.add_argument("--module", type=pathlib.Path, metavar="FILE", help="an i915.ko of your own in place of the guest's")
    parser.add_argument("--ignore", action="append", default=[], metavar="ORACLE", choices=fuzz_campaign.ORACLES,
                        help="not a finding, may be repeated: " + ", ".join(fuzz_campaign.ORACLES) + ". WARN is most of what there is")
    parser.add_argument("--append", default="", metavar="STR", help="more words for the guest kernel's command line")
    parser.add_argument("--device-args", default="", metavar="STR", help="properties of the device (docs/qemu.md)")
    parser.add_argument("--json", metavar="F", help="write the table and the findings to this file")
    parser.add_argument("--repro", metavar="FILE", help="run a finding's plan again, and say what the kernel does")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="with --repro: so many times (default: 1)")
    parser.add_argument("--console", action="store_true", help="with --repro: print the kernel's messages")
    parser.add_argument("--no-setup", action="store_true", help="use what is built, without a check whether it is current")
    parser.set_defaults(function=device)


def device(options):
    if options.jobs < 1 or options.times < 1:
        raise Failure("--jobs and --times must be 1 or more")
    if options.module and not options.module.is_file():
        raise Failure(f"--module: there is no file '{options.module}'")
    report = output_file(options.json, "--json") if options.json else None
    known = fuzz_campaign.read_plan(options.repro) if options.repro else None
    if not options.no_setup:
        cmd_setup.ensure(("build", "headers", "guest"))
    if known:
        return repeat(options, *known)
    seed = int(time.time()) if options.seed is None else options.seed
    names = list(dict.fromkeys(options.target or fuzz_campaign.TARGETS))
    say(f"seed {seed}, {options.seconds:g} s for {len(names)} targets, {options.jobs} at once")
    campaigns = run_all({name: fuzz_campaign.Campaign(name, options, seed) for name in names}, options)
    print_results(campaigns)
    if report:
        report.write_text(json.dumps(summary(campaigns, seed), indent=1) + "\n")
    return 1 if any(campaign.findings for campaign in campaigns) else 0


def run_all(campaigns, options):
    """Runs the campaigns, those of one node on one machine; they share the time."""
    stop = threading.Event()
    seconds = options.seconds * options.jobs / len(campaigns)

    def work(group):
        machine = None
        try:
            for name in group:
                if not stop.is_set():
                    campaigns[name].start(machine)
                    campaigns[name].run(seconds)
                    machine = campaigns[name].machine
        finally:
            for name in group:
                campaigns[name].close()

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(work, group) for group in fuzz_campaign.by_node(campaigns)}
        try:
            while waiting:
                done, waiting = concurrent.futures.wait(waiting, PROGRESS_SECONDS, concurrent.futures.FIRST_EXCEPTION)
                for future in done:
                    future.result()
                running = [campaign for campaign in campaigns.values() if campaign.running]
                say("; ".join(f"{c.name}: {c.executions} executions, {c.blocks} blocks, {len(c.findings)} findings" for c in running) or "booting a machine")
        except BaseException:
            stop.set()
            for campaign in campaigns.values():
                campaign.close()
            raise
    return list(campaigns.values())


def rate(campaign):
    return campaign.executions / campaign.seconds if campaign.seconds else 0


def print_results(campaigns):
    print_table([("target", "executions", "rate", "blocks", "corpus", "findings"),
                 *((c.name, c.executions, f"{rate(c):.1f}/s", c.blocks, len(c.corpus), len(c.findings)) for c in campaigns)], left=(0,))
    for campaign in campaigns:
        for finding in campaign.findings.values():
            print(f"\n{campaign.name}: {finding.what}\n  {finding.signature}")
            print("".join(f"  | {line}\n" for line in finding.plan), end="")
            if finding.path:
                print(f"  repeat with: scripts/fuzz device --repro {finding.path}")


def summary(campaigns, seed):
    return {"seed": seed, "targets": [{"name": c.name, "executions": c.executions, "rate": round(rate(c), 1), "blocks": c.blocks, "corpus": len(c.corpus),
                                       "findings": [{"oracle": f.oracle, "what": f.what, "signature": f.signature, "plan": f.plan} for f in c.findings.values()]}
                                      for c in campaigns]}


def repeat(options, facts, plan):
    options.platform, options.guest = facts["platform"], facts["guest"]
    campaign = fuzz_campaign.Campaign(facts["target"], options, 0)
    same = 0
    try:
        campaign.start()
        if facts.get("image") != campaign.machine.image:
            say("the guest's kernel or the agent is not that of the finding; it may not repeat")
        for number in range(1, options.times + 1):
            outcome = campaign.execute(plan)
            found = fuzz_campaign.finding_of(outcome)
            name = fuzz_campaign.signature(*found, outcome.console) if found else "nothing"
            same += name == facts.get("finding", name) and found is not None
            print(f"{number}: {name}; ended: {outcome.end}, status {outcome.status}, {outcome.time_ns / 1e9:.3f} s of guest time")
            if options.console:
                print(outcome.console + outcome.output)
    finally:
        campaign.close()
    print(f"{same} of {options.times} times: {facts.get('finding', 'a finding')}")
    return 1 if same else 0
