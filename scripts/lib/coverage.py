# SPDX-License-Identifier: GPL-2.0-or-later
"""Which functions of the guest's modules ran: kallsyms and the device's coverage-blocks, brought together."""
import bisect
import collections
import itertools
import json
import pathlib

from common import Failure

# x86_64's module area in a kernel whose image may lie anywhere in 1 GiB (CONFIG_RANDOMIZE_BASE, as in Debian's): Linux,
# Documentation/arch/x86/x86_64/mm.rst and MODULES_VADDR.
MODULE_AREA = "ffffffffc0000000-ffffffffff000000"
PAGE = 4096
# Modules' entry points have these names beside their own.
ALIASES = {"init_module", "cleanup_module"}
# Not functions of the source: padding before functions (CONFIG_CALL_PADDING), static calls' trampolines.
NO_FUNCTIONS = ("__pfx_", "__SCT__")
COLD = ".cold"  # GCC's unlikely part of a function, elsewhere in the text

Block = collections.namedtuple("Block", "start size count")
# `pieces`: (start, end) of its body, then of its cold part. `ordinal`: of functions of one name in a module, by address.
Function = collections.namedtuple("Function", "module name ordinal pieces")
Symbol = collections.namedtuple("Symbol", "address kind name module")


class Hits(collections.namedtuple("Hits", "entries blocks bytes")):
    """How often a function was entered, and how much of it ran. A block is a run of instructions that is entered at its first one only,
    as far as was seen: translated blocks are cut where another one starts or ends."""


def parse_blocks(text):
    """The blocks of the property coverage-blocks."""
    return [Block(*(int(word, 16) for word in line.split())) for line in text.splitlines()]


def parse_symbols(text):
    """The symbols of modules in the text of /proc/kallsyms."""
    rows = (line.split() for line in text.splitlines())
    return [Symbol(int(row[0], 16), row[1], row[2], row[3].strip("[]")) for row in rows if len(row) == 4]


def less(after, before):
    """The blocks of `after` with how often they ran since `before`."""
    old = {(block.start, block.size): block.count for block in before}
    left = (block._replace(count=block.count - old.get((block.start, block.size), 0)) for block in after)
    return [block for block in left if block.count > 0]


def functions(symbols):
    """The functions among a kernel's symbols. A function ends where the module's next symbol is, or at its page's end: kallsyms has no sizes."""
    found = []
    for module in sorted({symbol.module for symbol in symbols}):
        own = [symbol for symbol in symbols if symbol.module == module]
        starts = sorted({symbol.address for symbol in own})
        named = {}
        for symbol in own:
            if symbol.kind in "tTwW" and not symbol.name.startswith(NO_FUNCTIONS):
                named.setdefault(symbol.address, []).append(symbol.name)
        main, cold = {}, {}
        for address, names in sorted(named.items()):
            name = min(names, key=lambda name: (name in ALIASES, name))
            piece = address, end_of(address, starts)
            if name.endswith(COLD):
                cold.setdefault(name.removesuffix(COLD), []).append(piece)
            else:
                main.setdefault(name, []).append(piece)
        for name, pieces in main.items():
            # The nth cold part is the nth function's of that name: both lie in the order of the linked files.
            parts = itertools.zip_longest(pieces, cold.get(name, [])[:len(pieces)])
            found += [Function(module, name, i, tuple(filter(None, pair))) for i, pair in enumerate(parts)]
    return sorted(found, key=lambda function: function.pieces[0])


def end_of(address, starts):
    after = bisect.bisect_right(starts, address)
    page_end = (address // PAGE + 1) * PAGE
    if after == len(starts):
        return page_end
    # Between two symbols may lie other sections, or the end of the text.
    return starts[after] if starts[after] - address < 64 * PAGE else page_end


def measure(known, blocks):
    """[Hits] of the functions `known`, in their order, and the blocks that are in none of them."""
    blocks = sorted(blocks)
    starts = [block.start for block in blocks]
    longest = max((block.size for block in blocks), default=0)
    used, hits = set(), []
    for function in known:
        entries = count = size = 0
        for start, end in function.pieces:
            first = bisect.bisect_left(starts, start - longest)
            inside = [i for i in range(first, bisect.bisect_left(starts, end)) if starts[i] + blocks[i].size > start]
            used.update(inside)
            pieces = cut([(max(starts[i], start), min(starts[i] + blocks[i].size, end)) for i in inside])
            count += len(pieces)
            size += sum(stop - begin for begin, stop in pieces)
            if start == function.pieces[0][0]:
                entries = sum(blocks[i].count for i in inside if starts[i] <= start)
        hits.append(Hits(entries, count, size))
    return hits, [block for i, block in enumerate(blocks) if i not in used]


def inside(known, blocks):
    """The blocks that lie, if only in part, in the functions `known`."""
    return without(blocks, measure(known, blocks)[1])


def without(blocks, others):
    others = set(others)
    return [block for block in blocks if block not in others]


def cut(intervals):
    """The union of the intervals, cut at each of their ends."""
    edges = sorted({edge for interval in intervals for edge in interval})
    intervals = sorted(intervals)
    pieces, at, reach = [], 0, 0
    for begin, stop in zip(edges, edges[1:]):
        while at < len(intervals) and intervals[at][0] <= begin:
            reach, at = max(reach, intervals[at][1]), at + 1
        if reach >= stop:
            pieces.append((begin, stop))
    return pieces


def rows(known, hits):
    """{(module, name, ordinal): row}: what the report says of each function."""
    return {(function.module, function.name, function.ordinal): {
        "module": function.module, "name": function.name, "ordinal": function.ordinal,
        "size": sum(end - start for start, end in function.pieces), **hit._asdict()} for function, hit in zip(known, hits)}


def read_rows(path):
    """{(module, name, ordinal): module, file and entries} of a file that scripts/coverage --json wrote."""
    try:
        rows = json.loads(pathlib.Path(path).read_text())["functions"]
        return {key_of(row): {name: row[name] for name in ("module", "file", "entries")} for row in rows}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Failure(f"--compare: '{path}' is no file that scripts/coverage --json wrote ({error})") from None


def key_of(row):
    return row["module"], row["name"], row["ordinal"]


def merged(first, second):
    """Rows of the same kernel, measured one after the other, the modules perhaps at other addresses: entries add up, of the rest the larger is
    taken (the two may overlap)."""
    result = dict(first)
    for key, row in second.items():
        old = first.get(key)
        result[key] = row if not old else {**row, "entries": old["entries"] + row["entries"], "blocks": max(old["blocks"], row["blocks"]),
                                           "bytes": max(old["bytes"], row["bytes"])}
    return result
