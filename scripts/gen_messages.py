#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns hw/defs/<generation>/messages.def into C++: `gen_messages.py GENERATION OUTDIR FILE.def` writes <generation>.h; `--ids OUTDIR FILE.def ...`
writes ids.h and headers.h, of all files that declare functions:
  ids.h            Sfid, MessageKind and the neutral enumerations: what units call messages by; a function that two files name has the number of the first
  headers.h        one struct per message header, namespace softgen::message_header, and per register of an answer, softgen::message_reply
  <generation>.h   one struct per descriptor form, the enumerations and the functions' types, namespace softgen::defs::<generation>::message
Syntax: docs/defs.md, "Messages"."""
import pathlib
import re
import shlex
import sys

from generated import write_changed

MAX_TYPES = 32
LETTERS = "cbluvraxXyYzZopsmnM"
FIELD = re.compile(r"(?:(\d+)(?::(\d+))?\s+)?(.+?)(?:\s+:\s+(int|address))?$")
HEADER_FIELD = re.compile(r"dw([0-7])\s+(.*)$")
TYPE = re.compile(r"(\d+)(?:-(\d+))?\s+(\w+)\s+(.*)$")


class Problem(Exception):
    pass


class Field:
    """Bits of a dword."""

    def __init__(self, high, low, name, kind):
        self.high, self.low, self.name, self.kind = high, low, name, kind or "uint"
        if not 0 <= low <= high <= 31:
            raise Problem(f"bits {high}:{low} of {name}")
        if self.kind == "address" and high != 31:
            raise Problem(f"{name}: an address ends at bit 31")

    @property
    def member(self):
        return re.sub(r"\W+", "_", self.name).lower()

    def getter(self, dword):
        whole = (self.high, self.low) == (31, 0)
        if self.kind == "address":
            return f"constexpr uint32_t {self.member}() const {{ return {dword} & {0xffffffff << self.low & 0xffffffff:#x}u; }}"
        if self.kind == "int":
            return (f"constexpr int32_t {self.member}() const {{ return static_cast<int32_t>({dword} << {31 - self.high}) >> "
                    f"{31 - self.high + self.low}; }}")
        if self.high == self.low:
            return f"constexpr bool {self.member}() const {{ return {dword} >> {self.low} & 1; }}"
        mask = (1 << (self.high - self.low + 1)) - 1
        return f"constexpr uint32_t {self.member}() const {{ return {dword if whole else f'{dword} >> {self.low} & {mask:#x}'}; }}"

    def setter(self, dword):
        mask = (1 << (self.high - self.low + 1)) - 1
        return (f"constexpr void set_{self.member}(uint32_t value) const {{ {dword} = ({dword} & {~(mask << self.low) & 0xffffffff:#x}u) | "
                f"(value & {mask:#x}) << {self.low}; }}")


class Type:
    """A type of message: one code, or a range of them."""

    def __init__(self, text):
        match = TYPE.match(text)
        if not match:
            raise Problem(f"a type is `CODE name fields=STRUCT ...`: {text}")
        self.first, self.last, self.name = int(match[1]), int(match[2] or match[1]), match[3]
        words = shlex.split(match[4])
        self.text = words.pop()
        options = dict(word.split("=", 1) for word in words if "=" in word)
        flags = {word for word in words if "=" not in word}
        self.fields, self.kind, self.parameters = options.pop("fields", None), options.pop("kind", "unimplemented"), options.pop("parameters", None)
        self.media_kind = options.pop("media_kind", "unimplemented")
        if options or flags - {"simd4x2", "zero_lod"} or not self.fields or not self.text:
            raise Problem(f"bad type: {text}")
        if self.parameters and (set(self.parameters) - set(LETTERS) or len(set(self.parameters)) != len(self.parameters)):
            raise Problem(f"{self.name}: parameters {self.parameters}")
        self.simd4x2, self.zero_lod = "simd4x2" in flags, "zero_lod" in flags


class Function:
    """A shared function."""

    def __init__(self, words):
        self.sfid, self.name, self.text = int(words[1]), words[2], words[3]
        options = dict(word.split("=", 1) for word in words[4:])
        self.type, self.alias, self.types = options.pop("type", None), options.pop("as", None), []
        if options or self.sfid > 15:
            raise Problem(f"bad function: {' '.join(words)}")


class Declarations:
    """What one messages.def declares."""

    def __init__(self, path):
        self.path = path
        self.fields, self.enums, self.neutral, self.headers, self.replies, self.functions = {}, {}, {}, {}, {}, []
        self.read(path.read_text())
        self.check()

    def read(self, text):
        add = None
        for number, line in enumerate(text.splitlines(), 1):
            if not line.split("#")[0].strip():
                continue
            try:
                if line[0] == " ":
                    if not add:
                        raise Problem("an indented line without a block")
                    add(line.strip())
                else:
                    add = self.block(shlex.split(line))
            except (Problem, ValueError, IndexError) as problem:
                raise SystemExit(f"{self.path.name}:{number}: {problem}")

    def block(self, words):
        """The function that takes the lines of the block that `words` open."""
        if words[0] == "function":
            self.functions.append(Function(words))
            return lambda line: self.functions[-1].types.append(Type(line))
        tables = {"fields": self.fields, "enum": self.enums, "header": self.headers, "reply": self.replies}
        kind, name = words[-2:]
        table = self.neutral if words == ["neutral", "enum", name] else tables.get(kind) if len(words) == 2 else None
        if table is None or name in table:
            raise Problem(f"unknown block, or a second one of that name: {' '.join(words)}")
        rows = table[name] = []
        parse = {"fields": self.field, "enum": self.value, "header": self.header_field, "reply": self.header_field}[kind]
        return lambda line: rows.append(parse(line))

    @staticmethod
    def field(line):
        match = FIELD.match(line)
        if not match[1]:
            raise Problem(f"a field has bits: {line}")
        return Field(int(match[1]), int(match[2] or match[1]), match[3], match[4])

    @staticmethod
    def header_field(line):
        match = HEADER_FIELD.match(line)
        if not match:
            raise Problem(f"a header's field is `dwN [HIGH:LOW] Name`: {line}")
        rest = FIELD.match(match[2])
        high, low = (31, 0) if not rest[1] else (int(rest[1]), int(rest[2] or rest[1]))
        return int(match[1]), Field(high, low, rest[3], rest[4])

    @staticmethod
    def value(line):
        number, name, text = shlex.split(line)
        return int(number), name, text

    def function(self, name):
        found = [function for function in self.functions if function.name == name]
        if len(found) != 1:
            raise SystemExit(f"function {name}: declared {len(found)} times instead of once")
        return found[0]

    def type_field(self, function):
        struct, name = function.type.split(".")
        for field in self.fields.get(struct, []):
            if field.name.replace(" ", "_") == name:
                return field
        raise SystemExit(f"function {function.name}: no field {function.type}")

    def check(self):
        for rows in (*self.fields.values(), *([field for _, field in header] for header in (*self.headers.values(), *self.replies.values()))):
            members = [field.member for field in rows]
            if len(set(members)) != len(members):
                raise SystemExit(f"two fields of one name: {', '.join(members)}")
        for function in self.functions:
            self.function(function.name)
            codes = set()
            for row in function.types:
                own = set(range(row.first, row.last + 1))
                field = self.type_field(function)
                if own & codes or row.last >= min(MAX_TYPES, 1 << (field.high - field.low + 1)) or row.fields not in self.fields:
                    raise SystemExit(f"{function.name}: type {row.name}: the code is taken or too large, or there are no fields {row.fields}")
                codes |= own
            if function.alias:
                self.function(function.alias)


def doc(paths):
    names = ", ".join(f"{path.parent.name}/{path.name}" for path in paths)
    return f"// Generated by scripts/gen_messages.py from {names}.\n#pragma once\n\n"


def enumeration(name, rows):
    values = "".join(f"  {value} = {number},\n" for number, value, _ in rows)
    size = max(number for number, _, _ in rows) + 1
    texts = {number: text for number, _, text in rows}
    names = ", ".join(f'"{texts.get(number, "")}"' for number in range(size))
    return (f"enum class {name} : uint8_t {{\n{values}}};\n/// As printed; empty: reserved.\nconstexpr std::string_view text({name} value) {{\n"
            f"  constexpr std::string_view texts[] = {{{names}}};\n  const auto index = static_cast<unsigned>(value);\n"
            f"  return index < {size} ? texts[index] : std::string_view();\n}}\n\n")


def ids(files):
    functions = [function for declared in files for function in declared.functions]
    kinds = sorted({kind for function in functions for row in function.types for kind in (row.kind, row.media_kind)} - {"unimplemented"})
    numbers = {}
    for function in functions:
        numbers.setdefault(function.name, function.sfid)
    if len(set(numbers.values())) != len(numbers):
        raise SystemExit("two functions of different names have the number of one")
    neutral = {name: rows for declared in files for name, rows in declared.neutral.items()}
    out = "#include <cstdint>\n#include <string_view>\n\nnamespace softgen {\n\n/// Shared functions.\nenum class Sfid : uint8_t {\n"
    out += "".join(f"  {name} = {number},\n" for name, number in sorted(numbers.items(), key=lambda item: item[1]))
    out += "};\n\n/// What a message asks for.\nenum class MessageKind : uint8_t {\n"
    out += "  reserved,       ///< no message has this code\n  unimplemented,  ///< hardware has it; no unit here answers it\n"
    out += "".join(f"  {kind},\n" for kind in kinds) + "};\n\n"
    return out + "".join(enumeration(name, rows) for name, rows in neutral.items()) + "}  // namespace softgen\n"


def headers(files):
    blocks = {name: rows for declared in files for name, rows in declared.headers.items()}
    replies = {name: rows for declared in files for name, rows in declared.replies.items()}
    out = "#include <cstdint>\n\n/// Message headers: each struct is made of the 8 dwords of its register.\nnamespace softgen::message_header {\n\n"
    for name, rows in blocks.items():
        out += f"struct {name} {{\n  const uint32_t* dw;\n"
        out += "".join(f"  {field.getter(f'dw[{dword}]')}\n" for dword, field in rows) + "};\n\n"
    out += "}  // namespace softgen::message_header\n"
    if replies:
        out += "\n/// Registers of answers: each struct is made of the 8 dwords of one.\nnamespace softgen::message_reply {\n\n"
    for name, rows in replies.items():
        out += f"struct {name} {{\n  uint32_t* dw;\n"
        out += "".join(f"  {field.setter(f'dw[{dword}]')}\n" for dword, field in rows) + "};\n\n"
    return out + ("}  // namespace softgen::message_reply\n" if replies else "")


def table(function):
    rows = []
    for row in function.types:
        sampler = "nullptr"
        if row.parameters is not None:
            sampler = f"&{row.name}_parameters"
        text = (f'{{.text = "{row.text}", .kind = MessageKind::{row.kind}, .fields = Fields::{row.fields}, .code = {row.first}, '
                f'.simd4x2 = {"true" if row.simd4x2 else "false"}, .sampler = {sampler}, .media_kind = MessageKind::{row.media_kind}}}')
        rows += [(code, text) for code in range(row.first, row.last + 1)]
    out = "".join(f'inline constexpr SamplerType {row.name}_parameters{{MessageKind::{row.kind}, {"true" if row.zero_lod else "false"}, "{row.parameters}"}};\n'
                  for row in function.types if row.parameters is not None)
    by_code = dict(rows)
    codes = ", ".join(f"{row.name} = {row.first}" for row in function.types)
    out = f"namespace {function.name} {{\nenum Code : uint8_t {{ {codes} }};\n}}\n" + out
    out += f"inline constexpr MessageType<Fields> {function.name}_types[] = {{\n"
    return out + "".join(f"  {by_code.get(code, '{.kind = MessageKind::reserved}')},\n" for code in range(max(by_code) + 1)) + "};\n"


def generation(declared, name):
    out = '#include <cstdint>\n#include <string_view>\n\n#include "hw/defs/message.h"\n\n'
    out += f"namespace softgen::defs::{name}::message {{\n\n"
    for struct, rows in declared.fields.items():
        out += f"struct {struct} {{\n  uint32_t dword = 0;\n" + "".join(f"  {field.getter('dword')}\n" for field in rows) + "};\n"
    if not declared.functions:
        return out + f"\n}}  // namespace softgen::defs::{name}::message\n"
    out += "\n/// The structs by number.\nenum class Fields : uint8_t { " + ", ".join(declared.fields) + " };\n\n"
    out += "".join(enumeration(*item) for item in declared.enums.items())
    out += "".join(table(function) for function in declared.functions if function.types)
    out += "\n/// By SFID.\ninline constexpr MessageFunction<Fields> functions[16] = {\n"
    by_sfid = {function.sfid: function for function in declared.functions}
    for sfid in range(16):
        function = by_sfid.get(sfid)
        if not function:
            out += "  {},\n"
            continue
        types = declared.function(function.alias) if function.alias else function
        field = declared.type_field(types) if types.type else None
        rest = f", {field.high}, {field.low}, {types.name}_types" if field else ", 0, 0, {}"
        out += f'  {{Sfid::{function.name}, "{function.text}"{rest}}},\n'
    return out + f"}};\n\n}}  // namespace softgen::defs::{name}::message\n"


def main():
    mode, out, paths = sys.argv[1], pathlib.Path(sys.argv[2]), [pathlib.Path(path) for path in sys.argv[3:]]
    files = [Declarations(path) for path in paths]
    if mode == "--ids":
        written = {"ids.h": ids(files), "headers.h": headers(files)}
    else:
        written = {f"{mode}.h": generation(files[0], mode)}
    for file, text in written.items():
        write_changed(out / file, doc(paths) + text)


if __name__ == "__main__":
    main()
