# SPDX-License-Identifier: GPL-2.0-or-later
"""The macroblocks of syntax_vc1.py: SMPTE 421M 7.1.3 and 7.1.4. Vectors are predicted here, since a bit of the stream depends on them."""
from syntax_bits import chance, engine_numbers


def pairs(file, name):
    """[code digits] of a table of {value, length} of the engine."""
    numbers = engine_numbers(file, name)
    return [format(value, f"0{length}b") for value, length in zip(numbers[::2], numbers[1::2])]


def split(codes, tables):
    return [codes[i * len(codes) // tables:(i + 1) * len(codes) // tables] for i in range(tables)]


MACROBLOCKS, LEVELS = "vc1/macroblock_tables.cpp", "vc1/ac_tables.cpp"
INTRA_PATTERN = pairs(MACROBLOCKS, "intra_patterns")
INTER_PATTERN, TTMB, TTBLK, SUBBLOCKS, VECTORS = (split(pairs(MACROBLOCKS, name), count) for name, count in (
    ("inter_patterns", 4), ("macroblock_transforms", 3), ("block_transforms", 3), ("subblock_patterns", 3), ("vectors", 4)))
DC = [split(pairs("vc1/dc_tables.cpp", name), 2) for name in ("dc_luma", "dc_chroma")]
SETS = ("high_motion", "low_motion", "mid_rate", "high_rate")
SET_OF_INDEX = {0: "low_motion", 1: "high_motion", 2: "mid_rate"}
# Types of transforms, in the order of TTMB; how TTBLK has them, by the class of the quantizer.
WHOLE, BOTTOM, TOP, ROWS, RIGHT, LEFT, COLUMNS, QUARTERS = range(8)
BLOCK_TYPES = ((ROWS, COLUMNS, WHOLE, QUARTERS, TOP, BOTTOM, RIGHT, LEFT), (WHOLE, RIGHT, LEFT, QUARTERS, ROWS, COLUMNS, BOTTOM, TOP),
               (WHOLE, COLUMNS, QUARTERS, BOTTOM, RIGHT, LEFT, ROWS, TOP))
THREE = ("0", "10", "11")


class Coefficients:
    """The codes of one set."""

    def __init__(self, name):
        codes = pairs(LEVELS, name)
        self.escape, self.levels = codes[-1], [engine_numbers(LEVELS, f"{name}_{kind}levels") for kind in ("", "last_")]
        keys = [(last, run, level) for last in (0, 1) for run, most in enumerate(self.levels[last]) for level in range(1, most + 1)]
        self.codes = dict(zip(keys, codes))

    def max_run(self, last, level):
        return max((run for run, most in enumerate(self.levels[last]) if most >= level), default=None)


COEFFICIENTS = {f"{name}_{kind}": Coefficients(f"{name}_{kind}") for name in SETS for kind in ("intra", "inter")}


class Picture:
    """What macroblocks leave for those after them, and the parameters of the picture: `p` is a namespace of syntax_vc1.py."""

    def __init__(self, rng, bits, p):
        self._rng, self._bits, self._p = rng, bits, p
        self._vectors, self._intra, self._coded = {}, {}, {}
        self._rate = (p.step > 4) + (p.step > 12)

    def restart(self, bits):
        """The slice that follows goes there."""
        self._bits = bits

    def rows(self, first, end):
        """A slice."""
        self._first, self._sizes = first, None
        for y in range(first, end):
            for x in range(self._p.columns):
                self._at = x, y
                {"I": self._intra_picture, "BI": self._intra_picture, "P": self._predicted, "B": self._bidirectional}[self._p.kind]()

    def _flag(self, name):
        """A flag of the macroblock, which is in the stream where its bitplane is raw."""
        raw, plane = self._p.planes.get(name, (False, None))
        value = plane[self._at[1]][self._at[0]] if plane else 0
        if raw:
            self._bits.put(value, 1)
        return value

    def _intra_picture(self):
        p, bits, rng = self._p, self._bits, self._rng
        self._flag("fieldtx")
        x, y = self._at
        coded = [rng.random() < 0.5 for _ in range(4)]
        code = 0
        for block in range(4):
            column, row = 2 * x + block % 2, 2 * y + block // 2
            before = {(i, j): self._coded.get((column + i, row + j), False) if row + j >= 2 * self._first else False for i, j in ((-1, 0), (-1, -1), (0, -1))}
            predicted = before[-1, 0] if before[-1, -1] == before[0, -1] else before[0, -1]
            self._coded[column, row] = coded[block]
            code |= (coded[block] != predicted) << (5 - block)
        chroma = [rng.random() < 0.4 for _ in range(2)]
        code |= chroma[0] << 1 | chroma[1]
        bits.code(INTRA_PATTERN[code])
        if p.advanced:
            self._flag("acpred")
            self._flag("overflags")
            step = self._quantizer()
        else:
            bits.put(rng.randrange(2), 1)
            step = p.step
        for block, is_coded in enumerate([*coded, *chroma]):
            self._intra_block(block, is_coded, step)

    def _quantizer(self):
        """MQUANT; the macroblock's quantizer."""
        p, bits, rng = self._p, self._bits, self._rng
        if p.alternative == "choice":
            other = rng.randrange(2)
            bits.put(other, 1)
            return p.alternative_step if other else p.step
        if p.alternative == "difference":
            difference = rng.randint(0, min(6, 31 - p.step)) if chance(rng, 70) else 7
            bits.put(difference, 3)
            if difference < 7:
                return p.step + difference
            step = rng.randint(1, 31)
            bits.put(step, 5)
            return step
        if p.alternative == "edges":
            x, y = self._at
            edges = (x == 0) | (y == 0) << 1 | (x == p.columns - 1) << 2 | (y == p.rows - 1) << 3
            return p.alternative_step if edges & p.edges else p.step
        return p.step

    def _predicted(self):
        p, bits, rng = self._p, self._bits, self._rng
        four, skipped = self._flag("mvtype"), self._flag("skip")
        if four:
            return self._four_vectors(skipped)
        self._intra[self._at] = [0] * 6
        if skipped:
            self._set(range(4), self._vector(0, True, (0, 0)))
            return None
        intra, coded = chance(rng, p.intra), chance(rng, 70)
        differential = self._vector_data(intra, coded)
        if intra:
            self._intra[self._at] = [1] * 6
            self._set(range(4), (0, 0))
        else:
            self._set(range(4), self._vector(0, True, differential))
        pattern, step = 0, p.step
        if coded:
            if intra:
                bits.put(rng.randrange(2), 1)
            pattern = rng.randrange(64)
            bits.code(INTER_PATTERN[p.cbptab][pattern])
            step = self._quantizer()
            if not intra:
                self._start_transform(p.transforms)
        elif intra:
            step = self._quantizer()
            bits.put(rng.randrange(2), 1)
        self._blocks([pattern >> (5 - i) & 1 for i in range(6)], step)
        return None

    def _four_vectors(self, skipped):
        p, bits, rng = self._p, self._bits, self._rng
        flags = self._intra[self._at] = [0] * 6
        pattern = 0 if skipped else rng.randrange(64)
        if not skipped:
            bits.code(INTER_PATTERN[p.cbptab][pattern])
        coded = [0] * 4 + [pattern >> 1 & 1, pattern & 1]
        for block in range(4):
            differential, intra = (0, 0), False
            if pattern >> (5 - block) & 1:
                intra, coded[block] = chance(rng, p.intra), rng.randrange(2)
                differential = self._vector_data(intra, coded[block])
            self._set([block], (0, 0) if intra else self._vector(block, False, differential))
            flags[block] = int(intra)
        flags[4] = flags[5] = int(sum(flags[:4]) >= 3)
        coded_inter = any(is_coded and not intra for is_coded, intra in zip(coded, flags))
        if not any(flags) and not coded_inter:
            return
        step = self._quantizer()
        if self._has_intra_neighbour(flags):
            bits.put(rng.randrange(2), 1)
        if coded_inter:
            self._start_transform(p.transforms)
        else:
            self._transform = p.transform, False, not p.transforms
        self._blocks(coded, step)

    def _has_intra_neighbour(self, flags):
        x, y = self._at
        above = self._intra.get((x, y - 1), [0] * 6) if y > self._first else [0] * 6
        left = self._intra.get((x - 1, y), [0] * 6)
        over = [above[2], above[3], flags[0], flags[1], above[4], above[5]]
        beside = [left[1], flags[0], left[3], flags[2], left[4], left[5]]
        return any(own and (a or b) for own, a, b in zip(flags, over, beside))

    def _set(self, blocks, vector):
        x, y = self._at
        for block in blocks:
            self._vectors[2 * x + block % 2, 2 * y + block // 2] = vector

    def _vector_data(self, intra, coded):
        """MVDATA. Returns the differential in quarter samples."""
        p, bits, rng = self._p, self._bits, self._rng
        codes = VECTORS[p.mvtab]
        scale = 1 if p.quarter else 2
        if intra:
            bits.code(codes[36 - 1 + 37 * coded])
            return 0, 0
        if chance(rng, 4):
            bits.code(codes[35 - 1 + 37 * coded])
            x, y = rng.getrandbits(p.bits_x), rng.getrandbits(p.bits_y)
            bits.put(x, p.bits_x)
            bits.put(y, p.bits_y)
            return x * scale, y * scale
        kinds = [min(rng.randrange(6), rng.randrange(6)) for _ in range(2)]
        index = kinds[0] + 6 * kinds[1]
        if index == 0 and not coded or index == 35:
            kinds, index = [1, 0], 1
        bits.code(codes[index - 1 + 37 * coded])
        values = []
        for kind in kinds:
            size = (0, 2, 3, 4, 5, 8)[kind] - (not p.quarter and kind == 5)
            value = rng.getrandbits(size) if size else 0
            bits.put(value, size)
            magnitude = (value >> 1) + (0, 1, 3, 7, 15, 31)[kind]
            values.append((-magnitude if value & 1 else magnitude) * scale)
        return tuple(values)

    def _vector(self, block, is_one, differential):
        """The vector of a block of a P picture; writes HYBRIDPRED."""
        p, (x, y) = self._p, self._at
        column, row, last = 2 * x + block % 2, 2 * y + block // 2, x == p.columns - 1
        offset = (-1 if last else 2) if is_one else ((-1 if x else 1), (-1 if last else 1), 1, -1)[block]
        has_above, has_left = y > self._first or block > 1, x > 0 or block % 2 == 1
        a = self._vectors[column, row - 1] if has_above else None
        b = self._vectors[column + offset, row - 1] if has_above and (not is_one or p.columns > 1) else None
        c = self._vectors[column - 1, row] if has_left else None
        known = [v for v in (a, b, c) if v]
        zero = (0, 0)
        if len(known) > 1:
            predicted = [sorted((v or zero)[i] for v in (a, b, c))[1] for i in range(2)]
        else:
            predicted = list(a or c or zero)
        least = -60 if is_one else -28
        for i, (place, size) in enumerate(((column * 32, p.columns), (row * 32, p.rows))):
            predicted[i] = min(max(predicted[i], least - place), (size << 6) - 4 - place)

        def far(vector, where):
            intra = self._intra[where[0] // 2, where[1] // 2][where[1] % 2 * 2 + where[0] % 2]
            reference = zero if intra else vector
            return sum(abs(predicted[i] - reference[i]) for i in range(2)) > 32

        if has_above and has_left and (far(a, (column, row - 1)) or far(c, (column - 1, row))):
            choice = self._rng.randrange(2)
            self._bits.put(choice, 1)
            predicted = list(a if choice else c)
        ranges = p.range_x, p.range_y
        return tuple((predicted[i] + differential[i] + ranges[i] & 2 * ranges[i] - 1) - ranges[i] for i in range(2))

    def _bidirectional(self):
        p, bits, rng = self._p, self._bits, self._rng
        direct, skipped = self._flag("direct"), self._flag("skip")
        self._intra[self._at] = [0] * 6
        intra, coded = not direct and not skipped and chance(rng, p.intra), not skipped and (direct or chance(rng, 70))
        if not direct:
            if not skipped:
                self._vector_data(intra, coded)
            if not intra:
                kind = rng.choice(p.b_types)
                bits.code(THREE[kind])
                if kind == 2 and coded:
                    coded = chance(rng, 70)
                    self._vector_data(False, coded)
        if intra:
            self._intra[self._at] = [1] * 6
            if coded:
                bits.put(rng.randrange(2), 1)
        elif not coded:
            return
        pattern = 0
        if coded:
            pattern = rng.randrange(64)
            bits.code(INTER_PATTERN[p.cbptab][pattern])
        step = self._quantizer()
        if intra and not coded:
            bits.put(rng.randrange(2), 1)
        if not intra:
            self._start_transform(p.transforms)
        self._blocks([pattern >> (5 - i) & 1 for i in range(6)], step)

    def _start_transform(self, is_read):
        """TTMB. The state is the type, whether TTBLK follows, and whether blocks have patterns."""
        if not is_read:
            self._transform = self._p.transform, False, True
            return
        code = self._rng.randrange(16)
        self._bits.code(TTMB[self._rate][code])
        self._transform, self._is_first = (code & 7, code < 8, code >= 8), True

    def _blocks(self, coded, step):
        flags = self._intra[self._at]
        for block in range(6):
            if flags[block]:
                self._intra_block(block, coded[block], step)
            elif coded[block]:
                self._inter_block()

    def _intra_block(self, block, is_coded, step):
        p, bits, rng = self._p, self._bits, self._rng
        codes = DC[block > 3][p.dc]
        more = 3 - step if step in (1, 2) else 0
        code = rng.choice((0, 0, 1, 1, 2, 3, 5, rng.randrange(20))) if not chance(rng, 2) else 119
        bits.code(codes[code])
        if code:
            count = 8 + more if code == 119 else more
            bits.put(rng.randrange(40 if code == 119 else 1 << more), count)
            bits.put(rng.randrange(2), 1)
        if is_coded:
            index = p.chroma_set if block > 3 or p.kind not in ("I", "BI") else p.luma_set
            self._levels(self._set_of(index) + ("_inter" if block > 3 else "_intra"), 63)

    def _set_of(self, index):
        return "high_rate" if index == 0 and self._p.low_index else SET_OF_INDEX[index]

    def _inter_block(self):
        bits, rng = self._bits, self._rng
        kind, follows, shares = self._transform
        if self._p.transforms:
            if self._is_first:
                self._is_first = False
                shares = False
            elif follows:
                code = rng.randrange(8)
                bits.code(TTBLK[self._rate][code])
                kind, shares = BLOCK_TYPES[self._rate][code], False
        parts, places = 1, 64
        if kind == QUARTERS:
            pattern = rng.randrange(15)
            bits.code(SUBBLOCKS[self._rate][pattern])
            parts, places = (pattern + 1).bit_count(), 16
        elif kind != WHOLE:
            places = 32
            if shares:
                value = rng.randrange(3)
                bits.code(THREE[value])
                parts = 1 if value else 2
            else:
                parts = 2 if kind in (ROWS, COLUMNS) else 1
        for _ in range(parts):
            self._levels(self._set_of(self._p.chroma_set) + "_inter", places)

    def _levels(self, name, places):
        """AC coefficients: `places` there are."""
        rng, table, place = self._rng, COEFFICIENTS[name], 0
        count = rng.choice((1, 1, 2, 3, 5, 9))
        for i in range(count):
            run = min(rng.choice((0, 0, 0, 1, 1, 2, 3, 5, 9, rng.randrange(30))), places - place - 1)
            last = i == count - 1 or place + run + 1 == places
            level = rng.choice((1, 1, 1, 2, 2, 3, 4, rng.randint(1, 12)))
            self._one_level(table, int(last), run, level)
            place += run + 1
            if last:
                return

    def _one_level(self, table, last, run, level):
        bits, rng, p = self._bits, self._rng, self._p
        levels, sign = table.levels[last], rng.randrange(2)
        ways = ["plain"] if (last, run, level) in table.codes else []
        most = levels[run] if run < len(levels) else 0
        if most and (last, run, level - most) in table.codes:
            ways.append("level")
        longest = table.max_run(last, level)
        if longest is not None and (last, run - longest - 1, level) in table.codes:
            ways.append("run")
        if not ways or chance(rng, 3):
            ways = ["both"]
        way = rng.choice(ways)
        if way == "plain":
            bits.code(table.codes[last, run, level])
        elif way == "level":
            bits.code(table.escape + "1" + table.codes[last, run, level - most])
        elif way == "run":
            bits.code(table.escape + "01" + table.codes[last, run - longest - 1, level])
        else:
            bits.code(table.escape + "00")
            bits.put(last, 1)
            if not self._sizes:
                self._sizes = (rng.randint(4, 8), 6)
                if p.step < 8 or p.alternative:
                    bits.put(self._sizes[0] if self._sizes[0] < 8 else 0, 3)
                    if self._sizes[0] == 8:
                        bits.put(0, 2)
                else:
                    bits.code("0" * (self._sizes[0] - 2) + ("1" if self._sizes[0] < 8 else ""))
                bits.put(3, 2)
            bits.put(run, 6)
            bits.put(sign, 1)
            bits.put(level, self._sizes[0])
            return
        bits.put(sign, 1)
