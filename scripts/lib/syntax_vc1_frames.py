# SPDX-License-Identifier: GPL-2.0-or-later
"""P and B interlaced frame pictures of syntax_vc1.py: SMPTE 421M 10.7 and 10.8. No bit depends on a predicted vector."""
import collections

from syntax_bits import chance
from syntax_vc1_blocks import THREE, pairs, split
from syntax_vc1_fields import FOUR, TABLES, FieldPicture

MODE, FOUR_MODE, TWO = (split(pairs(TABLES, name), 4) for name in ("frame_modes", "four_vector_frame_modes", "two_vector_patterns"))
# What MBMODE stands for: vectors, FIELDTX, whether there is a differential, and coefficients. The last eight but one need FOURMVSWITCH.
Mode = collections.namedtuple("Mode", "vectors transform differential coded")
MODES = [Mode("one", 0, 1, 1), Mode("one", 1, 1, 1), Mode("one", 0, 1, 0), Mode("one", 0, 0, 1), Mode("one", 1, 0, 1), Mode("two", 0, 0, 1), Mode("two", 1, 0, 1), Mode("two", 1, 0, 0)]
INTRA = Mode("intra", 0, 0, 0)
FOUR_MODES = [*MODES, Mode("four", 0, 0, 1), Mode("four", 1, 0, 1), Mode("four", 0, 0, 0), Mode("fields", 0, 0, 1), Mode("fields", 1, 0, 1), Mode("fields", 1, 0, 0), INTRA]
MODES = [*MODES, INTRA]


class FramePicture(FieldPicture):
    """`p` has also: switch (FOURMVSWITCH), twos (2MVBPTAB)."""

    def _predicted(self):
        if not self._flag("skip"):
            mode = self._mode()
            if mode.vectors == "intra":
                return
            pattern = self._pattern() if mode.coded else []
            self._vectors_of(mode)
            self._residual(pattern)

    def _bidirectional(self):
        p, bits, rng = self._p, self._bits, self._rng
        skipped = self._flag("skip")
        mode = Mode("one", 0, 0, 0) if skipped else self._mode()
        if mode.vectors == "intra":
            return
        direct, kind = self._flag("direct"), None
        if not direct:
            kind = rng.choice(p.b_types)
            bits.code(THREE[kind])
            if mode.vectors == "two" and kind != 2:
                bits.put(rng.randrange(2), 1)  # MVSW
        pattern = self._pattern() if mode.coded else []
        if not direct and not skipped:
            if kind != 2:
                self._vectors_of(mode)
            elif mode.vectors == "two":
                self._coded_vectors(FOUR[p.four], 4)
            else:
                self._coded_vectors(TWO[p.twos], 2)
        self._residual(pattern)

    def _mode(self):
        """MBMODE; the whole macroblock if it is intra."""
        p, bits, rng = self._p, self._bits, self._rng
        modes, codes = (FOUR_MODES, FOUR_MODE[p.mode]) if p.switch else (MODES, MODE[p.mode])
        code = len(modes) - 1 if chance(rng, p.intra) else rng.randrange(len(modes) - 1)
        bits.code(codes[code])
        self._intra[self._at] = [int(modes[code].vectors == "intra")] * 6
        if modes[code].vectors == "intra":
            bits.put(rng.randrange(2), 1)  # FIELDTX
            coded = rng.randrange(2)
            bits.put(coded, 1)
            pattern = self._pattern() if coded else [0] * 6
            bits.put(rng.randrange(2), 1)
            self._blocks(pattern, self._quantizer())
        return modes[code]

    def _vectors_of(self, mode):
        if mode.vectors == "one":
            if mode.differential:
                self._differential()
        elif mode.vectors == "two":
            self._coded_vectors(TWO[self._p.twos], 2)
        else:
            self._coded_vectors(FOUR[self._p.four], 4)

    def _coded_vectors(self, codes, count):
        """A pattern, and the differentials that it has."""
        pattern = self._rng.randrange(1 << count)
        self._bits.code(codes[pattern])
        for _ in range(pattern.bit_count()):
            self._differential()

    def _residual(self, pattern):
        self._intra[self._at] = [0] * 6
        if pattern:
            step = self._quantizer()
            self._start_transform(self._p.transforms)
            self._blocks(pattern, step)
