# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/run: boots a guest, runs a command or the desktop in it."""
import argparse
import json
import pathlib
import shlex
import shutil
import sys
import time

import cmd_setup
import guest as guests
import guest_image
import platforms
from common import Failure, command_words, existing_directory, main, output_file, say
from last_picture import LastPicture

FOUND = 99  # exit status
DESKTOP = "/run/softgen/desktop"


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/run", usage="scripts/run [OPTIONS] [-- COMMAND [ARGUMENTS]]",
        description="""Boots a Debian guest whose i915 drives our GPU. Without COMMAND it shows a desktop (weston) until the window
        is closed. With COMMAND it runs that in the guest as root: the command's output is on stdout and stderr, and its exit status is
        the script's. Everything that is missing is installed, built or downloaded first. What the guest writes to its disk
        is forgotten.""",
        epilog="""Exit status: the command's; 124 when --timeout ended it; 125 when the guest or QEMU failed; 1 for a wrong use.
        Examples: scripts/run --headless -- dmesg --level=err,warn | scripts/run --screenshot a.png --headless -- true |
        scripts/run --device-args outputs=2 -- modetest -c""")
    parser.add_argument("--guest", default="bookworm", metavar="G", help="the guest's release: " +
                        "; ".join(f"{name} ({what})" for name, what in guest_image.GUESTS.items()) + " (default: bookworm)")
    parser.add_argument("--gpu", default="softgen", choices=["softgen", "stock"],
                        help="softgen: our device (default); stock: QEMU's standard VGA in the same machine")
    parser.add_argument("--platform", default=platforms.names()[0], choices=platforms.names(), help="the chip (default: %(default)s)")
    parser.add_argument("--headless", action="store_true", help="open no window")
    parser.add_argument("--screenshot", metavar="FILE.png", help="write the picture that COMMAND showed last, or the console's; without COMMAND the desktop's")
    parser.add_argument("--share", metavar="DIR", help="show this directory in the guest as /mnt/share")
    parser.add_argument("--overlay", metavar="DIR", help="lay this directory over the guest's root: a kernel module, a driver, a test suite")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, help="give up after this time, booting included")
    parser.add_argument("--device-args", metavar="STR", default="", help="properties of the device, as in 'threads=0,trace=cs' (docs/qemu.md)")
    parser.add_argument("--faults", metavar="FILE", help="a fault plan for the device (docs/faults.md)")
    parser.add_argument("--check", nargs="?", const="commands", metavar="WHAT", help="report what the guest's drivers send against the manual, as "
                        "--check=commands,-B10 (docs/check.md); exit status 99 with findings, where the command's is 0")
    parser.add_argument("--accel", default="auto", choices=["auto", "kvm", "tcg"], help="default: KVM where it works, else TCG")
    parser.add_argument("--memory", default="2G", metavar="SIZE", help="the guest's memory (default: 2G)")
    parser.add_argument("--append", default="", metavar="STR", help="more words for the guest kernel's command line")
    parser.add_argument("--qemu-args", default="", metavar="STR", help="more options for QEMU, quoted as for a shell")
    parser.add_argument("--serial", metavar="FILE", help="save the output of the guest's serial port")
    parser.add_argument("--no-setup", action="store_true", help="use what is built, without a check whether it is current")
    parser.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    options.command = command_words(options.command)
    if options.check:
        if options.gpu != "softgen":
            parser.error("--check is for --gpu softgen")
        options.device_args = ",".join(filter(None, [options.device_args, "check=" + options.check.replace(",", ",,")]))
    return options


def checked(options):
    """Checks all arguments before any long step starts."""
    if options.guest not in guest_image.GUESTS:
        raise Failure(f"there is no guest '{options.guest}'; choose from {', '.join(guest_image.GUESTS)}")
    for name in ("share", "overlay"):
        if getattr(options, name):
            setattr(options, name, existing_directory(getattr(options, name), f"--{name}"))
    if options.faults:
        if options.gpu != "softgen" or not pathlib.Path(options.faults).is_file():
            raise Failure(f"--faults: '{options.faults}' is no file, or --gpu is not softgen")
        path = str(pathlib.Path(options.faults).absolute()).replace(",", ",,")
        options.device_args = ",".join(filter(None, [options.device_args, f"faults={path}"]))
    if options.screenshot:
        output_file(options.screenshot, "--screenshot")
    if options.timeout is not None and options.timeout <= 0:
        raise Failure("--timeout: the time must be above zero")
    if not options.headless:
        guests.window_display_possible()
    return options


def passer(stream):
    """A sink that writes bytes at once, without a buffer."""
    def write(data):
        stream.buffer.write(data)
        stream.buffer.flush()
    return write


def run(argv):
    options = checked(parse(argv))
    if not options.no_setup:
        cmd_setup.ensure(("build", "headers", "guest") + (() if options.headless else ("window",)))
    machine = guests.Guest(options.guest, share=options.share, overlay=options.overlay, append=options.append,
                           gpu=options.gpu, platform=options.platform, device_args=options.device_args,
                           accelerator=options.accel, memory=options.memory,
                           display="none" if options.headless else guests.window_display(),
                           qemu_args=shlex.split(options.qemu_args) + ([] if options.headless else guests.WINDOW_DEVICES))
    with machine:
        try:
            return session(machine, options)
        finally:
            if options.serial and machine.serial.exists():
                shutil.copyfile(machine.serial, options.serial)


def session(machine, options):
    """Boots, runs and takes the picture; the exit status."""
    deadline = time.monotonic() + options.timeout if options.timeout else None

    def left():
        return None if deadline is None else max(0.001, deadline - time.monotonic())

    try:
        machine.boot(min(left() or guests.BOOT_SECONDS, guests.BOOT_SECONDS))
        if options.command:
            picture = LastPicture(machine, machine.folder) if options.screenshot else None
            status = machine.run("exec " + shlex.join(options.command), left(), passer(sys.stdout), passer(sys.stderr),
                                 picture and picture.look)
            if picture:
                picture.save(options.screenshot)
        else:
            status = machine.run(f"{DESKTOP} start", left(), passer(sys.stdout), passer(sys.stderr))
            if status != 0:
                raise Failure("the desktop did not start", 125)
            if options.screenshot:
                machine.screenshot(options.screenshot)
        if not options.command and not (options.screenshot and options.headless):
            say("the desktop is up" + ("; end it with Ctrl-C" if options.headless else ""))
            machine.wait_closed(left())
        return findings(machine, status) if options.check else status
    except guests.TimedOut:
        raise Failure(f"timed out after {options.timeout or guests.BOOT_SECONDS:g} s", guests.TIMED_OUT) from None


def findings(machine, status):
    """Says what the device's checker has found (QEMU has printed each); the exit status with them."""
    report = json.loads(machine.get("check-report"))
    for one in report["findings"]:
        say(f"check {one['rule']} {one['severity']}: {one['text']} ({one['count']} times)\n  at     {one['context']}: {one['fields']}\n"
            f"  here   {one['detail']}\n  needs  {one['needs']}   [{one['source']}]")
    return (status or FOUND) if report["findings"] else status


if __name__ == "__main__":
    main("run", run)
