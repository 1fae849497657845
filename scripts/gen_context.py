#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns hw/defs/<set>/context.def into C++: the rows of hw/defs/context.h, in <set>_context.cpp and in the namespace of the set. Syntax:
docs/defs.md, "Context images"."""
import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import gen_registers  # noqa: E402
from generated import write_changed  # noqa: E402

CLASSES = ["render", "copy", "video", "video_enhance"]  # EngineClass
NO_OP = "NOOP"  # what a run of packets has between them
POSITION = "position"  # the images of the position-only streamer, which not each generation has
STREAMER_BLOCK = 0x800  # bytes of MMIO that each streamer has of its own
LOADS = {"value", "masked", "batch", "counter", "never"}
INSTANCE = re.compile(r"^(\w+)((?:\[\d+(?:\.\.\d+)?\])*)$")


class Problem(Exception):
    pass


class List:
    def __init__(self, header, classes, words):
        self.header, self.classes, self.slots = header, classes, []  # slots: (offset, load)
        if set(words) - {"unposted", "even"}:
            raise Problem(f"unknown words {words}")
        self.posted, self.even = "unposted" not in words, "even" in words


class Space:
    def __init__(self, first, end, classes, words):
        self.first, self.end, self.classes, self.named = first, end, classes, []
        self.below, self.even = int(words[0].removeprefix("below="), 0), words[1:] == ["even"]
        if not first < end or (words[1:] and not self.even):
            raise Problem("an empty space" if not first < end else f"unknown words {words[1:]}")


class State:
    """A run of packets and no-ops."""

    def __init__(self, first, classes):
        self.first, self.end, self.classes, self.packets = first, first, classes, []  # packets: (dword, dwords, name)

    def add(self, name, dwords):
        if dwords <= 0:
            raise Problem(f"{name} has no dwords")
        if name != NO_OP:
            self.packets.append((self.end, dwords, name))
        self.end += dwords


def engine_classes(word):
    classes = CLASSES if word == "all" else word.split(",")
    if not set(classes) <= {*CLASSES, POSITION}:
        raise Problem(f"unknown engine class in {word}")
    return classes


def indices(text, row):
    """"[0..3][1]" -> the index pairs of an array's instances, in the order written."""
    ranges = []
    for first, last in re.findall(r"\[(\d+)(?:\.\.(\d+))?\]", text):
        first, last = int(first), int(last or first)
        ranges.append(range(first, last + 1) if first <= last else range(first, last - 1, -1))
    if len(ranges) != (0 if not row.is_array() else 1 if row.count[0] == 1 else 2):
        raise Problem(f"{row.name} has another number of dimensions")
    outer, inner = ([range(1)] * 2 + ranges)[-2:]
    if max(outer) >= row.count[0] or max(inner) >= row.count[1]:
        raise Problem(f"{row.name} has no such instance")
    return [(i, j) for i in outer for j in inner]


def offsets(text, rows):
    """The register's row, and the offsets of the instances that `text` names."""
    match = INSTANCE.match(text)
    if not match or match[1] not in rows:
        raise Problem(f"{text} is no register")
    row = rows[match[1]]
    return row, [row.offset + i * row.stride[0] + j * row.stride[1] for i, j in indices(match[2], row)]


class Reader:
    def __init__(self, declared):
        self.rows, self.image, self.pages, self.blocks = {row.name: row for row in declared.rows}, None, None, []
        self.engines = {engine.name: engine.base for engine in declared.engines}
        self.relative = False  # the lists' headers say that offsets count from the engine's base

    def line(self, text):
        words = text.split()
        if text[0].isspace():
            self.register(words)
        elif words[0] == "image":
            self.image = {key: int(value, 0) for key, value in (word.split("=") for word in words[1:])}
            self.relative = bool(self.image.pop("relative", 0))
            if set(self.image) - {POSITION} != {"ring", "documented", *CLASSES}:
                raise Problem("an image has ring, documented and the dwords of each engine class")
        elif words[0] == "pages":
            self.pages = {key: int(value, 0) for key, value in (word.split("=") for word in words[1:])}
            if set(self.pages) - {POSITION} != set(CLASSES):
                raise Problem("pages names each engine class")
        elif words[0] == "list":
            self.blocks.append(List(int(words[1], 0), engine_classes(words[2]), words[3:]))
        elif words[0] == "space":
            first, end = (int(word, 0) for word in words[1].split(".."))
            self.blocks.append(Space(first, end, engine_classes(words[2]), words[3:]))
        elif words[0] == "state":
            self.blocks.append(State(int(words[1], 0), engine_classes(words[2])))
        else:
            raise Problem(f"unknown line '{words[0]}'")

    def register(self, words):
        if isinstance(self.blocks[-1], State):
            return self.blocks[-1].add(words[0], int(words[1]))
        row, found = offsets(words[0], self.rows)
        load = words[1] if len(words) > 1 else "masked" if row.masked else "value"
        if load not in LOADS or len(words) > 2:
            raise Problem(f"unknown words {words[1:]}")
        if not row.context and load != "never":
            raise Problem(f"{row.name} is not marked `context`")
        block = self.blocks[-1]
        if isinstance(block, List):
            base = self.base_of(row, block)
            block.slots += [(offset - base, load) for offset in found]
        elif row.engine or len(words) > 1:
            raise Problem(f"{row.name}: a space names registers outside the engines' blocks")
        else:
            block.named += found

    def base_of(self, row, block):
        """What the register's offset counts from in BAR0, if not from the engine's base."""
        if row.engine:
            return 0
        owner = {"render": "rcs", POSITION: "pocs"}.get(",".join(block.classes))
        base = self.engines.get(owner, 0)
        if not owner or not 0 <= row.offset - base < STREAMER_BLOCK:
            raise Problem(f"{row.name} is not an engine's own")
        return base


def check(reader, name, lists, spaces):
    """Checks that lists and spaces are in order and do not overlap, and that no register occurs twice, but in slots side by side."""
    documented = reader.image["documented"]
    last, seen = 0, set()
    for block in [*lists, *spaces]:
        header, end = (block.header, block.header + 1 + 2 * len(block.slots)) if isinstance(block, List) else (block.first, block.end)
        limit = documented if isinstance(block, List) else reader.image[name]
        if header <= last or header % 2 == block.even or end > limit or (isinstance(block, Space) and header < documented):
            raise Problem(f"{name}: the block at dword {header:#x} must start at an odd dword after the block before it and end in its part of the image")
        last = end - 1
        named = [offset for offset, _ in block.slots] if isinstance(block, List) else block.named
        for index, offset in enumerate(named):
            repeats = index > 0 and named[index - 1] == offset and isinstance(block, List)  # Gen12's images have one register several times in a row
            if (type(block), offset) in seen and not repeats:
                raise Problem(f"{name}: two places for {offset:#x}")
            seen.add((type(block), offset))


def check_states(reader, name, lists, spaces, states):
    """Checks that runs of packets are in order, overlap nothing and end in the image."""
    taken = [(block.header, block.header + 1 + 2 * len(block.slots)) for block in lists] + [(block.first, block.end) for block in spaces]
    last = 0
    for state in states:
        if state.first < last or state.end > reader.image[name] or any(first < state.end and state.first < end for first, end in taken):
            raise Problem(f"{name}: the packets from dword {state.first:#x} on are not in order, overlap something, or do not end in the image")
        last = state.end


def read(context, declared):
    reader = Reader(declared)
    for number, raw in enumerate(pathlib.Path(context).read_text().splitlines(), 1):
        text = re.sub(r"(^|\s)#.*$", "", raw).rstrip()
        try:
            if text:
                reader.line(text)
        except (Problem, ValueError, IndexError, KeyError) as problem:
            raise SystemExit(f"{context}:{number}: {problem}")
    try:
        if not reader.image or not reader.pages:
            raise Problem("no image line" if not reader.image else "no pages line")
        for name in classes(reader):
            lists, spaces, states = of_class(reader, name)
            check(reader, name, lists, spaces)
            check_states(reader, name, lists, spaces, states)
    except Problem as problem:
        raise SystemExit(f"{context}: {problem}")
    return reader


def classes(reader):
    return CLASSES + [POSITION] * (POSITION in reader.pages)


def of_class(reader, name):
    mine = [block for block in reader.blocks if name in block.classes]
    return tuple([block for block in mine if isinstance(block, kind)] for kind in (List, Space, State))


def layout(reader, name):
    """The tables of one engine class."""
    lists, spaces, states = of_class(reader, name)
    yield f"constexpr ContextList {name}_lists[] = {{"
    yield from (f"    {{{block.header:#x}, {len(block.slots)}, {str(block.posted).lower()}}}," for block in lists)
    yield f"}};\nconstexpr ContextSlot {name}_slots[] = {{"
    for block in lists:
        yield from (f"    {{{block.header + 1 + 2 * i:#x}, {offset:#x}, ContextLoad::{load}}}," for i, (offset, load) in enumerate(block.slots))
    yield "};"
    for index, block in enumerate(spaces):
        if block.named:
            yield f"constexpr uint32_t {name}_named{index}[] = {{{', '.join(map(hex, block.named))}}};"
    yield f"constexpr ContextSpace {name}_spaces[] = {{"
    for index, block in enumerate(spaces):
        yield f"    {{{block.first:#x}, {block.end:#x}, {block.below:#x}, {f'{name}_named{index}' if block.named else '{}'}}},"
    yield "};"
    if states:
        yield f"constexpr ContextPacket {name}_packets[] = {{"
        for first, dwords, packet in [packet for state in states for packet in state.packets]:
            yield f"    {{{first:#x}, {dwords}, CommandId::{'_' * packet[0].isdigit()}{packet}}},"
        yield "};"


def table(reader, generation):
    yield f"// Generated by scripts/gen_context.py from hw/defs/{generation}/context.def."
    yield f'#include "hw/defs/context.h"\n#include "hw/defs/ids.h"\n\nnamespace softgen::defs::{generation} {{\nnamespace {{\n'
    for name in classes(reader):
        yield from layout(reader, name)
    yield "\nconstexpr ContextLayout layouts[] = {"
    for name in classes(reader):
        packets = f", .packets = {name}_packets" * bool(of_class(reader, name)[2])
        yield (f"    {{.pages = {reader.pages[name]}, .ring_dwords = {reader.image['ring']:#x}, .documented_dwords = {reader.image['documented']:#x}, "
               f".list_dwords = {reader.image[name]:#x}, .relative = {str(reader.relative).lower()}, .lists = {name}_lists, .slots = {name}_slots, "
               f".spaces = {name}_spaces{packets}}},")
    yield "};\n\n}  // namespace\n"
    yield f"constinit const ContextImages context_images{{.layouts = layouts}};\n\n}}  // namespace softgen::defs::{generation}"


def main():
    parser = argparse.ArgumentParser(prog="gen_context.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUTDIR", type=pathlib.Path, help="where the file goes")
    parser.add_argument("context", metavar="CONTEXT.def", type=pathlib.Path, help="in the folder of its set")
    parser.add_argument("--set", nargs="+", action="append", required=True, metavar=("NAME", "FILE.def"), help="a set of registers and its files")
    options = parser.parse_args()
    sets = {}
    for name, *files in options.set:
        sets[name] = gen_registers.read(files, sets)
    generation = options.context.resolve().parent.name
    if generation not in sets:
        raise SystemExit(f"{options.context}: no --set {generation}")
    reader = read(options.context, sets[generation])
    write_changed(options.out / f"{generation}_context.cpp", "\n".join(table(reader, generation)) + "\n")


if __name__ == "__main__":
    main()
