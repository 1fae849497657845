# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/fuzz guest: programs of system calls against the guest's stock driver. scripts/fuzz syzlang: the same calls for syzkaller."""
import concurrent.futures
import errno
import json
import pathlib
import threading
import time

import cmd_setup
import fuzz_guest
import fuzz_text
import guest_image
import platforms
from common import Failure, existing_directory, output_file, print_table, say

PROGRESS_SECONDS = 15
EPILOG = """Each execution restores the machine and has its agent run a program of i915's and DRM's ioctls, with batches of packets that hw/defs declares.
Programs that reach new code of i915 or drm are kept and changed further. An oops, WARN, BUG, hung task, lockdep report, soft lockup, a program that
does not end, or one that changes memory of another client is a finding: it is repeated, made smaller, and kept in ~/.cache/softgen/findings/guest
(docs/fuzzing.md). Exit status: 0 no finding (or --repro: none repeated), 1 findings."""


def add_parser(commands, positive):
    """Adds the commands `guest` and `syzlang` to scripts/fuzz."""
    parser = commands.add_parser("guest", help="the guest's driver, by programs of ioctls", epilog=EPILOG,
                                 description="Fuzzes the guest's i915 by programs of system calls, guided by the coverage of its code. TCG, no KVM.")
    parser.add_argument("--platform", default=platforms.names()[0], choices=platforms.names(), help="the chip (default: %(default)s)")
    parser.add_argument("--guest", default="bookworm", choices=list(guest_image.GUESTS), help="whose kernel (default: bookworm)")
    parser.add_argument("--seconds", type=positive, default=600, metavar="N", help="for how long (default: %(default)s)")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the programs (default: the time; it is printed)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="machines at once, each with its own corpus (default: 1; each needs 1 core, 700 MB)")
    parser.add_argument("--module", type=pathlib.Path, metavar="FILE", help="an i915.ko of your own in place of the guest's")
    parser.add_argument("--append", default="", metavar="STR", help="more words for the guest kernel's command line")
    parser.add_argument("--device-args", default="", metavar="STR", help="properties of the device (docs/qemu.md)")
    parser.add_argument("--json", metavar="F", help="write the table, the findings and how each call ended to this file")
    parser.add_argument("--keep", metavar="DIR", help="take the programs of this folder first, and write the corpus to it")
    parser.add_argument("--repro", metavar="FILE", help="run a program again, and say how each call and the kernel end")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="with --repro: so many times (default: 1)")
    parser.add_argument("--console", action="store_true", help="with --repro: print the kernel's messages")
    parser.add_argument("--show", type=int, metavar="N", help="print N new programs and end; needs no machine")
    parser.add_argument("--no-setup", action="store_true", help="use what is built, without a check whether it is current")
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
    if options.jobs < 1 or options.times < 1:
        raise Failure("--jobs and --times must be 1 or more")
    if options.module and not options.module.is_file():
        raise Failure(f"--module: there is no file '{options.module}'")
    report = output_file(options.json, "--json") if options.json else None
    folder = existing_directory(options.keep, "--keep") if options.keep else None
    seed = int(time.time()) if options.seed is None else options.seed
    if options.show:
        return show(options, seed)
    known = fuzz_guest.read_program(options.repro) if options.repro else None
    if not options.no_setup:
        cmd_setup.ensure(("build", "headers", "guest"))
    if known:
        return repeat(options, *known)
    texts = fuzz_guest.read_programs(fuzz_guest.SEEDS) + [path.read_text() for path in sorted(folder.glob("*.program"))] if folder else \
        fuzz_guest.read_programs(fuzz_guest.SEEDS)
    say(f"seed {seed}, {options.seconds:g} s, {options.jobs} at once")
    campaigns = run_all([fuzz_guest.Campaign(options, f"{seed} {job}") for job in range(options.jobs)], texts, options.seconds)
    if folder:
        keep_corpus(folder, campaigns)
    print_results(campaigns)
    if report:
        report.write_text(json.dumps(summary(campaigns, seed), indent=1) + "\n")
    return 1 if any(campaign.findings for campaign in campaigns) else 0


def show(options, seed):
    campaign = fuzz_guest.Campaign(options, f"{seed} 0")
    print("\n".join(fuzz_text.write(campaign.table, campaign.mutator.fresh()) for _ in range(options.show)))
    return 0


def run_all(campaigns, texts, seconds):
    stop = threading.Event()

    def work(campaign):
        try:
            campaign.start()
            campaign.seed(texts)
            deadline = time.monotonic() + seconds
            while not stop.is_set() and time.monotonic() < deadline:
                campaign.run(min(1, max(0.01, deadline - time.monotonic())))
        finally:
            campaign.close()

    with concurrent.futures.ThreadPoolExecutor(len(campaigns)) as pool:
        waiting = {pool.submit(work, campaign) for campaign in campaigns}
        try:
            while waiting:
                done, waiting = concurrent.futures.wait(waiting, PROGRESS_SECONDS, concurrent.futures.FIRST_EXCEPTION)
                for future in done:
                    future.result()
                if waiting:
                    say("; ".join(f"{c.executions} programs, {c.blocks} blocks, {len(c.corpus)} kept, {len(c.findings)} findings" for c in campaigns))
        except BaseException:
            stop.set()
            raise
    return campaigns


def keep_corpus(folder, campaigns):
    for campaign in campaigns:
        for entry in campaign.corpus:
            text = fuzz_text.write(campaign.table, entry.calls)
            (folder / f"{fuzz_guest.content_key(text)}.program").write_text(text)


def rate(campaign):
    return campaign.executions / campaign.seconds if campaign.seconds else 0


def print_results(campaigns):
    print_table([("machine", "programs", "rate", "blocks", "corpus", "slow", "findings"),
                 *((index, c.executions, f"{rate(c):.1f}/s", c.blocks, len(c.corpus), len(c.slow), len(c.findings)) for index, c in enumerate(campaigns))], left=())
    for finding in {name: finding for campaign in campaigns for name, finding in campaign.findings.items()}.values():
        print(f"\n{finding.what}\n  {finding.signature}\n" + "".join(f"  | {line}\n" for line in finding.text.splitlines()), end="")
        print(f"  repeat with: scripts/fuzz guest --repro {finding.path}")


def summary(campaigns, seed):
    calls = {}
    for campaign in campaigns:
        for (name, number), count in campaign.errors.items():
            calls.setdefault(name, {})[number] = calls.get(name, {}).get(number, 0) + count
    return {"seed": seed, "calls": {name: calls[name] for name in sorted(calls)},
            "machines": [{"programs": c.executions, "rate": round(rate(c), 1), "blocks": c.blocks, "corpus": len(c.corpus), "slow": [fuzz_text.write(c.table, calls) for calls in c.slow],
                          "findings": [{"oracle": f.oracle, "what": f.what, "signature": f.signature, "program": f.text} for f in c.findings.values()]}
                         for c in campaigns]}


def how(number):
    if not number.isdigit():
        return "not made"
    return "ok" if number == "0" else errno.errorcode.get(int(number), number)


def repeat(options, facts, text):
    options.platform, options.guest = facts.get("platform", options.platform), facts.get("guest", options.guest)
    campaign, same = fuzz_guest.Campaign(options, 0), 0
    try:
        calls = campaign.parse(text)
    except fuzz_text.TextProblem as problem:
        raise Failure(f"{options.repro}: {problem}") from None
    try:
        campaign.start()
        if facts.get("image") != campaign.machine.image:
            say("the guest's kernel or the agent is not that of the finding; it may not repeat")
        for number in range(1, options.times + 1):
            outcome = campaign.execute(calls)
            found = fuzz_guest.finding_of(outcome)
            name = fuzz_guest.signature(*found, outcome.console) if found else "nothing"
            same += found is not None and name == facts.get("finding", name)
            if number == 1:
                ends = outcome.output.split()
                for index, line in enumerate(fuzz_text.write(campaign.table, calls).splitlines()):
                    print(f"{how(ends[index]) if index < len(ends) else 'not made':>9}  {line}")
            print(f"{number}: {name}; ended: {outcome.end}, {outcome.time_ns / 1e9:.3f} s of guest time")
            if options.console:
                print(outcome.console)
    finally:
        campaign.close()
    print(f"{same} of {options.times} times: {facts.get('finding', 'a finding')}")
    return 1 if same else 0
