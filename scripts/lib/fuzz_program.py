# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of `scripts/fuzz guest`: a list of Calls whose arguments are trees, and their binary form for the agent (scripts/guest/fuzz/programs.c).

A value is, by its field's kind: a number; Ref or Out of a resource; for pointers None (null), a list of elements, bytes, a batch (list), or the number
of bytes of a `space`; for a structure a Rec; for N elements in place a list. None for `len` and its like: computed."""
import copy
from dataclasses import dataclass, field, replace

from fuzz_packets import Packet
from fuzz_table import AUTOMATIC

MAX_CALLS = 64
MAX_BYTES = 4096
MAX_SLOTS = 250
NO_SLOT = 255
UNSET = (1 << 64) - 1
OPERATIONS = {"call": 1, "store": 2, "load": 3}
NUMBER, SLOT, POINTER, SLOT_SIZE = 0, 1, 2, 3  # of an argument
IN, OUT, ADDRESS = 0, 1, 2  # of a patch
DEFAULT_MAPPING = 0x1000


@dataclass(slots=True)
class Ref:
    """A use of the resource `id`; a number is added."""
    id: int
    add: int = 0


@dataclass(slots=True)
class Out:
    """The resource `id` comes into being here; `resource` is the table's name of what it is."""
    id: int
    resource: str


@dataclass(slots=True)
class Rec:
    struct: str
    values: dict = field(default_factory=dict)


@dataclass
class Call:
    name: str
    args: dict = field(default_factory=dict)
    result: Out = None


@dataclass
class Place:
    """Where a value is: owner[key] is that of `field`; `siblings` are the values beside it."""
    owner: object
    key: object
    field: object
    siblings: dict

    @property
    def value(self):
        return self.owner[self.key]

    @value.setter
    def value(self, new):
        self.owner[self.key] = new


class Problem(Exception):
    pass


def places(table, call):
    """All values of a call, outer ones first."""
    for one in table.calls[call.name].parameters:
        yield from _places(table, Place(call.args, one.name, one, call.args))


def _places(table, place):
    yield place
    value, one = place.value, place.field
    if isinstance(value, Rec):
        for inner in table.structs[value.struct].fields:
            yield from _places(table, Place(value.values, inner.name, inner, value.values))
    elif isinstance(value, list) and one.kind.name != "batch":
        for index in range(len(value)):
            yield from _places(table, Place(value, index, _element(one), place.siblings))


def _element(one):
    """The field that an element of `one` is."""
    if one.kind.element:
        return one.kind.element
    result = copy.copy(one)
    result.count = 1
    return result


def links(call):
    """All Refs and Outs of a call, the result last."""
    found, waiting = [], list(reversed(call.args.values()))
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind is Ref or kind is Out:
            found.append(value)
        elif kind is Rec:
            waiting.extend(reversed(value.values.values()))
        elif kind is list:
            waiting.extend(reversed(value))
    if call.result:
        found.append(call.result)
    return found


def mapped(value, change):
    """A copy of a value, in which each Ref and Out is change(it)."""
    kind = type(value)
    if kind is int or kind is bytes or value is None:
        return value
    if kind is Ref or kind is Out:
        return change(value)
    if kind is Rec:
        return Rec(value.struct, {name: mapped(inner, change) for name, inner in value.values.items()})
    if kind is list:
        return [mapped(inner, change) for inner in value]
    return replace(value, values=dict(value.values)) if kind is Packet else value


def mapped_call(call, change):
    return Call(call.name, {name: mapped(value, change) for name, value in call.args.items()}, change(call.result) if call.result else None)


def copied(calls):
    return [mapped_call(call, lambda link: link) for call in calls]


def produced(call):
    """The ids of the resources that a call produces."""
    return [link.id for link in links(call) if type(link) is Out]


def resources(calls):
    """{id: name of the resource} of what `calls` produce."""
    return {link.id: link.resource for call in calls for link in links(call) if type(link) is Out}


def default(table, one):
    """The value of a field of which nothing is said: 0, the table's constant, None for what is computed or no memory."""
    kind = one.kind
    if one.count > 1 and kind.name != "text":
        return [default(table, _element(one)) for _ in range(one.count)]
    if one.struct:
        return Rec(one.struct, {inner.name: default(table, inner) for inner in table.structs[one.struct].fields})
    if kind.name == "const":
        return kind.values[0]
    if kind.name in ("text", "string"):
        return kind.target
    return None if kind.is_pointer or kind.name in AUTOMATIC else 0


def bits(value, size):
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


class Memory:
    """The bytes that a call's pointers lead to, and what is patched there."""

    def __init__(self, encoder):
        self.data, self.patches, self.encoder = bytearray(), [], encoder

    def reserve(self, size):
        start = -(-len(self.data) // 8) * 8
        self.data.extend(bytes(start + size - len(self.data)))
        return start

    def put(self, offset, one, value, siblings):
        """Writes the value of field `one` at `offset`."""
        if one.count > 1 and one.kind.name == "text":
            self.data[offset:offset + one.size * one.count] = one.kind.target.encode()[:one.count].ljust(one.count, b"\0")
        elif one.count > 1:
            inner = _element(one)
            for index, element in enumerate(value):
                if element != 0:
                    self.put(offset + index * one.size, inner, element, siblings)
        elif isinstance(value, Rec):
            self.put_struct(offset, value)
        elif one.kind.is_pointer:
            if value is not None:
                self.patches.append((ADDRESS, 8, offset, self.block(one, value), 0))
        elif isinstance(value, Out):
            size = siblings.get("size") if one.kind.target == "mapping" else 0
            self.patch(OUT, offset, one, value.id, size if isinstance(size, int) else DEFAULT_MAPPING)
        elif isinstance(value, Ref):
            self.patch(IN, offset, one, value.id, value.add)
        else:
            number = self.encoder.automatic(one, siblings) if value is None else value
            if number:
                self.data[offset:offset + one.size] = bits(number, one.size)

    def patch(self, what, offset, one, identity, number):
        slot = self.encoder.slots.get(identity)
        if slot is not None:
            self.patches.append((what, one.size, offset, slot, number))
        elif what == IN:
            self.data[offset:offset + one.size] = bits(UNSET, one.size)

    def put_struct(self, offset, record):
        for one in self.encoder.table.structs[record.struct].fields:
            value = record.values[one.name]
            if value != 0:  # reserve() fills with zeros
                self.put(offset + one.offset, one, value, record.values)

    def block(self, one, value):
        """Stores what the pointer `one` leads to; its offset."""
        kind = one.kind
        if kind.name == "string":
            value = kind.target.encode() + b"\0"
        elif kind.name == "space":
            return self.reserve(value)
        elif kind.name == "batch":
            value = self.encoder.packets.encode(value)
        if isinstance(value, bytes):
            start = self.reserve(len(value))
            self.data[start:start + len(value)] = value
            return start
        if kind.name == "chain":
            return self.chain(value)
        sizes = [self.encoder.element_size(one, element) for element in value]
        offset = start = self.reserve(sum(sizes))
        for size, element in zip(sizes, value):
            if isinstance(element, Rec):
                self.put_struct(offset, element)
            else:
                self.put(offset, kind.element, element, {})
            offset += size
        return start

    def chain(self, records):
        starts = [self.reserve(self.encoder.table.structs[record.struct].size) for record in records]
        for index, record in enumerate(records):
            self.put_struct(starts[index], record)
            if index + 1 < len(starts):
                self.patches.append((ADDRESS, 8, starts[index], starts[index + 1], 0))
        return starts[0] if starts else 0


class Encoder:
    """Makes the binary form. Only resources that are used get a slot."""

    def __init__(self, table, packets):
        self.table, self.packets, self.slots = table, packets, {}

    def element_size(self, one, element):
        return self.table.structs[element.struct].size if isinstance(element, Rec) else one.kind.element.size

    def automatic(self, one, siblings):
        value = siblings.get(one.kind.target)
        if value is None or one.kind.name == "size":
            return 0
        if isinstance(value, int):
            return value  # of a space
        if isinstance(value, bytes) or one.kind.name == "len":
            return len(value)
        if value and isinstance(value[0], Rec):
            return sum(self.table.structs[element.struct].size for element in value)
        return len(self.packets.encode(value))

    def program(self, calls):
        """The binary form of each call."""
        found = [links(call) for call in calls]
        used = {link.id for call in found for link in call if type(link) is Ref}
        ids = [link.id for call in found for link in call if type(link) is Out and link.id in used]
        self.slots = {identity: slot for slot, identity in enumerate(dict.fromkeys(ids)) if slot < MAX_SLOTS}
        return [self.call(call) for call in calls]

    def call(self, call):
        what = self.table.calls[call.name]
        if what.operation != "call":
            return self.access(what, call)
        memory = Memory(self)
        arguments = b"".join(self.argument(memory, one, call.args) for one in what.parameters)
        slot = self.slots.get(call.result.id, NO_SLOT) if call.result else NO_SLOT
        size = call.args.get("length") if what.mapping and isinstance(call.args.get("length"), int) else 0
        stored = bytes(memory.data).rstrip(b"\0")
        head = bits(1, 1) + bits(what.number, 2) + bits(slot, 1) + bits(size, 4) + bits(len(what.parameters), 1)
        patches = b"".join(bits(kind | width.bit_length() - 1 << 4, 1) + bits(offset, 2) + bits(target, 2) + (b"" if kind == ADDRESS else bits(number, 4))
                           for kind, width, offset, target, number in memory.patches)
        return head + bits(len(memory.data), 2) + bits(len(stored), 2) + bits(len(memory.patches), 1) + arguments + patches + stored

    def argument(self, memory, one, args):
        value = args[one.name]
        if one.kind.name == "size":
            target = args[one.kind.target]
            slot = self.slots.get(target.id) if isinstance(target, Ref) else None
            return bits(SLOT_SIZE, 1) + bits(NO_SLOT if slot is None else slot, 1)
        if isinstance(value, Ref):
            slot = self.slots.get(value.id)
            return bits(SLOT, 1) + bits(slot, 1) if slot is not None else bits(NUMBER, 1) + bits(UNSET, 8)
        if one.kind.is_pointer and value is not None:
            return bits(POINTER, 1) + bits(memory.block(one, value), 2)
        if value is None:
            value = self.automatic(one, args) if one.kind.name in AUTOMATIC else 0
        return bits(NUMBER, 1) + bits(value, 8)

    def access(self, what, call):
        at = call.args["at"]
        slot = self.slots.get(at.id, NO_SLOT) if isinstance(at, Ref) else NO_SLOT
        head = bits(OPERATIONS[what.operation], 1) + bits(slot, 1) + bits(call.args["offset"], 4)
        if what.operation == "load":
            return head + bits(call.args["count"], 2)
        data = call.args["data"]
        data = data if isinstance(data, bytes) else self.packets.encode(data)
        return head + bits(len(data), 2) + data


def encode(table, packets, calls):
    parts = Encoder(table, packets).program(calls)
    return b"P1" + bits(len(parts), 1) + b"\0" + b"".join(parts)


def bounded(table, packets, calls):
    """`calls` without those at the end that are too many."""
    calls, size = calls[:MAX_CALLS], len(b"P1..")
    for index, part in enumerate(Encoder(table, packets).program(calls)):
        size += len(part)
        if size > MAX_BYTES:
            return calls[:index]
    return calls


def renumbered(calls):
    """A copy with ids in the order of their production, from 0; uses of resources that nothing before them produces become UNSET."""
    names, result = {}, []

    def change(link):
        if type(link) is Out:
            return Out(names.setdefault(link.id, len(names)), link.resource)
        return Ref(names[link.id], link.add) if link.id in before else UNSET

    for call in calls:
        before = set(names)
        result.append(mapped_call(call, change))
    return result
