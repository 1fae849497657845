# SPDX-License-Identifier: GPL-2.0-or-later
"""Bitplanes of syntax_vc1.py: SMPTE 421M 8.7."""
from syntax_bits import chance

# IMODE, and the codes of pairs and of six bits (8.7).
IMODES = {"raw": "0000", "norm2": "10", "diff2": "001", "norm6": "11", "diff6": "0001", "rows": "010", "columns": "011"}
PAIRS = ("0", "100", "101", "11")
SIX_CODES = (1, 2, 3, 0, 4, 1, 2, 71, 5, 3, 4, 75, 5, 77, 78, 782, 6, 6, 7, 83, 8, 85, 86, 781, 9, 89, 90, 780, 92, 779, 778, 55, 7, 10, 11, 67, 12, 69, 70, 777, 13, 73,
             74, 776, 76, 775, 774, 54, 14, 81, 82, 773, 84, 772, 771, 53, 88, 770, 769, 52, 768, 51, 50, 7)
SIX_LENGTHS = (1, 4, 4, 8, 4, 8, 8, 10, 4, 8, 8, 10, 8, 10, 10, 13, 4, 8, 8, 10, 8, 10, 10, 13, 8, 10, 10, 13, 10, 13, 13, 9, 4, 8, 8, 10, 8, 10, 10, 13, 8, 10, 10, 13,
               10, 13, 13, 9, 8, 10, 10, 13, 10, 13, 13, 9, 10, 13, 13, 9, 13, 9, 9, 6)
SIX = [format(code, f"0{length}b") for code, length in zip(SIX_CODES, SIX_LENGTHS)]


def put_plane(bits, rng, mode, columns, rows, percent):
    """INVERT, IMODE and DATABITS of a random plane. Returns whether it is raw, and its rows."""
    invert = rng.randrange(2)
    plane = [[int(chance(rng, percent)) for _ in range(columns)] for _ in range(rows)]
    bits.put(invert, 1)
    bits.code(IMODES[mode])
    if mode == "raw":
        return True, plane
    coded = differences(plane, invert) if mode.startswith("diff") else [[bit ^ invert for bit in row] for row in plane]
    if mode.endswith("2"):
        flat = [bit for row in coded for bit in row]
        if len(flat) % 2:
            bits.put(flat.pop(0), 1)
        for one, other in zip(flat[::2], flat[1::2]):
            bits.code(PAIRS[one | other << 1])
    elif mode.endswith("6"):
        put_sixes(bits, coded)
    else:
        put_skips(bits, coded if mode == "rows" else list(zip(*coded)))
    return False, plane


def differences(plane, invert):
    coded = []
    for y, row in enumerate(plane):
        coded.append([])
        for x, bit in enumerate(row):
            if x == 0:
                predicted = plane[y - 1][0] if y else invert
            elif y == 0 or row[x - 1] == plane[y - 1][x]:
                predicted = row[x - 1]
            else:
                predicted = invert
            coded[-1].append(bit ^ predicted)
    return coded


def put_skips(bits, lines):
    for line in lines:
        bits.put(any(line), 1)
        if any(line):
            for bit in line:
                bits.put(bit, 1)


def put_sixes(bits, coded):
    height, width = len(coded), len(coded[0])
    tall, wide = (3, 2) if height % 3 == 0 and width % 3 else (2, 3)
    top, left = height % tall, width % wide
    for y in range(top, height, tall):
        for x in range(left, width, wide):
            block = [coded[y + j][x + i] for j in range(tall) for i in range(wide)]
            bits.code(SIX[sum(bit << i for i, bit in enumerate(block))])
    put_skips(bits, [[row[x] for row in coded] for x in range(left)])
    put_skips(bits, [row[left:] for row in coded[:top]])
