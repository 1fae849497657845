# SPDX-License-Identifier: GPL-2.0-or-later
"""What the commands `device` and `guest` of scripts/fuzz share: options, the list of findings, --repro."""
import pathlib
import time

import cmd_setup
import guest_image
import platforms
from common import Failure, output_file, say


def add_options(parser, positive, what, seconds, jobs):
    """Adds the options that both have. `what` an attempt is called; help of --seconds and --jobs."""
    parser.add_argument("--platform", default=platforms.names()[0], choices=platforms.names(), help="the chip (default: %(default)s)")
    parser.add_argument("--guest", default="bookworm", choices=list(guest_image.GUESTS), help="whose kernel (default: bookworm)")
    parser.add_argument("--seconds", type=positive, default=600, metavar="N", help=f"{seconds} (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help=f"{jobs} (default: 1; each needs 1 core, 700 MB)")
    parser.add_argument("--seed", type=int, metavar="N", help=f"seed of the {what}s (default: the time; it is printed)")
    parser.add_argument("--module", type=pathlib.Path, metavar="FILE", help="an i915.ko of your own in place of the guest's")
    parser.add_argument("--append", default="", metavar="STR", help="more words for the guest kernel's command line")
    parser.add_argument("--device-args", default="", metavar="STR", help="properties of the device (docs/qemu.md)")
    parser.add_argument("--no-compares", dest="compares", action="store_false", help="without the operands of compares at run time")
    parser.add_argument("--json", metavar="F", help="write the table and the findings to this file")
    parser.add_argument("--repro", metavar="FILE", help=f"run the {what} of a finding again, and say how it ends")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="with --repro: so many times (default: 1)")
    parser.add_argument("--console", action="store_true", help="with --repro: print the kernel's messages")
    parser.add_argument("--no-setup", action="store_true", help="use what is built, without a check whether it is current")


def check(options):
    """Checks them before any long step; the path of --json, or None. options.seed becomes a number."""
    if options.jobs < 1 or options.times < 1:
        raise Failure("--jobs and --times must be 1 or more")
    if options.module and not options.module.is_file():
        raise Failure(f"--module: there is no file '{options.module}'")
    if options.seed is None:
        options.seed = int(time.time())
    return output_file(options.json, "--json") if options.json else None


def set_up(options):
    if not options.no_setup:
        cmd_setup.ensure(("build", "headers", "guest"))


def print_findings(findings, command, where=""):
    for finding in findings:
        print(f"\n{where}{finding.what}\n  {finding.signature}\n" + "".join(f"  | {line}\n" for line in finding.text.splitlines()), end="")
        print(f"  repeat with: scripts/fuzz {command} --repro {finding.path}")


def repeat(campaign, attempt, facts, tell_first=None):
    """Executes a finding's attempt --times times; tell_first(outcome) after the first. The exit status: 1, the finding was seen again."""
    options, same = campaign.options, 0
    try:
        campaign.start()
        if facts.get("image") != campaign.machine.image:
            say("the guest's kernel or the agent is not that of the finding; it may not repeat")
        for number in range(1, options.times + 1):
            outcome = campaign.execute(attempt)
            name = campaign.signature_of(outcome)
            same += name is not None and name == facts.get("finding", name)
            if number == 1 and tell_first:
                tell_first(outcome)
            print(f"{number}: {name or 'nothing'}; ended: {outcome.end}, status {outcome.status}, {outcome.time_ns / 1e9:.3f} s of guest time")
            if options.console:
                print(outcome.console + outcome.output)
    finally:
        campaign.close()
    print(f"{same} of {options.times} times: {facts.get('finding', 'a finding')}")
    return 1 if same else 0
