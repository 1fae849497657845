# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/fuzz device: a device that fails by plan against the guest's stock driver."""
import functools
import json

import fuzz_base
import fuzz_campaign
import fuzz_command
from common import print_table, say

EPILOG = """Each execution restores the machine to a checkpoint, gives the device a fault plan, and has the guest do the target's work. Plans that reach
new code of i915 or drm are kept and changed further. An oops, WARN, BUG, hung task, lockdep report, soft lockup, or a guest that does not end its
work is a finding: it is repeated, minimised, and kept in ~/.cache/softgen/findings/device with a plan that --repro takes (docs/fuzzing.md).
Exit status: 0 no finding (or --repro: none repeated; --check-restores: equal), 1 findings."""


def add_parser(commands, positive):
    """Adds the command `device` to scripts/fuzz."""
    parser = commands.add_parser("device", help="the guest's driver, by a device that fails", epilog=EPILOG,
                                 description="Fuzzes the guest's i915 by fault plans, guided by the coverage of its code. TCG, no KVM.")
    parser.add_argument("--target", action="append", metavar="T", choices=list(fuzz_campaign.TARGETS), help="only this one (may be given more than once): " +
                        ", ".join(fuzz_campaign.TARGETS))
    parser.add_argument("--ignore", action="append", default=[], metavar="ORACLE", choices=fuzz_campaign.ORACLES,
                        help="not a finding, may be repeated: " + ", ".join(fuzz_campaign.ORACLES) + ". Most findings are of WARN")
    parser.add_argument("--check-restores", type=int, metavar="N", help="restore N times while a target is fuzzed, and say whether memory and devices are the same each time; no findings")
    fuzz_command.add_options(parser, positive, "plan", "for all targets together, without the boots", "machines at once")
    parser.set_defaults(function=device)


def device(options):
    report = fuzz_command.check(options)
    known = fuzz_campaign.read_plan(options.repro) if options.repro else None
    fuzz_command.set_up(options)
    if known:
        facts, plan = known
        options.platform, options.guest = facts["platform"], facts["guest"]
        return fuzz_command.repeat(fuzz_campaign.Campaign(facts["target"], options, 0), plan, facts)
    if options.check_restores:
        return check_restores(options)
    names = list(dict.fromkeys(options.target or fuzz_campaign.TARGETS))
    say(f"seed {options.seed}, {options.seconds:g} s for {len(names)} targets, {options.jobs} at once")
    campaigns = [fuzz_campaign.Campaign(name, options, options.seed) for name in names]
    run_all(campaigns, options)
    print_results(campaigns)
    if report:
        report.write_text(json.dumps(summary(campaigns, options.seed), indent=1) + "\n")
    return 1 if any(campaign.findings for campaign in campaigns) else 0


def check_restores(options):
    campaign = fuzz_campaign.Campaign((options.target or ["submit"])[0], options, options.seed)
    different = None

    def work():
        nonlocal different
        try:
            campaign.start()
            different = campaign.check_restores(options.check_restores)
        finally:
            campaign.close()

    say(f"{campaign.name}: seed {options.seed}, {options.check_restores} restores")
    fuzz_base.run_all([work], [campaign], 1, lambda c: f"{c.restores} restores, {c.looks} hashes")
    print(f"{campaign.restores} restores, {campaign.looks} hashes: memory " + (f"differs behind restore {different}" if different else "is always the same"))
    if campaign.other_devices:
        print(f"devices' states differ at {len(campaign.other_devices)} of them, first behind restore {campaign.other_devices[0]}")
    return 1 if different or campaign.other_devices else 0


def run_all(campaigns, options):
    """Runs the campaigns, those of one node on one machine; they share the time."""
    by_name = {campaign.name: campaign for campaign in campaigns}
    seconds = options.seconds * options.jobs / len(campaigns)

    def work(group):
        machine = None
        try:
            for campaign in group:
                if not campaign.stop.is_set():
                    campaign.start(machine)
                    campaign.run(seconds)
                    machine = campaign.hand_over()
        finally:
            for campaign in group:
                campaign.close()
            if machine:
                machine.close()

    groups = [[by_name[name] for name in group] for group in fuzz_campaign.by_node(by_name)]
    fuzz_base.run_all([functools.partial(work, group) for group in groups], campaigns, options.jobs,
                      lambda c: f"{c.name}: {c.executions} executions, {c.blocks} blocks, {len(c.findings)} findings")


def print_results(campaigns):
    print_table([("target", "executions", "rate", "blocks", "corpus", "loud", "findings"),
                 *((c.name, c.executions, f"{c.rate():.1f}/s", c.blocks, len(c.corpus), c.loud, len(c.findings)) for c in campaigns)], left=(0,))
    for campaign in campaigns:
        fuzz_command.print_findings(campaign.findings.values(), "device", f"{campaign.name}: ")


def summary(campaigns, seed):
    return {"seed": seed, "targets": [{"name": c.name, "executions": c.executions, "rate": round(c.rate(), 1), "blocks": c.blocks, "corpus": len(c.corpus), "loud": c.loud,
                                       "findings": [{"oracle": f.oracle, "what": f.what, "signature": f.signature, "plan": f.attempt} for f in c.findings.values()]}
                                      for c in campaigns]}
