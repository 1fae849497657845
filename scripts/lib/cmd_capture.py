# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/capture: records a command's GPU work in the guest as an AUB file."""
import argparse
import shlex
import sys

import cmd_setup
import guest as guests
import guest_image
from cmd_run import passer
from common import Failure, command_words, existing_directory, main, output_file, say



def parse(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/capture", usage="scripts/capture -o FILE.aub [OPTIONS] -- COMMAND [ARGUMENTS]",
        description="""Boots a Debian guest without a window, runs COMMAND in it as root, and records all submissions to our GPU while it runs.
        softgen-replay and aubinator read the file. Submissions are executed one after the other while they are recorded.""",
        epilog="Exit status: the command's; 124 when --timeout ended it; 125 when the guest or QEMU failed; 1 for a wrong use.")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.aub", help="where the recording goes")
    parser.add_argument("--guest", default="bookworm", metavar="G", choices=list(guest_image.GUESTS), help="the guest's release (default: bookworm)")
    parser.add_argument("--share", metavar="DIR", help="show this directory in the guest as /mnt/share")
    parser.add_argument("--overlay", metavar="DIR", help="lay this directory over the guest's root")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, help="give up when COMMAND has run for this long")
    parser.add_argument("--memory", default="2G", metavar="SIZE", help="the guest's memory (default: 2G)")
    parser.add_argument("--check", action="store_true",
                        help="also record what each submission leaves in memory, for softgen-replay to compare; the guest has one CPU then")
    parser.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    options.command = command_words(options.command)
    if not options.command:
        parser.error("there is no command to record")
    return options


def capture(argv):
    options = parse(argv)
    output = output_file(options.output, "--output")
    for name in ("share", "overlay"):
        if getattr(options, name):
            setattr(options, name, existing_directory(getattr(options, name), f"--{name}"))
    cmd_setup.ensure(("build", "headers", "guest"))
    machine = guests.Guest(options.guest, share=options.share, overlay=options.overlay, memory=options.memory,
                            cpus=1 if options.check else 2)
    with machine:
        machine.boot()

        machine.put("record-check", options.check)
        machine.put("record", str(output))
        try:
            status = machine.run("exec " + shlex.join(options.command), options.timeout, passer(sys.stdout), passer(sys.stderr))
        except guests.TimedOut:
            raise Failure(f"timed out after {options.timeout:g} s", guests.TIMED_OUT) from None
        finally:
            machine.put("record", "")
        say(f"{output.stat().st_size / 2**20:.1f} MiB of recording in {options.output}")
        return status


if __name__ == "__main__":
    main("capture", capture)
