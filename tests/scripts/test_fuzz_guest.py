# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/fuzz guest: its table against the C headers, its programs' forms, its generator. tests/boot/test_fuzz_guest.py runs programs in a guest."""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

from driver import ROOT, script

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import cmd_fuzz_guest  # noqa: E402
import fuzz_compares  # noqa: E402
import fuzz_coverage  # noqa: E402
import fuzz_generate  # noqa: E402
import fuzz_guest  # noqa: E402
import fuzz_machine  # noqa: E402
import fuzz_packets  # noqa: E402
import fuzz_program  # noqa: E402
import fuzz_syzlang  # noqa: E402
import fuzz_table  # noqa: E402
import fuzz_text  # noqa: E402

SEED = 20261125
TABLE = fuzz_table.load()
PACKETS = fuzz_packets.load("gen9")
HEADERS = ["stddef.h", "poll.h", "sys/mman.h", "time.h", "i915_drm.h", "drm_fourcc.h", "linux/sync_file.h", "linux/dma-buf.h"]


def programs(count, seed=SEED, packets=PACKETS):
    """Some made from nothing, then as many changed ones."""
    mutator = fuzz_generate.Mutator(TABLE, packets, random.Random(seed))
    made = [mutator.fresh() for _ in range(count)]
    for index in range(count):
        made.append(mutator.mutated(made[index], made[-1]))
    return made


class Table(unittest.TestCase):
    def test_structures_requests_and_values_are_those_of_the_headers(self):
        lines = ["#define _GNU_SOURCE"] + [f"#include <{name}>" for name in HEADERS]
        for struct in TABLE.structs.values():
            if struct.note == "virtual" or "/" in struct.name:
                continue
            lines += [f'_Static_assert(offsetof(struct {struct.name}, {one.name}) == {one.offset}, "{struct.name}.{one.name}");' for one in struct.fields]
            if struct.note != "flexible":
                lines.append(f'_Static_assert(sizeof(struct {struct.name}) == {struct.size}, "{struct.name}");')
        for call in TABLE.calls.values():
            if call.ioctl:
                lines.append(f'_Static_assert({call.ioctl[3]} == {call.parameters[1].kind.values[0]:#x}u, "{call.name}");')
        for _, values in TABLE.sets.values():
            lines += [f'_Static_assert((unsigned long long){name} == {value:#x}ull, "{name}");' for name, value in values.items()]
        self.assertGreater(len(lines), 800)
        with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
            source.write("\n".join(lines) + "\n")
            source.flush()
            done = subprocess.run(["cc", "-fsyntax-only", "-I/usr/include/libdrm", source.name], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])

    def test_variants_have_the_size_of_their_structure(self):
        for struct in TABLE.structs.values():
            self.assertEqual(struct.size, TABLE.structs[struct.c_name].size, struct.name)

    def test_every_call_can_be_made_and_encoded(self):
        for name, what in TABLE.calls.items():
            maker = fuzz_generate.Maker(TABLE, PACKETS, random.Random(SEED))
            maker.make(name)
            self.assertEqual(maker.calls[-1].name, name)
            self.assertLess(len(fuzz_program.encode(TABLE, PACKETS, maker.calls)), 65536, name)
            if what.ioctl and what.parameters[2].kind.structs:
                record = maker.calls[-1].args["arg"][0]
                self.assertEqual(record.struct, what.parameters[2].kind.structs[0])

    def test_a_wrong_declaration_is_refused(self):
        for text, complaint in (("ioctl X rw d 0x1 none", "none"), ("struct X\n  u32 a : in nothing", "no resource nothing"), ("struct X\n  u9 a : zero", "u9"),
                                ("struct X\n  u32 a : len b", "no field b"), ("resource lonely u32", "nothing produces")):
            with tempfile.TemporaryDirectory() as folder, self.subTest(text):
                (pathlib.Path(folder) / "a.def").write_text(text + "\n")
                with self.assertRaises(SystemExit) as stop:
                    fuzz_table.load(pathlib.Path(folder))
                self.assertIn(complaint, str(stop.exception))


class Packets(unittest.TestCase):
    def test_lengths_and_headers(self):
        for name in fuzz_packets.SETS:
            packets = fuzz_packets.load(name)
            for command, layout in packets.commands.items():
                words = packets.dwords(fuzz_packets.Packet(command, {}, layout.dwords))
                self.assertEqual(len(words), layout.dwords)
                if layout.length_bits:
                    high, low = layout.length_bits
                    self.assertEqual(words[0] >> low & (1 << high - low + 1) - 1, layout.dwords - 2 & (1 << high - low + 1) - 1, command)

    def test_a_store(self):
        packet = fuzz_packets.Packet("MI_STORE_DATA_IMM", {"Address": 0x100001040, "Immediate Data": 7}, 4)
        self.assertEqual(PACKETS.dwords(packet), [0x20 << 23 | 2, 0x1040, 1, 7])


class Programs(unittest.TestCase):
    def test_text_and_back(self):
        for calls in programs(40):
            text = fuzz_text.write(TABLE, calls)
            again = fuzz_text.read(TABLE, text, PACKETS)
            self.assertEqual(fuzz_text.write(TABLE, again), text)
            self.assertEqual(fuzz_program.encode(TABLE, PACKETS, again), fuzz_program.encode(TABLE, PACKETS, calls))

    def test_a_seed_repeats(self):
        first, second, other = (["".join(fuzz_text.write(TABLE, calls)) for calls in programs(10, seed)] for seed in (1, 1, 2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, other)

    def test_traced_values_exclude_sizes_of_spaces(self):
        rng, largest = random.Random(SEED), (1 << 64) - 1
        read = fuzz_text.read(TABLE, "r0 = open_card(flags=0x2)\nread_card(fd=r0, data=0x20)", PACKETS)
        for calls in [read] * 40 + programs(20):
            if group := fuzz_guest.random_value(TABLE, rng, calls):
                self.assertLess(len(fuzz_program.encode(TABLE, PACKETS, group.tagged([largest]))), 2 * fuzz_program.MAX_BYTES)

    def test_bounds_and_order(self):
        for calls in programs(60, SEED + 1):
            self.assertLessEqual(len(calls), fuzz_program.MAX_CALLS)
            self.assertLessEqual(len(fuzz_program.encode(TABLE, PACKETS, calls)), fuzz_program.MAX_BYTES)
            known = set()
            for call in calls:
                for link in fuzz_program.links(call):
                    if isinstance(link, fuzz_program.Ref):
                        self.assertIn(link.id, known)
                known |= set(fuzz_program.produced(call))

    def test_the_seeds_of_all_sets(self):
        for name in fuzz_packets.SETS:
            packets = fuzz_packets.load(name)
            for text in fuzz_guest.read_programs(fuzz_guest.SEEDS):
                calls = fuzz_text.read(TABLE, text, packets)
                self.assertEqual(len(fuzz_program.bounded(TABLE, packets, calls)), len(calls))

    def test_wrong_text_is_refused_with_its_line(self):
        for text, complaint in (("r0 = open_card()\nnothing()", "line 2"), ("I915_GEM_CREATE(fd=r0, arg=[{sise=1}])", "no 'sise'"),
                                ('I915_GEM_PWRITE/batch(arg=[{data_ptr=<"NOTHING">}])', "no packet"), ("close_card(fd=)", "line 1"), ("close_card(fd=r0", "line 1")):
            with self.subTest(text), self.assertRaises(fuzz_text.TextProblem) as raised:
                fuzz_text.read(TABLE, text, PACKETS)
            self.assertIn(complaint, str(raised.exception))

    def test_smaller(self):
        text = fuzz_guest.read_programs(fuzz_guest.SEEDS)[0]
        calls = fuzz_text.read(TABLE, text, PACKETS)

        def repeats(program):
            return any(call.name == "I915_GEM_EXECBUFFER2" and call.args["arg"] and call.args["arg"][0].values["flags"] & 1 for call in program)

        least = fuzz_guest.smaller(TABLE, calls, repeats)
        self.assertEqual([call.name for call in least], ["I915_GEM_EXECBUFFER2"])
        self.assertEqual(least[0].args["arg"][0].values["buffers_ptr"], None)


class Agent(unittest.TestCase):
    """The interpreter itself, built for this machine: calls that need no device."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        agent = ROOT / "scripts" / "guest" / "fuzz"
        main = pathlib.Path(cls.folder.name) / "main.c"
        main.write_text(f"""#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "{agent}/programs.h"
void tell(const char* format, ...) {{ va_list a; va_start(a, format); vprintf(format, a); va_end(a); }}
int write_text(const char* path, const char* text) {{ (void)path; (void)text; return 0; }}
void prepare_isolation(void) {{}}
int isolation_holds(void) {{ return !getenv("BROKEN"); }}
int main(void) {{ static unsigned char bytes[65536]; size_t size = fread(bytes, 1, sizeof bytes, stdin); prepare_programs();
  setbuf(stdout, 0); int status = run_program(bytes, size); printf("status %d\\n", status); }}
""")
        cls.program = pathlib.Path(cls.folder.name) / "agent"
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-o", cls.program, main, agent / "programs.c"], check=True)

    def run_bytes(self, data, **environment):
        done = subprocess.run([self.program], input=data, capture_output=True, timeout=60, check=False, env=environment)
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode()

    def run_text(self, text):
        return self.run_bytes(fuzz_program.encode(TABLE, PACKETS, fuzz_text.read(TABLE, text, PACKETS)))

    def test_results_are_passed_on(self):
        self.assertEqual(self.run_text('r0 = map_memory(length=0x1000, protection=3, flags=0x22)\nstore_words(at=r0, data="01020304")\n'
                                       "load_words(at=r0, count=0x1000)\nunmap(address=r0)\nload_words(at=r0, count=4)\n"), "0 0 0 0 14 status 0\n")

    def test_errors_are_told(self):
        # A resource that nothing made; an access beyond the mapping; a time that is none.
        self.assertEqual(self.run_text("close_card(fd=0xffffffff)\nr0 = map_memory(length=0x1000, protection=3, flags=0x22)\nload_words(at=r0, offset=0xff8, count=64)\n"
                                       "sleep(time=[{tv_nsec=0x7fffffff}])\n"), "9 0 6 22 status 0\n")

    def test_pointers_and_lengths(self):
        self.assertEqual(self.run_text("poll(fds=[pollfd{fd=0xffffffff, events=1}], timeout=0)\n"), "0 status 0\n")

    def test_broken_isolation_is_the_status(self):
        self.assertEqual(self.run_bytes(fuzz_program.encode(TABLE, PACKETS, []), BROKEN="1"), f"status {fuzz_guest.BROKEN_ISOLATION}\n")

    def test_malformed_programs_are_refused(self):
        good = fuzz_program.encode(TABLE, PACKETS, fuzz_text.read(TABLE, "r0 = map_memory(length=0x1000, protection=3, flags=0x22)\nunmap(address=r0)\n", PACKETS))
        for cut in range(len(good)):
            self.assertIn("status 2", self.run_bytes(good[:cut]) if cut >= 4 else "status 2")
        # Bits of its structure changed; not the numbers of its calls (at 5, 6, and of the second) or their arguments.
        for at in (4, 12, 15, 16, 17):
            damaged = bytearray(good)
            damaged[at] = 0xff
            self.assertIn("status 2", self.run_bytes(bytes(damaged)), at)


def outcome(**facts):
    return fuzz_machine.Outcome(**{"end": "done", "status": 0, "time_ns": 0, "output": "", "console": "", "fresh": {}, "seconds": 0, **facts})


class Findings(unittest.TestCase):
    OOPS = ("[    1.0] WARNING: CPU: 0 PID: 1 at mm/page_alloc.c:5634 __alloc_pages+0x2a9/0x330\n[    1.0] RIP: 0010:__alloc_pages+0x2a9/0x330\n"
            "[    1.0]  ? hsw_is_valid_mux_addr+0x70/0x70 [i915]\n[    1.0]  __kmalloc+0xbf/0x150\n[    1.0]  alloc_oa_regs.part.0+0x32/0x110 [i915]\n")

    def test_what_is_one(self):
        for facts, oracle in (({}, None), ({"status": 1}, "isolation"), ({"end": "limit"}, "no end"), ({"end": "silent", "console": "Kernel panic - NMI"}, None),
                              ({"end": "dead", "console": "Kernel panic - not syncing"}, "panic"),
                              ({"end": "dead", "console": fuzz_guest.NO_MEMORY}, None), ({"console": self.OOPS}, "WARN")):
            found = fuzz_guest.finding_of(outcome(**facts))
            self.assertEqual(found and found[0], oracle, facts)
        with self.assertRaises(fuzz_guest.Failure):
            fuzz_guest.finding_of(outcome(status=2))

    def test_its_name_has_the_drivers_function(self):
        found = fuzz_guest.finding_of(outcome(console=self.OOPS))
        self.assertEqual(fuzz_guest.signature(*found, self.OOPS), "WARN: mm/page_alloc.c:5634 in alloc_oa_regs.part.0")


class Syzlang(unittest.TestCase):
    def test_it_is_written_once_and_refers_to_what_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = {path.name: path.read_text() for path in fuzz_syzlang.write(pathlib.Path(folder))}
        text = texts["dev_softgen.txt"] + texts["dev_softgen_packets.txt"]
        declared = re.findall(r"^(?:resource |type )?([\w$]+)(?:\[| = | \{| \[| softgen)", text, re.M)
        self.assertEqual(len(set(declared)), len(declared))
        used = set(re.findall(r"\b(softgen_\w+)", re.sub(r"\w+\$softgen\w*", "", text)))
        self.assertEqual(used - set(declared), set())
        self.assertEqual(text.count("\nioctl$softgen_"), sum(call.number == fuzz_table.NR_IOCTL for call in TABLE.calls.values()))
        self.assertIn("\nsoftgen_mi_batch_buffer_end {", text)


class Command(unittest.TestCase):
    def test_kept_corpus_is_readable(self):
        campaign = fuzz_guest.Campaign(argparse.Namespace(compares=False, platform="kbl"), "1")
        campaign.corpus = [fuzz_guest.Entry(campaign.mutator.fresh(), 0.1) for _ in range(3)]
        with tempfile.TemporaryDirectory() as name:
            cmd_fuzz_guest.keep_corpus(pathlib.Path(name), [campaign])
            texts = {path.read_text() for path in pathlib.Path(name).glob("*.program")}
        self.assertEqual(texts, {fuzz_text.write(TABLE, entry.calls) for entry in campaign.corpus})
        for text in texts:
            campaign.parse(text)

    def test_show_needs_no_machine_and_repeats(self):
        first, second = (script("fuzz", "guest", "--show", "2", "--seed", "5") for _ in range(2))
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        self.assertEqual(first.stdout, second.stdout)
        for text in first.stdout.strip().split("\n\n"):
            fuzz_text.read(TABLE, text, PACKETS)

    def test_refusals(self):
        for words, complaint in ((["--jobs", "0"], "--jobs"), (["--repro", "/nothing"], "cannot be read"), (["--keep", "/nothing"], "no directory"),
                                 (["--repro", __file__], "is no program")):
            done = script("fuzz", "guest", *words)
            self.assertEqual(done.returncode, 1)
            self.assertIn(complaint, done.stderr)


class Coverage(unittest.TestCase):
    def test_functions_by_group(self):
        def row(name, entries, file):
            return ("i915", name, 0), {"module": "i915", "name": name, "ordinal": 0, "entries": entries, "file": file}

        old = dict([row("both", 3, "a.c"), row("there", 1, "a.c"), row("here", 0, "a.c"), row("neither", 0, "b.c")])
        keys = {("i915", "both", 0), ("i915", "here", 0), ("i915", "of another kernel", 0)}
        self.assertEqual(fuzz_coverage.by_group(keys, old, lambda row: row["file"]), {"a.c": [3, 2, 2, 1], "b.c": [1, 0, 0, 0]})
        self.assertEqual(fuzz_coverage.by_group(keys, old, lambda row: row["module"]), {"i915": [4, 2, 2, 1]})


class Compares(unittest.TestCase):
    def test_a_number_becomes_what_it_is_compared_with(self):
        calls = fuzz_text.read(TABLE, "r0 = open_card(flags=0x80002)\nI915_GEM_CREATE(fd=r0, arg=[{size=0x1000, handle=new r1}])\n", PACKETS)
        rng = random.Random(SEED)
        tracer = fuzz_compares.Tracer(rng, lambda: fuzz_guest.random_value(TABLE, rng, calls))
        sizes = set()
        for _ in range(60):
            attempt = tracer.traced()
            if attempt:
                size = attempt[1].args["arg"][0].values["size"]
                attempt.compares = [fuzz_compares.Compare(0x1000, 8, "cmp", size, 0x123456789A)]
                tracer.seen(attempt)
                fuzz_program.encode(TABLE, PACKETS, attempt)
        for candidate in iter(tracer.candidate, None):
            sizes.add(candidate[1].args["arg"][0].values["size"])
        self.assertLessEqual({0x123456789A, 0x123456789B, 0x1234567899}, sizes)
        self.assertEqual(calls[1].args["arg"][0].values["size"], 0x1000)


if __name__ == "__main__":
    unittest.main()
