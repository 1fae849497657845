# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads scripts/lib/fuzz_calls/*.def: the calls that `scripts/fuzz guest` makes, with their structures, resources, flags and enumerations.

    resource NAME fd|u32|u64 [VALUE...]      what calls produce and take; VALUES can be used without a producer
    flags NAME / enum NAME                   then lines `VALUE C_NAME`
    struct NAME [virtual|flexible]           then lines `TYPE NAME : KIND`; TYPE is u8 u16 u32 u64 s32 s64 or struct X, with [N] for N of them. The C
                                             headers do not have a `virtual` one; the last field of a `flexible` one has no length there
    struct NAME/VARIANT                      the same structure, with other kinds for the fields that are named
    ioctl NAME none|r|w|rw TYPE NR STRUCT|- [fd=RESOURCE] [weight=N] [macro=C_NAME] [prepare=CALL]
                                             prepare: the call that mostly comes before it, and writes the batch
    syscall NAME NUMBER [returns=RESOURCE] [mapping] [weight=N]       then lines `NAME : KIND`
    builtin NAME OPERATION [weight=N]        what the agent does itself (store, load)

Kinds, and how their values are chosen:
    zero | const N | pick N... | first N... (pick, of the first of several elements) | int A..B | any | flags SET | enum SET | text TEXT (u8[N])
    in RESOURCE | out RESOURCE
    ptr STRUCT|-  | array ELEMENT A..B       addresses of memory; ELEMENT is STRUCT, STRUCT|STRUCT..., or `u32 KIND`
    buffer A..B | space A..B | batch | string TEXT     bytes; bytes of zeros, to be written; packets of hw/defs; text with a zero
    chain STRUCT STRUCT...                   a list of i915_user_extension
    len FIELD | bytes FIELD | size FIELD     elements or bytes behind the pointer FIELD; the length of the mapping that FIELD names
A `?` behind a pointer's kind: it is also null now and then. A `!` behind a kind: never another value than those."""
import functools
import pathlib
import re
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parent / "fuzz_calls"
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "s32": 4, "s64": 8}
POINTERS = {"ptr", "array", "buffer", "space", "batch", "string", "chain"}
AUTOMATIC = {"len", "bytes", "size"}
DIRECTIONS = {"none": 0, "w": 1, "r": 2, "rw": 3}
TYPE = re.compile(r"(?:struct ([\w/]+)|(\w+?))(?:\[(\d+)\])?$")
NR_IOCTL = 16  # arch/x86/entry/syscalls/syscall_64.tbl


class TableProblem(Exception):
    pass


@dataclass
class Kind:
    name: str
    values: list = field(default_factory=list)  # numbers: of const, pick; (lowest, highest) of int, array, buffer
    target: str = ""  # a set, resource, field, or text
    structs: list = field(default_factory=list)  # of ptr, array, chain
    element: object = None  # Field of an array of numbers
    optional: bool = False
    strict: bool = False

    @property
    def is_pointer(self):
        return self.name in POINTERS


@dataclass
class Field:
    name: str
    kind: Kind
    size: int  # of one element
    struct: str = ""
    count: int = 1
    offset: int = 0


@dataclass
class Struct:
    name: str
    fields: list = field(default_factory=list)
    size: int = 0
    alignment: int = 1
    note: str = ""  # virtual, flexible

    @property
    def c_name(self):
        return self.name.partition("/")[0]


@dataclass
class Resource:
    name: str
    base: str
    values: list


@dataclass
class CallType:
    name: str
    operation: str  # call, store, load
    number: int = 0
    parameters: list = field(default_factory=list)
    returns: str = ""
    mapping: bool = False
    weight: int = 10
    ioctl: tuple = None  # (direction, type, nr, C macro)
    prepare: str = ""


@dataclass
class Table:
    resources: dict = field(default_factory=dict)
    sets: dict = field(default_factory=dict)  # {name: (kind, {C name: value})}
    structs: dict = field(default_factory=dict)
    calls: dict = field(default_factory=dict)

    def set_values(self, name):
        return list(self.sets[name][1].values())

    def producers(self, resource):
        """The calls that produce `resource`, in the table's order."""
        return [call for call in self.calls.values() if resource in self.products(call.name)]

    @functools.lru_cache(maxsize=None)
    def products(self, name):
        call = self.calls[name]
        found = {call.returns} - {""}
        for parameter in call.parameters:
            found |= self._products(parameter, 0)
        return frozenset(found)

    def _products(self, one, depth):
        kind = one.kind
        if kind.name == "out":
            return {kind.target}
        found = set()
        if depth < 4:
            for name in [one.struct] if one.struct else kind.structs:
                for inner in self.structs[name].fields:
                    found |= self._products(inner, depth + 1)
            if kind.element:
                found |= self._products(kind.element, depth + 1)
        return found

    __hash__ = object.__hash__


def number_range(text):
    low, _, high = text.partition("..")
    return [int(low, 0), int(high or low, 0)]


def parse_kind(text):
    words = text.split()
    name = words[0]
    kind = Kind(name.rstrip("?!"), optional=name.endswith("?"), strict=name.endswith("!"))
    rest = words[1:]
    if kind.name in ("const", "pick", "first"):
        kind.values = [int(word, 0) for word in rest]
    elif kind.name in ("int", "buffer", "space"):
        kind.values = number_range(rest[0])
    elif kind.name in ("flags", "enum", "in", "out", "len", "bytes", "size"):
        kind.target = rest[0]
    elif kind.name in ("string", "text"):
        kind.target = text.partition(" ")[2]
    elif kind.name in ("ptr", "chain"):
        kind.structs = rest
    elif kind.name == "array":
        kind.values = number_range(rest[-1])
        if rest[0] in SIZES:
            kind.element = Field("", parse_kind(" ".join(rest[1:-1])), SIZES[rest[0]])
        else:
            kind.structs = rest[0].split("|")
    elif kind.name not in ("zero", "any", "batch"):
        raise TableProblem(f"unknown kind '{text}'")
    return kind


def options(words, known):
    pairs = dict(word.partition("=")[::2] for word in words)
    if set(pairs) - set(known):
        raise TableProblem(f"unknown words {sorted(set(pairs) - set(known))}")
    return pairs


class Reader:
    """Fills a Table from lines."""

    def __init__(self):
        self.table = Table()
        self.block = None

    def read(self, path):
        for number, raw in enumerate(path.read_text().splitlines(), 1):
            text = raw.partition(" #")[0].rstrip() if not raw.startswith("#") else ""
            if not text:
                continue
            try:
                (self.inner if text.startswith(" ") else self.outer)(text.strip())
            except (TableProblem, ValueError, IndexError, KeyError, AttributeError) as problem:
                raise SystemExit(f"{path}:{number}: {problem!r}: {text}") from None
        self.end()

    def end(self):
        if isinstance(self.block, Struct):
            lay_out(self.block, self.table)
        self.block = None

    def outer(self, text):
        self.end()
        words = text.split()
        what, name = words[0], words[1]
        if what == "resource":
            self.table.resources[name] = Resource(name, words[2], [int(word, 0) for word in words[3:]])
        elif what in ("flags", "enum"):
            self.block = self.table.sets[name] = (what, {})
        elif what == "struct":
            self.block = self.add(self.table.structs, Struct(name, note=words[2] if len(words) > 2 else ""))
            if "/" in name:
                base = self.table.structs[self.block.c_name]
                self.block.fields = [Field(one.name, one.kind, one.size, one.struct, one.count) for one in base.fields]
        elif what == "ioctl":
            self.ioctl(name, words[2:])
        elif what == "syscall":
            pairs = options(words[3:], ("returns", "mapping", "weight"))
            self.block = self.add(self.table.calls, CallType(name, "call", int(words[2], 0), returns=pairs.get("returns", ""), mapping="mapping" in pairs,
                                                             weight=int(pairs.get("weight", 10))))
        elif what == "builtin":
            pairs = options(words[3:], ("weight",))
            self.block = self.add(self.table.calls, CallType(name, words[2], weight=int(pairs.get("weight", 10))))
        else:
            raise TableProblem(f"unknown word '{what}'")

    @staticmethod
    def add(where, item):
        if item.name in where:
            raise TableProblem(f"{item.name} is declared twice")
        where[item.name] = item
        return item

    def ioctl(self, name, words):
        direction, letter, nr, struct = words[:4]
        pairs = options(words[4:], ("fd", "weight", "macro", "prepare"))
        size = 0 if struct == "-" else self.table.structs[struct].size
        code = DIRECTIONS[direction] << 30 | size << 16 | ord(letter) << 8 | int(nr, 0)
        argument = Kind("const", [0]) if struct == "-" else Kind("ptr", structs=[struct])
        macro = pairs.get("macro", "DRM_IOCTL_" + name.partition("/")[0])
        self.add(self.table.calls, CallType(name, "call", NR_IOCTL, [
            Field("fd", Kind("in", target=pairs.get("fd", "card")), 4), Field("request", Kind("const", [code], strict=True), 8), Field("arg", argument, 8)],
            weight=int(pairs.get("weight", 10)), ioctl=(direction, letter, int(nr, 0), macro), prepare=pairs.get("prepare", "")))

    def inner(self, text):
        if isinstance(self.block, tuple):
            value, name = text.split()
            self.block[1][name] = int(value, 0)
            return
        left, _, kind = text.partition(" : ")
        kind = parse_kind(kind)
        if isinstance(self.block, CallType):
            self.block.parameters.append(Field(left, kind, 8))
            return
        kind_of, _, name = left.rpartition(" ")
        struct, plain, count = TYPE.match(kind_of).groups()
        size = self.table.structs[struct].size if struct else SIZES[plain]
        one = Field(name, kind, size, struct or "", int(count or 1))
        if "/" not in self.block.name:
            self.block.fields.append(one)
            return
        index = [known.name for known in self.block.fields].index(name)
        if self.block.fields[index].size * self.block.fields[index].count != size * one.count:
            raise TableProblem(f"{name} has another size than in {self.block.c_name}")
        self.block.fields[index] = one


def lay_out(struct, table):
    """Offsets as the x86_64 ABI has them."""
    offset = 0
    for one in struct.fields:
        alignment = table.structs[one.struct].alignment if one.struct else one.size
        struct.alignment = max(struct.alignment, alignment)
        one.offset = offset = -(-offset // alignment) * alignment
        offset += one.size * one.count
    struct.size = -(-offset // struct.alignment) * struct.alignment


def check(table):
    """Raises TableProblem when a declaration names something that there is not."""
    def visit(where, one, siblings):
        kind = one.kind
        if kind.name in ("flags", "enum") and kind.target not in table.sets:
            raise TableProblem(f"{where}: no set {kind.target}")
        if kind.name in ("in", "out") and kind.target not in table.resources:
            raise TableProblem(f"{where}: no resource {kind.target}")
        if kind.name in AUTOMATIC and kind.target not in siblings:
            raise TableProblem(f"{where}: no field {kind.target}")
        for name in kind.structs:
            if name not in table.structs:
                raise TableProblem(f"{where}: no struct {name}")
        if kind.element:
            visit(where, kind.element, siblings)
    for owner in [*table.structs.values(), *table.calls.values()]:
        fields = owner.fields if isinstance(owner, Struct) else owner.parameters
        for one in fields:
            visit(f"{owner.name}.{one.name}", one, {other.name for other in fields})
    for resource in table.resources:
        if not table.producers(resource):
            raise TableProblem(f"nothing produces the resource {resource}")


@functools.lru_cache(maxsize=None)
def load(folder=FOLDER):
    reader = Reader()
    for path in sorted(folder.glob("*.def")):
        reader.read(path)
    try:
        check(reader.table)
    except TableProblem as problem:
        raise SystemExit(f"{folder}: {problem}") from None
    return reader.table
