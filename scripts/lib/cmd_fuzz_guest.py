# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/fuzz guest: programs of system calls against the guest's stock driver. scripts/fuzz syzlang: the same calls for syzkaller."""
import errno
import functools
import json

import coverage
import fuzz_base
import fuzz_command
import fuzz_coverage
import fuzz_guest
import fuzz_text
from common import Failure, content_key, existing_directory, print_table, say

EPILOG = """Each execution restores the machine and has its agent run a program of i915's and DRM's ioctls, with batches of packets that hw/defs declares.
Programs that reach new code of i915 or drm are kept and changed further. An oops, WARN, BUG, hung task, lockdep report, soft lockup, a program that
does not end, or one that changes memory of another client is a finding: it is repeated, made smaller, and kept in ~/.cache/softgen/findings/guest
(docs/fuzzing.md). Exit status: 0 no finding (or --repro: none repeated), 1 findings."""


def add_parser(commands, positive):
    """Adds the commands `guest` and `syzlang` to scripts/fuzz."""
    parser = commands.add_parser("guest", help="the guest's driver, by programs of ioctls", epilog=EPILOG,
                                 description="Fuzzes the guest's i915 by programs of system calls, guided by the coverage of its code. TCG, no KVM.")
    parser.add_argument("--keep", metavar="DIR", help="take the programs of this folder first, and write the corpus to it")
    parser.add_argument("--compare", metavar="FILE", help="print which functions of i915 and drm ran here, and which in the run of scripts/coverage whose --json this is")
    parser.add_argument("--show", type=int, metavar="N", help="print N new programs and end; needs no machine")
    fuzz_command.add_options(parser, positive, "program", "for how long", "machines at once, each with its own corpus")
    parser.set_defaults(function=guest)
    syzlang = commands.add_parser("syzlang", help="descriptions of the calls and packets for syzkaller", description="Writes i915's and DRM's calls and the packets "
                                  "of hw/defs in syzlang, with their constants (docs/fuzzing.md).")
    syzlang.add_argument("folder", metavar="DIR", help="where the files go")
    syzlang.set_defaults(function=write_syzlang)


def write_syzlang(options):
    import fuzz_syzlang
    for path in fuzz_syzlang.write(existing_directory(options.folder, "DIR")):
        print(path)
    return 0


def guest(options):
    report = fuzz_command.check(options)
    folder = existing_directory(options.keep, "--keep") if options.keep else None
    options.old = coverage.read_rows(options.compare) if options.compare else None
    if options.show:
        return show(options)
    known = fuzz_guest.read_program(options.repro) if options.repro else None
    fuzz_command.set_up(options)
    if known:
        return repeat(options, *known)
    texts = fuzz_guest.read_programs(fuzz_guest.SEEDS) + [path.read_text() for path in (sorted(folder.glob("*.program")) if folder else [])]
    say(f"seed {options.seed}, {options.seconds:g} s, {options.jobs} at once")
    campaigns = [fuzz_guest.Campaign(options, f"{options.seed} {job}") for job in range(options.jobs)]
    fuzz_base.run_all([functools.partial(work, campaign, texts, options.seconds) for campaign in campaigns], campaigns, options.jobs,
                      lambda c: f"{c.executions} programs, {c.blocks} blocks, {len(c.corpus)} kept, {len(c.findings)} findings")
    print_results(campaigns)
    if folder:
        keep_corpus(folder, campaigns)
    if options.old is not None:
        fuzz_coverage.print_comparison(set().union(*(campaign.entered for campaign in campaigns)), options.old)
    if report:
        report.write_text(json.dumps(summary(campaigns, options.seed), indent=1) + "\n")
    return 1 if any(campaign.findings for campaign in campaigns) else 0


def show(options):
    campaign = fuzz_guest.Campaign(options, f"{options.seed} 0")
    print("\n".join(fuzz_text.write(campaign.table, campaign.mutator.fresh()) for _ in range(options.show)))
    return 0


def work(campaign, texts, seconds):
    try:
        campaign.start()
        campaign.seed(texts)
        campaign.run(seconds)
        if campaign.options.old is not None:
            campaign.entered = fuzz_coverage.entered(campaign.machine)
    finally:
        campaign.close()


def keep_corpus(folder, campaigns):
    for campaign in campaigns:
        for entry in campaign.corpus:
            text = fuzz_text.write(campaign.table, entry.calls)
            (folder / f"{content_key(text)}.program").write_text(text)


def print_results(campaigns):
    print_table([("machine", "programs", "rate", "blocks", "corpus", "slow", "loud", "findings"),
                 *((index, c.executions, f"{c.rate():.1f}/s", c.blocks, len(c.corpus), len(c.slow), c.loud, len(c.findings)) for index, c in enumerate(campaigns))], left=())
    fuzz_command.print_findings({name: finding for campaign in campaigns for name, finding in campaign.findings.items()}.values(), "guest")


def summary(campaigns, seed):
    calls = {}
    for campaign in campaigns:
        for (name, number), count in campaign.errors.items():
            calls.setdefault(name, {})[number] = calls.get(name, {}).get(number, 0) + count
    return {"seed": seed, "calls": {name: calls[name] for name in sorted(calls)},
            "machines": [{"programs": c.executions, "rate": round(c.rate(), 1), "blocks": c.blocks, "corpus": len(c.corpus), "loud": c.loud, "slow": [fuzz_text.write(c.table, calls) for calls in c.slow],
                          "findings": [{"oracle": f.oracle, "what": f.what, "signature": f.signature, "program": f.text} for f in c.findings.values()]}
                         for c in campaigns]}


def how(number):
    if not number.isdigit():
        return "not made"
    return "ok" if number == "0" else errno.errorcode.get(int(number), number)


def repeat(options, facts, text):
    options.platform, options.guest = facts.get("platform", options.platform), facts.get("guest", options.guest)
    campaign = fuzz_guest.Campaign(options, 0)
    try:
        calls = campaign.parse(text)
    except fuzz_text.TextProblem as problem:
        raise Failure(f"{options.repro}: {problem}") from None

    def tell_first(outcome):
        ends = outcome.output.split()
        for index, line in enumerate(campaign.text_of(calls).splitlines()):
            print(f"{how(ends[index]) if index < len(ends) else 'not made':>9}  {line}")

    return fuzz_command.repeat(campaign, calls, facts, tell_first)
