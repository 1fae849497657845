# SPDX-License-Identifier: GPL-2.0-or-later
"""The text form of a program of `scripts/fuzz guest`, one line per call:

    r0 = open_card(flags=0x80002)
    I915_GEM_CREATE(fd=r0, arg=[{size=0x1000, handle=new r1}])
    I915_GEM_PWRITE/batch(fd=r0, arg=[{handle=r1, data_ptr=<"MI_STORE_DATA_IMM":4{"Address"=0x200000}, "MI_BATCH_BUFFER_END", 0x1234>}])

`new rN` is where the call puts a resource, `rN+0x10` a use of it with a number added, `{...}` a structure (NAME/VARIANT{...} where several may
stand), `[...]` elements, "..." bytes in hexadecimal, <...> packets with their lengths in dwords (without one: 1). What is not written is 0, the
constant that the table has, or computed. `#` begins a comment."""
import re

import fuzz_packets
from fuzz_program import Call, Out, Rec, Ref, default

TOKEN = re.compile(r"""\s*(?:(-?0x[0-9a-fA-F]+|-?\d+)|"([^"]*)"|([A-Za-z_]\w*(?:/\w+)?(?:\[\d+\])?)|(\S))""")
CALL = re.compile(r"(?:(r\d+) = )?([\w/]+)\((.*)\)$")


class TextProblem(Exception):
    pass


# Writing -------------------------------------------------------------------------------------------------------------------------

def number(value):
    return str(value) if -1024 <= value < 10 else f"{value:#x}"


def text_of(table, value, one):
    kind = one.kind
    if isinstance(value, Ref):
        return f"r{value.id}" + (f"+{value.add:#x}" if value.add else "")
    if isinstance(value, Out):
        return f"new r{value.id}"
    if isinstance(value, Rec):
        several = len(kind.structs) > 1 or kind.name == "chain"
        return (value.struct if several else "") + "{" + pairs(table, table.structs[value.struct].fields, value.values) + "}"
    if value is None:
        return "null"
    if isinstance(value, bytes):
        return f'"{value.hex()}"'
    if isinstance(value, list) and kind.name == "batch":
        return "<" + ", ".join(packet_text(item) for item in value) + ">"
    if isinstance(value, list):
        return "[" + ", ".join(text_of(table, element, kind.element or one) for element in value) + "]"
    return number(value)


def packet_text(item):
    if isinstance(item, int):
        return f"{item:#x}"
    values = ", ".join(f'"{name}"={number(value)}' for name, value in item.values.items())
    return f'"{item.name}"' + (f":{item.dwords}" if item.dwords != 1 else "") + ("{" + values + "}" if values else "")


def pairs(table, fields, values):
    return ", ".join(f"{one.name}={text_of(table, values[one.name], one)}" for one in fields if values[one.name] != default(table, one))


def write(table, calls):
    lines = []
    for call in calls:
        result = f"r{call.result.id} = " if call.result else ""
        lines.append(f"{result}{call.name}({pairs(table, table.calls[call.name].parameters, call.args)})")
    return "\n".join(lines) + "\n"


# Reading -------------------------------------------------------------------------------------------------------------------------

class Parser:
    def __init__(self, table, text):
        self.table, self.tokens = table, []
        position = 0
        text = text.strip()
        while position < len(text):
            match = TOKEN.match(text, position)
            self.tokens.append(match.groups())
            position = match.end()
        self.at = 0

    def peek(self, sign):
        return self.at < len(self.tokens) and self.tokens[self.at][3] == sign

    def take(self, sign):
        if self.peek(sign):
            self.at += 1
            return True
        return False

    def need(self, sign):
        if not self.take(sign):
            raise TextProblem(f"expected '{sign}' before {self.rest()}")

    def rest(self):
        return " ".join(next(part for part in token if part is not None) for token in self.tokens[self.at:self.at + 6]) or "the end"

    def next(self):
        if self.at >= len(self.tokens):
            raise TextProblem("the line ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def values(self, fields, end):
        """`name=value, ...` up to the sign `end`."""
        known = {one.name: one for one in fields}
        found = {one.name: default(self.table, one) for one in fields}
        while not self.take(end):
            name = self.next()[2]
            if name not in known:
                raise TextProblem(f"there is no '{name}' among {', '.join(known)}")
            self.need("=")
            found[name] = self.value(known[name])
            if not self.take(","):
                self.need(end)
                break
        return found

    def value(self, one):
        kind = one.kind
        if self.take("["):
            return self.elements(one)
        if self.take("<"):
            return self.packets()
        if self.peek("{"):
            return self.record(one.struct or (kind.structs or [""])[0])
        plain, quoted, name, _ = self.next()
        if plain is not None:
            return int(plain, 0)
        if quoted is not None:
            return bytes.fromhex(quoted)
        if name == "null":
            return None
        if name == "new":
            return Out(self.identity(self.next()[2]), kind.target)
        if name and re.fullmatch(r"r\d+", name):
            add = int(self.next()[0], 0) if self.take("+") else 0
            return Ref(self.identity(name), add)
        if name in self.table.structs:
            return self.record(name)
        raise TextProblem(f"no value begins with '{name}'")

    @staticmethod
    def identity(name):
        if not name or not re.fullmatch(r"r\d+", name):
            raise TextProblem(f"'{name}' is not a resource")
        return int(name[1:])

    def record(self, name):
        self.need("{")
        if name not in self.table.structs:
            raise TextProblem(f"no structure can stand before {self.rest()}")
        return Rec(name, self.values(self.table.structs[name].fields, "}"))

    def elements(self, one):
        found = []
        while not self.take("]"):
            found.append(self.value(one.kind.element or one))
            if not self.take(","):
                self.need("]")
                break
        return found

    def packets(self):
        found = []
        while not self.take(">"):
            plain, name, _, _ = self.next()
            if plain is not None:
                found.append(int(plain, 0))
            elif name is None:
                raise TextProblem("a packet is a name in quotes or a dword")
            else:
                found.append(self.packet(name))
            if not self.take(","):
                self.need(">")
                break
        return found

    def packet(self, name):
        packet = fuzz_packets.Packet(name, {}, int(self.next()[0], 0) if self.take(":") else 1)
        if self.take("{"):
            while not self.take("}"):
                key = self.next()[1]
                self.need("=")
                packet.values[key] = int(self.next()[0], 0)
                if not self.take(","):
                    self.need("}")
                    break
        return packet


def read(table, text, packets):
    """The calls of a text. Raises TextProblem with the line."""
    calls = []
    for index, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            match = CALL.match(line)
            if not match or match[2] not in table.calls:
                raise TextProblem("expected NAME(...) with a call of the table")
            what = table.calls[match[2]]
            parser = Parser(table, match[3] + ")")
            call = Call(what.name, parser.values(what.parameters, ")"))
            if match[1]:
                call.result = Out(int(match[1][1:]), what.returns)
            check_packets(packets, call)
            calls.append(call)
        except (TextProblem, ValueError, TypeError) as problem:
            raise TextProblem(f"line {index}: {problem}") from None
    return calls


def check_packets(packets, call):
    def visit(value):
        if isinstance(value, Rec):
            for inner in value.values.values():
                visit(inner)
        elif isinstance(value, list):
            for inner in value:
                visit(inner)
        elif isinstance(value, fuzz_packets.Packet):
            if value.name not in packets.commands:
                raise TextProblem(f"{packets.name} has no packet '{value.name}'")
            missing = set(value.values) - set(packets.fields(value))
            if missing:
                raise TextProblem(f"'{value.name}' of {value.dwords} dwords has no field '{min(missing)}'")
    for value in call.args.values():
        visit(value)
