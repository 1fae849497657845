# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes VC-1 streams of random macroblocks (SMPTE 421M), progressive frames and fields: Advanced profile as an elementary stream, Simple and Main in AVI."""
import random
import struct
import types

from syntax_bits import Bits, chance, escaped
from syntax_vc1_blocks import COLUMNS, QUARTERS, ROWS, THREE, WHOLE, Picture
from syntax_vc1_fields import PAIRS as FIELD_PAIRS
from syntax_vc1_fields import FieldPicture
from syntax_vc1_frames import FramePicture
from syntax_vc1_planes import put_plane

SIMPLE, MAIN, ADVANCED = 0, 1, 3
SEQUENCE, ENTRY_POINT, FRAME, FIELD, SLICE, END = 0x0f, 0x0e, 0x0d, 0x0c, 0x0b, 0x0a
IMPLICIT, EXPLICIT, NONUNIFORM, UNIFORM = range(4)
TRANSFORMS = {"whole": WHOLE, "rows": ROWS, "columns": COLUMNS, "quarters": QUARTERS}
# PQUANT of PQINDEX with the implicit quantizer (table 36).
IMPLICIT_STEPS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 27, 29, 31]
# MVMODE and MVMODE2 by how many zeros are before the 1: of low quantizers, of high ones.
MODES = {True: ("1mv", "mixed", "half", "intensity", "bilinear"), False: ("bilinear", "1mv", "half", "intensity", "mixed")}
MODES_2 = {True: ("1mv", "mixed", "half", "bilinear"), False: ("bilinear", "1mv", "half", "mixed")}
# BFRACTION: code, and the fraction of 256.
FRACTIONS = {"1/2": ("000", 128), "1/3": ("001", 85), "2/3": ("010", 170), "3/4": ("100", 192), "2/5": ("110", 102), "7/8": ("1111101", 224), "1/8": ("1111010", 32)}


def avi(width, height, codec, extradata, frames):
    """A file of one video stream. FFmpeg ends that of the standard's own container, RCV, with an error."""
    def chunk(name, data):
        return name + len(data).to_bytes(4, "little") + data + bytes(len(data) % 2)

    header = chunk(b"avih", struct.pack("<14I", 40000, 0, 0, 0, len(frames), 0, 1, 0, width, height, 0, 0, 0, 0))
    stream = chunk(b"strh", struct.pack("<4s4sIHHIIIIIIII4H", b"vids", codec, 0, 0, 0, 0, 1, 25, 0, len(frames), 0, 0, 0, 0, 0, width, height))
    stream += chunk(b"strf", struct.pack("<IIIHH4sIIIII", 40 + len(extradata), width, height, 1, 24, codec, 0, 0, 0, 0, 0) + extradata)
    data = chunk(b"LIST", b"hdrl" + header + chunk(b"LIST", b"strl" + stream))
    return chunk(b"RIFF", b"AVI " + data + chunk(b"LIST", b"movi" + b"".join(chunk(b"00dc", frame) for frame in frames)))


def unary(zeros, most):
    return "0" * zeros + ("1" if zeros < most else "")


class Vc1:
    """`pictures`: in coding order, such as ["I", "P", "B", "BI", "S"] ("S": a skipped one). `imodes`: those that bitplanes are drawn from. `modes`: of
    motion vectors in P pictures; `compensation`: percent of P pictures with intensity compensation. `alternative`: VOPDQUANT: "", "edges", "difference" or
    "choice". `slices`: rows of macroblocks in each. `interlaced`: the sequence may have frames of two fields, "P/P" and the like among `pictures`, and interlaced frames, "Pi"; `tops`: whether
    their first field is the top one (drawn); `references`: NUMREF; `distances`: REFDIST; `wide`: DMVRANGE; `compensated_fields`: INTCOMPFIELD; `b_kinds`: of B fields'
    macroblocks that are not forward."""

    def __init__(self, seed, profile=ADVANCED, width=96, height=64, pictures="IPPPPP", imodes=("norm2",), modes=("1mv",), index=6, quantizer=UNIFORM, half=0,
                 alternative="", transforms="whole", overlap=0, conditions=(0,), loop_filter=0, fast_chroma=0, extended=0, compensation=0, slices=0, intra=15, skips=30,
                 fraction="1/2", b_types=(0, 1, 2), b_modes=("1mv", "bilinear"), fours=40, direct=30, interlaced=0, tops=(1,), references=(0, 1), distances=None, wide=(), compensated_fields=(1, 2, 3), forward=40,
                 b_kinds=("backward", "direct", "interpolated")):
        self._rng, self._profile, self._width, self._height = random.Random(seed), profile, width, height
        self._pictures, self._imodes, self._modes, self._index, self._quantizer, self._half = pictures, imodes, modes, index, quantizer, half
        self._alternative, self._transforms, self._overlap, self._conditions, self._loop_filter = alternative, transforms, overlap, conditions, loop_filter
        self._fast_chroma, self._extended, self._compensation, self._slices, self._intra, self._skips = fast_chroma, extended, compensation, slices, intra, skips
        self._fraction, self._b_types, self._b_modes, self._fours, self._direct = fraction, b_types, b_modes, fours, direct
        self._interlaced, self._tops, self._references, self._distances, self._wide = interlaced, tops, references, distances, wide
        self._compensated_fields, self._forward, self._b_kinds = compensated_fields, forward, b_kinds
        self._distance = 0
        self._columns, self._rows = (width + 15) // 16, (height + 15) // 16
        self._has_b = any(kind in ("B", "BI") for kind in pictures)

    def write(self):
        return self._elementary() if self._profile == ADVANCED else self._container()

    @staticmethod
    def _unit(code, bits):
        bits.trailing()
        return bytes((0, 0, 1, code)) + escaped(bits.bytes())

    def _elementary(self):
        bits = Bits()
        for value, count in ((ADVANCED, 2), (2, 3), (1, 2), (7, 3), (0, 5), (0, 1), (self._width // 2 - 1, 12), (self._height // 2 - 1, 12), (3 * self._interlaced, 2), (0, 2), (1, 1), (0, 3)):
            bits.put(value, count)
        data = self._unit(SEQUENCE, bits)
        bits = Bits()
        for value, count in ((0, 1), (1, 1), (0, 1), (self._distances is not None, 1), (self._loop_filter, 1), (self._fast_chroma, 1), (self._extended, 1), (bool(self._alternative), 2),
                             (self._transforms != "", 1), (self._overlap, 1), (self._quantizer, 2), (0, 1)):
            bits.put(value, count)
        if self._extended:
            bits.put(bool(self._wide), 1)
        bits.put(0, 2)
        data += self._unit(ENTRY_POINT, bits)
        for kind in self._pictures:
            if "/" in kind:
                data += self._field_pair(kind)
                continue
            bits = Bits()
            data += self._slices_of(self._start(kind, bits), bits, FRAME, self._rows)
        return data + bytes((0, 0, 1, END))

    def _slices_of(self, picture, bits, code, rows, address=0):
        """The units of a picture whose header is written. `address`: of its first row, as slices count them."""
        if not picture:
            return self._unit(code, bits)
        data, cuts = b"", [0, *range(self._slices, rows, self._slices)] if self._slices else [0]
        for first, end in zip(cuts, [*cuts[1:], rows]):
            if first:
                bits = Bits()
                bits.put(address + first, 9)
                bits.put(0, 1)
                picture.restart(bits)
            picture.rows(first, end)
            data += self._unit(SLICE if first else code, bits)
        return data

    def _field_pair(self, pair):
        """A frame of two field pictures. 9.1.1; slices count the second one's rows behind the first one's."""
        rng, data, top = self._rng, b"", self._rng.choice(self._tops)
        kinds, rows, (fraction, scale) = pair.split("/"), (self._height + 31) // 32, FRACTIONS[self._fraction]
        for second, kind in enumerate(kinds):
            bits = self._bits = Bits()
            if not second:
                bits.code("11")  # FCM
                bits.put(FIELD_PAIRS.index(pair), 3)
                bits.put(top, 1)
                bits.put(0, 1)  # RFF
                bits.put(rng.randrange(2), 1)  # RND
                bits.put(0, 1)  # UVSAMP
                if kind in ("B", "BI"):
                    bits.code(fraction)
                elif self._distances is not None:
                    self._distance = rng.choice(self._distances)
                    bits.put(min(self._distance, 3), 2)
                    if self._distance >= 3:
                        bits.code("1" * (self._distance - 3) + "0")
            p = self._p = types.SimpleNamespace(kind=kind, advanced=True, columns=self._columns, rows=rows, intra=self._intra, b_types=self._b_types, planes={}, scale=scale,
                                                second=second, bottom=int(top == second), b_kinds=self._b_kinds, fours=self._fours, skips=self._skips, two=1)
            p.forward_distance, p.backward_distance = self._distance, 0
            if kind in ("B", "BI"):
                p.forward_distance = scale * self._distance >> 8
                p.backward_distance = max(self._distance - p.forward_distance - 1, 0)
            self._quantizers(p)
            if kind in ("I", "BI"):
                self._intra_header(p)
            else:
                self._field_header(p)
            data += self._slices_of(FieldPicture(rng, bits, p), bits, FIELD if second else FRAME, rows, second * rows)
        return data

    def _frame_header(self, p):
        """Of an interlaced frame, 9.1.1."""
        bits, rng = self._bits, self._rng
        if p.kind == "B":
            bits.code(FRACTIONS[self._fraction][0])
        self._ranges(p)
        p.two, p.quarter, p.switch = 0, True, 0
        if p.kind == "P":
            p.switch = rng.randrange(2)
            bits.put(p.switch, 1)
        intensity = p.kind == "P" and chance(rng, self._compensation)
        bits.put(intensity, 1)
        if intensity:
            bits.put(rng.choice((0, 20, 30, 34, 40)), 6)
            bits.put(rng.choice((0, 3, 31, 32, 61)), 6)
        if p.kind == "B":
            self._plane(p, "direct", self._direct)
        self._plane(p, "skip", self._skips)
        p.mode, p.mvtab, p.cbptab, p.twos, p.four = (rng.randrange(count) for count in (4, 4, 8, 4, 4))
        bits.put(p.mode, 2)
        bits.put(p.mvtab, 2)
        bits.put(p.cbptab, 3)
        bits.put(p.twos, 2)
        if p.switch or p.kind == "B":
            bits.put(p.four, 2)
        self._transform_header(p)

    def _ranges(self, p):
        """MVRANGE, DMVRANGE."""
        self._range(p)
        p.wide = self._rng.choice(self._wide) if self._wide else 0
        if self._wide:
            self._bits.code("1" * p.wide + ("0" if p.wide < 3 else ""))

    def _field_header(self, p):
        bits, rng = self._bits, self._rng
        if p.kind == "P":
            p.two = rng.choice(self._references)
            bits.put(p.two, 1)
            if not p.two:
                same = rng.randrange(2)
                bits.put(same, 1)  # REFFIELD
                p.opposite = not same
        self._ranges(p)
        low, intensity = p.step <= 12, p.kind == "P" and chance(rng, self._compensation)
        mode = rng.choice(self._modes)
        if intensity:
            bits.code(unary(3, 4))
        if intensity or p.kind == "B":
            bits.code(unary(MODES_2[low].index(mode), 3))
        else:
            bits.code(unary(MODES[low].index(mode), 4))
        if intensity:
            # i965-va-driver forgets the compensation of a field that the picture does not refer to (gen8_mfd_vc1_decode_init()).
            fields = rng.choice(self._compensated_fields) if p.two else 1 + (p.bottom ^ p.opposite)
            bits.code({3: "1", 1: "00", 2: "01"}[fields])
            for field in (1, 2):
                if fields & field:
                    bits.put(rng.choice((0, 20, 30, 34, 40)), 6)
                    bits.put(rng.choice((0, 3, 31, 32, 61)), 6)
        if p.kind == "B":
            self._plane(p, "forward", self._forward)
        p.mixed, p.quarter = mode == "mixed", mode in ("1mv", "mixed")
        if not p.quarter:
            p.range_x, p.range_y = 2 * p.range_x, 2 * p.range_y
        p.mode, p.mvtab, p.cbptab = rng.randrange(8), rng.randrange(8 if p.two else 4), rng.randrange(8)
        bits.put(p.mode, 3)
        bits.put(p.mvtab, 3 if p.two else 2)
        bits.put(p.cbptab, 3)
        if p.mixed:
            p.four = rng.randrange(4)
            bits.put(p.four, 2)
        self._transform_header(p)

    def _container(self):
        bits = Bits()
        for value, count in ((self._profile, 2), (0, 2), (7, 3), (0, 5), (self._loop_filter, 1), (0, 1), (0, 1), (1, 1), (self._fast_chroma, 1), (self._extended, 1),
                             (bool(self._alternative), 2), (self._transforms != "", 1), (0, 1), (self._overlap, 1), (0, 1), (0, 1),
                             (2 if self._has_b else 0, 3), (self._quantizer, 2), (0, 1), (1, 1)):
            bits.put(value, count)

        frames = []
        for kind in self._pictures:
            frame = Bits()
            self._start(kind, frame).rows(0, self._rows)
            frame.trailing()
            frames.append(frame.bytes())
        return avi(self._width, self._height, b"WMV3", bits.bytes(), frames)

    def _start(self, kind, bits):
        """The picture's header. Returns its macroblocks' writer; None of a skipped one."""
        rng, advanced, as_fields = self._rng, self._profile == ADVANCED, kind.endswith("i")
        kind = kind.removesuffix("i")
        if advanced:
            if self._interlaced:
                bits.code("10" if as_fields else "0")  # FCM
            bits.code({"P": "0", "B": "10", "I": "110", "BI": "1110", "S": "1111"}[kind])
            if kind == "S":
                if self._interlaced:
                    bits.put(0, 2)
                return None
            if self._interlaced:
                bits.put(0, 2)  # TFF, RFF
            bits.put(rng.randrange(2), 1)  # RND
            if self._interlaced:
                bits.put(0, 1)  # UVSAMP
        else:
            bits.put(0, 2)
            bits.code({"P": "1", "B": "00", "BI": "00", "I": "01" if self._has_b else "0"}[kind])
        fraction, scale = FRACTIONS[self._fraction]
        if kind == "B" and not as_fields:
            bits.code(fraction)
        elif kind == "BI" and not advanced:
            bits.code("1111111")
        if kind in ("I", "BI") and not advanced:
            bits.put(0, 7)
        p = self._p = types.SimpleNamespace(kind=kind, advanced=advanced, columns=self._columns, rows=self._rows, intra=self._intra, b_types=self._b_types, planes={}, scale=scale)
        self._bits = bits
        self._quantizers(p)
        if kind in ("I", "BI"):
            self._intra_header(p, as_fields)
        elif as_fields:
            self._frame_header(p)
        else:
            self._inter_header(p)
        return (FramePicture if as_fields else Picture)(rng, bits, p)

    def _quantizers(self, p):
        bits, index = self._bits, self._index if isinstance(self._index, int) else self._rng.choice(self._index)
        bits.put(index, 5)
        p.index, p.low_index = index, index <= 8
        p.step = IMPLICIT_STEPS[index] if self._quantizer == IMPLICIT else index
        if index <= 8:
            bits.put(self._half, 1)
        if self._quantizer == EXPLICIT:
            bits.put(self._rng.randrange(2), 1)

    def _range(self, p):
        wide = self._rng.randrange(4) if self._extended else 0
        if self._extended:
            bits = "1" * wide + ("0" if wide < 3 else "")
            self._bits.code(bits)
        p.size_x, p.size_y = wide + 9 + wide // 2, wide + 8
        p.range_x, p.range_y = 1 << p.size_x - 1, 1 << p.size_y - 1

    def _sets(self, p):
        bits, rng = self._bits, self._rng
        p.chroma_set = p.luma_set = rng.randrange(3)
        bits.code(THREE[p.chroma_set])
        if p.kind in ("I", "BI"):
            p.luma_set = rng.randrange(3)
            bits.code(THREE[p.luma_set])
        p.dc = rng.randrange(2)
        bits.put(p.dc, 1)

    def _intra_header(self, p, as_fields=False):
        bits, rng = self._bits, self._rng
        if as_fields:
            self._plane(p, "fieldtx", 50)
        p.alternative = ""
        if not p.advanced:
            if self._extended:
                self._range(p)
            self._sets(p)
            return
        self._plane(p, "acpred", 50)
        if self._overlap and p.step <= 8:
            condition = rng.choice(self._conditions)
            bits.code(THREE[condition])
            if condition == 2:
                self._plane(p, "overflags", 60)
        self._sets(p)
        if self._alternative:
            self._vopdquant(p)

    def _inter_header(self, p):
        bits, rng = self._bits, self._rng
        if p.advanced or self._extended:
            self._range(p)
        else:
            p.size_x, p.size_y, p.range_x, p.range_y = 9, 8, 256, 128
        low = p.step <= 12
        if p.kind == "P":
            if self._interlaced and self._wide:
                bits.code("0")  # DMVRANGE
            mode = rng.choice(self._modes)
            if chance(rng, self._compensation):
                bits.code(unary(3, 4))
                bits.code(unary(MODES_2[low].index(mode), 3))
                bits.put(rng.choice((0, 20, 30, 34, 40)), 6)
                bits.put(rng.choice((0, 3, 31, 32, 61)), 6)
            else:
                bits.code(unary(MODES[low].index(mode), 4))
            if mode == "mixed":
                self._plane(p, "mvtype", self._fours)
        else:
            mode = rng.choice(self._b_modes)
            bits.put(mode == "1mv", 1)
            self._plane(p, "direct", self._direct)
        self._plane(p, "skip", self._skips)
        p.quarter = mode in ("1mv", "mixed")
        p.bits_x, p.bits_y = p.size_x - 1 + p.quarter, p.size_y - 1 + p.quarter
        p.mvtab, p.cbptab = rng.randrange(4), rng.randrange(4)
        bits.put(p.mvtab, 2)
        bits.put(p.cbptab, 2)
        self._transform_header(p)

    def _transform_header(self, p):
        bits = self._bits
        p.alternative = ""
        if self._alternative:
            self._vopdquant(p)
        p.transforms, p.transform = False, WHOLE
        if self._transforms:
            p.transforms = self._transforms == "macroblock"
            bits.put(not p.transforms, 1)
            if not p.transforms:
                p.transform = TRANSFORMS[self._transforms]
                bits.put(list(TRANSFORMS).index(self._transforms), 2)
        self._sets(p)

    def _vopdquant(self, p):
        bits, rng = self._bits, self._rng
        p.alternative = self._alternative
        bits.put(1, 1)
        if p.alternative == "edges":
            profile, edge = rng.randrange(3), rng.randrange(4)
            bits.put(profile, 2)
            if profile:
                bits.put(edge, 2)
            p.edges = (15, (3 << edge) % 15, 1 << edge)[profile]
        else:
            bits.put(3, 2)
            bits.put(p.alternative == "choice", 1)
            if p.alternative == "difference":
                return
        # PQDIFF, ABSPQ.
        if chance(rng, 50) and p.step < 25:
            difference = rng.randrange(7)
            bits.put(difference, 3)
            p.alternative_step = p.step + difference + 1
        else:
            p.alternative_step = rng.randint(1, 31)
            bits.put(7, 3)
            bits.put(p.alternative_step, 5)

    def _plane(self, p, name, percent):
        p.planes[name] = put_plane(self._bits, self._rng, self._rng.choice(self._imodes), p.columns, p.rows, percent)


def write(seed=1, **options):
    """The bytes of a stream; see Vc1."""
    return Vc1(seed, **options).write()
