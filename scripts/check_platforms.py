#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds places outside hw/defs and the decoders that state a fact of one hardware generation (docs/defs.md, "Facts outside this folder")."""
import argparse
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import gen_registers  # noqa: E402

KINDS = {
    "generation": "a generation's namespace or an include of its folder: gen9::, \"hw/defs/gen9/...\"",
    "dword-bits": "bits of a command picked by number: bit(dw[0], 22), bits(header, 15, 8)",
    "offset": "a declared register's offset, or an engine's base, as a number: 0x2350",
    "descriptor-bits": "bits of a message descriptor picked by number: descriptor >> 14, bits(descriptor, 18, 14)",
    "platform": "a comparison with a platform's name or PCI id: name == \"kbl\", pci_device_id == 0x5912",
}
# Where a kind is allowed. A pattern ends in / (a folder) or names a file; * stands for one part of a path.
EVERYWHERE = ["hw/defs/"]
GENERATION = ["hw/*/decode/", "hw/eu/isa/gen*/", "hw/display/*/", "hw/mmio/interrupts/", "hw/gt/engines/", "hw/gt/platforms/"]
ALLOWED = {
    "generation": GENERATION,
    "dword-bits": GENERATION,
    # The driver's side of softgen-run states its view of the chip independently, on purpose: an error in hw/defs must show.
    "offset": ["hw/run/regs.h", "hw/run/chip.cpp", "hw/run/chip_oa.*"],
    "descriptor-bits": GENERATION,
    "platform": ["hw/gt/platforms/"],
}
# Numbers that equal a register's offset by chance: 4 KiB, a bit, sign and infinity of half floats, 64 KiB, and the tables of compacted instructions and of BPTC.
CHANCE = {0x1000, 0x4000, 0x7C00, 0x8000, 0x10000}
CHANCE_FILES = ["hw/eu/isa/gen5/compact.cpp", "hw/eu/isa/gen8/compact_form.cpp", "hw/eu/isa/gen9/codec.cpp", "hw/eu/isa/gen11/codec.cpp",
                "hw/eu/isa/gen12/compact.cpp", "hw/surface/bptc_tables.h"]
SOURCES = {".h", ".cpp", ".c", ".inc"}

CODE = re.compile(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\')|//[^\n]*|/\*.*?\*/', re.DOTALL)
GEN = re.compile(r'\bgen\d+::|#\s*include\s*"hw/defs/gen\d+/')
DWORD_BITS = re.compile(r"\bbits?\(\s*(?:\w+(?:\.|->))*(?:dw|dwords|packet)\[|\bbits?\(\s*header,")
DESCRIPTOR = re.compile(r"\w*descriptor\)?\s*>>\s*\d|\bbits?\(\s*(?:\w+(?:\.|->))*\w*descriptor\b")
HEX = re.compile(r"(?:\b(\w+)\s*=\s*)?\b0x([0-9a-fA-F']+)(?:u|\b)(?!')")


class Declared:
    """What hw/defs declares: registers by offset, platforms by name and id."""

    def __init__(self, root):
        self.offsets, self.relative = set(), collections.defaultdict(set)
        for declared in gen_registers.read_all(root / "hw/defs").values():
            self.offsets.update(engine.base for engine in declared.engines)
            for row in declared.rows:
                if row.engine:
                    self.relative[self.plain(row.name)].add(row.offset)
                if not row.block:
                    self.offsets.update(declared.offsets(row))
        names, ids = set(), set()
        for path in [root / "hw/defs/platform.cpp"]:
            text = path.read_text() if path.exists() else ""
            names.update(re.findall(r'\.name = "(\w+)"', text))
            ids.update(re.findall(r"\.pci_device_id = (0x[0-9a-fA-F]+)", text))
        either = "|".join([f'"{name}"' for name in sorted(names)] + [rf"{number}\b" for number in sorted(ids)] or ["(?!)"])
        self.platform = re.compile(rf"[=!]=\s*(?:{either})|(?:{either})\s*[=!]=|case\s+(?:{either})|"
                                   r"\bpci_(?:device_)?id\s*(?:[=!]=|[<>]=?\s*\w)|\bplatform\w*(?:\(\))?(?:\.|->)name\s*[=!]=", re.IGNORECASE)

    @staticmethod
    def plain(name):
        return re.sub(r"^ring_|_(lo|register|reg|offset)$", "", name.lower())

    def is_offset(self, name, number):
        """Whether `number` is a register's offset in BAR0, or the offset of an engine's register that is called `name`."""
        return number in self.offsets - CHANCE or (name is not None and number in self.relative.get(self.plain(name), ()))


def matches(path, patterns):
    parts = path.parts
    for pattern in patterns:
        wanted = pathlib.PurePath(pattern).parts
        whole = len(parts) == len(wanted) or (pattern.endswith("/") and len(parts) > len(wanted))
        if whole and all(pathlib.PurePath(part).match(want) for part, want in zip(parts, wanted)):
            return True
    return False


def without_comments(text):
    """The text with comments blanked; line numbers stay."""
    return CODE.sub(lambda match: match.group(1) or "\n" * match.group().count("\n"), text)


def found_in(line, declared):
    """The kinds of facts in a line of code, one entry per occurrence."""
    yield from ["generation"] * len(GEN.findall(line))
    yield from ["dword-bits"] * len(DWORD_BITS.findall(line))
    yield from ["descriptor-bits"] * len(DESCRIPTOR.findall(line))
    yield from ["platform"] * len(declared.platform.findall(line))
    for name, digits in HEX.findall(line):
        if declared.is_offset(name or None, int(digits.replace("'", ""), 16)):
            yield "offset"


def occurrences(root):
    """{kind: ["file:line: text", ...]} over all of hw/."""
    declared, found = Declared(root), collections.defaultdict(list)
    for path in sorted((root / "hw").rglob("*")):
        relative = path.relative_to(root)
        if path.suffix not in SOURCES or matches(relative, EVERYWHERE):
            continue
        for number, line in enumerate(without_comments(path.read_text()).split("\n"), 1):
            for kind in found_in(line, declared):
                chance = kind == "offset" and matches(relative, CHANCE_FILES)
                if not chance and not matches(relative, ALLOWED[kind]):
                    found[kind].append(f"{relative}:{number}: {line.strip()}")
    return found


def main():
    kinds = "\n".join(f"  {kind:16} {text}" for kind, text in KINDS.items())
    parser = argparse.ArgumentParser(
        prog="check_platforms.py", formatter_class=argparse.RawDescriptionHelpFormatter, description=f"{__doc__}\n\nKinds:\n{kinds}",
        epilog="The exit status is 0 when there is no such place, 1 when there is one, 2 for a wrong option.")
    parser.add_argument("--root", metavar="DIR", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent,
                        help="the source tree to check (default: the one this script is in)")
    found = occurrences(parser.parse_args().root)
    for kind, places in found.items():
        print(f"{kind}: {KINDS[kind]}:")
        print("\n".join(f"  {place}" for place in places))
    if not found:
        print("platforms: no fact of one generation outside hw/defs, decoders and lists of parts")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
