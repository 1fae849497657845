# SPDX-License-Identifier: GPL-2.0-or-later
"""Random macroblocks of H.264, with their syntax in CAVLC and CABAC. A block of coefficients has one of them at most, so that CAVLC needs few of its codes."""
import re

from syntax_bits import Cabac, chance, engine_numbers, engine_table, state_of

PCM_BYTES = 384
ALL = 15
# coeff_token of (TotalCoeff, TrailingOnes), for nC below 2, from 8 on, and of chroma DC.
TOKENS = {"few": {(0, 0): "1", (1, 1): "01", (1, 0): "000101"}, "many": {(0, 0): "000011", (1, 0): "000000", (1, 1): "000001"},
          "chroma_dc": {(0, 0): "01", (1, 1): "1", (1, 0): "000111"}}
ZEROS = ["1", "011", "010", "0011", "0010", "00011", "00010", "000011", "000010", "0000011", "0000010", "00000011", "00000010", "000000011", "000000010", "000000001"]
CHROMA_ZEROS = ["1", "01", "001", "000"]
# Of B_*_16x8 and B_*_8x16 (table 7-14): the lists of both parts (1: list 0, 2: list 1, 3: both), from mb_type 4 on.
B_PAIRS = [(1, 1), (2, 2), (1, 2), (2, 1), (1, 3), (2, 3), (3, 1), (3, 2), (3, 3)]
# ctxIdxOffset with ctxBlockCatOffset, by category: luma DC, luma AC, luma, chroma DC, chroma AC (table 9-34); of frames and fields.
CODED = (85, 89, 93, 97, 101)
SIGNIFICANT = ((105, 120, 134, 149, 152), (277, 292, 306, 321, 324))
LAST = ((166, 181, 195, 210, 213), (338, 353, 367, 382, 385))
LEVEL = (227, 237, 247, 257, 266)
LUMA_DC, LUMA_AC, LUMA, CHROMA_DC, CHROMA_AC = range(5)
SIZES = (16, 15, 16, 4, 15)


class Macroblock:
    """What neighbours' contexts need; blocks of 4x4 in raster order."""

    def __init__(self, slice_):
        self.slice, self.kind = slice_, "inter"  # or pcm, i16, i4
        self.skip = self.direct = False
        self.cbp = self.chroma_mode = 0
        self.coded = {}  # (category, plane, block): whether it has coefficients
        self.larger = [[False] * 4, [False] * 4]  # ref_idx above 0, by list and quarter
        self.mvd = [[(0, 0)] * 16, [(0, 0)] * 16]

    @property
    def is_intra(self):
        return self.kind != "inter"


class Macroblocks:
    """Writes those of a slice. `picture`: an Avc."""

    def __init__(self, picture, bits, slice_):
        self.picture, self.bits, self.rng, self.slice = picture, bits, picture.rng, slice_
        self.delta_before = 0

    def write(self, first_row, end_row):
        picture = self.picture
        for y in range(first_row, end_row):
            for x in range(picture.columns):
                self.at = x, y
                self.mb = picture.mbs[self.at] = Macroblock(self.slice)
                may_skip = picture.kind != "I"
                self.mb.skip = may_skip and chance(self.rng, picture.skips)
                if may_skip:
                    self.skip(self.mb.skip)
                if self.mb.skip:
                    self.mb.direct = picture.kind == "B"
                    self.delta_before = 0
                else:
                    self._macroblock()
                self.end_of_macroblock((x, y + 1) == (picture.columns - 1, end_row))
        self.end_of_slice()

    def neighbour(self, x, y):
        """The available macroblock at an offset, or None."""
        mb = self.picture.mbs.get((self.at[0] + x, self.at[1] + y))
        return mb if mb and mb.slice == self.slice else None

    def locate(self, x, y, columns=4):
        """(macroblock or None, block) at a place in blocks, -1 being the neighbour's. `columns`: of a macroblock."""
        mb = self.neighbour(-(x < 0), -(y < 0)) if x < 0 or y < 0 else self.mb
        return mb, y % columns * columns + x % columns

    def _macroblock(self):
        rng, picture = self.rng, self.picture
        if picture.kind == "I" or chance(rng, picture.intra):
            return self._intra()
        # Parts: (x, y, width, height in blocks, lists; 0: direct).
        shape = rng.choice(("whole", "rows", "columns", "quarters", *(["direct"] if picture.kind == "B" else [])))
        lists = [rng.choice((1, 2, 3)) if picture.kind == "B" else 1 for _ in range(4)]
        if shape == "direct":
            parts, self.mb.direct = [], True
            self.b_type(0)
        elif shape == "whole":
            parts = [(0, 0, 4, 4, lists[0])]
            self.inter_type(0 if picture.kind == "P" else lists[0])
        elif shape in ("rows", "columns"):
            pair = rng.choice(B_PAIRS) if picture.kind == "B" else (1, 1)
            parts = [(0, 0, 4, 2, pair[0]), (0, 2, 4, 2, pair[1])] if shape == "rows" else [(0, 0, 2, 4, pair[0]), (2, 0, 2, 4, pair[1])]
            is_column = shape == "columns"
            self.inter_type(1 + is_column if picture.kind == "P" else 4 + 2 * B_PAIRS.index(pair) + is_column)
        else:
            if picture.kind == "B":
                lists = [rng.choice((0, 1, 2, 3)) for _ in range(4)]
            parts = [(i % 2 * 2, i // 2 * 2, 2, 2, lists[i]) for i in range(4)]
            self.inter_type(3 if picture.kind == "P" else 22)
            for which in lists:
                self.sub_type(which)
        self._motion(parts)
        self.mb.cbp = rng.choice((0, rng.randrange(16), rng.randrange(48)))
        self.pattern(self.mb.cbp, False)
        if self.mb.cbp:
            self._delta()
            self._residual()
        else:
            self.delta_before = 0

    def inter_type(self, value):
        (self.p_type if self.picture.kind == "P" else self.b_type)(value)

    def _motion(self, parts):
        rng = self.rng
        for which in range(2):
            active = self.picture.active[which]
            for x, y, width, height, lists in parts:
                if not lists >> which & 1:
                    continue
                index = rng.randrange(active)
                if active > 1:
                    self.reference(which, x, y, index)
                for row in range(y, y + height):
                    for column in range(x, x + width):
                        self.mb.larger[which][row // 2 * 2 + column // 2] = index > 0
        for which in range(2):
            for x, y, width, height, lists in parts:
                if not lists >> which & 1:
                    continue
                vector = [rng.choice((0, rng.randint(-3, 3), rng.randint(-40, 40))) for _ in range(2)]
                self.difference(which, x, y, vector)
                for row in range(y, y + height):
                    for column in range(x, x + width):
                        self.mb.mvd[which][row * 4 + column] = abs(vector[0]), abs(vector[1])

    def _intra(self):
        rng, mb = self.rng, self.mb
        choice = rng.randrange(100)
        left, above, corner = (mb and (mb.is_intra or not self.picture.constrained_intra) for mb in (self.neighbour(-1, 0), self.neighbour(0, -1), self.neighbour(-1, -1)))
        if choice < self.picture.pcm:
            mb.kind, mb.cbp = "pcm", 47
            self.intra_type(25)
            self.raw(bytes(rng.choice((rng.randrange(256), 128)) for _ in range(PCM_BYTES)))
            self.delta_before = 0
            return
        chroma_mode = rng.choice([0, *([1] if left else []), *([2] if above else []), *([3] if left and above and corner else [])])
        if choice < 50:
            mb.kind = "i4"
            mb.cbp = rng.randrange(48)
            self.intra_type(0)
            for _ in range(16):
                self.predicted_mode()
        else:
            mb.kind = "i16"
            luma, chroma = rng.randrange(2), rng.randrange(3)
            mode = rng.choice([2, *([0] if above else []), *([1] if left else []), *([3] if left and above and corner else [])])
            mb.cbp = luma * ALL + chroma * 16
            self.intra_type(1 + mode + 4 * chroma + 12 * luma)
        self.chroma_prediction(chroma_mode)
        mb.chroma_mode = chroma_mode
        if mb.kind == "i4":
            self.pattern(mb.cbp, True)
        if mb.kind == "i16" or mb.cbp:
            self._delta()
            self._residual()
        else:
            self.delta_before = 0

    def _delta(self):
        delta = self.rng.choice((0, 0, self.rng.randint(-2, 2)))
        if not 20 <= self.picture.qp + delta <= 38:
            delta = 0
        self.picture.qp += delta
        self.qp_delta(delta)
        self.delta_before = delta

    def _residual(self):
        mb = self.mb
        if mb.kind == "i16":
            self._block(LUMA_DC, 0, 0)
        for block in range(16):
            x, y = block % 2 + block // 4 % 2 * 2, block // 2 % 2 + block // 8 * 2
            if mb.cbp >> (block // 4) & 1:
                self._block(LUMA_AC if mb.kind == "i16" else LUMA, 0, y * 4 + x)
        for plane in (1, 2):
            if mb.cbp >> 4:
                self._block(CHROMA_DC, plane, 0)
        for plane in (1, 2):
            for block in range(4):
                if mb.cbp >> 4 == 2:
                    self._block(CHROMA_AC, plane, block)

    def _block(self, category, plane, block):
        """At most one coefficient: its place and level."""
        rng = self.rng
        has = chance(rng, 45)
        coefficient = (rng.randrange(SIZES[category]), rng.choice((-1, 1)) * rng.choice((1, 1, rng.randint(2, 7)))) if has else None
        self.coefficients(category, plane, block, coefficient)
        self.mb.coded[self.key(category, plane, block)] = has

    @staticmethod
    def key(category, plane, block):
        """AC and whole blocks of luma are the same to neighbours."""
        return LUMA if category == LUMA_AC else category, plane, block


def cbp_codes():
    """codeNum by whether it is intra and coded_block_pattern (table 9-4)."""
    values = [int(number) for number in re.findall(r"\d+", engine_table("avc/cavlc_tables.h", "cbp_codes"))]
    return {bool(is_intra): {values[2 * code + 1 - is_intra]: code for code in range(48)} for is_intra in (0, 1)}


class CavlcMacroblocks(Macroblocks):
    def __init__(self, picture, bits, slice_, _init_idc):
        super().__init__(picture, bits, slice_)
        self._run = 0
        self._codes = cbp_codes()

    def skip(self, is_skipped):
        if is_skipped:
            self._run += 1
        else:
            self.bits.ue(self._run)
            self._run = 0

    def end_of_macroblock(self, is_last):
        pass

    def end_of_slice(self):
        if self._run:
            self.bits.ue(self._run)
        self.bits.trailing()

    def intra_type(self, value):
        self.bits.ue(value + {"I": 0, "P": 5, "B": 23}[self.picture.kind])

    def p_type(self, value):
        self.bits.ue(value)

    b_type = sub_type_b = p_type

    def sub_type(self, lists):
        self.bits.ue(lists if self.picture.kind == "B" else 0)

    def raw(self, data):
        self.bits.align()
        self.bits.append(data)

    def predicted_mode(self):
        self.bits.put(1, 1)

    def chroma_prediction(self, mode):
        self.bits.ue(mode)

    def pattern(self, cbp, is_intra):
        self.bits.ue(self._codes[is_intra][cbp])

    def qp_delta(self, delta):
        self.bits.se(delta)

    def reference(self, which, _x, _y, index):
        if self.picture.active[which] == 2:
            self.bits.put(1 - index, 1)
        else:
            self.bits.ue(index)

    def difference(self, _which, _x, _y, vector):
        for value in vector:
            self.bits.se(value)

    def _count(self, category, plane, mb, block):
        return 16 if mb.kind == "pcm" else int(mb.coded.get((category, plane, block), False))

    def coefficients(self, category, plane, block, coefficient):
        codes = TOKENS["chroma_dc"] if category == CHROMA_DC else self._codes_of(category, plane, block)
        bits = self.bits
        if not coefficient:
            return bits.code(codes[0, 0])
        place, level = coefficient
        is_one = abs(level) == 1
        bits.code(codes[1, int(is_one)])
        if is_one:
            bits.put(level < 0, 1)
        else:
            bits.code("0" * ((2 * level - 2 if level > 0 else -2 * level - 1) - 2) + "1")  # level_prefix (9.2.2.1)
        bits.code(CHROMA_ZEROS[place] if category == CHROMA_DC else ZEROS[place])

    def _codes_of(self, category, plane, block):
        """By nC (9.2.1): 0 or 1, or 8 and more where I_PCM is near."""
        chroma = category == CHROMA_AC
        columns = 2 if chroma else 4
        x, y = block % columns, block // columns
        counts = [self._count(CHROMA_AC if chroma else LUMA, plane, mb, at) for mb, at in (self.locate(x - 1, y, columns), self.locate(x, y - 1, columns)) if mb]
        expected = (sum(counts) + 1) // 2 if len(counts) == 2 else sum(counts)
        return TOKENS["many" if expected >= 8 else "few"]


class CabacMacroblocks(Macroblocks):
    def __init__(self, picture, bits, slice_, init_idc):
        super().__init__(picture, bits, slice_)
        bits.align(1)
        values = engine_numbers("avc/cabac_tables.cpp", "cabac_initial")
        contexts, table = len(values) // 8, 0 if picture.kind == "I" else 1 + init_idc
        pairs = [values[2 * i:2 * i + 2] for i in range(contexts * table, contexts * (table + 1))]
        qp = picture.qp
        self._cabac = Cabac(bits, [state_of((m * qp >> 4) + n) for m, n in pairs])
        self.put = self._cabac.put

    def _beside(self, counts):
        """Number of the left and upper neighbours for which counts() holds."""
        return sum(1 for mb in (self.neighbour(-1, 0), self.neighbour(0, -1)) if mb and counts(mb))

    def skip(self, is_skipped):
        self.put((24 if self.picture.kind == "B" else 11) + self._beside(lambda mb: not mb.skip), int(is_skipped))

    def end_of_macroblock(self, is_last):
        self._cabac.terminate(int(is_last))

    def end_of_slice(self):
        self.bits.align()

    def intra_type(self, value):
        kind, put = self.picture.kind, self.put
        if kind == "I":
            put(3 + self._beside(lambda mb: mb.kind != "i4"), int(value > 0))
            base, wide = 5, 1
        else:
            if kind == "P":
                put(14, 1)
                base = 17
            else:
                self._b_prefix()
                for context, bin_ in ((31, 1), (32, 1), (32, 0), (32, 1)):
                    put(context, bin_)
                base = 32
            put(base, int(value > 0))
            wide = 0
        if value == 0:
            return
        self._cabac.terminate(int(value == 25))
        if value == 25:
            return
        luma, chroma, mode = (value - 1) // 12, (value - 1) // 4 % 3, (value - 1) % 4
        put(base + 1, luma)
        put(base + 2, int(chroma > 0))
        if chroma:
            put(base + 2 + wide, chroma - 1)
        put(base + 3 + wide, mode >> 1)
        put(base + 3 + 2 * wide, mode & 1)

    def p_type(self, value):
        self.put(14, 0)
        self.put(15, int(value in (1, 2)))
        self.put(17 if value in (1, 2) else 16, int(value in (1, 3)))

    def _b_prefix(self):
        self.put(27 + self._beside(lambda mb: not mb.direct), 1)
        self.put(30, 1)

    def b_type(self, value):
        put = self.put
        if value == 0:
            return put(27 + self._beside(lambda mb: not mb.direct), 0)
        if value < 3:
            put(27 + self._beside(lambda mb: not mb.direct), 1)
            put(30, 0)
            return put(32, value - 1)
        self._b_prefix()
        if value in (11, 22):
            digits = "1110" if value == 11 else "1111"
        else:
            digits = format(value - 3, "04b") if value < 11 else format(value + 4, "05b")
        for i, digit in enumerate(digits):
            put(31 if i == 0 else 32, int(digit))
        return None

    def sub_type(self, lists):
        put = self.put
        if self.picture.kind == "P":
            return put(21, 1)
        put(36, int(lists > 0))
        if lists in (1, 2):
            put(37, 0)
            put(39, lists - 1)
        elif lists == 3:
            for context, bin_ in ((37, 1), (38, 0), (39, 0), (39, 0)):
                put(context, bin_)
        return None

    def raw(self, data):
        self.bits.align()
        self.bits.append(data)
        self._cabac.start()

    def predicted_mode(self):
        self.put(68, 1)

    def chroma_prediction(self, mode):
        self.put(64 + self._beside(lambda mb: mb.chroma_mode), int(mode > 0))
        if mode:
            self.put(67, int(mode > 1))
        if mode > 1:
            self.put(67, mode - 2)

    def pattern(self, cbp, is_intra):
        done = 0
        for i in range(4):
            increment = 0
            for shift, (x, y) in enumerate(((i % 2 - 1, i // 2), (i % 2, i // 2 - 1))):
                mb, quarter = self.locate(x, y, 2)
                if mb:
                    increment += (not (done if mb is self.mb else mb.cbp) >> quarter & 1) << shift
            self.put(73 + increment, cbp >> i & 1)
            done |= cbp & 1 << i
        chroma = [mb.cbp >> 4 if mb else 0 for mb in (self.neighbour(-1, 0), self.neighbour(0, -1))]
        self.put(77 + (chroma[0] > 0) + 2 * (chroma[1] > 0), int(cbp > 15))
        if cbp > 15:
            self.put(81 + (chroma[0] == 2) + 2 * (chroma[1] == 2), cbp >> 5)

    def qp_delta(self, delta):
        code = 2 * delta - 1 if delta > 0 else -2 * delta
        self.put(60 + (self.delta_before != 0), int(code > 0))
        for i in range(code):
            self.put(62 if i == 0 else 63, int(i < code - 1))

    def reference(self, which, x, y, index):
        context = 0
        for shift, (column, row) in enumerate(((x // 2 - 1, y // 2), (x // 2, y // 2 - 1))):
            mb, quarter = self.locate(column, row, 2)
            context += bool(mb and mb.larger[which][quarter]) << shift
        for i in range(index + 1):
            self.put(54 + context, int(i < index))
            context = (context >> 2) + 4

    def difference(self, which, x, y, vector):
        near = [mb.mvd[which][block] if mb else (0, 0) for mb, block in (self.locate(x - 1, y), self.locate(x, y - 1))]
        for component, value in enumerate(vector):
            base, total, size = (40, 47)[component], near[0][component] + near[1][component], abs(value)
            self.put(base + (total > 2) + (total > 32), int(size > 0))
            if not size:
                continue
            for i in range(1, 9):
                self.put(base + min(2 + i, 6), int(size > i))
                if size == i:
                    break
            if size >= 9:
                self._cabac.exp_golomb(size - 9, 3)
            self._cabac.bypass(int(value < 0))

    def coefficients(self, category, plane, block, coefficient):
        chroma = category == CHROMA_AC
        columns = 2 if chroma else 1 if category in (LUMA_DC, CHROMA_DC) else 4
        x, y, increment = block % columns, block // columns, 0
        for shift, (mb, at) in enumerate((self.locate(x - 1, y, columns), self.locate(x, y - 1, columns))):
            flag = self.mb.is_intra if not mb else mb.kind == "pcm" or mb.coded.get(self.key(category, plane, at), False)
            increment += flag << shift
        self.put(CODED[category] + increment, int(bool(coefficient)))
        if not coefficient:
            return
        place, level = coefficient
        is_field = int(self.picture.parity is not None)
        for i in range(min(place + 1, SIZES[category] - 1)):
            self.put(SIGNIFICANT[is_field][category] + i, int(i == place))
            if i == place:
                self.put(LAST[is_field][category] + i, 1)
        size = abs(level)
        self.put(LEVEL[category] + 1, int(size > 1))
        for i in range(2, size + 1):
            self.put(LEVEL[category] + 5, int(i < size))
        self._cabac.bypass(int(level < 0))
