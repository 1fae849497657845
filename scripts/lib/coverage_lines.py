# SPDX-License-Identifier: GPL-2.0-or-later
"""Source lines of a module's code, from its debug symbols, and lcov's file format.

A module is a relocatable object: each of its sections begins at 0. ld gives the sections the addresses that they have in the guest (references to the kernel
stay unresolved, which its exit status alone complains of), and objdump prints the line table of the result."""
import bisect
import collections
import pathlib
import re
import subprocess
import tempfile

from common import Failure

# `end`: where the code of the row ends.
Line = collections.namedtuple("Line", "start end path line")
_ROW = re.compile(r"\S.*?\s+(\d+|-)\s+0x([0-9a-f]+)(?:\s|$)")


def symbol_file(folder, module_path):
    """The file with the debug symbols of a module (its path below the kernel's folder), in the kernel's folder of a dbgsym package; None if there is none."""
    path = pathlib.Path(folder) / "kernel" / module_path.with_name(module_path.name.split(".")[0] + ".ko")
    return next((found for found in (path, path.with_name(path.name + ".debug")) if found.is_file()), None)


def default_folder(release):
    """Where Debian's linux-image-RELEASE-dbg puts the symbols."""
    return pathlib.Path("/usr/lib/debug/lib/modules") / release


def run(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def line_table(path, sections):
    """[Line] of a module with debug symbols whose sections {name: address} are where the guest has them, sorted."""
    with tempfile.TemporaryDirectory(prefix="softgen-lines-") as work:
        script, linked = pathlib.Path(work) / "script", pathlib.Path(work) / "linked"
        placed = "".join(f"{name} {address:#x} : {{ *({name}) }}\n" for name, address in sections.items())
        unplaced = "".join(f"/DISCARD/ : {{ *({name}) }}\n" for name in (".init.text", ".exit.text") if name not in sections)
        script.write_text(f"SECTIONS {{\n{placed}{unplaced}}}\n")
        complaint = run(["ld", "--noinhibit-exec", "--unresolved-symbols=ignore-all", "-T", script, path, "-o", linked]).stderr
        if not linked.exists():
            raise Failure(f"ld does not place {path}: {(complaint.strip().splitlines() or ['it gave no reason'])[-1]}")
        units = re.findall(r"DW_AT_name\s*:\s*(?:\([^)]*\): )?(\S+)$", run(["objdump", "--dwarf=info", "--dwarf-depth=1", linked]).stdout, re.MULTILINE)
        table = parse_table(run(["objdump", "--dwarf=decodedline", linked]).stdout, units)
    if not table:
        raise Failure(f"{path} has no line table: it holds no debug symbols")
    return table


def parse_table(text, units=()):
    """[Line] of what objdump --dwarf=decodedline prints, sorted. Rows without code are left out. `units`: paths of the compiled files."""
    rows = text.splitlines()
    headers = [(i, row[:-1]) for i, row in enumerate(rows) if row.endswith(":") and not row.startswith("Contents of")]
    paths = dict(zip((i for i, _ in headers), full_paths([path for _, path in headers], units)))
    found, path, last = [], None, None
    for i, row in enumerate(rows):
        if i in paths:
            path = paths[i]
            continue
        match = _ROW.match(row)
        if not match:
            continue
        line, address = match.group(1), int(match.group(2), 16)
        if last and address > last[0]:
            found.append(Line(last[0], address, last[1], last[2]))
        last = None if line == "-" else (address, path, int(line))
    return sorted(found)


def full_paths(names, units):
    """objdump names a unit's own file without its folder until the table comes back to it."""
    full, later = [], {unit.rsplit("/", 1)[-1]: unit for unit in units}
    for name in reversed(names):
        if "/" in name:
            later[name.rsplit("/", 1)[-1]] = name
        full.append(later.get(name, name) if "/" not in name else name)
    return [name.removeprefix("./") for name in reversed(full)]


def by_lines(functions, table):
    """{(module, name, ordinal): path} of the functions that the table has."""
    starts = [line.start for line in table]
    files = {}
    for function in functions:
        start = function.pieces[0][0]
        at = bisect.bisect_right(starts, start) - 1
        if at >= 0 and table[at].end > start:
            files[function.module, function.name, function.ordinal] = table[at].path
    return files


def counted(table, blocks):
    """{path: {line: executions}}: of a line with several pieces of code the largest."""
    blocks = sorted(blocks)
    starts = [block.start for block in blocks]
    longest = max((block.size for block in blocks), default=0)
    files = {}
    for row in table:
        first = bisect.bisect_left(starts, row.start - longest)
        last = bisect.bisect_left(starts, row.end)
        count = max((block.count for block in blocks[first:last] if block.start + block.size > row.start), default=0)
        lines = files.setdefault(row.path, {})
        lines[row.line] = max(count, lines.get(row.line, 0))
    return files


def lcov(table, blocks, functions, hits):
    """The text of an lcov tracefile (geninfo(1)). `hits`: those of `functions`."""
    lines, named = counted(table, blocks), {}
    starts = [row.start for row in table]
    for function, hit in zip(functions, hits):
        at = bisect.bisect_left(starts, function.pieces[0][0])
        if at < len(table) and table[at].start == function.pieces[0][0]:
            named.setdefault(table[at].path, []).append((table[at].line, function.name, hit.entries))
    text = []
    for path in sorted(lines):
        rows = sorted(named.get(path, []))
        text += ["TN:", f"SF:{path}", *(f"FN:{line},{name}" for line, name, _ in rows), *(f"FNDA:{entries},{name}" for _, name, entries in rows),
                 f"FNF:{len(rows)}", f"FNH:{sum(entries > 0 for _, _, entries in rows)}",
                 *(f"DA:{line},{count}" for line, count in sorted(lines[path].items()) if line > 0),
                 f"LF:{sum(line > 0 for line in lines[path])}", f"LH:{sum(line > 0 and count > 0 for line, count in lines[path].items())}", "end_of_record"]
    return "\n".join(text) + "\n"
