# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/coverage: which functions and blocks of the guest's graphics modules a command reaches."""
import argparse
import collections
import json
import os
import pathlib
import shlex
import sys

import cmd_setup
import coverage
import coverage_files
import coverage_lines
import fault_rows
import guest as guests
import guest_image
import guest_programs
import platforms
from cmd_run import passer
from common import Failure, command_words, existing_directory, main, output_file, print_table, say

MODULES = ["i915", "drm", "drm_kms_helper", "drm_display_helper"]
ASK_SECONDS = 120
ALL_FAULTS = "all"
# Of each module: its path below the kernel's folder, and the addresses of its sections of code.
ASK_MODULE = r"""modinfo -n {0}; for section in /sys/module/{0}/sections/*text* /sys/module/{0}/sections/.*text*; do
    [ -f "$section" ] && echo "${{section##*/}} $(cat "$section")"; done; true"""

# What the guest has at one time. `symbols`: of the modules; `paths`: {module: path below the kernel's folder}; `sections`: {module: {section: address}}.
Guest = collections.namedtuple("Guest", "blocks symbols paths sections")


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/coverage", usage="scripts/coverage [OPTIONS] -- COMMAND [ARGUMENTS]",
        description="""Boots a Debian guest without a window, runs COMMAND in it as root, and prints which functions and blocks of its
        graphics modules ran, the boot included. Any kernel will do: our plugin counts what TCG executes, and names come from the guest's
        /proc/kallsyms. KVM is not used. The command's own output goes to standard error.""",
        epilog="""Files are known from debug symbols (--symbols) or sources (--source) of the guest's kernel; without them functions are grouped by
        their names' first words. Exit status: the command's; 124 when --timeout ended it; 125 when the guest or QEMU failed; 1 for a wrong use.""")
    parser.add_argument("--guest", default="bookworm", metavar="G", choices=list(guest_image.GUESTS), help="the guest's release: " +
                        ", ".join(guest_image.GUESTS) + " (default: bookworm)")
    parser.add_argument("--platform", default=platforms.names()[0], choices=platforms.names(), help="the chip (default: %(default)s)")
    parser.add_argument("--module", action="append", metavar="NAME", help=f"report this module; may be repeated (default: {', '.join(MODULES)})")
    parser.add_argument("--command-only", action="store_true", help="leave out what ran before COMMAND: the boot, and the modules' loading")
    parser.add_argument("--functions", nargs="?", const="", metavar="TEXT", help="print the functions, too: all, or those whose name or file has TEXT")
    parser.add_argument("--json", metavar="FILE", help="write each function's counts there")
    parser.add_argument("--compare", metavar="OLD.json", help="list the functions that were not entered in that run and are now")
    parser.add_argument("--source", metavar="DIR", default=os.environ.get("SOFTGEN_LINUX"), help="source tree of the guest's Linux (default: SOFTGEN_LINUX)")
    parser.add_argument("--symbols", metavar="DIR", help="folder with the modules' debug symbols: usr/lib/debug/lib/modules/RELEASE of Debian's "
                        "linux-image-RELEASE-dbg (default: that folder, if it is there)")
    parser.add_argument("--lcov", metavar="FILE", help="write line coverage for genhtml; needs debug symbols")
    parser.add_argument("--faults", metavar="FILE", help=f"a fault plan for the device (docs/faults.md); {ALL_FAULTS}: after COMMAND, which may "
                        "be missing, each row of scripts/lib/fault_rows.py in turn")
    parser.add_argument("--overlay", metavar="DIR", help="lay this directory over the guest's root")
    parser.add_argument("--share", metavar="DIR", help="show this directory in the guest as /mnt/share")
    parser.add_argument("--device-args", metavar="STR", default="", help="properties of the device (docs/qemu.md)")
    parser.add_argument("--append", default="", metavar="STR", help="more words for the guest kernel's command line")
    parser.add_argument("--memory", default="2G", metavar="SIZE", help="the guest's memory (default: 2G)")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, help="give up when COMMAND has run for this long")
    parser.add_argument("--no-setup", action="store_true", help="use what is built, without a check whether it is current")
    parser.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    options.command = command_words(options.command)
    options.all_faults = options.faults == ALL_FAULTS
    if options.all_faults:
        options.faults = None
    elif not options.command:
        parser.error("there is no command to run")
    if options.overlay and options.all_faults:
        parser.error(f"--faults {ALL_FAULTS} lays a directory of its own over the guest's root: --overlay cannot be given")
    return options


def checked(options):
    """Checks all arguments before any long step starts. options.old becomes the contents of --compare."""
    for name in ("share", "overlay", "source", "symbols"):
        if getattr(options, name):
            setattr(options, name, existing_directory(getattr(options, name), f"--{name}"))
    for name in ("json", "lcov"):
        if getattr(options, name):
            setattr(options, name, output_file(getattr(options, name), f"--{name}"))
    if options.faults and not pathlib.Path(options.faults).is_file():
        raise Failure(f"--faults: there is no file '{options.faults}'")
    options.old = {key for key, row in coverage.read_rows(options.compare).items() if row["entries"]} if options.compare else None
    return options


def device_args(options):
    words = [f"coverage={coverage.MODULE_AREA}", options.device_args]
    if options.faults:
        words.append(f"faults={str(pathlib.Path(options.faults).resolve()).replace(',', ',,')}")
    return ",".join(filter(None, words))


def asked(machine, script):
    status, out, err = machine.capture(script, ASK_SECONDS)
    if status:
        raise Failure(f"the guest does not answer `{script.split(chr(10))[0]}`: {(err.strip().splitlines() or [f'exit status {status}'])[-1]}", 125)
    return out


def look(machine, modules):
    """What ran so far in the guest, and where its modules are."""
    blocks = coverage.parse_blocks(machine.get("coverage-blocks"))
    symbols = coverage.parse_symbols(asked(machine, f"grep -E '\\[({'|'.join(modules)})\\]$' /proc/kallsyms; true"))
    paths, sections = {}, {}
    for module in sorted({symbol.module for symbol in symbols}):
        path, *rows = asked(machine, ASK_MODULE.format(module)).splitlines()
        paths[module] = pathlib.PurePath(path.split("/kernel/", 1)[-1])
        places = (row.split() for row in rows)
        sections[module] = {name: int(address, 16) for name, address in places if int(address, 16)}
    return Guest(blocks, symbols, paths, sections)


def run_fault_rows(machine):
    """Runs all rows, and says which of them did not fire. False: a row's script did not end, and the guest answers no more."""
    asked(machine, fault_rows.HASTEN)
    for row in fault_rows.ROWS + fault_rows.SLOW_ROWS:
        say(f"fault: {row.name}")
        try:
            _, fired = fault_rows.run(machine, row)
        except guests.TimedOut as late:
            say(f"{late}; what ran until now counts, and rows behind this one are left out")
            return False
        if row.lines and not fired:
            say("no line of it has fired")
    return True


def watch(machine, options):
    """Boots, runs the command and the fault rows; the command's exit status, and the guest before and after them."""
    modules = options.module or MODULES
    machine.boot()
    before = look(machine, modules)
    status, answers = 0, True
    try:
        if options.command:
            status = machine.run("exec " + shlex.join(options.command), options.timeout, passer(sys.stderr), passer(sys.stderr))
    except guests.TimedOut:
        raise Failure(f"timed out after {options.timeout:g} s", guests.TIMED_OUT) from None
    # Rows load no modules.
    loaded = look(machine, modules) if options.command and options.all_faults else before
    if options.all_faults:
        answers = run_fault_rows(machine)
    after = look(machine, modules) if answers else loaded._replace(blocks=coverage.parse_blocks(machine.get("coverage-blocks")))
    dropped = json.loads(machine.get("coverage-state"))["core"]["dropped"]
    if dropped:
        say(f"{dropped} translated blocks exceeded the table: the counts are too low")
    for name in modules:
        if name not in after.paths and name not in before.paths:
            say(f"the guest has no module {name} loaded")
    return status, before, after


def measured(before, after, command_only):
    """{key: row} of all functions, and the functions and hits of the guest as it is after the command (for lcov)."""
    during = coverage.less(after.blocks, before.blocks)
    known = coverage.functions(after.symbols)
    moved = {module for module in {**before.sections, **after.sections} if before.sections.get(module) != after.sections.get(module)}
    earlier = [function for function in coverage.functions(before.symbols) if function.module in moved]
    if not earlier:
        blocks = during if command_only else after.blocks
        hits, _ = coverage.measure(known, blocks)
        return coverage.rows(known, hits), known, hits, blocks
    # At a place that one module had before it moved and another has now, it is unknown which of them ran.
    was = coverage.inside(earlier, during)
    both = coverage.inside([function for function in known if function.module in moved], was)
    say(f"loaded or unloaded while the command ran: {', '.join(sorted(moved))}; {len(both)} blocks at addresses that both the earlier and the present modules have "
        "are left out, and loads in between are not seen (docs/coverage.md)")
    sure = coverage.without(during, both)
    old_hits, _ = coverage.measure(earlier, joined([] if command_only else before.blocks, coverage.inside(earlier, sure)))
    hits, _ = coverage.measure(known, sure)
    if not command_only:
        still = [function for function in known if function.module not in moved]
        boot_hits, _ = coverage.measure(still, before.blocks)
        return coverage.merged(coverage.merged(coverage.rows(earlier, old_hits), coverage.rows(still, boot_hits)), coverage.rows(known, hits)), known, hits, sure
    return coverage.merged(coverage.rows(earlier, old_hits), coverage.rows(known, hits)), known, hits, sure


def joined(first, second):
    counts = collections.Counter()
    for block in [*first, *second]:
        counts[block.start, block.size] += block.count
    return [coverage.Block(start, size, count) for (start, size), count in counts.items()]


class Mapping:
    """Where functions come from: `files` {key: file} of those known, and how they are known."""

    def __init__(self, options, guest, known, release):
        self.files, self.tables, self.how = {}, {}, set()
        folder = options.symbols or coverage_lines.default_folder(release)
        for module, path in guest.paths.items():
            own = [function for function in known if function.module == module]
            symbols = coverage_lines.symbol_file(folder, path)
            if symbols and (options.lcov or options.symbols or not options.source):
                self.tables[module] = coverage_lines.line_table(symbols, guest.sections[module])
                self.files |= coverage_lines.by_lines(own, self.tables[module])
                self.how.add("debug symbols")
            elif options.source:
                found = coverage_files.by_source(own, coverage_files.definitions(options.source, path))
                self.files |= found
                self.how |= {"source"} if found else set()
        if options.lcov and not self.tables:
            raise Failure(f"--lcov: {folder} has no debug symbols of the guest's modules; unpack Debian's linux-image-{release}-dbg and give --symbols")
        if options.source and not self.how:
            raise Failure(f"--source: {options.source} is no source tree of the guest's Linux")
        if not self.how:
            say("files are not known without --symbols or --source: functions are grouped by their names' first words")

    def file_of(self, row):
        """The file that defines a row's function, or its group."""
        return self.files.get(coverage.key_of(row)) or coverage_files.by_prefix(row["name"])


def summary_line(name, rows):
    entered = sum(row["entries"] > 0 for row in rows)
    size, ran = sum(row["size"] for row in rows), sum(row["bytes"] for row in rows)
    return [name, f"{entered}/{len(rows)}", f"{100 * entered / max(len(rows), 1):.1f} %", sum(row["blocks"] for row in rows), f"{100 * ran / max(size, 1):.1f} %"]


def error_rows(rows):
    """{what: rows} of i915's files of error paths; empty where files are not known."""
    found = {what: [row for row in rows if row["module"] == "i915" and row["file"].rsplit("/", 1)[-1] in files]
             for what, files in coverage_files.ERROR_FILES.items()}
    return found if any(found.values()) else {}


def print_summaries(rows, options):
    heading = ["functions", "", "blocks", "code"]
    groups = {"module": lambda row: row["module"], "file": lambda row: f"{row['module']}: {row['file']}"}
    for title, group in groups.items():
        found = {}
        for row in rows:
            found.setdefault(group(row), []).append(row)
        print_table([[title, *heading], *(summary_line(name, found[name]) for name in sorted(found))], left={0})
        print()
    errors = error_rows(rows)
    if errors:
        print_table([["i915's error paths", *heading], *(summary_line(what, found) for what, found in errors.items())], left={0})
        print()
    if options.functions is not None:
        chosen = [row for row in rows if options.functions in row["name"] or options.functions in row["file"]]
        print_table([["function", "file", "entries", "blocks", "code"], *(
            [row["name"], f"{row['module']}: {row['file']}", row["entries"], row["blocks"], f"{100 * row['bytes'] / max(row['size'], 1):.0f} %"]
            for row in chosen)], left={0, 1})
        print()


def print_comparison(rows, old):
    """What was entered now and not in the old run."""
    fresh = [row for row in rows if row["entries"] and coverage.key_of(row) not in old]
    lost = len(old - {coverage.key_of(row) for row in rows if row["entries"]})
    print_table([["newly entered", "file", "entries"], *([row["name"], f"{row['module']}: {row['file']}", row["entries"]] for row in fresh)], left={0, 1})
    print(f"{len(fresh)} functions newly entered; {lost} of the old run's were not entered")
    lines = []
    for what, found in error_rows(rows).items():
        missing = [row for row in found if coverage.key_of(row) not in old]
        lines.append([what, len(found), len(missing), sum(row["entries"] > 0 for row in missing)])
    if lines:
        print()
        print_table([["i915's error paths", "functions", "not entered in the old run", "newly entered"], *lines], left={0})


def report(options, before, after):
    release = guest_image.kernel_release(guest_image.ensure(options.guest))
    rows, known, hits, blocks = measured(before, after, options.command_only)
    mapping = Mapping(options, after, known, release)
    rows = [{**row, "file": mapping.file_of(row)} for row in rows.values()]
    rows.sort(key=lambda row: (row["module"], row["file"], row["name"], row["ordinal"]))
    print_summaries(rows, options)
    if options.old is not None:
        print_comparison(rows, options.old)
    if options.json:
        options.json.write_text(json.dumps({"guest": options.guest, "kernel": release, "platform": options.platform, "command": options.command,
                                            "command_only": options.command_only, "files_from": sorted(mapping.how), "functions": rows}, indent=1) + "\n")
    if options.lcov:
        options.lcov.write_text("".join(coverage_lines.lcov(
            table, blocks, *zip(*[(function, hit) for function, hit in zip(known, hits) if function.module == module]))
            for module, table in mapping.tables.items()))


def run(argv):
    options = checked(parse(argv))
    if not options.no_setup:
        cmd_setup.ensure(("build", "headers", "guest"))
    arguments = {"share": options.share, "overlay": options.overlay, "append": options.append, "platform": options.platform,
                 "device_args": device_args(options), "accelerator": "tcg", "memory": options.memory}
    if options.all_faults:
        arguments |= {"overlay": guest_programs.overlay(), "cpus": fault_rows.CPUS}
    machine = guests.Guest(options.guest, **arguments)
    with machine:
        status, before, after = watch(machine, options)
    report(options, before, after)
    return status


if __name__ == "__main__":
    main("coverage", run)
