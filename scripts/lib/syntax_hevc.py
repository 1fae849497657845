# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes H.265 streams of random coding units: tiles, PCM, slice segments, long-term references. See syntax_hevc_blocks for coding units."""
import random
import types

from syntax_bits import Bits, chance, escaped, nal
from syntax_hevc_blocks import TreeWriter, first_contexts

VPS, SPS, PPS, IDR, TRAIL_R = 32, 33, 34, 19, 1
SLICE_TYPES = {"B": 0, "P": 1, "I": 2}
QP = 30
HELD = 4
ORDER_BITS = 8
# `kinds`: types of pictures in coding order; `orders`: their order counts, or None: as they come. `tiles`: widths and heights in CTBs, or counts, which are uniform.
# `segment`: CTBs of a slice segment (0: all; -1: a tile); `dependent`: percent of dependent segments. `pcm`: bits of samples (0: off).
# `scaling`: lists, 1: the standard's, 2: in the SPS, 3: in the PPS. `controls`: slices have filters, chroma QPs and collocated pictures of their own. `mixed`: slices have
# types and numbers of references of their own.
# `long_term`: 1: the first picture is one, by the slice's header; 2: by the SPS. `filter`: pcm_loop_filter_disabled, loop filter across tiles, and across slices.
OPTIONS = dict(width=144, height=80, log2_ctb=5, log2_min=3, log2_max_tb=5, depth=8, kinds="IPBPB", orders=None, tiles=None, wpp=0, segment=0, dependent=0, pcm=0, pcm_unfiltered=0,
               across_tiles=1, across_slices=1, sao=1, amp=1, merge=5, depth_inter=2, depth_intra=2, transform_skip=0, bypass=0, qp_delta=1, qp_depth=1, sign_hiding=1, weights=0,
               modification=0, long_term=0, temporal=1, init_present=1, log2_min_tb=2, scaling=0, log2_parallel_merge=2, controls=0, mixed=0, deblock=1, constrained_intra=0, skips=25, intra=25, chroma_offsets=(0, 0), strong=1, crop=(0, 0), mvd_zero=1)


class Hevc:
    def __init__(self, seed, **options):
        self.options = types.SimpleNamespace(**{**OPTIONS, **options})
        self.rng, o = random.Random(seed), self.options
        self.width, self.height, self.log2_ctb, self.log2_min, self.log2_max_tb = o.width, o.height, o.log2_ctb, o.log2_min, min(o.log2_max_tb, o.log2_ctb)
        self._columns, self._rows = (-(-size >> o.log2_ctb) for size in (o.width, o.height))
        self._boundaries = [self._cuts(count, i) for i, count in enumerate((self._columns, self._rows))]
        self._order = self._tile_scan()
        self._held = []  # order counts, the newest last
        self.pcm_blocks = []  # (order count, x, y, size, samples) of all
        self._out = [self._vps(), self._sps(), self._pps()]

    def write(self):
        o = self.options
        for i, kind in enumerate(o.kinds):
            self._picture(kind, o.orders[i] if o.orders else i)
        return b"".join(self._out)

    def _cuts(self, count, axis):
        """Tiles' boundaries in CTBs."""
        tiles = self.options.tiles[axis] if self.options.tiles else 1
        if isinstance(tiles, int):
            return [count * i // tiles for i in range(tiles + 1)]
        edges = [0]
        for size in tiles:
            edges.append(edges[-1] + size)
        return [*edges, count]

    def _tile_scan(self):
        """(column, row, tile) of the CTBs in turn."""
        order, tile = [], 0
        columns, rows = self._boundaries
        for top, bottom in zip(rows, rows[1:]):
            for left, right in zip(columns, columns[1:]):
                order += [(column, row, tile) for row in range(top, bottom) for column in range(left, right)]
                tile += 1
        return order

    @staticmethod
    def _unit_of(kind, bits):
        bits.trailing()
        return nal(bytes([kind << 1, 1]), bits.bytes())

    def _profile(self, bits):
        profile = 2 if self.options.depth > 8 else 1
        bits.put(profile, 8)
        bits.put(sum(1 << (31 - known) for known in range(profile, 3)), 32)
        bits.put(0b1001, 4)
        bits.put(0, 44)
        bits.put(120, 8)

    @staticmethod
    def _buffers(bits):
        for value in (HELD + 1, 2, 0):
            bits.ue(value)

    def _vps(self):
        bits = Bits()
        bits.put(0b11, 6)
        bits.put(0, 9)
        bits.put(0x1ffff, 17)
        self._profile(bits)
        bits.put(1, 1)
        self._buffers(bits)
        bits.put(0, 6)
        bits.ue(0)
        bits.put(0, 2)
        return self._unit_of(VPS, bits)

    def _sps(self):
        bits, o = Bits(), self.options
        bits.put(1, 8)
        self._profile(bits)
        for value in (0, 1, o.width, o.height):
            bits.ue(value)
        bits.put(any(o.crop), 1)
        if any(o.crop):
            for value in (0, o.crop[0] // 2, 0, o.crop[1] // 2):
                bits.ue(value)
        for value in (o.depth - 8, o.depth - 8, ORDER_BITS - 4):
            bits.ue(value)
        bits.put(1, 1)
        self._buffers(bits)
        for value in (o.log2_min - 3, o.log2_ctb - o.log2_min, o.log2_min_tb - 2, self.log2_max_tb - o.log2_min_tb, o.depth_inter, o.depth_intra):
            bits.ue(value)
        bits.put(o.scaling > 0, 1)
        if o.scaling:
            self._scaling_lists(bits, o.scaling == 2)
        for flag in (o.amp, o.sao, o.pcm > 0):
            bits.put(flag, 1)
        if o.pcm:
            bits.put(o.pcm - 1, 4)
            bits.put(o.pcm - 1, 4)
            bits.ue(0)
            bits.ue(min(5, o.log2_ctb) - 3)
            bits.put(o.pcm_unfiltered, 1)
        bits.ue(0)
        bits.put(o.long_term > 0, 1)
        if o.long_term:
            bits.ue(1 if o.long_term == 2 else 0)
            if o.long_term == 2:
                bits.put(0, ORDER_BITS)
                bits.put(1, 1)
        bits.put(o.temporal, 1)
        bits.put(o.strong, 1)
        bits.put(0, 2)
        return self._unit_of(SPS, bits)

    def _scaling_lists(self, bits, are_present):
        """scaling_list_data() (7.3.4), behind the flag that it is there."""
        rng = self.rng
        bits.put(are_present, 1)
        if not are_present:
            return
        for size in range(4):
            for matrix in range(2 if size == 3 else 6):
                is_coded = chance(rng, 70)
                bits.put(is_coded, 1)
                if not is_coded:
                    bits.ue(rng.randint(0, matrix))  # that of a matrix before, or the standard's
                    continue
                last = 8
                if size > 1:
                    last = rng.randint(8, 40)
                    bits.se(last - 8)
                for _ in range(16 if size == 0 else 64):
                    value = min(255, max(1, last + rng.randint(-6, 8)))
                    bits.se(value - last)
                    last = value

    def _pps(self):
        bits, o = Bits(), self.options
        bits.ue(0)
        bits.ue(0)
        bits.put(o.dependent > 0, 1)
        bits.put(0, 4)
        bits.put(o.sign_hiding, 1)
        bits.put(o.init_present, 1)
        bits.ue(0)
        bits.ue(0)
        bits.se(QP - 26)
        bits.put(o.constrained_intra, 1)
        bits.put(o.transform_skip, 1)
        bits.put(o.qp_delta, 1)
        if o.qp_delta:
            bits.ue(o.qp_depth)
        for offset in o.chroma_offsets:
            bits.se(offset)
        for flag in (o.controls, o.weights, o.weights, o.bypass, o.tiles is not None, o.wpp):
            bits.put(flag, 1)
        if o.tiles:
            self._tiles(bits)
        bits.put(o.across_slices, 1)
        bits.put(1, 1)
        bits.put(o.controls, 1)
        self._deblocking(bits, o.deblock)
        if o.scaling == 3:
            self._scaling_lists(bits, True)
        else:
            bits.put(0, 1)
        bits.put(o.modification, 1)
        bits.ue(o.log2_parallel_merge - 2)
        bits.put(0, 2)
        return self._unit_of(PPS, bits)

    def _deblocking(self, bits, is_on):
        bits.put(not is_on, 1)
        if is_on:
            bits.se(self.rng.randint(-3, 3))
            bits.se(self.rng.randint(-3, 3))

    def _tiles(self, bits):
        is_uniform = all(isinstance(tiles, int) for tiles in self.options.tiles)
        for edges in self._boundaries:
            bits.ue(len(edges) - 2)
        bits.put(is_uniform, 1)
        if not is_uniform:
            for edges in self._boundaries:
                for left, right in zip(edges[:-2], edges[1:]):
                    bits.ue(right - left - 1)
        bits.put(self.options.across_tiles, 1)

    def is_ctb_available(self, column, row, other_column, other_row):
        """Whether the other, before it, is in the same slice and tile."""
        other = self._places.get((other_column, other_row))
        return other is not None and other == self._places[column, row]

    def cell(self, x, y, other_x, other_y):
        """What is known of the 4x4 samples at the other place, or None."""
        if other_x < 0 or other_y < 0 or not self.is_ctb_available(x >> self.log2_ctb, y >> self.log2_ctb, other_x >> self.log2_ctb, other_y >> self.log2_ctb):
            return None
        return self._cells.get((other_x >> 2, other_y >> 2))

    def add_pcm(self, unit, samples):
        self.pcm_blocks.append((self._order_count, unit.x, unit.y, unit.size, samples))

    def mark(self, unit, what):
        for row in range(unit.y >> 2, unit.y + unit.size >> 2):
            for column in range(unit.x >> 2, unit.x + unit.size >> 2):
                self._cells[column, row] = dict(what)

    def mark_mode(self, x, y, size, mode):
        for row in range(y >> 2, y + size >> 2):
            for column in range(x >> 2, x + size >> 2):
                self._cells[column, row]["mode"] = mode

    def _picture(self, kind, order):
        self._order_count, self._cells, self._places = order, {}, {}
        o = self.options
        # What stays: the newest, and the long-term one.
        self._long = [0] if o.long_term and order else []
        room = HELD - len(self._long)
        self._held = [held for held in self._held if held in self._long] + [held for held in self._held if held not in self._long][-room:]
        self._set_kind(kind, len(self._held))
        self.mvd_l1_zero = o.mvd_zero
        # All slices of a picture have one collocated picture: the first of a list, whose order no slice changes then, or the last.
        self._is_first_list, self._collocated = 1, 0
        if o.controls and len(self._held) > 1 and not o.mixed:
            self._is_first_list, self._collocated = self.rng.randrange(2), len(self._held) - 1
        self._start = None
        for first, end in self._segments():
            self._segment(first, end, kind)
        self._held.append(order)

    def _set_kind(self, kind, count):
        """Of a slice. `count`: of active references in its lists."""
        self.kind = kind
        self.active = [0 if kind == "I" else count, count if kind == "B" else 0]

    def _segments(self):
        """(first, end) of the slice segments, in CTBs of the tile scan."""
        o, cuts, since = self.options, [0], 0
        for i in range(1, len(self._order)):
            since += 1
            is_tile, is_row = self._order[i][2] != self._order[i - 1][2], self._order[i][1] != self._order[i - 1][1]
            if o.segment and (since == o.segment or (is_tile and o.tiles) or (is_row and o.wpp)):
                cuts.append(i)
                since = 0
        return zip(cuts, [*cuts[1:], len(self._order)])

    def _is_dependent(self, first):
        o = self.options
        if not first or not chance(self.rng, o.dependent):
            return False
        column, _, tile = self._order[first]
        # A slice has whole tiles or is in one; with WPP, one that begins inside of a row ends in it.
        if o.tiles and o.segment > 0 and tile != self._order[first - 1][2]:
            return False
        return not (o.wpp and column == 0 and self._order[self._start][0])

    def _segment(self, first, end, kind):
        o, is_dependent = self.options, self._is_dependent(first)
        if not is_dependent:
            if o.mixed and self._held:
                self._set_kind(self.rng.choice("IPB"["IPB".index(kind)::-1]), self.rng.randint(1, len(self._held)))
            self._filters = self.rng.choice(("both", "luma", "chroma")) if o.controls else "both"
            self._start, self._init_flag, self._qp = first, self.rng.randrange(2) if o.init_present else 0, QP + self.rng.randint(-4, 4)
        subs = self._slice_data(first, end, is_dependent)
        bits = Bits()
        self._header(bits, first, is_dependent)
        if o.tiles or o.wpp:
            sizes = self._escaped_sizes(subs)
            bits.ue(len(sizes) - 1)
            if len(sizes) > 1:
                bits.ue(31)
                for size in sizes[:-1]:
                    bits.put(size - 1, 32)
        bits.trailing()
        kind = IDR if self._order_count == 0 else TRAIL_R
        self._out.append(nal(bytes([kind << 1, 1]), bits.bytes() + b"".join(subs)))

    @staticmethod
    def _escaped_sizes(subs):
        """Entry points count emulation prevention bytes. The header before ends in a byte that is not 0."""
        ends, data = [0], b""
        for sub in subs:
            data += sub
            ends.append(len(escaped(data)))
        return [end - start for start, end in zip(ends, ends[1:])]

    def _slice_data(self, first, end, is_dependent):
        """The bytes of each substream."""
        o, subs, bits = self.options, [], Bits()
        contexts = list(self._saved) if is_dependent else self._first_contexts()
        writer = None
        for i in range(first, end):
            column, row, tile = self._order[i]
            self._places[column, row] = (self._start, tile)
            starts_tile = i == 0 or tile != self._order[i - 1][2]
            starts_row = o.wpp and (starts_tile or row != self._order[i - 1][1])
            if starts_tile:
                contexts = self._first_contexts()
            elif starts_row:
                # The state behind the second CTB of the row above, where that is in this slice.
                has = self.is_ctb_available(column, row, column + 1, row - 1)
                contexts = list(self._of_row) if has else self._first_contexts()
            if writer is None:
                writer = TreeWriter(self, bits, contexts)
            writer.ctu(column, row)
            if o.wpp and self._is_second(i):
                self._of_row = list(writer.cabac.contexts)
            contexts = writer.cabac.contexts
            is_last = i + 1 == end
            writer.cabac.terminate(int(is_last))
            ends_sub = not is_last and (self._order[i + 1][2] != tile or (o.wpp and self._order[i + 1][1] != row))
            if ends_sub:
                writer.cabac.terminate(1)
            if is_last or ends_sub:
                bits.align()
                subs.append(bits.bytes())
                bits, writer = Bits(), None
        self._saved = list(contexts)
        return subs

    def _is_second(self, i):
        """Whether the CTB is the second of a row of its tile."""
        return self._order[i][0] - 1 in self._boundaries[0][:-1]

    def _first_contexts(self):
        return first_contexts(self.kind, self._init_flag, self._qp)

    def _header(self, bits, first, is_dependent):
        o, kind = self.options, self.kind
        bits.put(first == 0, 1)
        if self._order_count == 0:
            bits.put(0, 1)
        bits.ue(0)
        if first:
            if o.dependent:
                bits.put(is_dependent, 1)
            column, row, _ = self._order[first]
            bits.put(row * self._columns + column, (self._columns * self._rows - 1).bit_length())
        if is_dependent:
            return
        bits.ue(SLICE_TYPES[kind])
        if self._order_count:
            self._references(bits)
        if o.sao:
            bits.put(self._filters != "chroma", 1)
            bits.put(self._filters != "luma", 1)
        if kind != "I":
            self._lists(bits)
        bits.se(self._qp - QP)
        deblocks = o.deblock
        if o.controls:
            bits.se(self.rng.randint(-6, 6))
            bits.se(self.rng.randint(-6, 6))
            overrides = self.rng.randrange(2)
            bits.put(overrides, 1)
            if overrides:
                deblocks = self.rng.randrange(2)
                self._deblocking(bits, deblocks)
        if o.across_slices and (o.sao or deblocks):
            bits.put(self.rng.randrange(2) if o.controls else 1, 1)

    def sao_has(self, component):
        return self._filters != ("luma" if component else "chroma")

    def _references(self, bits):
        """Order count and the reference picture set."""
        o, order = self.options, self._order_count
        bits.put(order, ORDER_BITS)
        bits.put(0, 1)
        short = [held for held in self._held if held not in self._long]
        before, after = sorted((held for held in short if held < order), reverse=True), sorted(held for held in short if held > order)
        bits.ue(len(before))
        bits.ue(len(after))
        for side in (before, after):
            last = order
            for held in side:
                bits.ue(abs(held - last) - 1)
                bits.put(1, 1)
                last = held
        if o.long_term:
            if o.long_term == 2:
                bits.ue(len(self._long))
                bits.ue(0)
            else:
                bits.ue(len(self._long))
            for held in self._long:
                if o.long_term == 1:
                    bits.put(held, ORDER_BITS)
                    bits.put(1, 1)
                bits.put(0, 1)
        if o.temporal:
            bits.put(1, 1)

    def _lists(self, bits):
        o, rng, lists = self.options, self.rng, 2 if self.kind == "B" else 1
        bits.put(1, 1)
        for active in self.active[:lists]:
            bits.ue(active - 1)
        count = len(self._held)
        if o.modification and count > 1:
            for active in self.active[:lists]:
                modifies = rng.randrange(2)
                bits.put(modifies, 1)
                for _ in range(active * modifies):
                    bits.put(rng.randrange(count), (count - 1).bit_length())
        if lists == 2:
            bits.put(self.mvd_l1_zero, 1)
        if o.init_present:
            bits.put(self._init_flag, 1)
        if o.temporal:
            if lists == 2:
                bits.put(self._is_first_list, 1)
            if self.active[not self._is_first_list if lists == 2 else 0] > 1:
                bits.ue(self._collocated)
        if o.weights:
            self._weight_table(bits, lists)
        bits.ue(5 - o.merge)

    def _weight_table(self, bits, lists):
        rng = self.rng
        bits.ue(5)
        bits.se(-1)
        for active in self.active[:lists]:
            luma, chroma = ([rng.randrange(2) for _ in range(active)] for _ in range(2))
            for flag in luma + chroma:
                bits.put(flag, 1)
            for i in range(active):
                for has, count in ((luma[i], 1), (chroma[i], 2)):
                    for _ in range(count * has):
                        bits.se(rng.randint(-6, 6))
                        bits.se(rng.randint(-8, 8))


def write(seed=1, **options):
    """The bytes of a stream; see OPTIONS."""
    return Hevc(seed, **options).write()
