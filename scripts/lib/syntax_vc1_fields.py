# SPDX-License-Identifier: GPL-2.0-or-later
"""P and B field pictures of syntax_vc1.py: SMPTE 421M 9.1.1 and 10.3 to 10.4. Vectors are predicted here, since HYBRIDPRED depends on them."""
from syntax_bits import chance
from syntax_vc1_blocks import THREE, Picture, pairs, split

# FPTYPE: the types of both fields.
PAIRS = ("I/I", "I/P", "P/I", "P/P", "B/B", "B/BI", "BI/B", "BI/BI")
TABLES = "vc1/interlaced_tables.cpp"
MODE, MIXED_MODE, PATTERN, FOUR, ONE_VECTOR, TWO_VECTORS = (split(pairs(TABLES, name), count) for name, count in (
    ("field_modes", 8), ("mixed_field_modes", 8), ("interlaced_patterns", 8), ("four_vector_patterns", 4), ("one_reference_vectors", 4), ("two_reference_vectors", 8)))
# Tables 114 and 115, by the distance of the references: SCALEOPP, SCALESAME1 and 2, SCALEZONE1_X and Y, ZONE1OFFSET_X and Y, of the first and of the second field.
SCALES = (((128, 512, 219, 32, 8, 37, 10), (192, 341, 236, 48, 12, 20, 5), (213, 307, 242, 53, 13, 14, 4), (224, 293, 245, 56, 14, 11, 3)),
          ((128, 512, 219, 32, 8, 37, 10), (64, 1024, 204, 16, 4, 52, 13), (43, 1536, 200, 11, 3, 56, 14), (32, 2048, 198, 8, 2, 58, 15)))
# SCALESAME, SCALEOPP1 and 2, and the zones.
BACKWARD_SCALES = ((171, 384, 230, 43, 11, 26, 7), (205, 320, 239, 51, 13, 17, 4), (219, 299, 244, 55, 14, 12, 3), (228, 288, 246, 57, 14, 10, 3))


def in_zones(value, max_value, first, second, zone, offset):
    if abs(value) > max_value:
        return value
    if abs(value) < zone:
        return value * first >> 8
    return (value * second >> 8) + (-offset if value < 0 else offset)


def clipped(value, min_value, max_value):
    return min(max(value, min_value), max_value)


class FieldPicture(Picture):
    """`p` has also: mixed, two (NUMREF), bottom, second, opposite (the only reference), forward_distance and backward_distance, wide (DMVRANGE), mode, four."""

    def __init__(self, rng, bits, p):
        super().__init__(rng, bits, p)
        # By direction: {(column, row): (x, y, opposite)} of luma blocks.
        self._fields = {}, {}

    def _predicted(self):
        self._field_macroblock()

    def _bidirectional(self):
        self._field_macroblock()

    def _field_macroblock(self):
        p, bits, rng = self._p, self._bits, self._rng
        if chance(rng, p.intra):
            mode = rng.randrange(2)
        elif p.mixed and chance(rng, p.fours):
            mode = 6 + rng.randrange(2)
        else:
            mode = 2 if chance(rng, p.skips) else rng.randrange(3, 6)
        bits.code((MIXED_MODE if p.mixed else MODE)[p.mode][mode])
        self._intra[self._at] = [int(mode < 2)] * 6
        if mode < 2:
            step = self._quantizer()
            bits.put(rng.randrange(2), 1)
            self._blocks(self._pattern() if mode else [0] * 6, step)
            return
        if mode >= 6:
            self._four()
            coded = mode & 1
        else:
            self._one(mode & 1)
            coded = not mode & 2
        if coded:
            pattern = self._pattern()
            step = self._quantizer()
            self._start_transform(p.transforms)
            self._blocks(pattern, step)

    def _pattern(self):
        pattern = self._rng.randrange(1, 64)
        self._bits.code(PATTERN[self._p.cbptab][pattern - 1])
        return [pattern >> (5 - i) & 1 for i in range(6)]

    def _one(self, has_vector):
        p, bits, rng = self._p, self._bits, self._rng
        none = (0, 0, 0)
        if p.kind == "P":
            self._keep(0, range(4), self._field_vector(0, True, 0, self._differential() if has_vector else none))
            return
        data = [none, none]
        if self._flag("forward"):
            kind = "forward"
        else:
            kind = rng.choice(p.b_kinds)
            bits.code(THREE[("backward", "direct", "interpolated").index(kind)])
        second = 0
        if kind == "interpolated":
            second = rng.randrange(2)
            bits.put(second, 1)
        if kind != "direct" and has_vector:
            data[kind == "backward"] = self._differential()
        if second:
            data[1] = self._differential()
        if kind == "direct":
            # HYBRIDPRED is not in B pictures, so no bit depends on these vectors.
            for direction in (0, 1):
                self._keep(direction, range(4), none)
            return
        for direction in (0, 1):
            self._keep(direction, range(4), self._field_vector(0, True, direction, data[direction]))

    def _four(self):
        p, bits, rng = self._p, self._bits, self._rng
        direction = 0 if p.kind == "P" or self._flag("forward") else 1
        pattern = rng.randrange(16)
        bits.code(FOUR[p.four][pattern])
        for block in range(4):
            data = self._differential() if pattern >> (3 - block) & 1 else (0, 0, 0)
            self._keep(direction, [block], self._field_vector(block, False, direction, data))

    def _keep(self, direction, blocks, vector):
        x, y = self._at
        for block in blocks:
            self._fields[direction][2 * x + block % 2, 2 * y + block // 2] = vector

    def _differential(self):
        """MVDATA. Returns the differential in quarter samples, and whether it is for the less likely field."""
        p, bits, rng = self._p, self._bits, self._rng
        codes = (TWO_VECTORS if p.two else ONE_VECTOR)[p.mvtab]
        scale = 1 if p.quarter else 2
        if chance(rng, 4):
            bits.code(codes[-1])
            x, y = rng.getrandbits(p.size_x), rng.getrandbits(p.size_y)
            bits.put(x, p.size_x)
            bits.put(y, p.size_y)
            return x * scale, (y + 1 >> 1 if p.two else y) * scale, y & 1 if p.two else 0
        other = rng.randrange(2) if p.two else 0
        sizes = [min(rng.randrange(9), rng.randrange(9)), min(rng.randrange(7 if p.two else 8), rng.randrange(7))]
        line = sizes[1] * 2 + other if p.two else sizes[1]
        if sizes[0] + line == 0:
            sizes[0] = 1
        bits.code(codes[sizes[0] + 9 * line - 1])
        values = []
        for size, wide in zip(sizes, (p.wide & 1, p.wide >> 1)):
            value = rng.getrandbits(size + wide) if size else 0
            bits.put(value, size + wide if size else 0)
            magnitude = 0 if not size else (value >> 1) + ((1 << size) - 1 if wide else 1 << size - 1)
            values.append((-magnitude if value & 1 else magnitude) * scale)
        return values[0], values[1], other

    def _neighbour(self, column, row, direction):
        if self._intra[column // 2, row // 2][0]:
            return None
        return self._fields[direction].get((column, row), (0, 0, 0))

    def _scaled(self, vector, opposite, direction):
        """A neighbour's vector to the other field."""
        p = self._p
        shift = 0 if p.quarter else 1
        x, y = vector[0] >> shift, vector[1] >> shift
        backward = p.kind == "B" and direction and not p.second
        distance = min(p.backward_distance if p.kind == "B" and direction else p.forward_distance, 3)
        opp, same_1, same_2, *zone = SCALES[bool(direction) ^ p.second][distance]
        same, opp_1, opp_2, *back_zone = BACKWARD_SCALES[min(p.backward_distance, 3)]
        if opposite == bool(backward):
            first, second, (zone_x, zone_y, offset_x, offset_y) = (opp_1, opp_2, back_zone) if backward else (same_1, same_2, zone)
            up = int(opposite and p.bottom)
            x = clipped(in_zones(x, 255, first, second, zone_x, offset_x), -p.range_x, p.range_x - 1)
            y = clipped(in_zones(y, 63, first, second, zone_y, offset_y), -(p.range_y // 2) + up, p.range_y // 2 - 1 + up)
        else:
            factor = same if backward else opp
            x, y = x * factor >> 8, y * factor >> 8
        return x << shift, y << shift

    def _field_vector(self, block, is_one, direction, data):
        p, (x, y) = self._p, self._at
        column, row, last = 2 * x + block % 2, 2 * y + block // 2, x == p.columns - 1
        offset = (-2 if last else 2) if is_one else ((-1 if x else 1), (-1 if last else 1), 1, -1)[block]
        has_above, has_left = y > self._first or block > 1, x > 0 or block % 2 == 1
        has_side = has_above and not (p.columns == 1 and (is_one or not has_left))
        around = [self._neighbour(column, row - 1, direction) if has_above else None, self._neighbour(column + offset, row - 1, direction) if has_side else None,
                  self._neighbour(column - 1, row, direction) if has_left else None]
        known = [one for one in around if one]
        if p.two:
            others = sum(bool(one[2]) for one in known)
            opposite = (len(known) - others <= others) != bool(data[2])
        else:
            opposite = p.opposite
        a, b, c = ((self._scaled(one, opposite, direction) if bool(one[2]) != opposite else one[:2]) if one else None for one in around)
        if len(known) > 1:
            predicted = [sorted((one or (0, 0))[i] for one in (a, b, c))[1] for i in range(2)]
        else:
            predicted = list(a or c or b or (0, 0))
        if p.kind == "P" and a and c and any(sum(abs(predicted[i] - one[i]) for i in range(2)) > 32 for one in (a, c)):
            choice = self._rng.randrange(2)
            self._bits.put(choice, 1)
            predicted = list(a if choice else c)
        bias = int(opposite and p.bottom)
        height = p.range_y >> p.two
        return ((predicted[0] + data[0] + p.range_x & 2 * p.range_x - 1) - p.range_x,
                (predicted[1] + data[1] + height - bias & 2 * height - 1) - height + bias, int(opposite))
