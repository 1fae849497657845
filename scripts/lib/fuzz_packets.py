# SPDX-License-Identifier: GPL-2.0-or-later
"""Command packets for the batches of `scripts/fuzz guest`, as hw/defs declares them: choosing, changing and encoding.

A batch is a list of Packets and plain dwords. A packet's values are by field name; a field of element N of a repeated group is `NAME#N`."""
import functools
import pathlib
import re
import sys
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import gen_defs  # noqa: E402
from defs_syntax import ENGINES, layout_files  # noqa: E402

DEFS = ROOT / "hw" / "defs"
SETS = {"gen9": ["gen9"], "gen11": ["gen9", "gen11"], "gen12": ["gen9", "gen11", "gen12"]}
# Where the table's exec objects are softpinned (fuzz_calls/i915_exec.def).
ADDRESSES = [0x100000, 0x200000, 0x400000, 0x100001000, 0x7ffffffff000]
OFFSETS = [0, 0, 0, 4, 0x40, 0xff8, 0x1000]
MAX_REPEATS = 8
MAX_DWORDS = 256  # of a batch
MAX_PACKET_DWORDS = 80


@dataclass
class Packet:
    name: str
    values: dict = field(default_factory=dict)  # fields that are not 0; addresses and offsets with their low zero bits, as in hw/defs
    dwords: int = 1


class PacketSet:
    """The commands of one set of hw/defs."""

    def __init__(self, name):
        sets = [(one, *layout_files(DEFS / one)) for one in SETS[name]]
        model = gen_defs.Model(gen_defs.read(sets)[name])
        self.enums, self.name = model.enums, name
        self.commands = {layout.name: layout for layout in model.commands if layout.dwords <= MAX_PACKET_DWORDS}
        self.registers = registers(SETS[name])

    @functools.lru_cache(maxsize=None)
    def names(self, engine):
        return [name for name, layout in self.commands.items() if layout.engines & ENGINES[engine]]

    def fields(self, packet):
        """{name: (field, first bit in the packet)} of all fields that a packet of this length has."""
        layout = self.commands[packet.name]
        found = {}
        for name, one in zip(gen_defs.unique([one.name for one in layout.fields]), layout.fields):
            if one.start < 32 * packet.dwords and one.kind != "mbz":
                found[name] = (one, one.start)
        for repeat in layout.repeats:
            room = (32 * packet.dwords - repeat.start) // repeat.size
            for index in range(max(0, min(repeat.count or MAX_REPEATS, room, MAX_REPEATS))):
                for one in repeat.fields:
                    found[f"{one.name}#{index}"] = (one, repeat.start + index * repeat.size + one.start)
        return found

    def choose(self, random, engine):
        """A packet with values that are mostly valid."""
        mi = random.random() < 0.6
        names = [name for name in self.names(engine) if name.startswith("MI_") == mi] or self.names(engine)
        packet = Packet(random.choice(names))
        layout = self.commands[packet.name]
        packet.dwords = layout.dwords
        if layout.variable:
            step = max([repeat.size // 32 for repeat in layout.repeats if not repeat.count] or [1])
            packet.dwords += step * random.choice([0, 0, 0, 1, 2, 4]) if layout.repeats else random.choice([0, 0, 1, 2])
            if layout.fields and not layout.repeats:
                packet.dwords = min(max(packet.dwords, 1), max(one.end for one in layout.fields) // 32 + 1)
        for name, (one, _) in self.fields(packet).items():
            value = self.value(random, one)
            if value:
                packet.values[name] = value
        return packet

    def value(self, random, one):
        limit = (1 << one.width) - 1
        if one.kind in ("address", "offset"):
            low = one.start % 32
            if one.kind == "offset":
                value = random.choice(self.registers) if one.base == "mmio" else random.choice(OFFSETS)
            else:
                value = random.choice(ADDRESSES) + (0 if one.target == "batch" else random.choice(OFFSETS))
            return value & limit << low
        if one.kind == "enum":
            values = (one.values or self.enums[one.ref]).values
            return random.choice(values)[0] & limit if random.random() < 0.95 else random.getrandbits(one.width)
        if one.kind == "bool":
            return int(random.random() < 0.25)
        way = random.random()
        if way < 0.6:
            return 0
        return random.choice([1, 2, 3, 7, limit, limit >> 1, random.getrandbits(one.width)]) & limit

    def change(self, random, packet):
        """Changes one field, or the length."""
        fields = self.fields(packet)
        if not fields or random.random() < 0.05:
            packet.dwords = max(1, min(MAX_PACKET_DWORDS, packet.dwords + random.choice([-1, 1, 2])))
            packet.values = {name: value for name, value in packet.values.items() if name in self.fields(packet)}
            return
        name = random.choice(sorted(fields))
        value = self.value(random, fields[name][0])
        packet.values.pop(name, None)
        if value:
            packet.values[name] = value

    def dwords(self, packet):
        layout = self.commands[packet.name]
        bits = layout.match
        fields = self.fields(packet)
        for name, value in packet.values.items():
            one, start = fields[name]
            if one.kind in ("address", "offset"):
                value >>= one.start % 32
            bits |= (value & (1 << one.width) - 1) << start
        if layout.length_bits:
            high, low = layout.length_bits
            bits |= (packet.dwords - 2 & (1 << high - low + 1) - 1) << low
        return [bits >> 32 * index & 0xffffffff for index in range(packet.dwords)]

    def encode(self, batch):
        words = []
        for item in batch:
            words += self.dwords(item) if isinstance(item, Packet) else [item]
        return b"".join(word.to_bytes(4, "little") for word in words[:MAX_DWORDS])

    def batch(self, random):
        """A batch: packets of one engine, now and then a random dword; mostly with an end."""
        engine = random.choice(["rcs", "rcs", "bcs", "vcs", "vecs"])
        items = [self.choose(random, engine) for _ in range(random.choice([0, 1, 1, 2, 3, 5, 8]))]
        if random.random() < 0.1:
            items.insert(random.randint(0, len(items)), random.getrandbits(32))
        if random.random() < 0.98:
            items.append(Packet("MI_BATCH_BUFFER_END"))
        return items


def registers(sets):
    """Offsets of the registers of the render and the blit engine, those that clients may use four times."""
    found = []
    for name in sets:
        text = (DEFS / name / "registers_engine.def").read_text()
        bases = [int(base, 16) for engine, base in re.findall(r"^engine (\w+) (0x[0-9a-f]+)", text, re.M) if engine in ("rcs", "bcs")]
        for offset, rest in re.findall(r"^register \w+ (0x[0-9a-f]+)(.*)", text, re.M):
            for base in bases or [0x2000]:
                if int(offset, 16) < 0x1000:
                    found += [base + int(offset, 16)] * (4 if " user" in rest else 1)
    return found


@functools.lru_cache(maxsize=None)
def load(name):
    return PacketSet(name)


def set_of(platform):
    """The set of hw/defs that a platform has, from the table of platforms."""
    text = (DEFS / "platform.cpp").read_text()
    pairs = dict(re.findall(r'\.name = "(\w+)",.*?\.commands = &(\w+)::commands', text, re.S))
    return pairs[platform]
