# SPDX-License-Identifier: GPL-2.0-or-later
"""Bits, NAL units and a CABAC coder for the syntax_*.py, which write streams with what no encoder makes.

They draw their decisions from a seeded generator and write syntax only: nothing is predicted or reconstructed, and a decoder in software says what
the frames are."""
import re

from common import ROOT


class Bits:
    """A bitstream under construction."""

    def __init__(self):
        self._digits, self.length = [], 0

    def code(self, digits):
        """A code as the standards print it."""
        self._digits.append(digits)
        self.length += len(digits)

    def put(self, value, count):
        """The low `count` bits of value."""
        if count:
            self.code(format(value & (1 << count) - 1, f"0{count}b"))

    def ue(self, value):
        length = (value + 1).bit_length()
        self.put(value + 1, 2 * length - 1)

    def se(self, value):
        self.ue(2 * value - 1 if value > 0 else -2 * value)

    def align(self, bit=0):
        while self.length % 8:
            self.put(bit, 1)

    def trailing(self):
        """rbsp_trailing_bits()."""
        self.put(1, 1)
        self.align()

    def append(self, data):
        """Whole bytes."""
        self.put(int.from_bytes(data, "big"), 8 * len(data))

    def bytes(self):
        assert self.length % 8 == 0
        return int("".join(self._digits) or "0", 2).to_bytes(self.length // 8, "big")


def escaped(data):
    """With emulation_prevention_three_byte."""
    out, zeros = bytearray(), 0
    for byte in data:
        if zeros == 2 and byte <= 3:
            out.append(3)
            zeros = 0
        out.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return bytes(out)


def nal(header, payload):
    return b"\0\0\0\1" + header + escaped(payload)


def chance(rng, percent):
    return rng.random() * 100 < percent


def display_order(kinds):
    """When each picture is shown, of `kinds` in coding order: I and P pictures behind the B pictures that are coded after them."""
    order, waiting = [], None
    for i, kind in enumerate(kinds):
        if kind == "B":
            order.append(i)
        else:
            order += [] if waiting is None else [waiting]
            waiting = i
    order.append(waiting)
    return [order.index(i) for i in range(len(kinds))]


def engine_table(file, name):
    """The initializer of a table in hw/media: text between the outer braces. The engine's own tables are used: a wrong one makes streams that FFmpeg
    decodes otherwise."""
    text = re.sub(r"//.*", "", (ROOT / "hw" / "media" / file).read_text())
    start = text.index("{", text.index("=", re.search(rf"\b{name}\[.*\] =", text).start()))
    return text[start + 1:text.index("};", start)]


def engine_numbers(file, name):
    return [int(number) for number in re.findall(r"-?\b\d+\b", engine_table(file, name))]


def engine_codes(file, name):
    """{value: code} of a table of {"0011 01", value}."""
    return {int(value): digits.replace(" ", "") for digits, value in re.findall(r'\{"([01 ]+)", (\d+)\}', engine_table(file, name))}



class Cabac:
    """The arithmetic encoder (H.264 9.3.4.2). `contexts`: (pStateIdx, valMps) of each."""
    RANGES = engine_numbers("bits/cabac.cpp", "cabac_lps_range")
    NEXT = engine_numbers("bits/cabac.cpp", "cabac_lps_next")

    def __init__(self, bits, contexts):
        self._bits, self.contexts = bits, list(contexts)
        self.start()

    def start(self):
        self._low, self._range, self._outstanding, self._is_first = 0, 510, 0, True

    def _out(self, bit):
        if not self._is_first:
            self._bits.put(bit, 1)
        self._is_first = False
        if self._outstanding:
            self._bits.code("10"[bit] * self._outstanding)
            self._outstanding = 0

    def _renormalize(self):
        while self._range < 256:
            self._low_bit()
            self._range <<= 1

    def _low_bit(self):
        """Settles the highest bit of low, and doubles the rest."""
        if self._low < 256:
            self._out(0)
        elif self._low >= 512:
            self._low -= 512
            self._out(1)
        else:
            self._low -= 256
            self._outstanding += 1
        self._low <<= 1

    def put(self, context, value):
        state, mps = self.contexts[context]
        lps = self.RANGES[state * 4 + (self._range >> 6 & 3)]
        self._range -= lps
        if value == mps:
            self.contexts[context] = min(state + 1, 62), mps
        else:
            self._low += self._range
            self._range = lps
            self.contexts[context] = self.NEXT[state], mps ^ (state == 0)
        self._renormalize()

    def bypass(self, value, count=1):
        for i in reversed(range(count)):
            self._low = (self._low << 1) + (self._range if value >> i & 1 else 0)
            if self._low >= 1024:
                self._low -= 1024
                self._out(1)
            elif self._low < 512:
                self._out(0)
            else:
                self._low -= 512
                self._outstanding += 1

    def terminate(self, value):
        """A bin before a possible end. At the end the last bit written is the stop bit; the caller aligns, and starts anew if there is more."""
        self._range -= 2
        if not value:
            self._renormalize()
            return
        self._low += self._range
        self._range = 2
        self._renormalize()
        self._out(self._low >> 9 & 1)
        self._bits.put(self._low >> 7 & 3 | 1, 2)

    def exp_golomb(self, value, order):
        """A suffix of UEGk, or EGk, in bypass bins."""
        while value >= 1 << order:
            self.bypass(1)
            value -= 1 << order
            order += 1
        self.bypass(0)
        self.bypass(value, order)


def state_of(pre_state):
    """(pStateIdx, valMps) of a preCtxState."""
    pre_state = max(1, min(126, pre_state))
    return (63 - pre_state, 0) if pre_state <= 63 else (pre_state - 64, 1)
