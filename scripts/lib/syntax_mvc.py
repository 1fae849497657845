# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes H.264 streams of two views (Annex H), and for each a plain one with the same macroblocks, which decoders of one view know.

The plain stream has the base view's picture, a copy of it (a P frame that is skipped), and the second view's, whose macroblocks are those of the stereo stream bit by
bit. Where that refers to the other view, it refers to the copy, a long-term picture: for direct prediction this is the same as a picture that has no marking
(H.8.4), and temporal distances are those of the second view's own pictures. The copy is a frame, also of fields: FFmpeg forgets the first of two fields that
become long-term references by themselves. With implicit weights, which long-term pictures do not have, it is a short-term picture with the second view's order count."""
import random

from syntax_avc import LEVEL, Avc
from syntax_bits import display_order, nal

HELD = 3  # frames of a view
BUFFERED = 2 * HELD + 2
STEREO, PLAIN = range(2)
HIGH, MULTIVIEW_HIGH, STEREO_HIGH = 100, 118, 128
# Of order counts: from a frame to the next one. In the plain stream the base view's is followed by its copy and the second view's.
STEP, COPY, SECOND = 8, 2, 4
IMPLICIT = 2  # weighted_bipred_idc
SHOWN = 3  # frames of the plain stream for each access unit


class Component:
    """A view's picture of an access unit: `fields` that are decoded of it, `numbers` (frame_num) in both streams."""

    def __init__(self, view, numbers):
        self.view, self.numbers, self.fields = view, numbers, []


class Stereo(Avc):
    """Options are Avc's, `slices` for the second view: GStreamer takes each prefix, which is in front of the base view's slices, as the begin of a picture.
    `pictures`: "A" is a picture whose second view refers to the base view alone (an anchor, as the first one); it comes last, if at all. "M" is a P picture of the base
    view, and a B picture of the second one, which both are references; the former is the latter's co-located picture, if that may be.
    `profiles`: profile_idc of both sequence parameter sets. GStreamer opens its context with the first one's, which should be High.
    With temporal direct prediction, co-located pictures do not refer to the other view: what they refer to must be in list 0 (8.4.1.2.3)."""

    def __init__(self, seed, width=96, pictures="IPBBPBB", profiles=(HIGH, STEREO_HIGH), **options):
        super().__init__(seed, width=width, pictures=pictures, **options)
        self._seed, self._is_spatial, self._views, self._copy, self._old_copy = seed, self._spatial, [[], []], None, None
        self._is_implicit = self._weights == IMPLICIT
        self._headers = [
            [nal(b"\x67", self._sequence(width, profiles[0], 0, HELD, BUFFERED)), nal(b"\x6f", self._sequence(width, profiles[1], 1, HELD, BUFFERED, extension=subset)),
             *(nal(b"\x68", self._parameters(number)) for number in range(2))],
            [nal(b"\x67", self._sequence(width, held=BUFFERED, buffered=BUFFERED, reordered=2 * SHOWN)), nal(b"\x68", self._parameters())]]
        explicit, self._weights = self._weights, 0
        self._headers[PLAIN].append(nal(b"\x68", self._parameters(1, sequence=0)))
        self._weights = explicit

    def streams(self):
        """(the stereo stream, the plain one). Of that, each SHOWN frames begin with the base view's and end with the second one's."""
        shown, numbers, parts = display_order(self._pictures), [0, 0], [[], []]
        for index, kind in enumerate(self._pictures):
            structure = self._structures[index % len(self._structures)]
            parities = {"frame": (None,), "tb": (0, 1), "bt": (1, 0)}[structure]
            is_reference = kind != "B"
            self._order, self._in_use = shown[index], is_reference
            self._components = [Component(view, (numbers[STEREO], numbers[PLAIN] + 2 * view)) for view in range(2)]
            self._copy, self._old_copy = Component(None, (None, numbers[PLAIN] + 1)), self._copy
            pieces = [[], []]  # of the plain stream, by view
            for second, parity in enumerate(parities):
                for view in range(2):
                    self._context = index, kind, view, parity, second
                    units = self._write_component()
                    parts[STEREO] += units[STEREO]
                    pieces[view] += units[PLAIN]
                for component in self._components:
                    self._hold_component(component, parity)
            parts[PLAIN] += [*pieces[0], self._write_copy(parities == (1, 0)), *pieces[1]]
            numbers = [numbers[STEREO] + is_reference, numbers[PLAIN] + 2 + is_reference]
        return tuple(b"".join(self._headers[target] + parts[target]) for target in (STEREO, PLAIN))

    def _hold_component(self, component, parity):
        if not self._in_use:
            return
        component.fields += [0, 1] if parity is None else [parity]
        held = self._views[component.view]
        if component not in held:
            self._views[component.view] = [*held[len(held) == HELD:], component]

    def _write_component(self):
        """NAL units of both streams, with the same macroblocks."""
        index, kind, view, parity, second = self._context
        is_anchor = kind == "A" or (index == 0 and not second)
        self.kind = {"I": "P" if view or second else "I", "A": "B" if view else "P" if second else "I", "M": "B" if view else "P"}.get(kind, kind)
        self._spatial = self._is_spatial or kind == "A"
        self._choose_lists(random.Random(f"{self._seed} lists {self._context}"), is_anchor and view == 1)
        self._is_anchor, units = is_anchor, []
        for target in (STEREO, PLAIN):
            self.rng, self._target, self._out, self.mbs = random.Random(f"{self._seed} {self._context}"), target, [], {}
            self._is_reference = self._in_use or (target == PLAIN and view == 0)
            self._frame = self._components[view]
            self._write_slices(parity, second, index == 0 and not second and (view == 0 or target == STEREO))
            units.append(self._out)
        return units

    def _write_slices(self, parity, second, is_idr):
        self.parity, self._is_second = parity, second
        self.rows = self._height // (16 if parity is None else 32)
        count = self._slices if self._frame.view else 1
        for i in range(count):
            first, end = (self.rows * part // count for part in (i, i + 1))
            if first < end:
                self._slice(first, end, self._order, is_idr)

    def _write_copy(self, is_bottom_first):
        """A P frame of the plain stream that is skipped: the base view's samples."""
        options = self._weights, self.skips
        self._weights, self.skips = 0, 100
        self.kind, self._is_reference, self._target, self._out, self.mbs = "P", True, PLAIN, [], {}
        self._lists, self.active, self._frame = [[(self._components[0], None)], []], [1, 0], self._copy
        self._bottom_delta = -1 if is_bottom_first else 1
        self._write_slices(None, int(is_bottom_first), False)
        self._bottom_delta = 1
        self._weights, self.skips = options
        return self._out[0]

    def _choose_lists(self, rng, is_anchor):
        _, kind, view, parity, second = self._context
        held = [] if is_anchor else [component for component in self._views[view] if component is not self._components[view]]
        direct = not self._spatial
        if direct and self._in_use and len(held) == HELD:
            held = held[1:]  # the next B picture has all that co-located pictures refer to
        known = [*held, *([self._components[view]] if second and self._in_use and not is_anchor else [])]
        entries = [(component, field) for component in known for field in (component.fields if parity is not None else (None,))]
        crosses = view == 1 and (is_anchor or not direct or kind == "B")
        self._lists = []
        for which in range({"I": 0, "P": 1, "B": 2}[self.kind]):
            some = rng.sample(entries, len(entries))
            if which and direct:
                first = next(i for i, (component, field) in enumerate(some) if component is held[-1] and field == parity)
                some.insert(0, some.pop(first))
            if crosses:
                first = int(which and (direct or self._is_implicit))
                some.insert(first if kind == "M" else rng.randint(first, len(some)), (self._components[0], parity))
            self._lists.append(some)
        self.active = [len(entries) for entries in (*self._lists, [], [])[:2]]

    def _parameter_set(self):
        return self._frame.view if self._target == STEREO else int(self._frame.view is None)

    def _frame_num(self):
        return self._frame.numbers[self._target]

    def _order_count(self, order):
        return STEP * order + ({0: 0, None: SECOND if self._is_implicit else COPY, 1: SECOND}[self._frame.view] if self._target == PLAIN else 0)

    def _unit(self, is_idr, payload):
        """In the stereo stream, each slice of the base view is behind a prefix, and the second view's have another type."""
        priority = 0x60 if self._is_reference else 0
        if self._target == PLAIN:
            return super()._unit(is_idr, payload)
        view = self._frame.view
        extension = (not is_idr) << 22 | view << 6 | self._is_anchor << 2 | (view == 0) << 1 | 1
        extension = extension.to_bytes(3, "big")
        if view:
            self._out.append(nal(bytes([priority | 20]) + extension, payload))
        else:
            self._out.append(nal(bytes([priority | 14]) + extension, b""))
            super()._unit(is_idr, payload)
        return None

    def _modification(self, bits, which):
        """Names each entry."""
        modulus, per = (256, 1) if self.parity is None else (512, 2)
        before = per * self._frame_num() + per - 1
        bits.put(1, 1)
        for component, parity in self._lists[which]:
            if self._frame.view and component.view == 0:
                if self._target == STEREO or not self._is_implicit:
                    bits.ue(5 if self._target == STEREO else 2)
                    bits.ue(0 if self._target == STEREO else per - 1)
                    continue
                component = self._copy
            number = per * component.numbers[self._target] + (parity == self.parity if per == 2 else 0)
            bits.ue(0)
            bits.ue((before - number - 1) % modulus)
            before = number
        bits.ue(3)

    def _marking(self, bits, is_idr):
        if is_idr:
            bits.put(0, 2)
            return
        changes = ()
        if self._frame is self._copy:
            # It becomes the long-term picture, or the copy before it is dropped, as is what the stereo stream does not refer to.
            dropped = [self._old_copy] if self._is_implicit and self._old_copy else []
            changes = () if self._is_implicit else (4, 1, 6, 0)
            for component in (*dropped, *(() if self._in_use else (self._components[0],))):
                changes += 1, self._copy.numbers[PLAIN] - component.numbers[PLAIN] - 1
        bits.put(bool(changes), 1)
        if changes:
            for value in (*changes, 0):
                bits.ue(value)


def subset(bits):
    """Behind seq_parameter_set_data(): the second view refers to the base view in both lists, in anchor pictures and others."""
    bits.put(1, 1)
    bits.ue(1)
    for view in range(2):
        bits.ue(view)
    for _ in range(2):  # anchor pictures, others
        for _ in range(2):  # lists
            bits.ue(1)
            bits.ue(0)
    bits.ue(0)
    bits.put(LEVEL, 8)
    bits.ue(0)
    bits.put(0, 3)
    for value in (1, 0, 1, 1):  # an operation point of both views
        bits.ue(value)
    bits.put(0, 2)


def streams(seed=1, **options):
    """See Stereo.streams()."""
    return Stereo(seed, **options).streams()
