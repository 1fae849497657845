# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/coverage: what it makes of symbols, blocks, sources and debug symbols, and its refusals. tests/boot/test_coverage.py runs it with a guest."""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from driver import ROOT, script

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import cmd_coverage  # noqa: E402
import coverage  # noqa: E402
import coverage_files  # noqa: E402
import coverage_lines  # noqa: E402
import fault_rows  # noqa: E402
import guest  # noqa: E402

SYMBOLS = """ffffffffc0001000 t first\t[i915]
ffffffffc0001010 t __pfx_second\t[i915]
ffffffffc0001020 T second\t[i915]
ffffffffc0001020 T init_module\t[i915]
ffffffffc0001040 t twin\t[i915]
ffffffffc0001050 t twin\t[i915]
ffffffffc0001060 t twin.cold\t[i915]
ffffffffc0001068 t twin.cold\t[i915]
ffffffffc0001070 T __SCT__call\t[i915]
ffffffffc0001078 t last\t[i915]
ffffffffc0004000 d data\t[i915]
ffffffffc0002000 t other\t[drm]
ffffffff81000000 T _stext
"""
BASE = 0xffffffffc0001000


def block(offset, size, count=1):
    return coverage.Block(BASE + offset, size, count)


def measured(*blocks):
    known = coverage.functions(coverage.parse_symbols(SYMBOLS))
    hits, rest = coverage.measure(known, list(blocks))
    return {(function.name, function.ordinal): tuple(hit) for function, hit in zip(known, hits) if hit.blocks}, rest


class Functions(unittest.TestCase):
    def test_extents(self):
        known = coverage.functions(coverage.parse_symbols(SYMBOLS))
        places = {(function.module, function.name, function.ordinal): [(start - BASE, end - BASE) for start, end in function.pieces] for function in known}
        self.assertEqual(places, {
            ("i915", "first", 0): [(0, 0x10)],  # padding is a symbol, too, but no function
            ("i915", "second", 0): [(0x20, 0x40)],  # not its alias init_module
            ("i915", "twin", 0): [(0x40, 0x50), (0x60, 0x68)],
            ("i915", "twin", 1): [(0x50, 0x60), (0x68, 0x70)],
            ("i915", "last", 0): [(0x78, 0x3000)],
            ("drm", "other", 0): [(0x1000, 0x2000)]})

    def test_a_function_is_entered_at_its_first_instruction_only(self):
        hits, rest = measured(block(0, 8, 3), block(8, 4, 2), block(0x24, 4, 9))
        self.assertEqual(hits, {("first", 0): (3, 2, 12), ("second", 0): (0, 1, 4)})
        self.assertEqual(rest, [])

    def test_overlapping_blocks_are_cut(self):
        # A jump into a block's middle, and a block that ended early.
        hits, _ = measured(block(0, 0x10, 2), block(4, 0xc, 5), block(0, 8, 1))
        self.assertEqual(hits, {("first", 0): (3, 3, 0x10)})

    def test_cold_parts_belong_to_their_function(self):
        hits, _ = measured(block(0x68, 8))
        self.assertEqual(hits, {("twin", 1): (0, 1, 8)})

    def test_blocks_of_other_modules_are_left(self):
        hits, rest = measured(block(0x100000, 8), block(0x10, 4))
        self.assertEqual((hits, rest), ({}, [block(0x10, 4), block(0x100000, 8)]))

    def test_since(self):
        self.assertEqual(coverage.less([block(0, 8, 5), block(8, 8, 2), block(16, 8, 1)], [block(0, 8, 3), block(8, 8, 2)]), [block(0, 8, 2), block(16, 8, 1)])
        self.assertEqual(coverage.parse_blocks("ffffffffc0001000 10 ff\n"), [block(0, 16, 255)])

    def test_a_module_that_moved(self):
        row = {"module": "i915", "name": "f", "ordinal": 0, "size": 16, "entries": 2, "blocks": 3, "bytes": 9}
        merged = coverage.merged({1: row}, {1: {**row, "entries": 1, "blocks": 4, "bytes": 8}, 2: row})
        self.assertEqual(merged, {1: {**row, "entries": 3, "blocks": 4, "bytes": 9}, 2: row})


class Reload(unittest.TestCase):
    """A module that a command loads again, 0x18 further on; it has functions of 0x10 bytes at 0, 0x10, 0x20, 0x30."""

    def guest(self, offset, *blocks):
        symbols = [coverage.Symbol(BASE + offset + i * 0x10, "t", name, "i915") for i, name in enumerate(("f", "g", "h", "i"))]
        symbols.append(coverage.Symbol(BASE + offset + 0x40, "d", "end", "i915"))
        return cmd_coverage.Guest(list(blocks), symbols, {"i915": pathlib.PurePath("i915.ko")}, {"i915": {".text": BASE + offset}})

    def entered(self, before, after, command_only):
        rows, *_ = cmd_coverage.measured(before, after, command_only)
        return {row["name"]: row["entries"] for row in rows.values() if row["entries"]}

    def test_without_a_reload(self):
        before, after = self.guest(0, block(0, 4, 2)), self.guest(0, block(0, 4, 3), block(0x10, 4, 1))
        self.assertEqual(self.entered(before, after, False), {"f": 3, "g": 1})
        self.assertEqual(self.entered(before, after, True), {"f": 1, "g": 1})

    def test_a_reload(self):
        # 0x0: only the earlier module's f; 0x48: only the present one's i; 0x30: i of the earlier or the second half of g's.
        before = self.guest(0, block(0, 4, 2))
        after = self.guest(0x18, block(0, 4, 3), block(0x30, 4, 8), block(0x48, 4, 5))
        self.assertEqual(self.entered(before, after, False), {"f": 3, "i": 5})
        self.assertEqual(self.entered(before, after, True), {"f": 1, "i": 5})


SOURCE = """
/* int in_comment(void) { } */
#define MACRO(x) int x##_made(void) { }
static int declared(int a);
static const struct ops table = { .a = 1 };
static int __must_check
one(struct a *x,
    int y)
{
    if (y) { call(x); }
}
struct thing *two(void) { return 0; }
MACRO(two)
"""


class Files(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.tree = pathlib.Path(work.name)
        for path, text in {"i915/a.c": SOURCE, "i915/gt/b.c": "int one(void)\n{\n}\nint three(void)\n{\n}\n", "drm_x.c": "int other(void)\n{\n}\n"}.items():
            (self.tree / "drivers/gpu/drm" / path).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / "drivers/gpu/drm" / path).write_text(text)

    def names(self, path):
        return coverage_files.definitions(self.tree, pathlib.PurePath(path))

    def test_definitions(self):
        self.assertEqual(self.names("drivers/gpu/drm/i915/i915.ko.xz"), {"one": {"a.c", "gt/b.c"}, "two": {"a.c"}, "three": {"gt/b.c"}})
        self.assertEqual(self.names("drivers/gpu/drm/drm.ko"), {"other": {"drm_x.c"}})
        self.assertEqual(self.names("drivers/gpu/xyz/xyz.ko"), {})

    def test_neighbours_decide(self):
        order = ["two", "one", "two_made", "__traceiter_x", "three.isra.0", "one"]
        known = [coverage.Function("i915", name, order[:i].count(name), ((i * 16, i * 16 + 16),)) for i, name in enumerate(order)]
        files = coverage_files.by_source(known, self.names("drivers/gpu/drm/i915/i915.ko"))
        self.assertEqual([files.get(("i915", name, order[:i].count(name))) for i, name in enumerate(order)], ["a.c", "a.c", "a.c", None, "gt/b.c", "gt/b.c"])

    def test_groups_without_files(self):
        for name, group in {"intel_gt_reset": "intel_gt*", "__intel_gt_set_wedged": "intel_gt*", "probe": "probe*", "f.part.0": "f*",
                            "__traceiter_i915_x": "(trace events)"}.items():
            self.assertEqual(coverage_files.by_prefix(name), group)


MODULE = """static int helper(int x) {
  if (x > 3)
    return x * 5;
  return x;
}
int entry(int x) {
  return helper(x) + helper(x + 1);
}
extern int kernel_function(int);
__attribute__((section(".text.unlikely"))) int cold(int x) {
  return kernel_function(x) + 1;
}
"""


class Lines(unittest.TestCase):
    """A relocatable object with DWARF, as a module with debug symbols is."""

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        folder = pathlib.Path(work.name)
        (folder / "gt").mkdir()
        (folder / "gt/m.c").write_text(MODULE)
        subprocess.run(["gcc", "-g", "-O1", "-fno-inline", "-fcf-protection=none", "-ffreestanding", "-mcmodel=kernel", "-fno-pic", "-c", "gt/m.c", "-o", "m.ko"],
                       cwd=folder, check=True)
        self.sections = {".text": BASE, ".text.unlikely": BASE + 0x8000}
        self.table = coverage_lines.line_table(folder / "m.ko", self.sections)
        symbols = subprocess.run(["nm", folder / "m.ko"], capture_output=True, text=True, check=True).stdout
        offsets = {row.split()[2]: int(row.split()[0], 16) for row in symbols.splitlines() if len(row.split()) == 3}
        self.known = coverage.functions([coverage.Symbol(self.sections[".text.unlikely" if name == "cold" else ".text"] + offset, "t", name, "m")
                                         for name, offset in offsets.items()])

    def start(self, name):
        return next(function.pieces[0][0] for function in self.known if function.name == name)

    def test_functions_have_their_file(self):
        self.assertEqual(coverage_lines.by_lines(self.known, self.table), {("m", name, 0): "gt/m.c" for name in ("helper", "entry", "cold")})

    def test_lines_are_counted(self):
        whole = next(row.end for row in reversed(self.table) if row.end < BASE + 0x8000) - self.start("entry")
        blocks = [coverage.Block(self.start("entry"), whole, 7)]
        lines = coverage_lines.counted(self.table, blocks)["gt/m.c"]
        self.assertEqual({line: count for line, count in lines.items() if count}, {6: 7, 7: 7, 8: 7})
        self.assertLessEqual({1, 3, 6, 7, 10}, set(lines))

    def test_tracefile(self):
        hits, _ = coverage.measure(self.known, [coverage.Block(self.start("cold"), 4, 2)])
        text = coverage_lines.lcov(self.table, [coverage.Block(self.start("cold"), 4, 2)], self.known, hits).splitlines()
        for row in ("SF:gt/m.c", "FN:1,helper", "FN:6,entry", "FNDA:2,cold", "FNDA:0,entry", "FNF:3", "FNH:1", "DA:10,2", "DA:7,0", "end_of_record"):
            self.assertIn(row, text)

    def test_an_object_that_is_none(self):
        with tempfile.NamedTemporaryFile() as empty, self.assertRaises(coverage_lines.Failure):
            coverage_lines.line_table(empty.name, self.sections)


def row(name, entries, file="intel_reset.c"):
    return {"module": "i915", "name": name, "ordinal": 0, "file": f"drivers/gpu/drm/i915/gt/{file}", "entries": entries, "blocks": entries, "bytes": entries}


class Comparison(unittest.TestCase):
    def test_error_paths_that_the_old_run_did_not_enter(self):
        rows = [row("entered", 1), row("both", 2), row("neither", 0), row("other", 3, "intel_ring.c")]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            cmd_coverage.print_comparison(rows, {("i915", "both", 0), ("i915", "gone", 0)})
        self.assertIn("2 functions newly entered; 1 of the old run's were not entered", out.getvalue())
        self.assertIn(["reset", "3", "2", "1"], [line.split() for line in out.getvalue().splitlines()])


class SilentGuest:
    """A machine whose guest stops answering at its second fault."""

    def __init__(self):
        self.faults = []

    def get(self, name):  # pylint: disable=unused-argument
        return str(len(self.faults))

    def put(self, name, value):
        if name == "faults-add" and value.startswith("on "):
            self.faults.append(value)

    def capture(self, script, timeout):  # pylint: disable=unused-argument
        if len(self.faults) > 1:
            raise guest.TimedOut("the command did not end within 180 s")
        return 0, "", ""


class FaultRows(unittest.TestCase):
    def test_endless_script(self):
        machine = SilentGuest()
        rows = [fault_rows.Row(name, (f"on {name} do never",), "true") for name in ("first", "second", "third")]
        with mock.patch.object(fault_rows, "ROWS", tuple(rows)), contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertFalse(cmd_coverage.run_fault_rows(machine))
        self.assertEqual(machine.faults, ["on first do never", "on second do never"])
        self.assertIn("did not end", said.getvalue())


class Refusals(unittest.TestCase):
    def test_wrong_uses(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as wrong:
            wrong.write(json.dumps({"functions": [{}]}))
            wrong.flush()
            cases = {(): "no command", ("--source", "/nonexistent", "--", "true"): "--source", ("--json", "/nonexistent/x", "--", "true"): "--json",
                     ("--faults", "/nonexistent", "--", "true"): "--faults", ("--compare", "/nonexistent", "--", "true"): "--compare",
                     ("--compare", wrong.name, "--", "true"): "no file that scripts/coverage --json wrote",
                     ("--faults", "all", "--overlay", "/tmp"): "--overlay cannot be given"}
            for arguments, complaint in cases.items():
                with self.subTest(arguments):
                    done = script("coverage", "--no-setup", *arguments)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn(complaint, done.stderr)
