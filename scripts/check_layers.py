#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that each folder of hw/, and each part of hw/eu, includes only what is above it in the list (docs/architecture.md, section 3)."""
import argparse
import pathlib
import re
import sys

ORDER = ["base", "defs", "iface", "memory", "mmio", "surface", "eu", "sampler", "dataport", "vme", "render", "gpgpu",
         "blitter", "media", "cs", "guc", "oa", "display", "faults", "gt", "debug", "qemu", "replay", "run"]
# Forbidden although the included folder is above: reached only through hw/iface.
FORBIDDEN = {"cs": {"render", "gpgpu", "blitter", "media", "eu", "sampler", "dataport", "vme"},
             "eu": {"surface"}, "sampler": {"eu"}, "dataport": {"eu", "sampler"}, "vme": {"eu", "sampler", "dataport"},
             "render": {"sampler", "dataport", "vme"}, "gpgpu": {"sampler", "dataport", "vme", "render"},
             "blitter": {"eu", "sampler", "dataport", "vme", "render", "gpgpu"},
             "qemu": set(ORDER) - {"qemu"}}
# Of folders with parts, per part: the parts that it may include.
PARTS = {"eu": {"isa": set(), "program": {"isa"}, "interp": {"isa", "program"}, "jit": {"isa", "program", "interp"}}}
INCLUDE = re.compile(r'^\s*#\s*include\s*"hw/([a-z0-9_]+)/(?:([a-z0-9_]+)/)?')


def violations(root):
    for path in sorted((root / "hw").rglob("*")):
        if path.suffix not in {".h", ".cpp", ".c", ".inc"}:
            continue
        folder, part = (*path.relative_to(root / "hw").parts, "")[:2]
        if folder not in ORDER:
            yield f"{path.relative_to(root)}: folder hw/{folder} is not in the list of folders"
            continue
        parts = PARTS.get(folder, {})
        if parts and part not in parts:
            yield f"{path.relative_to(root)}: hw/{folder}/{part} is not in the list of parts"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            other, other_part = match.groups()
            if folder == "qemu" and not (root / line.split('"')[1]).exists():
                continue  # one of QEMU's own headers
            if other not in ORDER or ORDER.index(other) > ORDER.index(folder) or other in FORBIDDEN.get(folder, ()):
                if other != folder:
                    yield f"{path.relative_to(root)}:{number}: hw/{folder} may not include hw/{other}"
            if parts and other == folder and other_part != part and other_part not in parts[part]:
                yield f"{path.relative_to(root)}:{number}: hw/{folder}/{part} may not include hw/{folder}/{other_part}"


def main():
    parser = argparse.ArgumentParser(prog="check_layers.py", description=__doc__)
    parser.add_argument("--root", metavar="DIR", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent,
                        help="the source tree to check (default: the one this script is in)")
    root = parser.parse_args().root
    found = list(violations(root))
    print("\n".join(found) or "layers: every include points upwards")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
