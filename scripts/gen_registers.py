#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns hw/defs/<set>/registers_*.def into C++. A set may import those named before it.
  registers.h          one constant per register (a function of the indices for arrays), namespace softgen::reg, and one per field: of those
                       in whose place all sets agree. The others are in softgen::reg::<set>
  <set>_registers.cpp  the rows of hw/defs/register.h: a RegisterSet
Syntax: docs/mmio.md."""
import argparse
import copy
import pathlib
import re
import shlex
import sys

from generated import write_changed

DOMAINS = {"none", "gt", "render", "media", "media2", "blitter", "vebox", "position"}
ENGINES = ["rcs", "bcs", "vcs0", "vcs1", "vecs", "pocs"]  # EngineId
FIELD_TYPES = {"uint": "uint", "int": "sint", "bool": "boolean", "address": "address"}
FIELD = re.compile(r"^(\d+)(?::(\d+))?\s+(.+?)\s*:\s*(\w+)$")
FULL = 0xFFFFFFFF
NO_INTERRUPT = (0xFF, 0)  # EngineRow::no_interrupt
SPACE = 0x200000
BITS = """namespace softgen::reg {
/// Where a field stands in its register.
struct Bits {
  uint8_t high, low;
  constexpr uint32_t mask() const { return static_cast<uint32_t>((uint64_t{2} << high) - (uint64_t{1} << low)); }
  constexpr uint32_t of(uint32_t word) const { return (word & mask()) >> low; }
  constexpr uint32_t in_place(uint32_t word) const { return word & mask(); }
  constexpr uint32_t with(uint32_t word, uint32_t value) const { return (word & ~mask()) | ((value << low) & mask()); }
};
}  // namespace softgen::reg
"""


class Engine:
    """One `engine` line."""

    def __init__(self, name, base, words):
        self.name, self.base = name, base
        options = dict(word.split("=", 1) for word in words)
        self.domain = options.pop("domain")
        interrupt = options.pop("interrupt")
        self.interrupt = NO_INTERRUPT if interrupt == "none" else tuple(int(part) for part in interrupt.split("."))
        self.reset = options.pop("reset")
        self.box = int(options.pop("box", "0x1000"), 0)
        self.instance = int(options.pop("instance", "0"))
        if name not in ENGINES or self.domain not in DOMAINS or options:
            raise ValueError(f"bad engine: {' '.join(words)}")


class Declarations:
    """What the .def files declare."""

    def __init__(self):
        self.rows, self.engines = [], []
        self.imports = {}  # set: names of rows that are not taken from it
        self.taken = {}  # set: names of the only rows that are taken from it
        self.instances = {}  # imported register: how many there are of it here
        self.shadowed = []  # (first, last): dwords whose writes need no power
        self.groups, self.ranges, self.wakes = [], [], {}  # wakes: the register that asks for a domain, by the domain's name
        self.only = {}  # engine: names of the rows marked `engine` that it has; those of the other engines have all

    def take(self, base, excluded):
        """Imports the rows and engines of `base`. A row of the same name replaces the imported one, in its place."""
        theirs, mine = {row.name for row in base.rows}, {row.name: row for row in self.rows}
        if excluded - theirs:
            raise SystemExit(f"except names unknown registers: {sorted(excluded - theirs)}")
        if mine.keys() & (theirs - excluded):
            raise SystemExit(f"both imported and declared: {sorted(mine.keys() & (theirs - excluded))}")
        rows = [mine.pop(row.name, None) if row.name in excluded else self.resized(row) for row in base.rows]
        self.rows = [row for row in rows if row] + [row for row in self.rows if row.name in mine]
        self.only = self.only if self.engines else base.only
        self.engines = self.engines or base.engines
        if not self.ranges:
            self.groups, self.ranges, self.wakes, self.shadowed = base.groups, base.ranges, base.wakes, base.shadowed

    def take_only(self, base, names):
        """Imports these rows of `base`, and nothing else."""
        theirs = {row.name: row for row in base.rows}
        if names - theirs.keys():
            raise SystemExit(f"only names unknown registers: {sorted(names - theirs.keys())}")
        if twice := names & {row.name for row in self.rows}:
            raise SystemExit(f"both imported and declared: {sorted(twice)}")
        self.rows = [self.resized(theirs[name]) for name in sorted(names, key=lambda name: theirs[name].offset)] + self.rows

    def resized(self, row):
        """An imported row with as many instances (of the first index) as an `instances` line says."""
        count = self.instances.get(row.name)
        if not count:
            return row
        row = copy.copy(row)
        row.count = [count, row.count[1]] if row.count[0] > 1 else [1, count]
        return row

    def lacks(self, engine, row):
        """Whether the engine's block is without this row."""
        return engine.name in self.only and row.name not in self.only[engine.name]

    def lacking(self, row):
        """The engines that lack a row, as bits by EngineId."""
        return sum(1 << ENGINES.index(engine.name) for engine in self.engines if row.engine and self.lacks(engine, row))

    def offsets(self, row):
        """The offsets of a register's instances."""
        for outer in range(row.count[0]):
            for inner in range(row.count[1]):
                offset = row.offset + outer * row.stride[0] + inner * row.stride[1]
                yield from ((engine.base + offset for engine in self.engines if not self.lacks(engine, row)) if row.engine else (offset,))

    def forcewake(self):
        """[(request, acknowledge)]: the offsets of each domain's two registers."""
        named, pairs = {row.name: row for row in self.rows}, []
        for row in self.rows:
            if row.acknowledge:
                answer = named.get(row.acknowledge)
                if not answer or answer.count != row.count or row.engine or answer.engine:
                    raise SystemExit(f"register {row.name}: no {row.acknowledge} to acknowledge each of it")
                pairs += zip(self.offsets(row), self.offsets(answer))
        return pairs

    def wake(self, name):
        """The offset of the request register that keeps a range's domain awake; 0: it is always."""
        if name == "AON":
            return 0
        request, _, index = self.wakes.get(name, "").rstrip("]").partition("[")
        row = next((row for row in self.rows if row.name == request and row.acknowledge), None)
        if not row:
            raise SystemExit(f"range: {name} is no domain")
        return list(self.offsets(row))[int(index or 0)]

    def fuse(self, group):
        """"offset, lowest bit" of a group's fuse; 0, 0: all its instances are there."""
        if not group.fuse:
            return "0, 0"
        name, _, field = group.fuse.partition(".")
        for row in self.rows:
            for title, high, low, _ in row.fields:
                if row.name == name and title == field and high - low + 1 >= group.instances:
                    return f"{row.offset:#x}, {low}"
        raise SystemExit(f"replicated {group.name}: no field {group.fuse} with a bit for each")

    def reset_bit(self, engine):
        """The bit of GDRST that resets `engine`, as a mask; 0: no bit of it does."""
        if engine.reset == "none":
            return 0
        for row in self.rows:
            for name, _, low, _ in row.fields:
                if (row.name, name) == ("GDRST", engine.reset):
                    return 1 << low
        raise SystemExit(f"engine {engine.name}: GDRST has no field {engine.reset}")


class Group:
    """One `replicated` line: the instances of a unit that share their registers' offsets, and the fuse with a bit for each, if they have one."""

    def __init__(self, name, instances, words):
        self.name, self.instances, self.fuse, self.enables = name, instances, None, True
        for word in words:
            kind, self.fuse = word.split("=", 1)
            self.enables = {"enabled": True, "disabled": False}[kind]


class Range:
    """One `range` line: who answers there."""

    def __init__(self, first, last, wake, group):
        self.first, self.last, self.wake, self.group = first, last, wake, group
        if first % 4 or last % 4 != 3 or last < first:
            raise ValueError("a range of dwords is FIRST..LAST byte")


class Row:
    """One register declaration."""

    def __init__(self, name, offset, defaults, words):
        self.name, self.offset = name, offset
        flags = {word for word in words if "=" not in word}
        options = dict(defaults)
        options.update(word.split("=", 1) for word in words if "=" in word)
        unknown = flags - {"engine", "context", "nosave", "hook", "user"}
        if unknown:
            raise ValueError(f"unknown flags {sorted(unknown)}")
        self.engine = "engine" in flags or defaults.get("engine") == "yes"
        self.context, self.saved, self.user = "context" in flags, "nosave" not in flags, "user" in flags
        self.hook = options.pop("hook", "mmio" if "hook" in flags else None)
        self.domain = options.pop("domain", "none")
        if self.domain not in DOMAINS:
            raise ValueError(f"unknown reset domain {self.domain}")
        self.source = options.pop("source", "")
        self.reset = int(options.pop("reset", "0"), 0)
        self.block = int(options.pop("block", "0"), 0)
        self.count = self.pair(options.pop("array", "1"), 1)
        self.stride = self.pair(options.pop("stride", "0"), 0)
        self.access(options)
        self.acknowledge = options.pop("acknowledge", None)  # the register that answers this request for forcewake
        options.pop("engine", None)
        if options:
            raise ValueError(f"unknown attributes {sorted(options)}")
        self.fields = []

    @staticmethod
    def pair(text, missing):
        """"N" is the inner dimension, "N,M" outer and inner."""
        values = [int(value, 0) for value in text.split(",")]
        return values if len(values) == 2 else [missing, values[0]]

    def access(self, options):
        kind = options.pop("access", "rw")
        self.masked = kind == "masked"
        every = 0xFFFF if self.masked else FULL
        self.w1c = int(options.pop("w1c", hex(FULL) if kind == "w1c" else "0"), 0)
        default = {"rw": every, "masked": every, "wo": every, "ro": 0, "w1c": 0}
        if kind not in default:
            raise ValueError(f"unknown access {kind}")
        self.write = int(options.pop("mask", hex(default[kind] & ~self.w1c)), 0)
        self.read = 0 if kind == "wo" else FULL

    def add_field(self, text):
        match = FIELD.match(text)
        if not match:
            raise ValueError(f"not a field: {text}")
        high, low, name, kind = match.groups()
        high, low = int(high), int(low if low is not None else high)
        if not 0 <= low <= high <= 31 or kind not in FIELD_TYPES:
            raise ValueError(f"bad field: {text}")
        if any(constant(name) == constant(other[0]) for other in self.fields):
            raise ValueError(f"a second field {name}")
        if any(low <= other[1] and other[2] <= high for other in self.fields):
            raise ValueError(f"field {name} overlaps another")
        self.fields.append((name, high, low, FIELD_TYPES[kind]))

    def is_array(self):
        return self.count != [1, 1]


def read(paths, known=None):
    declared = Declarations()
    for path in paths:
        read_file(path, declared)
    for base, excluded in declared.imports.items():
        if base not in (known or {}):
            raise SystemExit(f"import of an unknown set {base}")
        declared.take(known[base], excluded)
    for base, names in declared.taken.items():
        if base not in (known or {}):
            raise SystemExit(f"import of an unknown set {base}")
        declared.take_only(known[base], names)
    if unknown := declared.instances.keys() - {row.name for row in declared.rows}:
        raise SystemExit(f"instances of unknown registers: {sorted(unknown)}")
    return declared


def read_all(root):
    """{name: Declarations} of all sets below `root` (hw/defs), each after those that it imports."""
    files = {folder.name: sorted(folder.glob("registers_*.def")) for folder in sorted(root.glob("gen*"))}
    known, left = {}, list(files)
    while left:
        imports = {name: set(re.findall(r"^import (\w+)", "\n".join(path.read_text() for path in files[name]), re.MULTILINE)) for name in left}
        ready = [name for name in left if not imports[name] & set(left)]
        if not ready:
            raise SystemExit(f"sets that import each other: {left}")
        for name in ready:
            known[name] = read(files[name], known)
        left = [name for name in left if name not in ready]
    return known


def read_file(path, declared):
    rows, defaults = declared.rows, {}
    for number, raw in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        line = re.sub(r"(^|\s)#.*$", "", raw).rstrip()
        if not line.strip():
            continue
        try:
            if line[0].isspace():
                rows[-1].add_field(line.strip())
                continue
            words = shlex.split(line)
            if words[0] == "group":
                defaults = dict(word.split("=", 1) if "=" in word else (word, "yes") for word in words[2:])
            elif words[0] == "register":
                rows.append(Row(words[1], int(words[2], 0), defaults, words[3:]))
            elif words[0] == "import":
                base, _, names = line.removeprefix("import ").partition(" only " if " only " in line else " except ")
                imports = declared.taken if " only " in line else declared.imports
                imports.setdefault(base.strip(), set()).update({name.strip() for name in names.split(",")} - {""})
            elif words[0] == "instances":
                declared.instances.update((name.strip(), int(words[1])) for name in line.split(None, 2)[2].split(","))
            elif words[0] == "engine":
                declared.engines.append(Engine(words[1], int(words[2], 0), words[3:]))
            elif words[0] == "replicated":
                declared.groups.append(Group(words[1], int(words[2], 0), words[3:]))
            elif words[0] == "wake":
                declared.wakes[words[1]] = words[2]
            elif words[0] == "shadowed":
                declared.shadowed += [tuple(int(end, 0) for end in (word.split("..") * 2)[:2]) for word in words[1:]]
            elif words[0] == "range":
                first, last = (int(word, 0) for word in words[1].split(".."))
                declared.ranges.append(Range(first, last, words[2], words[3] if len(words) > 3 else None))
            elif words[0] == "only":
                names = line.split(None, 2)[2].split(",")
                declared.only.setdefault(words[1], set()).update({name.strip() for name in names} - {""})
            else:
                raise ValueError(f"unknown line '{words[0]}'")
        except (ValueError, IndexError, KeyError) as problem:
            raise SystemExit(f"{path}:{number}: {problem}")


def check(declared):
    names, offsets, blocks, clashes = {}, {}, {}, set()
    for row in declared.rows:
        if row.name in names:
            raise SystemExit(f"register {row.name} is declared twice")
        names[row.name] = row
        taken = blocks if row.block else offsets  # registers may stand inside a block
        for first in declared.offsets(row):
            for offset in range(first, first + max(row.block, 4), 4):
                if offset % 4 or offset >= SPACE:
                    raise SystemExit(f"register {row.name}: offset {offset:#x} is odd or outside the register space")
                if offset in taken:
                    clashes.add(f"registers {row.name} and {taken[offset]} both stand at {offset:#x}")
                taken[offset] = row.name
    for engine, only in declared.only.items():
        if unknown := only - {row.name for row in declared.rows if row.engine}:
            raise SystemExit(f"engine {engine} has unknown registers: {sorted(unknown)}")
    if clashes:
        raise SystemExit("\n".join(sorted(clashes)))


def place(row):
    """What a constant says. How many instances there are is in the rows alone."""
    return row.offset, [count > 1 for count in row.count], [s for s, count in zip(row.stride, row.count) if count > 1], row.engine


def split(sets):
    """(rows, fields, {set: (rows, fields)}): those that have the same place in all sets that declare them, and per set the others."""
    rows, others = {}, {name: ([], []) for name in sets}
    by_name = {}
    for name, declared in sets.items():
        for row in declared.rows:
            by_name.setdefault(row.name, []).append((name, row))
    fields = []
    for versions in by_name.values():
        same = all(place(row) == place(versions[0][1]) for _, row in versions)
        for name, row in versions if not same else versions[:1]:
            rows.setdefault(row.name, row) if same else others[name][0].append(row)
        where = {}
        for name, row in versions:
            for field, high, low, _ in row.fields:
                where.setdefault(field, {})[name] = (high, low)
        for field, places in where.items():
            constant_name = f"{versions[0][1].name}_{constant(field)}"
            if same and len(set(places.values())) == 1:
                fields.append((constant_name, next(iter(places.values()))))
            else:
                for name, bits in places.items():
                    others[name][1].append((constant_name, bits))
    return list(rows.values()), fields, others


def constants(sets):
    yield "// Generated by scripts/gen_registers.py from hw/defs/<set>/registers_*.def."
    yield "#pragma once\n\n#include <cstdint>\n"
    yield BITS
    yield "// Offsets in BAR0; those marked + count from an engine's base (EngineRow::mmio_base)."
    rows, fields, others = split(sets)
    yield "namespace softgen::reg {\n"
    yield from offset_constants(rows)
    yield "\n// Fields, as REGISTER_FIELD.\nnamespace field {\n"
    yield from field_constants(fields)
    yield "\n}  // namespace field"
    for name, (rows, fields) in others.items():
        if rows or fields:
            yield f"\n// Where the sets differ.\nnamespace {name} {{"
            yield from offset_constants(rows)
            yield "namespace field {"
            yield from field_constants(fields)
            yield f"}}  // namespace field\n}}  // namespace {name}"
    yield "}  // namespace softgen::reg"


def field_constants(fields):
    yield from (f"inline constexpr Bits {name}{{{high}, {low}}};" for name, (high, low) in fields)


def offset_constants(rows):
    for row in rows:
        note = "  // +" if row.engine else ""
        if not row.is_array():
            yield f"inline constexpr uint32_t {row.name} = {row.offset:#x};{note}"
        elif row.count[0] == 1:
            yield f"constexpr uint32_t {row.name}(uint32_t i) {{ return {row.offset:#x} + i * {row.stride[1]:#x}; }}{note}"
        else:
            yield (f"constexpr uint32_t {row.name}(uint32_t i, uint32_t j = 0) "
                   f"{{ return {row.offset:#x} + i * {row.stride[0]:#x} + j * {row.stride[1]:#x}; }}{note}")


def constant(name):
    """A field's name in the form of a constant: "Ring Buffer Enable" -> RING_BUFFER_ENABLE."""
    return re.sub(r"\W+", "_", name).upper()


def text(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def places(declared, blocks):
    """[(offset, row number)] of registers, or of blocks, by offset."""
    return sorted((offset, number) for number, row in enumerate(declared.rows) if bool(row.block) == blocks for offset in declared.offsets(row))


def table(name, declared):
    rows = declared.rows
    yield f"// Generated by scripts/gen_registers.py from hw/defs/{name}/registers_*.def."
    yield f'#include "hw/defs/register.h"\n\nnamespace softgen::defs::{name} {{\n\nextern const RegisterSet registers;\n\nnamespace {{\n'
    sources = sorted({row.source for row in rows})
    for index, source in enumerate(sources):
        yield f"constexpr const char* source{index} = {text(source)};"
    yield "using enum RegisterFieldType;"
    for row in rows:
        if row.fields:
            fields = ", ".join(f"{{{text(name)}, {high}, {low}, {kind}}}" for name, high, low, kind in row.fields)
            yield f"constexpr RegisterField fields_{row.name}[] = {{{fields}}};"
    yield "constexpr Register rows[] = {"
    for row in rows:
        flags = ", ".join(str(flag).lower() for flag in (row.masked, row.engine, row.context, row.saved, row.user))
        hook = text(row.hook) if row.hook else "nullptr"
        fields = f"fields_{row.name}" if row.fields else "{}"
        yield (f"    {{{text(row.name)}, {row.offset:#x}, {row.reset:#x}, {row.write:#x}, {row.w1c:#x}, {row.read:#x}, {flags}, "
               f"{declared.lacking(row):#x}, ResetDomain::{row.domain}, {hook}, {row.block:#x}, {{{row.count[0]}, {row.count[1]}}}, "
               f"{{{row.stride[0]:#x}, {row.stride[1]:#x}}}, {fields}, source{sources.index(row.source)}}},")
    yield "};"
    for symbol, blocks in (("singles", False), ("blocks", True)):
        values = [f"{{{offset:#x}, {number}}}" for offset, number in places(declared, blocks)]
        yield f"constexpr RegisterPlace {symbol}[] = {{"
        yield from (f"    {', '.join(values[i:i + 8])}," for i in range(0, len(values), 8))
        yield "};"
    yield from engine_rows(declared)
    domains = ", ".join(f"{{{request:#x}, {answer:#x}}}" for request, answer in declared.forcewake())
    yield f"constexpr std::array<WakeRow, {domains.count('{')}> forcewake = {{{{{domains}}}}};"
    yield from access_ranges(declared)
    yield "\n}  // namespace\n"
    yield (f"constinit const RegisterSet registers{{.name = {text(name)}, .rows = rows, .singles = singles, .blocks = blocks, .engines = engines, "
           f".forcewake = forcewake, .groups = groups, .ranges = ranges, .shadowed = shadowed}};\n\n}}  // namespace softgen::defs::{name}")


def access_ranges(declared):
    """The tables of `replicated` and `range` lines. Empty spans where there are none: a table must have a row."""
    numbers = {group.name: number for number, group in enumerate(declared.groups, 1)}
    groups = [f"{{{text(group.name)}, {group.instances}, {declared.fuse(group)}, {str(group.enables).lower()}}}" for group in declared.groups]
    ranges, end = [], 0
    for each in declared.ranges:
        if each.first < end or each.last >= SPACE:
            raise SystemExit(f"range {each.first:#x}..{each.last:#x} is not behind the one before it, or leaves the register space")
        end = each.last + 1
        if each.group and each.group not in numbers:
            raise SystemExit(f"range {each.first:#x}: unknown group {each.group}")
        ranges.append(f"{{{each.first:#x}, {each.last:#x}, {declared.wake(each.wake):#x}, {numbers.get(each.group, 0)}}}")
    shadowed = [f"{{{first:#x}, {last:#x}}}" for first, last in declared.shadowed]
    for kind, name, rows in (("ReplicationGroup", "groups", groups), ("AccessRange", "ranges", ranges), ("RegisterSpan", "shadowed", shadowed)):
        yield f"constexpr std::array<{kind}, {len(rows)}> {name} = {{{{"
        yield from (f"    {row}," for row in rows)
        yield "}};"


def engine_rows(declared):
    yield "constexpr EngineRow engines[] = {"
    for engine in sorted(declared.engines, key=lambda engine: ENGINES.index(engine.name)):
        yield (f"    {{.id = EngineId::{engine.name}, .mmio_base = {engine.base:#x}, .box = {engine.box:#x}, "
               f".interrupt_word = {engine.interrupt[0]}, .interrupt_shift = {engine.interrupt[1]}, "
               f".instance = {engine.instance}, .reset = {declared.reset_bit(engine):#x}, .domain = ResetDomain::{engine.domain}}},")
    yield "};"


def main():
    parser = argparse.ArgumentParser(prog="gen_registers.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUTDIR", type=pathlib.Path, help="where the files go")
    parser.add_argument("--set", nargs="+", action="append", required=True, metavar=("NAME", "FILE.def"), help="a set and its files")
    parser.add_argument("--only", metavar="NAME", help="write the rows of this set alone")
    options = parser.parse_args()
    sets = {}
    for name, *files in options.set:
        sets[name] = read(files, sets)
        check(sets[name])
    for name, declared in sets.items():
        if options.only in (None, name):
            write_changed(options.out / f"{name}_registers.cpp", "\n".join(table(name, declared)) + "\n")
    if not options.only:
        write_changed(options.out / "registers.h", "\n".join(constants(sets)) + "\n")


if __name__ == "__main__":
    main()
