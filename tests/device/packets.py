# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands and structures by the names of hw/defs: `packet("MI_STORE_DATA_IMM", {"Address": ...})` is its dwords."""
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from defs_syntax import Reader, layout_files  # noqa: E402

_reader = Reader()
for _path in layout_files(ROOT / "hw" / "defs" / "gen9"):
    _reader.read(_path, _path.stem)
LAYOUTS = {layout.name: layout for layout in _reader.layouts}
ENUMS = {enum.name: enum for enum in _reader.enums}


def _number(field, value):
    """The bits of a field, right-aligned."""
    if isinstance(value, str):
        enum = field.values or ENUMS[field.ref]
        return next(number for number, name in enum.values if name == value)
    if field.kind == "float":
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if field.kind == "fixed":
        return round(value * (1 << field.fraction))
    if field.kind in ("address", "offset"):
        return value >> field.start % 32  # the low bits are not stored
    return int(value)


def _pack(layout, fields, dwords):
    rest = dict(fields)
    bits = 0
    for field in layout.fields:
        if field.name in rest:
            value = _number(field, rest.pop(field.name))
            if value >> field.width and value >> field.width != -1:
                raise ValueError(f"{layout.name}, {field.name}: {value:#x} does not fit {field.width} bits")
            bits |= (value & (1 << field.width) - 1) << field.start
    if rest:
        raise KeyError(f"{layout.name} has no {sorted(rest)}")
    return [bits >> 32 * i & 0xFFFFFFFF for i in range(dwords)]


def structure(name, fields):
    return _pack(LAYOUTS[name], fields, LAYOUTS[name].dwords)


def packet(name, fields=(), extra=()):
    """`extra`: dwords of its variable part."""
    layout = LAYOUTS[name]
    dwords = _pack(layout, fields, layout.dwords) + list(extra)
    dwords[0] |= layout.match
    if layout.length_bits:
        dwords[0] |= len(dwords) - 2 << layout.length_bits[1]
    return dwords
