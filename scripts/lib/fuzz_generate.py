# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes and changes programs of `scripts/fuzz guest`. All choices come from one random.Random, so that a seed repeats them."""
import copy

from fuzz_packets import Packet
from fuzz_program import Call, Out, Rec, Ref, bounded, copied, default, links, mapped_call, places, renumbered, resources
from fuzz_table import AUTOMATIC

INTERESTING = [0, 1, 2, 3, 4, 7, 8, 0x10, 0x40, 0xff, 0xfff, 0x1000, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
FRESH_CALLS = 24  # of a program made from nothing, at most
DEPTH = 4  # of producers for producers
MAX_CHANGES = 6
PREPARED = 0.93  # share of submissions whose last object gets a batch first: zeros are no-ops without end


class Maker:
    """Makes calls that may use what `before` has produced. New calls are put into self.calls, those that produce what a call needs before it."""

    def __init__(self, table, packets, random, before=(), first_id=0):
        self.table, self.packets, self.random = table, packets, random
        self.calls, self.next_id, self.alive = [], first_id, {}
        for identity, resource in resources(before).items():
            self.alive.setdefault(resource, []).append(identity)
            self.next_id = max(self.next_id, identity + 1)

    def any_call(self):
        """Makes a call chosen by the table's weights."""
        names = list(self.table.calls)
        self.make(self.random.choices(names, [self.table.calls[name].weight for name in names])[0])

    def make(self, name, depth=0):
        what = self.table.calls[name]
        call, prepared = Call(name), None
        if what.prepare and self.random.random() < PREPARED:
            self.make(what.prepare, depth)
            prepared = self.calls[-1].args
        for one in what.parameters:
            call.args[one.name] = self.value(one, depth)
        if prepared and call.args["arg"][0].values["buffers_ptr"]:
            call.args["fd"] = prepared["fd"]
            call.args["arg"][0].values["buffers_ptr"][-1].values["handle"] = prepared["arg"][0].values["handle"]
        if what.returns:
            call.result = self.new(what.returns)
        for link in links(call):
            if type(link) is Out:
                self.alive.setdefault(link.resource, []).append(link.id)
        self.calls.append(call)

    def new(self, resource):
        self.next_id += 1
        return Out(self.next_id - 1, resource)

    def use(self, resource, depth):
        """A use of a resource, mostly one that there is, made for it if need be; else a number."""
        random = self.random
        known = self.alive.get(resource, [])
        declared = self.table.resources[resource].values
        if declared and random.random() < (0.5 if resource in ("context", "fb", "blob") and not known else 0.04):
            return random.choice(declared)
        if not known and depth < DEPTH and random.random() < 0.97 or known and depth < 2 and random.random() < (0.02 if resource == "card" else 0.12):
            producers = [call for call in self.table.producers(resource) if resource not in self.needs(call)] or self.table.producers(resource)
            self.make(random.choices(producers, [call.weight for call in producers])[0].name, depth + 1)
            known = self.alive.get(resource, [])
        if not known or random.random() < 0.02:
            return random.choice([*declared, 0xffffffff, 0, random.getrandbits(8)])
        way = random.random()
        if resource == "card":
            return Ref(known[0] if way < 0.85 else random.choice(known))
        return Ref(random.choice(known[-3:]) if way < 0.6 else random.choice(known))

    def needs(self, call):
        found = set()
        for one in call.parameters:
            if one.kind.name == "in":
                found.add(one.kind.target)
        return found

    def value(self, one, depth):
        if one.count > 1 and one.kind.name != "text":
            inner = copy.copy(one)
            inner.count = 1
            if one.kind.name == "first":
                return [self.value(inner, depth)] + [0] * (one.count - 1)
            return [self.value(inner, depth) for _ in range(one.count)]
        if one.struct:
            return self.record(one.struct, depth)
        kind, random = one.kind, self.random
        if kind.name == "in":
            return self.use(kind.target, depth)
        if kind.name == "out":
            return self.new(kind.target)
        if kind.is_pointer:
            return None if kind.optional and random.random() < 0.3 else self.pointed(kind, depth)
        return self.number(one)

    def number(self, one):
        kind, random = one.kind, self.random
        if kind.name in AUTOMATIC or kind.name in ("zero", "const", "text"):
            return default(self.table, one)
        if kind.name in ("pick", "first"):
            return random.choice(kind.values)
        if kind.name == "int":
            return random.randint(*kind.values)
        if kind.name == "enum":
            return random.choice(self.table.set_values(kind.target))
        if kind.name == "flags":
            values = self.table.set_values(kind.target)
            result = 0
            for value in random.sample(values, min(len(values), random.choice([0, 1, 1, 2, 3]))):
                result |= value
            return result
        return random.choice(INTERESTING) & (1 << 8 * one.size) - 1

    def pointed(self, kind, depth):
        random = self.random
        if kind.name == "string":
            return kind.target
        if kind.name == "batch":
            return self.packets.batch(random)
        if kind.name == "space":
            low, high = kind.values
            return random.choice([low, high, high, random.randint(low, high) & ~7])
        if kind.name == "buffer":
            low, high = kind.values
            return random.randbytes(min(high, max(low, random.randint(low, high) & ~3)))
        if kind.name == "ptr":
            return [self.record(kind.structs[0], depth)]
        if kind.name == "chain":
            return [self.record(random.choice(kind.structs), depth) for _ in range(random.choice([1, 1, 2, 3]))]
        return [self.element(kind, depth) for _ in range(random.randint(*kind.values))]

    def element(self, kind, depth):
        return self.value(kind.element, depth) if kind.element else self.record(self.random.choice(kind.structs), depth)

    def record(self, name, depth):
        return Rec(name, {one.name: self.value(one, depth) for one in self.table.structs[name].fields})


class Mutator:
    def __init__(self, table, packets, random):
        self.table, self.packets, self.random = table, packets, random

    def fresh(self):
        maker = Maker(self.table, self.packets, self.random)
        maker.make("open_card" if self.random.random() < 0.95 else "open_render")
        for _ in range(self.random.randint(3, FRESH_CALLS)):
            maker.any_call()
        return self.finished(maker.calls)

    def finished(self, calls):
        return bounded(self.table, self.packets, renumbered(calls))

    def mutated(self, calls, other):
        """A changed copy of `calls`; `other` is a program to take calls from."""
        calls = copied(calls)
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3, MAX_CHANGES])):
            ways = [self.change, self.change, self.change, self.insert, self.insert, self.insert, self.remove, self.duplicate]
            calls = self.random.choice(ways)(calls) if calls and self.random.random() < 0.95 else self.splice(calls, other)
        return self.finished(calls) or self.fresh()

    def insert(self, calls):
        at = len(calls) - min(self.random.randint(0, len(calls)), self.random.randint(0, len(calls)))
        maker = Maker(self.table, self.packets, self.random, calls[:at], self.first_id(calls))
        for _ in range(self.random.choice([1, 1, 2])):
            maker.any_call()
        return calls[:at] + maker.calls + calls[at:]

    def first_id(self, calls):
        return 1 + max([-1, *resources(calls)])

    def remove(self, calls):
        at = self.random.randrange(len(calls))
        return calls[:at] + calls[at + 1:]

    def duplicate(self, calls):
        at = self.random.randrange(len(calls))
        again = self.shifted([calls[at]], self.first_id(calls))
        to = self.random.randint(at + 1, len(calls))
        return calls[:to] + again + calls[to:]

    @staticmethod
    def shifted(calls, by):
        """A copy of `calls` with `by` added to the ids of what they produce, and to the uses of these."""
        own = resources(calls)

        def change(link):
            if type(link) is Out:
                return Out(link.id + by, link.resource)
            return Ref(link.id + by, link.add) if link.id in own else link

        return [mapped_call(call, change) for call in calls]

    def splice(self, calls, other):
        """A beginning of `calls`, then an end of `other`, whose resources are replaced by those of `calls` where it can be."""
        random = self.random
        head = calls[:random.randint(0, len(calls))]
        kinds, alive = resources(other), {}
        by = 1 + max([-1, *resources(head), *kinds])
        tail = self.shifted(other[random.randint(0, len(other)):], by)
        own = resources(tail)
        for identity, resource in resources(head).items():
            alive.setdefault(resource, []).append(identity)

        def change(link):
            if type(link) is Out or link.id in own:
                return link
            same = alive.get(kinds.get(link.id))
            return Ref(random.choice(same), link.add) if same else Ref(by - 1, link.add)  # by - 1: nothing produces it

        return head + [mapped_call(call, change) for call in tail]

    def change(self, calls):
        """Gives one value of one call another one."""
        random = self.random
        at = random.randrange(len(calls))
        spots = [place for place in places(self.table, calls[at]) if self.can_change(place)]
        if not spots:
            return calls
        place = random.choice(spots)
        maker = Maker(self.table, self.packets, random, calls[:at], self.first_id(calls))
        place.value = self.changed(place, maker)
        return calls[:at] + maker.calls + calls[at:]

    @staticmethod
    def can_change(place):
        one = place.field
        if isinstance(place.value, (Rec, Out)) or one.kind.name in ("string", "text") or one.kind.strict and one.kind.name in ("zero", "const"):
            return False
        return not (one.count > 1 and one.struct)

    def changed(self, place, maker):
        random, one, value = self.random, place.field, place.value
        kind = one.kind
        if isinstance(value, list) and kind.name == "batch":
            return self.changed_batch(value)
        if isinstance(value, list):
            return self.changed_list(one, value, maker)
        if isinstance(value, bytes):
            data = bytearray(value or b"\0")
            data[random.randrange(len(data))] = random.choice([0, 1, 0x7f, 0x80, 0xff, random.getrandbits(8)])
            return bytes(data)
        if kind.name == "in":
            if isinstance(value, Ref) and kind.target == "mapping" and one.size == 8 and random.random() < 0.2:
                return Ref(value.id, random.choice([0, 0x1000, 0x800, 8]))
            return maker.use(kind.target, 1)
        if kind.is_pointer:
            return None if value is not None and random.random() < 0.3 else maker.pointed(kind, 1)
        if kind.name in AUTOMATIC and value is not None:
            return None
        if kind.strict or random.random() < 0.6 and kind.name not in ("zero", "const", *AUTOMATIC):
            return maker.number(one)
        value = value if isinstance(value, int) else 0
        new = random.choice([random.choice(INTERESTING), value + 1, value - 1, value ^ 1 << random.randrange(8 * one.size)])
        return new & (1 << 8 * one.size) - 1

    def changed_list(self, one, value, maker):
        kind, random = one.kind, self.random
        if one.count > 1 or kind.name == "ptr":
            return value
        if value and random.random() < 0.4:
            at = random.randrange(len(value))
            return value[:at] + value[at + 1:]
        if len(value) >= 2 * max([2, *kind.values[1:]]):
            return value
        new = maker.record(random.choice(kind.structs), 1) if kind.name == "chain" else maker.element(kind, 1)
        at = random.randint(0, len(value))
        return value[:at] + [new] + value[at:]

    def changed_batch(self, batch):
        random = self.random
        batch = copy.deepcopy(batch)
        engine = random.choice(["rcs", "rcs", "bcs", "vcs", "vecs"])
        packets = [item for item in batch if isinstance(item, Packet)]
        way = random.random()
        if packets and way < 0.5:
            self.packets.change(random, random.choice(packets))
        elif batch and way < 0.65:
            batch.pop(random.randrange(len(batch)))
        elif way < 0.95 and len(batch) < 24:
            batch.insert(random.randint(0, len(batch)), self.packets.choose(random, engine))
        elif batch:
            batch[random.randrange(len(batch))] = random.getrandbits(32)
        return batch
