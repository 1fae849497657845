# SPDX-License-Identifier: GPL-2.0-or-later
"""Which functions of the guest's modules a fuzzer's machine has entered, beside a run of scripts/coverage."""
import collections

import coverage
from common import print_table


def entered(machine):
    """{(module, name, ordinal)} of the functions that ran since the machine was started."""
    blocks = coverage.parse_blocks(machine.get("coverage-blocks"))
    known = coverage.functions(machine.module_symbols())
    return {(function.module, function.name, function.ordinal) for function, hits in zip(known, coverage.measure(known, blocks)[0]) if hits.entries}


def by_group(keys, old, group):
    """{group: [functions, entered in the old run, entered here, here alone]} of the functions that the old run knows."""
    counts = collections.defaultdict(lambda: [0, 0, 0, 0])
    for key, row in old.items():
        count, here = counts[group(row)], key in keys
        count[0] += 1
        count[1] += row["entries"] > 0
        count[2] += here
        count[3] += here and not row["entries"]
    return counts


def print_comparison(keys, old):
    """Functions by module, and by file where some of them ran here alone. `old`: coverage.read_rows()."""
    heading = ["functions", "the other run", "here", "here alone"]
    print()
    print_table([["module", *heading], *([name, *counts] for name, counts in sorted(by_group(keys, old, lambda row: row["module"]).items()))], left={0})
    print()
    files = by_group(keys, old, lambda row: f"{row['module']}: {row['file']}")
    print_table([["file", *heading], *([name, *counts] for name, counts in sorted(files.items()) if counts[3])], left={0})
