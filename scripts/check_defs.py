#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the positions that hw/defs/<set>/*.def declare with those of public sources that have the same names: Mesa's genxml (commands,
structures and a few registers) and i915's headers (registers)."""
import argparse
import collections
import itertools
import os
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import defs_syntax  # noqa: E402
import gen_defs  # noqa: E402
import gen_registers  # noqa: E402

SKIPPED = 77  # meson's exit status for a test that did not run
GENXML = {"gen9": "gen90.xml", "gen11": "gen110.xml", "gen12": "gen120.xml", "gen5": "gen50.xml"}  # by set
KNOWN = pathlib.Path("scripts/defs_disagreements.txt")
# i915's headers that hold registers of Gen9, below the folder drivers/gpu/drm/i915.
HEADERS = ["i915_reg.h", "intel_mchbar_regs.h", "i915_perf_oa_regs.h", "gt/intel_engine_regs.h", "gt/intel_gt_regs.h", "gt/uc/intel_guc_reg.h"]
DEFINE = re.compile(r"^#\s*define\s+(\w+)(?:\([\w, ]*\))?\s+(.*)$")
REGISTER = re.compile(r"^(?:_MMIO|MCR_REG)\((?:\(base\)\s*\+\s*)?(0x[0-9a-fA-F]+)\)")
BITS = re.compile(r"^(?:REG_BIT\((\d+)\)|REG_GENMASK\((\d+),\s*(\d+)\)|\(1 << (\d+)\)|\(1u? << (\d+)\))")


def plain(name):
    return re.sub(r"[^a-z0-9]", "", name.lower())


# Our side -------------------------------------------------------------------------------------------------------------------------

def our_layouts(root, name):
    """{plain layout name: (name, {plain field name: (name, positions)})} of a set; positions are sorted (first bit, last bit)."""
    sets = [[one, *defs_syntax.layout_files(root / "hw/defs" / one)] for one in GENXML if (root / "hw/defs" / one).is_dir()]
    result = {}
    for layout in gen_defs.read(sets)[name].layouts:
        fields = collections.defaultdict(lambda: ("", []))
        for item in layout.items:
            one = isinstance(item, defs_syntax.Field)
            for field in [item] if one else item.fields:
                if field.kind == "mbz":
                    continue
                starts = [0] if one else [item.start + i * item.size for i in range(item.count or 1)]
                where = fields[plain(field.name)][1] + [(start + field.start, start + field.end) for start in starts]
                fields[plain(field.name)] = (field.name, where)
        result[plain(layout.name)] = (layout.name, {key: (name, sorted(where)) for key, (name, where) in fields.items()})
    return result


# Mesa's genxml ---------------------------------------------------------------------------------------------------------------------

def genxml_elements(path):
    """{(tag, name): element} of a file and of the files that it imports."""
    elements = {}
    for node in ElementTree.parse(path).getroot():
        if node.tag == "import":
            excluded = {exclude.get("name") for exclude in node.findall("exclude")}
            base = genxml_elements(path.parent / node.get("name"))
            elements.update({key: element for key, element in base.items() if key[1] not in excluded})
        else:
            elements[node.tag, node.get("name")] = node
    return elements


def genxml_fields(node, first=0):
    """{plain field name: positions}. Of a group that repeats to the end: those of the first element."""
    fields = collections.defaultdict(list)
    for child in node:
        if child.tag == "field":
            fields[plain(child.get("name"))].append((first + int(child.get("start")), first + int(child.get("end"))))
        elif child.tag == "group":
            for index in range(int(child.get("count")) or 1):
                inner = genxml_fields(child, first + int(child.get("start")) + index * int(child.get("size")))
                for name, where in inner.items():
                    fields[name] += where
    return fields


def joined(fields, name):
    """Positions of a field. A separate field "X High" directly after "X" is its upper half and counts as part of it."""
    upper = {start: end for start, end in fields.get(name + "high", [])}
    return sorted((start, upper.get(end + 1, end)) for start, end in fields[name])


def against_genxml(layouts, registers, path):
    """Yields (place, ours, theirs) for each field that both sides have."""
    elements = genxml_elements(path)
    for (tag, name), node in elements.items():
        if tag in ("instruction", "struct") and plain(name) in layouts:
            layout, fields = layouts[plain(name)]
            theirs = genxml_fields(node)
            for key, (field, where) in fields.items():
                if key in theirs:
                    yield f"{layout}.{field}", where, joined(theirs, key)
        if tag == "register" and int(node.get("num"), 0) in registers:
            row = registers[int(node.get("num"), 0)]
            theirs = genxml_fields(node)
            for field, high, low, _ in row.fields:
                if plain(field) in theirs:
                    yield f"{row.name}.{field}", [(low, high)], sorted(theirs[plain(field)])


# i915's headers --------------------------------------------------------------------------------------------------------------------

def i915_registers(folder):
    """[(register name, offset, {field name: (low, high)})]; the fields are the defines that follow a register's."""
    found, fields = [], None
    for header in HEADERS:
        path = folder / header
        if not path.exists():
            raise SystemExit(f"{path}: not there; --i915 is the folder drivers/gpu/drm/i915 of a Linux source tree")
        for line in path.read_text().splitlines():
            define = DEFINE.match(line)
            if not define:
                continue
            name, value = define.groups()
            register, bits = REGISTER.match(value), BITS.match(value)
            if register:
                fields = {}
                found.append((name, int(register.group(1), 16), fields))
            elif bits and fields is not None:
                numbers = [int(number) for number in bits.groups() if number is not None]
                fields[name] = (numbers[-1], numbers[0])
    return found


def words(name):
    return {word for word in re.split(r"[^a-z0-9]+", name.lower()) if word and word not in ("enable", "mask", "bit")}


def against_i915(declared, folder):
    """Yields (place, ours, theirs) for the offsets of registers with the same name, and for fields whose words all occur in the name of one
    define. i915 may have several registers of a name, one per generation: those of generations 4 to 9 count, and one of them must match."""
    theirs = collections.defaultdict(list)
    for name, offset, fields in i915_registers(folder):
        theirs[re.sub(r"^(GEN[4-9]|SKL|HSW|BDW)_|_GEN[4-9]$", "", name)].append((offset, fields))
    for row in declared.rows:
        if row.name not in theirs or row.block:
            continue
        ours = {row.offset, *declared.offsets(row)}
        same_offset = [(offset, fields) for offset, fields in theirs[row.name] if offset in ours]
        offsets = [hex(offset) for offset, _ in theirs[row.name]]
        yield f"{row.name} offset", [hex(row.offset)], [hex(row.offset)] if same_offset else offsets
        for name, high, low, _ in row.fields:
            same = {where for _, fields in same_offset for define, where in fields.items() if words(name) and words(name) <= words(define)}
            if len(same) == 1:
                yield f"{row.name}.{name}", [(low, high)], list(same)


# -----------------------------------------------------------------------------------------------------------------------------------

def read_known(path):
    """{(source, place): reason}"""
    known = {}
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if line and not line.startswith("#"):
            match = re.match(r"(genxml|i915) (.+?): (.+)$", line)
            if not match:
                raise SystemExit(f"{path}:{number}: expected 'SOURCE LAYOUT.FIELD: reason'")
            known[match.group(1), match.group(2)] = match.group(3)
    return known


def compare(source, pairs, known):
    """Prints what disagrees; the number of fields compared, and of problems."""
    compared, problems, met = 0, 0, set()
    for place, ours, theirs in pairs:
        compared += 1
        reason = known.get((source, place))
        if ours == theirs:
            continue
        met.add((source, place))
        if reason:
            print(f"known: {source} {place}: {reason}")
        else:
            problems += 1
            print(f"{source} {place}: ours {shown(ours)}, theirs {shown(theirs)}")
    for key in sorted(key for key in known if key[0] == source and key not in met):
        problems += 1
        print(f"{source} {key[1]}: listed in {KNOWN}, but both agree or no longer have it: remove the line")
    return compared, problems


def shown(where):
    one = [f"{low // 32}:[{high - low // 32 * 32}:{low % 32}]" if isinstance(low, int) else low
           for low, high in (item if isinstance(item, tuple) else (item, item) for item in where[:4])]
    return "dword " * isinstance(where[0], tuple) + ", ".join(one) + (", …" if len(where) > 4 else "")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(
        prog="check_defs.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"""A field is compared when both sides have its name. A disagreement fails unless {KNOWN} has it with a reason;
a line there that is not needed fails too. The exit status is 0 when all agree, 1 when something does not, 2 for a wrong option,
{SKIPPED} when no source tree is given.""")
    parser.add_argument("--genxml", metavar="DIR", type=pathlib.Path, default=os.environ.get("SOFTGEN_GENXML") or None,
                        help="src/intel/genxml of a Mesa source tree (default: the environment's SOFTGEN_GENXML)")
    parser.add_argument("--i915", metavar="DIR", type=pathlib.Path, default=os.environ.get("SOFTGEN_I915") or None,
                        help="drivers/gpu/drm/i915 of a Linux source tree; its headers suffice (default: SOFTGEN_I915)")
    parser.add_argument("--root", metavar="DIR", type=pathlib.Path, default=root, help="the tree to check (default: the one this script is in)")
    options = parser.parse_args()
    if not options.genxml and not options.i915:
        print("no source tree of Mesa or Linux to compare hw/defs with: give --genxml, --i915, SOFTGEN_GENXML or SOFTGEN_I915")
        return SKIPPED
    folder, known, bad = options.root / "hw/defs/gen9", read_known(options.root / KNOWN), 0
    declared = gen_registers.read(sorted(folder.glob("registers_*.def")))
    if options.genxml:
        registers = {offset: row for row in declared.rows if not row.block for offset in declared.offsets(row)}
        pairs = itertools.chain.from_iterable(against_genxml(our_layouts(options.root, name), registers if name == "gen9" else {}, options.genxml / file)
                                              for name, file in GENXML.items() if (options.root / "hw/defs" / name).is_dir())
        compared, problems = compare("genxml", pairs, known)
        print(f"genxml: {compared} fields compared, {problems} problems")
        bad += problems
    if options.i915:
        compared, problems = compare("i915", against_i915(declared, options.i915), known)
        print(f"i915: {compared} offsets and fields compared, {problems} problems")
        bad += problems
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
