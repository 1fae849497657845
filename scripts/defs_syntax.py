# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the line-oriented .def files of hw/defs (syntax: docs/defs.md) into plain objects."""
import re
from dataclasses import dataclass, field as dataclass_field, replace

ENGINES = {"rcs": 1, "bcs": 2, "vcs": 4, "vecs": 8, "all": 15}
# Effects of a command, for readers that do not execute it (docs/defs.md).
EFFECTS = ["state", "resource_streamer", "draws", "dispatches", "overlaps", "position"]
BASES = ["none", "general", "surface", "dynamic", "instruction", "indirect", "mmio"]
FIXED = re.compile(r"([us])(\d+)\.(\d+)$")
FIELD = re.compile(r"(?:dw(\d+) )?(\d+)(?::(\d+))? (\S.*?) : (\S.*)$")


class SyntaxProblem(Exception):
    pass


@dataclass
class Enum:
    name: str
    values: list = dataclass_field(default_factory=list)  # (number, name)
    home: str = ""  # the set whose C++ type it is


@dataclass
class Field:
    name: str
    start: int  # bits from the start of its container
    end: int
    kind: str  # uint int bool float fixed enum address offset struct mbz
    fraction: int = 0
    signed: bool = False
    base: str = "none"
    target: str = ""
    ref: str = ""  # name of the enum or struct
    values: Enum = None  # an enum of its own

    @property
    def width(self):
        return self.end - self.start + 1


@dataclass
class Repeat:
    count: int  # 0: to the end of the packet
    start: int
    size: int
    fields: list = dataclass_field(default_factory=list)


@dataclass
class Layout:
    name: str
    dwords: int
    variable: bool
    unit: str
    line: str
    items: list = dataclass_field(default_factory=list)  # Field and Repeat, in file order
    match: int = None  # the members from here on: commands only
    engines: int = 0
    length_bits: tuple = None  # None: a single dword
    shortest: int = None  # dwords of the shortest packet that is no error; None: dwords
    effects: set = dataclass_field(default_factory=set)
    home: str = ""  # the set whose C++ type it is

    @property
    def is_command(self):
        return self.match is not None

    @property
    def fields(self):
        return [item for item in self.items if isinstance(item, Field)]

    @property
    def repeats(self):
        return [item for item in self.items if isinstance(item, Repeat)]


def parse_type(field, text):
    text, _, target = text.partition(" -> ")
    field.target = target
    words = text.split(" ", 1)
    kind = words[0]
    fixed = FIXED.match(kind)
    if fixed:
        field.kind, field.signed, field.fraction = "fixed", fixed.group(1) == "s", int(fixed.group(3))
    elif kind in ("uint", "int", "bool", "float", "address", "mbz") and len(words) == 1:
        field.kind = kind
    elif kind == "enum":
        field.kind = "enum"
        if len(words) == 2:
            field.ref = words[1]
        else:
            field.values = Enum(field.name)
    elif kind == "struct" and len(words) == 2:
        field.kind, field.ref = "struct", words[1]
    elif kind == "offset" and len(words) == 2 and words[1] in BASES:
        field.kind, field.base = "offset", words[1]
    else:
        raise SyntaxProblem(f"unknown type '{text}'")


def parse_field(text):
    """`[dwN ]HIGH[:LOW] Name : type[ -> target]`"""
    match = FIELD.match(text)
    if not match:
        raise SyntaxProblem("expected 'dwN HIGH:LOW Name : type'")
    dword, high, low, name, kind = match.groups()
    high = int(high)
    low = int(low) if low is not None else high
    base = 32 * int(dword or 0)
    if low > high:
        raise SyntaxProblem(f"bits {high}:{low} are upside down")
    field = Field(name, base + low, base + high, "")
    parse_type(field, kind)
    if field.kind == "float" and field.width != 32:
        raise SyntaxProblem("a float has 32 bits")
    if field.kind != "struct" and field.end // 32 - field.start // 32 > 1:
        raise SyntaxProblem("a field may touch two dwords at most")
    return field


def parse_command(words, unit, line):
    name, rest = words[1], words[2:]
    if rest[0] in ("mi", "blt"):
        kind, opcode, rest = rest[0], int(rest[1], 0), rest[2:]
        match = opcode << 23 if kind == "mi" else 2 << 29 | opcode << 22
    else:
        kind, match, rest = "gfx", int(rest[0], 0) << 16, rest[1:]
        if match >> 29 != 3:
            raise SyntaxProblem("bits 31:29 of a GFX header are 3")
    layout = Layout(name, 1, False, unit, line, match=match)
    for engine in rest[0].split(","):
        layout.engines |= ENGINES[engine]
    for word in rest[1:]:
        key, _, value = word.partition("=")
        if key == "single":
            continue
        if key in EFFECTS:
            layout.effects.add(key)
            continue
        if key == "length":
            layout.variable = value.endswith("+")
            layout.dwords = int(value.rstrip("+"))
            # Unless said otherwise: MI, blitter and 3D count in bits 7:0, media in 15:0, video in 11:0.
            video = layout.engines & 12 and not layout.engines & 1
            default = (7, 0) if kind != "gfx" or match >> 27 & 3 != 2 else (11, 0) if video else (15, 0)
            layout.length_bits = layout.length_bits or default
        elif key == "min":
            layout.shortest = int(value)
        elif key == "lenbits":
            high, _, low = value.partition(":")
            layout.length_bits = (int(high), int(low))
        else:
            raise SyntaxProblem(f"unknown word '{word}'")
    return layout


def parse_struct(words, unit, line):
    return Layout(words[1], int(words[2].removeprefix("length=").rstrip("+")), words[2].endswith("+"), unit, line)


def parse_import(text):
    """`import SET[ except NAME, NAME...]` or `import SET only NAME, NAME...`: (set, whether it is `only`, names)"""
    match = re.match(r"import (\w+)(?: (except|only) (.+))?$", text)
    if not match:
        raise SyntaxProblem("expected 'import SET except NAME, NAME' or 'import SET only NAME, NAME'")
    return match[1], match[2] == "only", {name.strip() for name in (match[3] or "").split(",")} - {""}


@dataclass
class Change:
    """A layout of an imported set, with some fields changed."""
    name: str
    line: str
    unit: str
    words: list  # after the name: length=, min=, effects
    without: set  # names of removed fields
    items: list = dataclass_field(default_factory=list)  # new fields; they replace those of the same names


def parse_change(text, unit, line):
    """`change NAME [length=N[+]] [min=N] [EFFECT...] [without FIELD, FIELD...]`"""
    text, _, gone = text.partition(" without ")
    words = text.split()[1:]
    without = {name.strip() for name in gone.split(",")} - {""}
    for word in words[1:]:
        if not word.startswith(("length=", "min=")) and word not in EFFECTS:
            raise SyntaxProblem(f"unknown word '{word}'")
    return Change(words[0], line, unit, words[1:], without)


def changed(change, layout):
    """`layout` with the change applied. Raises SyntaxProblem."""
    gone = change.without | {item.name for item in change.items if isinstance(item, Field)}
    missing = change.without - {item.name for item in layout.items if isinstance(item, Field)}
    if missing:
        raise SyntaxProblem(f"{change.line}: {change.name} has no {sorted(missing)} that could be left out")
    items = [item for item in layout.items if not (isinstance(item, Field) and item.name in gone)] + change.items
    result = replace(layout, unit=change.unit, line=change.line, items=sorted(items, key=lambda item: item.start), effects=set(layout.effects))
    for word in change.words:
        if word in EFFECTS:
            result.effects.add(word)
        elif word.startswith("min="):
            result.shortest = int(word.removeprefix("min="))
        else:
            length = word.removeprefix("length=")
            result.variable, result.dwords = length.endswith("+"), int(length.rstrip("+"))
    return result


def parse_repeat(text):
    match = re.match(r"repeat (\*|\d+) dw(\d+)(?:\.(\d+))? size=(\d+)$", text)
    if not match:
        raise SyntaxProblem("expected 'repeat COUNT dwN[.BIT] size=BITS'")
    count, dword, bit, size = match.groups()
    return Repeat(0 if count == "*" else int(count), 32 * int(dword) + int(bit or 0), int(size))


def layout_files(folder):
    """The .def files of a set that declare commands and structures. The others declare registers, context images, messages and metric sets."""
    return [path for path in sorted(folder.glob("*.def")) if not path.stem.startswith("registers_") and path.stem not in {"context", "messages", "metric_sets"}]


class Reader:
    """Collects enums and layouts from any number of files."""

    def __init__(self):
        self.enums = []
        self.layouts = []
        self.imports = {}  # {set: names that are not imported from it}
        self.only = {}  # {set: the names that are imported from it, with what they refer to}
        self.changes = []
        self.position = set()  # names of commands

    def read(self, path, unit):
        block = repeat = field = None
        with open(path, encoding="utf-8") as lines:
            for number, raw in enumerate(lines, 1):
                text = raw.split(" #")[0].rstrip() if not raw.startswith("#") else ""
                if not text:
                    continue
                try:
                    block, repeat, field = self.line(text, unit, f"{unit}.def:{number}", block, repeat, field)
                except (SyntaxProblem, ValueError, IndexError, KeyError) as problem:
                    raise SystemExit(f"{path}:{number}: {problem}: {text}") from None

    def line(self, text, unit, where, block, repeat, field):
        depth, text = len(text) - len(text.lstrip()), text.strip()
        words = text.split()
        if depth == 0:
            if words[0] == "import":
                base, only, names = parse_import(text)
                (self.only if only else self.imports).setdefault(base, set()).update(names)
                return None, None, None
            if words[0] == "position":
                self.position |= {name.strip() for name in text.partition(" ")[2].split(",")} - {""}
                return None, None, None
            if words[0] == "enum":
                block = Enum(text.split(" ", 1)[1])
                self.enums.append(block)
            elif words[0] == "change":
                block = parse_change(text, unit, where)
                self.changes.append(block)
            else:
                block = (parse_command if words[0] == "command" else parse_struct)(words, unit, where)
                self.layouts.append(block)
            return block, None, None
        if isinstance(block, Enum) or (field and field.values and depth > (4 if repeat else 2)):
            value, _, name = text.partition(" ")
            (block if isinstance(block, Enum) else field.values).values.append((int(value, 0), name))
        elif words[0] == "repeat":
            repeat = parse_repeat(text)
            block.items.append(repeat)
        else:
            if depth == 2:
                repeat = None
            field = parse_field(text)
            (repeat.fields if repeat else block.items).append(field)
        return block, repeat, field
