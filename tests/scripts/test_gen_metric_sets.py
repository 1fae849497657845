# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/gen_metric_sets.py: the table generated from a small metric_sets.def, checked by the compiler, and errors."""
import unittest

from driver import GeneratorTest, script

SETS = """# Comments and empty lines count for nothing.
platform small

set Busy 0x0123456789abcdef
  B0 sampler_busy  B7 vertex_reads   # B6 + B7
  C3 memory_reads
set Test 0xfedcba9876543210 test_pattern
  B0-7 events  C1-2 clock
set Empty 0x0000000000000001
"""
CHECKS = """#include <string_view>
#include "gen0.h"
using namespace softgen::defs;
using enum OaSignal;
constexpr auto sets = gen0::small_metric_sets;
static_assert(sets.size() == 3);
static_assert(sets[0].mux == 0x0123456789abcdef && sets[0].name == std::string_view("Busy") && !sets[0].test_pattern);
static_assert(sets[0].b == std::array{sampler_busy, none, none, none, none, none, none, vertex_reads});
static_assert(sets[0].c == std::array{none, none, none, memory_reads, none, none, none, none});
static_assert(sets[1].test_pattern && sets[1].b[0] == events && sets[1].b[7] == events);
static_assert(sets[1].c == std::array{none, clock, clock, none, none, none, none, none});
static_assert(sets[2].b == std::array<OaSignal, 8>{} && sets[2].c == sets[2].b);
"""


class MetricSets(GeneratorTest, unittest.TestCase):
    def generate(self, text):
        (self.out / "metric_sets.def").write_text(text)
        return script("gen_metric_sets.py", "gen0", str(self.out), str(self.out / "metric_sets.def"))

    def test_table(self):
        self.assert_accepted(self.generate(SETS))
        self.assert_compiles(CHECKS)

    def test_what_it_refuses(self):
        head = "platform small\nset A 0x0123456789abcdef\n"
        self.assert_refused(self.generate, (
            ("  B0 clock\n", "metric_sets.def:1: an indented line without a set"),
            ("platform small\nplatform other\n", "metric_sets.def:2: unknown line, or a second platform"),
            ("set A\n", "metric_sets.def:1: unknown line"),
            ("set A 0x1234\n", "metric_sets.def:1: a set is"),
            ("set A 0x0123456789abcdef pattern\n", "metric_sets.def:1: a set is"),
            (head + "  B0\n", "metric_sets.def:3: counters without a signal"),
            (head + "  B8 clock\n", "metric_sets.def:3: no counter or no signal: B8"),
            (head + "  A0 clock\n", "metric_sets.def:3: no counter or no signal: A0"),
            (head + "  B0-2 events B2 clock\n", "metric_sets.def:3: a second signal for B2"),
            (head + "set B 0x0123456789abcdef\n", "metric_sets.def:3: B has the hash or the name of A"),
            (head + "set A 0x0123456789abcde0\n", "metric_sets.def:3: A has the hash or the name of A"),
            ("set A 0x0123456789abcdef\n", "metric_sets.def: no platform"),
            ("platform small\n", "metric_sets.def: no platform, or no sets")))


if __name__ == "__main__":
    unittest.main()
