# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes H.264 streams of random macroblocks: field pictures, mixed with frames, in both entropy codings. See syntax_avc_blocks for macroblocks."""
import random

from syntax_avc_blocks import CabacMacroblocks, CavlcMacroblocks
from syntax_bits import Bits, chance, display_order, nal

SLICE_TYPES = {"P": 0, "B": 1, "I": 2}
FRAMES_HELD = 4
LEVEL = 40
QP = 28


class Frame:
    """A reference frame: `fields` that are decoded of it, by parity (0: top)."""

    def __init__(self, number):
        self.number, self.is_long, self.fields = number, False, []


class Avc:
    """`pictures`: frames in coding order, such as "IPBB"; B are no references. `structures`: of the frames in turn: "frame", "tb" (top field first) or "bt".
    `weights`: 1 explicit, 2 implicit (B; P explicit). `long_term`: the first frame becomes one. `deblock`: disable_deblocking_filter_idc; with 2, FFmpeg is wrong in field pictures. `mixed`: slices have types and numbers of references of
    their own."""

    def __init__(self, seed, width=96, height=64, pictures="IPBBPBB", structures=("tb",), cabac=0, spatial=1, slices=1, weights=0, reorder=0, long_term=0, deblock=0,
                 skips=25, pcm=4, init_idc=0, intra=15, mixed=0, constrained_intra=0, chroma_offset=0):
        self.rng, self.columns, self._height = random.Random(seed), width // 16, height
        self._pictures, self._structures, self.cabac, self._spatial, self._slices = pictures, structures, cabac, spatial, slices
        self._weights, self._reorder, self._long_term, self._deblock, self._init_idc = weights, reorder, long_term, deblock, init_idc
        self.skips, self.pcm, self.intra, self._mixed = skips, pcm, intra, mixed
        self.constrained_intra, self._chroma_offset = constrained_intra, chroma_offset
        self._bottom_delta = 1  # a frame's bottom field is later
        self._held, self._out = [], [nal(b"\x67", self._sequence(width)), nal(b"\x68", self._parameters())]

    def write(self):
        shown, frame_number = display_order(self._pictures), 0
        for i, kind in enumerate(self._pictures):
            structure = self._structures[i % len(self._structures)]
            is_reference, is_first = kind != "B", i == 0
            frame = Frame(frame_number)
            self._frame, self._is_reference = frame, is_reference
            if structure == "frame":
                self._picture(kind, shown[i], None, is_first)
            else:
                for second, parity in enumerate((0, 1) if structure == "tb" else (1, 0)):
                    self._picture("P" if kind == "I" and second else kind, shown[i], parity, is_first and not second, second)
            frame_number += is_reference
        return b"".join(self._out)

    def _sequence(self, width, profile=100, number=0, held=FRAMES_HELD, buffered=FRAMES_HELD, reordered=1, extension=None):
        """`held`, `buffered`: max_num_ref_frames, max_dec_frame_buffering; `extension`: writes what follows seq_parameter_set_data()."""
        bits = Bits()
        bits.put(profile, 8)
        bits.put(0, 8)
        bits.put(LEVEL, 8)
        for value in (number, 1, 0, 0):  # 4:2:0, 8 bits
            bits.ue(value)
        bits.put(0, 2)
        for value in (4, 0, 4, held):  # frame_num of 8 bits, order counts of type 0 and 8 bits
            bits.ue(value)
        bits.put(0, 1)
        bits.ue(width // 16 - 1)
        bits.ue(self._height // 32 - 1)
        bits.put(0b0010, 4)  # field pictures, no MBAFF, direct_8x8_inference, no cropping
        bits.put(0b1_0000_0000, 9)  # VUI: nothing ...
        bits.put(0b11, 2)  # ... but bitstream_restriction
        for value in (0, 0, 12, 12, reordered, buffered):
            bits.ue(value)
        if extension:
            extension(bits)
        bits.trailing()
        return bits.bytes()

    def _parameters(self, number=0, sequence=None):
        """`sequence`: the number of the sequence's; None: the same."""
        bits = Bits()
        bits.ue(number)
        bits.ue(number if sequence is None else sequence)
        bits.put(self.cabac, 1)
        bits.put(1, 1)  # delta_pic_order_cnt_bottom
        for value in (0, 0, 0):
            bits.ue(value)
        bits.put(self._weights > 0, 1)
        bits.put(self._weights, 2)
        for value in (QP - 26, 0, self._chroma_offset):
            bits.se(value)
        bits.put(0b100 | self.constrained_intra << 1, 3)  # deblocking_filter_control_present
        bits.trailing()
        return bits.bytes()

    def _references(self, parity):
        """Number of fields, or of frames, in the lists."""
        if parity is None:
            return len(self._held)
        return sum(len(frame.fields) for frame in self._held)

    def _picture(self, kind, order, parity, is_idr, is_second=0):
        """`parity`: None for a frame."""
        self.kind, self.parity, self._is_second = kind, parity, is_second
        self.rows = self._height // (16 if parity is None else 32)
        count = self._references(parity)
        # A vector of direct prediction must find the co-located one's reference in list 0: P refers to no frame that is dropped before the next B.
        keeps = (1 if parity is None else 2) * (len(self._held) == FRAMES_HELD) * ("B" in self._pictures)
        self.mbs = {}
        for i in range(self._slices):
            first, end = (self.rows * part // self._slices for part in (i, i + 1))
            if self._mixed and not is_idr and self._held:
                self.kind = self.rng.choice("IPB"["IPB".index(kind)::-1])
            lists = [count - (keeps if self.kind == "P" else 0) if self.kind != "I" else 0, count if self.kind == "B" else 0]
            self.active = [self.rng.randint(1, active) if active and self._mixed and self._spatial else active for active in lists]
            if first < end:
                self._slice(first, end, order, is_idr)
        self._hold(parity)

    def _hold(self, parity):
        """Marks the picture, with a sliding window."""
        if not self._is_reference:
            return
        frame = self._frame
        if self._long_term and frame.number == 1:
            self._held[0].is_long = True
        frame.fields += [0, 1] if parity is None else [parity]
        if frame in self._held:
            return
        if len(self._held) == FRAMES_HELD:
            self._held.remove(next(held for held in self._held if not held.is_long))
        self._held.append(frame)

    def _slice(self, first_row, end_row, order, is_idr):
        bits, rng, kind = Bits(), self.rng, self.kind
        bits.ue(first_row * self.columns)
        bits.ue(SLICE_TYPES[kind])
        bits.ue(self._parameter_set())
        bits.put(self._frame_num(), 8)
        bits.put(self.parity is not None, 1)
        if self.parity is not None:
            bits.put(self.parity, 1)
        if is_idr:
            bits.ue(0)
        bits.put(self._order_count(order) + self._is_second, 8)
        if self.parity is None:
            bits.se(self._bottom_delta)
        if kind == "B":
            bits.put(self._spatial, 1)
        if kind != "I":
            bits.put(1, 1)
            for active in self.active[:2 if kind == "B" else 1]:
                bits.ue(active - 1)
            for which in range(2 if kind == "B" else 1):
                self._modification(bits, which)
            if (kind == "P" and self._weights) or self._weights == 1:
                self._weight_table(bits)
        if self._is_reference:
            self._marking(bits, is_idr)
        if self.cabac and kind != "I":
            bits.ue(self._init_idc)
        self.qp = QP + rng.randint(-3, 3)
        bits.se(self.qp - QP)
        bits.ue(self._deblock)
        if self._deblock != 1:
            bits.se(rng.randint(-2, 2))
            bits.se(rng.randint(-2, 2))
        writer = (CabacMacroblocks if self.cabac else CavlcMacroblocks)(self, bits, first_row, self._init_idc)
        writer.write(first_row, end_row)
        self._unit(is_idr, bits.bytes())

    def _parameter_set(self):
        return 0

    def _frame_num(self):
        return self._frame.number

    def _order_count(self, order):
        return 2 * order

    def _unit(self, is_idr, payload):
        self._out.append(nal(bytes([(0x60 if self._is_reference else 0) | (5 if is_idr else 1)]), payload))

    def _modification(self, bits, _which):
        """One short-term picture comes first, if so wished."""
        known = [(frame, parity) for frame in self._held if not frame.is_long for parity in (frame.fields if self.parity is not None else [None])]
        if not self._reorder or not known or chance(self.rng, 30):
            bits.put(0, 1)
            return
        frame, parity = self.rng.choice(known)
        difference, modulus = self._difference(frame, parity)
        bits.put(1, 1)
        bits.ue(0)  # subtracts
        bits.ue((difference - 1) % modulus)
        bits.ue(3)

    def _weight_table(self, bits):
        bits.ue(5)
        bits.ue(4)
        for active in self.active[:2 if self.kind == "B" else 1]:
            for _ in range(active):
                for weight, count in ((32, 1), (16, 2)):
                    has = self.rng.randrange(2)
                    bits.put(has, 1)
                    for _ in range(count * has):
                        bits.se(weight + self.rng.randint(-6, 6))
                        bits.se(self.rng.randint(-8, 8))

    def _marking(self, bits, is_idr):
        if is_idr:
            bits.put(0, 2)
            return
        makes_long = self._long_term and self._frame.number == 1 and not self._is_second
        bits.put(makes_long, 1)
        if not makes_long:
            return
        bits.ue(4)
        bits.ue(1)
        for parity in (0, 1) if self.parity is not None else (None,):
            bits.ue(3)
            bits.ue(self._difference(self._held[0], parity)[0] - 1)
            bits.ue(0)
        bits.ue(0)

    def _difference(self, frame, parity):
        """(CurrPicNum - picNum of a short-term picture, MaxPicNum)."""
        if self.parity is None:
            return self._frame.number - frame.number, 256
        return 2 * self._frame.number + 1 - (2 * frame.number + (parity == self.parity)), 512


def write(seed=1, **options):
    """The bytes of a stream; see Avc."""
    return Avc(seed, **options).write()
