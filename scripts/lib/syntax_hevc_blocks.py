# SPDX-License-Identifier: GPL-2.0-or-later
"""Random coding tree units of H.265 (7.3.8), in CABAC."""
import re

from syntax_bits import Cabac, chance, engine_numbers, engine_table, state_of

_CONTEXTS = re.sub(r"\bnone\b", "154", engine_table("hevc/contexts.cpp", "initial_values"))
VALUES = [int(number) for number in re.findall(r"\d+", _CONTEXTS)]
COUNT = len(VALUES) // 3
# First contexts of the elements, in the engine's order.
SAO_MERGE, SAO_TYPE, SPLIT_CU, BYPASS, SKIP, PRED_MODE, PART_MODE, PREV_INTRA, INTRA_CHROMA, ROOT_CBF, MERGE_FLAG, MERGE_IDX, INTER_PRED, REF_IDX, MVP, SPLIT_TRANSFORM, \
    CBF_LUMA, CBF_CHROMA, MVD0, MVD1, QP_DELTA, TRANSFORM_SKIP, LAST_X, LAST_Y, CODED_SUB_BLOCK, SIGNIFICANT, GREATER1, GREATER2 = (
        0, 1, 2, 5, 6, 9, 10, 14, 15, 16, 17, 18, 19, 24, 26, 27, 30, 32, 36, 37, 38, 40, 42, 60, 78, 82, 124, 148)
PLANAR, DC, VERTICAL, HORIZONTAL = 0, 1, 26, 10
DIAGONAL_SCAN, HORIZONTAL_SCAN, VERTICAL_SCAN = range(3)
SMALL = engine_numbers("hevc/residual_syntax.h", "small")
BY_NEIGHBOURS = engine_numbers("hevc/residual_syntax.h", "by_neighbours")


def scan_order(size, scan):
    """(x, y) in turn (6.5.3 to 6.5.5)."""
    if scan == DIAGONAL_SCAN:
        return [(x, diagonal - x) for diagonal in range(2 * size - 1) for x in range(diagonal + 1) if x < size and diagonal - x < size]
    places = [(i % size, i // size) for i in range(size * size)]
    return places if scan == HORIZONTAL_SCAN else [(y, x) for x, y in places]


SCANS = {(size, scan): scan_order(size, scan) for size in (1, 2, 4, 8) for scan in range(3)}


def first_contexts(slice_type, init_flag, qp):
    kind = {"I": 0, "P": 2 if init_flag else 1, "B": 1 if init_flag else 2}[slice_type]
    states = []
    for value in VALUES[COUNT * kind:COUNT * (kind + 1)]:
        slope, offset = (value >> 4) * 5 - 45, ((value & 15) << 3) - 16
        states.append(state_of((slope * qp >> 4) + offset))
    return states


class Unit:
    """A coding unit."""

    def __init__(self, x, y, log2, depth):
        self.x, self.y, self.log2, self.size, self.depth = x, y, log2, 1 << log2, depth
        self.is_intra, self.bypass, self.quarters, self.whole = False, False, False, True
        self.modes, self.chroma_mode = [DC] * 4, DC


class TreeWriter:
    """Writes the units of a slice segment's substream. `picture`: a Hevc, with the state that units share."""

    def __init__(self, picture, bits, contexts):
        self.picture, self.options, self.rng = picture, picture.options, picture.rng
        self._bits = bits
        self.cabac = Cabac(bits, contexts)
        self.put, self.bypass = self.cabac.put, self.cabac.bypass
        self._delta_coded = False

    def ctu(self, column, row):
        picture = self.picture
        if self.options.sao:
            self._sao(column, row)
        self._quadtree(column << picture.log2_ctb, row << picture.log2_ctb, picture.log2_ctb, 0)

    def _sao(self, column, row):
        picture, rng = self.picture, self.rng
        for dx, dy in ((-1, 0), (0, -1)):
            if picture.is_ctb_available(column, row, column + dx, row + dy):
                merges = chance(rng, 30)
                self.put(SAO_MERGE, int(merges))
                if merges:
                    return
        kind = 0
        for component in range(3):
            if not picture.sao_has(component):
                continue
            if component < 2:
                kind = rng.randrange(3)
                self.put(SAO_TYPE, int(kind > 0))
                if kind:
                    self.bypass(kind - 1)
            if not kind:
                continue
            most = (1 << (min(self.options.depth, 10) - 5)) - 1
            offsets = [rng.randint(0, most) for _ in range(4)]
            for offset in offsets:
                for i in range(min(offset + 1, most)):
                    self.bypass(int(i < offset))
            if kind == 1:
                for offset in offsets:
                    if offset:
                        self.bypass(rng.randrange(2))
                self.bypass(rng.randrange(32), 5)
            elif component < 2:
                self.bypass(rng.randrange(4), 2)

    def _near(self, x, y, field, counts):
        """Number of the left and upper neighbours' cells for which counts() holds."""
        cells = (self.picture.cell(x, y, x - 1, y), self.picture.cell(x, y, x, y - 1))
        return sum(1 for cell in cells if cell and counts(cell[field]))

    def _quadtree(self, x, y, log2, depth):
        picture, size = self.picture, 1 << log2
        fits = x + size <= picture.width and y + size <= picture.height
        if fits and log2 > picture.log2_min:
            splits = chance(self.rng, (60, 45, 30)[min(depth, 2)])
            self.put(SPLIT_CU + self._near(x, y, "depth", lambda value: value > depth), int(splits))
        else:
            splits = log2 > picture.log2_min
        if log2 >= picture.log2_ctb - self.options.qp_depth:
            self._delta_coded = False
        if not splits:
            self._unit(Unit(x, y, log2, depth))
            return
        half = size // 2
        for i in range(4):
            left, top = x + i % 2 * half, y + i // 2 * half
            if left < picture.width and top < picture.height:
                self._quadtree(left, top, log2 - 1, depth + 1)

    def _unit(self, unit):
        picture, rng, options = self.picture, self.rng, self.options
        x, y = unit.x, unit.y
        if options.bypass:
            unit.bypass = chance(rng, 20)
            self.put(BYPASS, int(unit.bypass))
        skips = False
        unit.is_intra = picture.kind == "I"
        if picture.kind != "I":
            skips = chance(rng, options.skips)
            self.put(SKIP + self._near(x, y, "skip", bool), int(skips))
        picture.mark(unit, {"depth": unit.depth, "skip": skips, "mode": DC})
        if skips:
            self._merge_index()
            return
        if picture.kind != "I":
            unit.is_intra = chance(rng, options.intra)
            self.put(PRED_MODE, int(unit.is_intra))
        if unit.is_intra:
            if unit.log2 == picture.log2_min:
                unit.quarters = chance(rng, 30)
                self.put(PART_MODE, int(not unit.quarters))
            if options.pcm and not unit.quarters and 3 <= unit.log2 <= min(5, picture.log2_ctb):
                is_pcm = chance(rng, 20)
                self.cabac.terminate(int(is_pcm))
                if is_pcm:
                    self._pcm(unit)
                    return
            self._intra_modes(unit)
        else:
            is_merged = self._inter(unit)
            if not (unit.whole and is_merged):
                has_residual = chance(rng, 60)
                self.put(ROOT_CBF, int(has_residual))
                if not has_residual:
                    return
        self._transform_tree(unit, x, y, unit.log2, 0, 0, (True, True))

    def _pcm(self, unit):
        bits, base, count = self._bits, self.rng.randrange(256), self.options.pcm
        bits.align()
        samples = [(base + self.rng.randint(-20, 20)) % 256 >> max(0, 8 - count) for _ in range(unit.size ** 2 * 3 // 2)]
        for sample in samples:
            bits.put(sample, count)
        self.cabac.start()
        self.picture.add_pcm(unit, samples)

    def _intra_modes(self, unit):
        rng, parts = self.rng, 4 if unit.quarters else 1
        size = unit.size // (2 if unit.quarters else 1)
        wants = [rng.choice((None, rng.choice((PLANAR, DC, VERTICAL, HORIZONTAL)), rng.randrange(35))) for _ in range(parts)]
        # prev_intra_luma_pred_flag of all parts comes before the modes, which later ones' candidates need.
        plans = []
        for i, want in enumerate(wants):
            x, y = unit.x + i % 2 * size, unit.y + i // 2 * size
            known = self._candidates(x, y)
            index = rng.randrange(3) if want is None else known.index(want) if want in known else None
            mode = known[index] if index is not None else want
            plans.append((known, index, mode))
            unit.modes[i] = mode
            self.picture.mark_mode(x, y, size, mode)
        for _, index, _ in plans:
            self.put(PREV_INTRA, int(index is not None))
        for known, index, mode in plans:
            if index is None:
                self.bypass(mode - sum(candidate < mode for candidate in known), 5)
            else:
                self.bypass(int(index > 0))
                if index:
                    self.bypass(index - 1)
        choice = rng.randrange(5)
        self.put(INTRA_CHROMA, int(choice < 4))
        unit.chroma_mode = unit.modes[0]
        if choice < 4:
            self.bypass(choice, 2)
            mode = (PLANAR, VERTICAL, HORIZONTAL, DC)[choice]
            unit.chroma_mode = 34 if mode == unit.modes[0] else mode

    def _candidates(self, x, y):
        """The three probable modes (8.4.2)."""
        left, above = self.picture.cell(x, y, x - 1, y), self.picture.cell(x, y, x, y - 1)
        left = left["mode"] if left else DC
        above = above["mode"] if above and y % (1 << self.picture.log2_ctb) else DC
        if left != above:
            third = PLANAR if PLANAR not in (left, above) else DC if DC not in (left, above) else VERTICAL
            return [left, above, third]
        if left < 2:
            return [PLANAR, DC, VERTICAL]
        return [left, 2 + (left + 29) % 32, 2 + (left - 2 + 1) % 32]

    def _inter(self, unit):
        """Part mode and prediction units. Returns merge_flag of the last."""
        rng, size, is_min = self.rng, unit.size, unit.log2 == self.picture.log2_min
        unit.whole = chance(rng, 50)
        self.put(PART_MODE, int(unit.whole))
        if unit.whole:
            return self._prediction(unit, size, size)
        rows = chance(rng, 50)
        self.put(PART_MODE + 1, int(rows))
        first = size // 2
        if is_min:
            if not rows and unit.log2 > 3:
                columns = chance(rng, 60)
                self.put(PART_MODE + 2, int(columns))
                if not columns:
                    return [self._prediction(unit, first, first) for _ in range(4)][-1]
        elif self.options.amp:
            symmetric = chance(rng, 30)
            self.put(PART_MODE + 3, int(symmetric))
            if not symmetric:
                second = rng.randrange(2)
                self.bypass(second)
                first = size * 3 // 4 if second else size // 4
        return [self._prediction(unit, *((size, part) if rows else (part, size))) for part in (first, size - first)][-1]

    def _merge_index(self):
        index, last = self.rng.randrange(self.options.merge), self.options.merge - 1
        if not last:
            return
        self.put(MERGE_IDX, int(index > 0))
        for i in range(1, last):
            if index < i:
                break
            self.bypass(int(index > i))

    def _prediction(self, unit, width, height):
        rng, picture = self.rng, self.picture
        merges = chance(rng, 40)
        self.put(MERGE_FLAG, int(merges))
        if merges:
            self._merge_index()
            return True
        lists = [True, False]
        if picture.kind == "B":
            both = width + height != 12 and chance(rng, 40)
            if width + height != 12:
                self.put(INTER_PRED + unit.depth, int(both))
            second = not both and chance(rng, 50)
            if not both:
                self.put(INTER_PRED + 4, int(second))
            lists = [not second, both or second]
        for which in range(2):
            if not lists[which]:
                continue
            self._reference(rng.randrange(picture.active[which]), picture.active[which] - 1)
            if not (which and all(lists) and picture.mvd_l1_zero):
                self._difference([rng.choice((0, rng.randint(-4, 4), rng.randint(-60, 60))) for _ in range(2)])
            self.put(MVP, rng.randrange(2))
        return False

    def _reference(self, index, last):
        for i in range(min(index + 1, last)):
            if i < 2:
                self.put(REF_IDX + i, int(i < index))
            else:
                self.bypass(int(i < index))

    def _difference(self, vector):
        for value in vector:
            self.put(MVD0, int(value != 0))
        for value in vector:
            if value:
                self.put(MVD1, int(abs(value) > 1))
        for value in vector:
            if abs(value) > 1:
                self.cabac.exp_golomb(abs(value) - 2, 1)
            if value:
                self.bypass(int(value < 0))

    def _transform_tree(self, unit, x, y, log2, depth, index, parents):
        """`parents`: cbf_cb and cbf_cr of the node above."""
        picture, rng, options = self.picture, self.rng, self.options
        most = (options.depth_intra + unit.quarters) if unit.is_intra else options.depth_inter
        forced = log2 > picture.log2_max_tb or (depth == 0 and (unit.quarters or (not unit.is_intra and options.depth_inter == 0 and not unit.whole)))
        if log2 <= picture.log2_max_tb and log2 > options.log2_min_tb and depth < most and not (unit.quarters and depth == 0):
            splits = chance(rng, 35)
            self.put(SPLIT_TRANSFORM + 5 - log2, int(splits))
        else:
            splits = forced
        chroma = parents
        if log2 > 2:
            flags = []
            for parent in parents:
                flag = parent and chance(rng, 50)
                if parent:
                    self.put(CBF_CHROMA + depth, int(flag))
                flags.append(flag)
            chroma = tuple(flags)
        if splits:
            half = 1 << (log2 - 1)
            for i in range(4):
                self._transform_tree(unit, x + i % 2 * half, y + i // 2 * half, log2 - 1, depth + 1, i, chroma)
            return
        luma = True
        if unit.is_intra or depth or any(chroma):
            luma = chance(rng, 60)
            self.put(CBF_LUMA + (depth == 0), int(luma))
        if not (luma or any(chroma)):
            return
        if options.qp_delta and not self._delta_coded:
            self._delta_coded = True
            self._delta(rng.randint(-3, 3))
        mode = unit.modes[((y - unit.y) * 2 // unit.size) * 2 + (x - unit.x) * 2 // unit.size] if unit.quarters else unit.modes[0]
        if luma:
            self._residual(unit, log2, 0, mode)
        if log2 > 2 or index == 3:
            for component, has in enumerate(chroma, 1):
                if has:
                    self._residual(unit, max(2, log2 - 1), component, unit.chroma_mode)

    def _delta(self, delta):
        size = abs(delta)
        for i in range(min(size + 1, 5)):
            self.put(QP_DELTA + (i > 0), int(i < size))
        if size:
            self.bypass(int(delta < 0))

    def _residual(self, unit, log2, component, mode):
        rng, options, size = self.rng, self.options, 1 << log2
        scan = DIAGONAL_SCAN
        if unit.is_intra and (log2 == 2 or (log2 == 3 and component == 0)):
            scan = VERTICAL_SCAN if 6 <= mode <= 14 else HORIZONTAL_SCAN if 22 <= mode <= 30 else DIAGONAL_SCAN
        reach = rng.choice((1, 4, 4, size))
        levels = {(rng.randrange(reach), rng.randrange(reach)): rng.choice((1, 1, 2, rng.randint(1, 12))) for _ in range(rng.randint(1, 9))}
        if options.transform_skip and not unit.bypass and log2 == 2:
            self.put(TRANSFORM_SKIP + (component > 0), rng.randrange(2))
        blocks, places = SCANS[size // 4, scan], SCANS[4, scan]
        by_block = {}
        for (x, y), level in levels.items():
            by_block.setdefault(blocks.index((x // 4, y // 4)), {})[places.index((x % 4, y % 4))] = level
        last_block = max(by_block)
        last_place = max(by_block[last_block])
        last = tuple(block * 4 + place for block, place in zip(blocks[last_block], places[last_place]))
        self._last_position(last[::-1] if scan == VERTICAL_SCAN else last, log2, component)
        coded, state = set(), {"greater1": None}
        for i in range(last_block, -1, -1):
            x, y = blocks[i]
            right, below = (x + 1, y) in coded, (x, y + 1) in coded
            has = bool(by_block.get(i))
            is_coded, infers = i in (0, last_block), False
            if not is_coded:
                self.put(CODED_SUB_BLOCK + (2 if component else 0) + (right or below), int(has))
                is_coded = infers = has
                if not has:
                    continue
            coded.add((x, y))
            base = SIGNIFICANT + (27 if component else 0)
            first = base
            if log2 > 2:
                base += (9 if log2 == 3 else 12) if component else (3 if i else 0) + ((9 if scan == DIAGONAL_SCAN else 15) if log2 == 3 else 21)
            table = SMALL if log2 == 2 else BY_NEIGHBOURS[16 * (right + 2 * below):16 * (right + 2 * below) + 16]
            found = by_block.get(i, {})
            for place in range(last_place - 1 if i == last_block else 15, -1, -1):
                if place == 0 and infers and not any(found.get(other) for other in range(1, 16)):
                    break
                px, py = places[place]
                context = first if place == 0 and i == 0 else base + table[py * 4 + px]
                self.put(context, int(place in found))
            if found:
                self._levels(unit, component, i, found, state)

    def _last_position(self, last, log2, component):
        offset, shift = (15, log2 - 2) if component else (3 * (log2 - 2) + (log2 - 1 >> 2), log2 + 1 >> 2)
        prefixes = []
        for first, value in zip((LAST_X, LAST_Y), last):
            prefix = value if value < 4 else 2 * (value.bit_length() - 1) + (value >> (value.bit_length() - 2) & 1)
            for i in range(min(prefix + 1, 2 * log2 - 1)):
                self.put(first + offset + (i >> shift), int(i < prefix))
            prefixes.append(prefix)
        for prefix, value in zip(prefixes, last):
            if prefix > 3:
                count = prefix // 2 - 1
                self.bypass(value & (1 << count) - 1, count)

    def _levels(self, unit, component, block, found, state):
        """`state`: greater1's context, which lasts from one sub-block to the next (9.3.4.2.6)."""
        places = sorted(found, reverse=True)
        levels = [found[place] for place in places]
        chosen = (0 if block == 0 or component else 2) + (state["greater1"] == 0)
        context, greater2_at = 1, None
        for i, level in enumerate(levels[:8]):
            self.put(GREATER1 + (16 if component else 0) + chosen * 4 + context, int(level > 1))
            if level > 1:
                greater2_at = i if greater2_at is None else greater2_at
                context = 0
            elif 0 < context < 3:
                context += 1
        state["greater1"] = context
        if greater2_at is not None:
            self.put(GREATER2 + (4 if component else 0) + chosen, int(levels[greater2_at] > 2))
        hides = self.options.sign_hiding and not unit.bypass and places[0] - places[-1] > 3
        for _ in range(len(places) - hides):
            self.bypass(self.rng.randrange(2))
        rice = 0
        for i, level in enumerate(levels):
            limit = 1 if i >= 8 else 3 if i == greater2_at else 2
            if level >= limit:
                self._remaining(level - limit, rice)
                if level > 3 << rice:
                    rice = min(rice + 1, 4)

    def _remaining(self, value, rice):
        if value >> rice <= 3:
            self.bypass((1 << (value >> rice) + 1) - 2, (value >> rice) + 1)
            self.bypass(value & (1 << rice) - 1, rice)
            return
        prefix = 4
        while value >= ((1 << (prefix - 2)) + 2) << rice:
            prefix += 1
        self.bypass((1 << prefix + 1) - 2, prefix + 1)
        self.bypass(value - (((1 << (prefix - 3)) + 2) << rice), prefix - 3 + rice)
