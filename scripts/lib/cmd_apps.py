# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/apps: real programs under softgen-run; their pictures are compared with those of llvmpipe, lavapipe or the CPU."""
import argparse

import app_guest
import app_run
import apt
import cmd_setup
import platforms
from app_rows import ROWS, obstacle, packages, place_rows
from common import Failure, main, print_table, say
from mesa_root import HostMesa, ReleaseMesa

RELEASES = ("trixie", "sid")
NAMES = [row.name for row in ROWS]


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/apps", description=f"""Runs programs on our GPU and on a peer, compares what they draw, and prints a table with both sides' speed
        (pictures per second, with the start of the program). Their packages are installed from Debian when they are missing.
        Names: {', '.join(NAMES)} (default: all). With --guest: {', '.join(app_guest.NAMES)}, a desktop on the guest's own i915 and Mesa.""",
        epilog="Exit status: 0 all pictures agree, 1 some do not or a program failed.")
    parser.add_argument("name", nargs="*", metavar="NAME")
    parser.add_argument("--mesa", choices=["host", *RELEASES], default="host",
                        help="the Mesa and the programs of this Debian release, in a folder of its own (needs root; default: the host's)")
    parser.add_argument("--guest", metavar="G", choices=["bookworm"], help="a desktop in this guest (bookworm: Debian 12), and on its llvmpipe")
    parser.add_argument("--platform", default=platforms.names()[0], choices=platforms.names(), help="softgen-run's platform (default: %(default)s)")
    parser.add_argument("--no-setup", action="store_true", help="use what is built and installed")
    options = parser.parse_args(argv)
    known = app_guest.NAMES if options.guest else NAMES
    unknown = [name for name in options.name if name not in known]
    if unknown:
        raise Failure(f"there is no program '{unknown[0]}'; there are {', '.join(known)}")
    if options.guest and options.mesa != "host":
        raise Failure("a guest has a Mesa of its own; --mesa is for programs outside")
    return options


def speed(row, result):
    return "-" if result.trouble else f"{row.count / result.seconds:.2f}"


def cells(row, run):
    """A line of the table, and whether the program passed. run(peer): its app_run.Run on our GPU (None) or on the row's peer."""
    say(f"{row.name} on softgen")
    ours = run(None)
    say(f"{row.name} on {row.peer.name}")
    theirs = run(row.peer)
    difference, wrong = app_run.verdict(row, ours, theirs)
    numbers = [str(difference.largest), f"{100 * difference.over:.3f} %"] if difference else ["-", "-"]
    return [row.name, speed(row, ours), row.peer.name, speed(row, theirs), *numbers, wrong or "agrees"], not wrong


def not_run(row, why):
    """cells() of a program that cannot run."""
    return [row.name, "-", row.peer.name, "-", "-", "-", f"not run: {why}"], None


def result(row, options):
    """cells() with the Mesa and on the platform of the options. A row that cannot run needs no release's folder."""
    if why := obstacle(row, options.mesa, options.platform):
        return not_run(row, why)
    mesa = HostMesa() if options.mesa == "host" else ReleaseMesa(options.mesa, packages(place_rows(row)))
    return cells(row, lambda peer: app_run.run(row, mesa, peer, options.platform))


def in_guest(session, options):
    """cells() of a desktop in the guest of the options."""
    return cells(session, lambda peer: app_guest.run(session, options.guest, peer is not None, options.platform))


def apps(argv):
    options = parse(argv)
    rows = [row for row in (app_guest.SESSIONS if options.guest else ROWS) if not options.name or row.name in options.name]
    if not options.no_setup:
        cmd_setup.ensure(("build", "headers", "guest") if options.guest else ("build", "programs"))
    if not options.guest and options.mesa == "host" and not options.no_setup:
        apt.ensure("the programs", packages(rows))
    results = [in_guest(row, options) if options.guest else result(row, options) for row in rows]
    print_table([["program", "per second", "peer", "per second", "max", "over", "pictures"], *[line for line, _ in results]], left=(0, 2, 6))
    passed, failed, skipped = (sum(good is what for _, good in results) for what in (True, False, None))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    main("apps", apps)
