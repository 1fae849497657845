# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes MPEG-2 streams of random macroblocks (ISO 13818-2): field pictures, dual prime, 16x8, concealment vectors, skipped macroblocks."""
import random

from syntax_bits import Bits, chance, display_order, engine_codes

VLC = "mpeg2/vlc.cpp"
MOTION, INCREMENT, PATTERN = (engine_codes(VLC, name) for name in ("motions", "increments", "patterns"))
DC_SIZES = [engine_codes(VLC, name) for name in ("luma_sizes", "chroma_sizes")]
# macroblock_type, tables B.2 to B.4: (quant, forward, backward, pattern, intra).
TYPES = {
    "I": {"i": "1", "qi": "01"},
    "P": {"fp": "1", "p": "01", "f": "001", "i": "00011", "qfp": "00010", "qp": "00001", "qi": "000001"},
    "B": {"fb": "10", "fbp": "11", "b": "010", "bp": "011", "f": "0010", "fp": "0011", "i": "00011", "qfbp": "00010", "qfp": "000011", "qbp": "000010", "qi": "000001"},
}
TYPE_CODES = {"I": 1, "P": 2, "B": 3}
FRAME, TOP, BOTTOM = 3, 1, 2
F_CODE = 4
# frame_motion_type and field_motion_type.
MOTION_TYPES = {"frame": {"field": 1, "frame": 2, "dual": 3}, "field": {"field": 1, "16x8": 2, "dual": 3}}


def half_of(value):
    """Half, rounded away from 0: "//" of the standard."""
    return (value + (value > 0)) >> 1


class Mpeg2:
    """`pictures`: frames in coding order, such as "IPBB". `structures`: of the frames in turn: "frame", "tb" (top field first) or "bt". `motions`: of
    MOTION_TYPES, those that are drawn. dual needs a stream without B."""

    def __init__(self, seed, width=96, height=64, pictures="IPBBPBB", structures=("tb",), motions=("field", "frame", "16x8"), skips=25, dc_precision=0, alternate_scan=0,
                 intra_vlc=0, q_scale_type=0, concealment=False, slices=1, top_field_first=1):
        self._rng, self._width, self._height = random.Random(seed), width, height
        self._pictures, self._structures, self._motions = pictures, structures, motions
        self._skips, self._dc_precision, self._alternate_scan, self._intra_vlc, self._q_scale_type = skips, dc_precision, alternate_scan, intra_vlc, q_scale_type
        self._concealment, self._slices, self._top_first = concealment, slices, top_field_first
        self._bits = Bits()

    def write(self):
        self._sequence()
        shown = display_order(self._pictures)
        for i, kind in enumerate(self._pictures):
            structure = self._structures[i % len(self._structures)]
            if structure == "frame":
                self._picture(kind, shown[i], FRAME, False)
            else:
                first, second = (TOP, BOTTOM) if structure == "tb" else (BOTTOM, TOP)
                self._picture(kind, shown[i], first, False)
                self._picture("P" if kind == "I" else kind, shown[i], second, kind == "I")
        self._start(0xb7)
        return self._bits.bytes()

    def _start(self, code):
        self._bits.align()
        self._bits.put(0x100 | code, 32)

    def _sequence(self):
        bits = self._bits
        self._start(0xb3)
        for value, count in ((self._width, 12), (self._height, 12), (1, 4), (3, 4), (0x3ffff, 18), (1, 1), (112, 10), (0, 1), (0, 1), (0, 1)):
            bits.put(value, count)
        self._start(0xb5)
        # Main profile, High level; interlaced; 4:2:0.
        for value, count in ((1, 4), (0x44, 8), (0, 1), (1, 2), (0, 2), (0, 2), (0, 12), (1, 1), (0, 8), (0, 1), (0, 2), (0, 5)):
            bits.put(value, count)
        self._start(0xb8)
        bits.put(0x1000, 25)
        bits.put(2, 2)

    def _picture(self, kind, temporal_reference, structure, refers_to_first):
        """`refers_to_first`: the second field of an I frame, for which only the first field is there."""
        self._kind, self._structure, self._refers_to_first = kind, structure, refers_to_first
        self._is_frame = structure == FRAME
        bits = self._bits
        self._start(0)
        bits.put(temporal_reference, 10)
        bits.put(TYPE_CODES[kind], 3)
        bits.put(0xffff, 16)
        for _ in range(TYPE_CODES[kind] - 1):
            bits.put(7, 4)
        bits.put(0, 1)
        self._start(0xb5)
        bits.put(8, 4)
        conceals = self._concealment
        forward = F_CODE if kind != "I" or conceals else 15
        backward = F_CODE if kind == "B" else 15
        self._conceals = conceals
        for value, count in ((forward, 4), (forward, 4), (backward, 4), (backward, 4), (self._dc_precision, 2), (structure, 2), (self._top_first if self._is_frame else 0, 1),
                             (0, 1), (conceals, 1), (self._q_scale_type, 1), (self._intra_vlc, 1), (self._alternate_scan, 1), (0, 1), (0, 1), (0, 1), (0, 1)):
            bits.put(value, count)
        self._rows = self._height // (16 if self._is_frame else 32)
        for row in range(self._rows):
            columns = self._width // 16
            cuts = [columns * i // self._slices for i in range(self._slices + 1)]
            for first, end in zip(cuts, cuts[1:]):
                self._slice(row, first, end)

    def _slice(self, row, first, end):
        self._start(row + 1)
        self._bits.put(self._rng.randint(2, 12), 5)
        self._bits.put(0, 1)
        self._reset_dc()
        self._reset_vectors()
        self._row, skipped, self._last = row, first, None
        for column in range(first, end):
            self._column = column
            if first < column < end - 1 and self._may_skip() and chance(self._rng, self._skips):
                skipped += 1
                self._reset_dc()
                if self._kind == "P":
                    self._reset_vectors()
                continue
            self._bits.code(INCREMENT[skipped + 1])
            skipped = 0
            self._macroblock()

    def _reset_dc(self):
        self._dc = [128 << self._dc_precision] * 3

    def _reset_vectors(self):
        self._predicted = [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]  # by direction, then first or second

    def _may_skip(self):
        if self._kind == "I" or self._refers_to_first:
            return False
        if self._kind == "P":
            return True
        if self._last in (None, "intra"):
            return False
        # The vectors of the macroblock before, as those of a frame, or of the same field.
        return all(self._is_inside(self._predicted[direction][0], self._rows * 16, 16, self._row * 16) for direction in self._last)

    def _is_inside(self, vector, height, rows, top):
        x, y = 2 * 16 * self._column + vector[0], 2 * top + vector[1]
        return 0 <= x <= 2 * (self._width - 16) and 0 <= y <= 2 * (height - rows)

    def _macroblock(self):
        bits, rng = self._bits, self._rng
        names = [name for name in TYPES[self._kind] if self._kind == "I" or not ("i" in name and chance(rng, 70))]
        if self._refers_to_first:
            names = [name for name in names if "f" in name or "i" in name]  # without a vector, the field of the same parity is meant
        name = rng.choice(names)
        bits.code(TYPES[self._kind][name])
        is_intra, directions = "i" in name, [i for i, letter in enumerate("fb") if letter in name]
        motion = self._choose_motion() if directions else "frame" if self._is_frame else "field"
        if directions:
            bits.put(MOTION_TYPES["frame" if self._is_frame else "field"][motion], 2)
        if self._is_frame and (is_intra or "p" in name):
            bits.put(rng.randrange(2), 1)  # dct_type
        if "q" in name:
            bits.put(rng.randint(1, 14), 5)
        if not is_intra:
            self._reset_dc()
        if is_intra and self._conceals:
            self._vectors(0, "frame" if self._is_frame else "field")
            bits.put(1, 1)
        elif is_intra or (self._kind == "P" and not directions):
            self._reset_vectors()
        for direction in directions:
            self._vectors(direction, motion)
        pattern = 63 if is_intra else rng.choice(list(PATTERN)) if "p" in name else 0
        if "p" in name:
            bits.code(PATTERN[pattern])
        for block in range(6):
            if pattern >> (5 - block) & 1:
                self._block(block, is_intra)
        self._last = "intra" if is_intra else directions

    def _choose_motion(self):
        known = MOTION_TYPES["frame" if self._is_frame else "field"]
        # Dual prime refers to both parities of one frame, and never to the field before in its own frame.
        options = [motion for motion in self._motions if motion in known and not (motion == "dual" and (self._kind != "P" or self._refers_to_first))]
        return self._rng.choice(options or (["frame"] if self._is_frame else ["field"]))

    def _vectors(self, direction, motion):
        """motion_vectors(). All that is predicted from is inside of the picture."""
        bits, rng = self._bits, self._rng
        halved = self._is_frame and motion != "frame"
        two = motion == "16x8" or (self._is_frame and motion == "field")
        for i in range(2 if two else 1):
            height, rows, top = self._rows * 16, 16, self._row * 16
            if halved:
                height, rows, top = height // 2, 8, top // 2
            elif motion == "16x8":
                rows, top = 8, top + 8 * i
            if motion not in ("frame", "dual"):
                same = 0 if self._structure == TOP else 1
                bits.put(1 - same if self._refers_to_first else rng.randrange(2), 1)
            vector, differential = self._draw(motion, height, rows, top)
            self._component(direction, i, 0, vector[0], False)
            if motion == "dual":
                bits.code(("0", "10", "11")[differential[0]])
            self._component(direction, i, 1, vector[1], halved)
            if motion == "dual":
                bits.code(("0", "10", "11")[differential[1]])
        if not two:
            self._predicted[direction][1] = list(self._predicted[direction][0])

    def _draw(self, motion, height, rows, top):
        """A vector, and dual prime's differential."""
        rng = self._rng
        while True:
            vector, differential = [rng.randint(-60, 60), rng.randint(-40, 40)], (rng.randint(-1, 1), rng.randint(-1, 1))
            used = [vector]
            if motion == "dual":
                distances = ((1, -1), (3, 1)) if self._top_first else ((3, -1), (1, 1))
                if not self._is_frame:
                    distances = ((1, -1 if self._structure == TOP else 1),)
                used += [[half_of(vector[0] * distance) + differential[0], half_of(vector[1] * distance) + differential[1] + shift] for distance, shift in distances]
            if all(self._is_inside(one, height, rows, top) for one in used):
                return vector, differential

    def _component(self, direction, i, axis, value, is_halved):
        """motion_code and motion_residual (7.6.3.1)."""
        bits, size, last = self._bits, F_CODE - 1, self._predicted[direction][i]
        delta = value - (last[axis] >> 1 if is_halved else last[axis])
        span = 32 << size
        delta = (delta + span // 2) % span - span // 2
        code = (abs(delta) + (1 << size) - 1) >> size
        bits.code(MOTION[code])
        if code:
            bits.put(delta < 0, 1)
            bits.put(abs(delta) - 1, size)
        last[axis] = value * 2 if is_halved else value

    def _block(self, block, is_intra):
        bits, rng = self._bits, self._rng
        component = max(0, block - 3)
        use_one, place = is_intra and self._intra_vlc, 0
        if is_intra:
            most = (256 << self._dc_precision) - 1
            wanted = min(most, max(0, self._dc[component] + rng.randint(-60, 60)))
            delta = wanted - self._dc[component]
            self._dc[component] = wanted
            size = abs(delta).bit_length()
            bits.code(DC_SIZES[component > 0][size])
            bits.put(delta if delta > 0 else delta - 1, size)
            place = 1
        for i in range(rng.randint(0 if is_intra else 1, 4)):
            run = rng.randint(0, 12)
            if place + run > 63:
                break
            if run == 0 and chance(rng, 50):
                bits.code(("10" if use_one else "1" if i == 0 and not is_intra else "11") + rng.choice("01"))
            else:
                bits.code("000001")
                bits.put(run, 6)
                bits.put(rng.choice((-1, 1)) * rng.randint(1, 12 if place + run < 10 else 3), 12)
            place += run + 1
        bits.code("0110" if use_one else "10")


def write(seed=1, **options):
    """The bytes of a stream; see Mpeg2."""
    return Mpeg2(seed, **options).write()
