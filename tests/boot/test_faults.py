# SPDX-License-Identifier: GPL-2.0-or-later
"""Fault plans against i915: each row's line makes the driver enter the functions that are to handle it (docs/faults.md).

One guest for all rows; ftrace knows which functions ran."""
from driver import CONFIG, GuestTest, only_on

import fault_rows

TRACE = "/sys/kernel/tracing"


class FaultPlans(GuestTest):
    def setUp(self):
        """Without the shared guest: what a plan does to a driver stays."""

    def prepared_guest(self):
        guest = self.own_guest(cpus=fault_rows.CPUS)
        functions = sorted({name for row in fault_rows.ROWS + fault_rows.SLOW_ROWS for name in row.functions})
        pattern = "|".join(functions)
        self.sh(f"""set -e
            {fault_rows.HASTEN}
            # A compiler's copy of a function has a suffix.
            cut -d' ' -f1 {TRACE}/available_filter_functions | grep -xE '({pattern})([.][a-z0-9.]+)?' | sort -u >/tmp/functions
            cat /tmp/functions >{TRACE}/set_ftrace_filter
            echo function >{TRACE}/current_tracer""", machine=guest)
        self.known = self.functions_in(self.sh("cat /tmp/functions", machine=guest))
        self.assertGreater(len(self.known), 10, "ftrace has few of i915's functions")
        return guest

    @staticmethod
    def functions_in(text):
        return {word.split(".")[0] for word in text.split()}

    def fires(self, guest, row):
        """What is wrong with the row; empty: nothing."""
        self.sh(f"echo 0 >{TRACE}/tracing_on; echo >{TRACE}/trace; dmesg -C; echo 1 >{TRACE}/tracing_on", machine=guest)
        (status, out, err), fired = fault_rows.run(guest, row)
        ran = self.functions_in(self.sh(f"grep -oE '[a-zA-Z0-9_.]+ <-' {TRACE}/trace | cut -d' ' -f1 | sort -u", machine=guest))
        log = self.sh("dmesg", machine=guest)
        wrong = [f"`{row.script}` ended with {status}: {err}"] if status else []
        if row.lines and not fired:
            wrong.append("no line has fired")
        wanted = set(row.functions) & self.known
        if row.functions and not wanted & ran:
            wrong.append(f"none of {', '.join(row.functions)} ran; ftrace knows {', '.join(sorted(wanted)) or 'none'}")
        if row.log and row.log not in log:
            wrong.append(f"the log lacks '{row.log}'")
        for word in ("Oops", "BUG:", "Kernel panic", "general protection"):
            if word in log:
                wrong.append(f"the kernel says '{word}'")
        return [f"{row.name}: {'; '.join(wrong)}\n{out}{log[-1500:]}"] if wrong else []

    def check_rows(self, rows):
        guest = self.prepared_guest()
        wrong = []
        for row in rows:
            wrong += self.fires(guest, row)
        guest.put("faults", "")
        self.sh(fault_rows.RESET, machine=guest)
        self.assert_engines_store(guest)
        self.assertEqual(wrong, [], "\n".join(wrong))

    @only_on("softgen", "needs i915")
    def test_rows(self):
        if CONFIG["guest"] != "bookworm":
            self.skipTest("the functions are those of Linux 6.1")
        self.check_rows(fault_rows.ROWS)

    @only_on("softgen", "needs i915")
    def test_slow_rows(self):
        if CONFIG["guest"] != "bookworm" or not CONFIG.get("full"):
            self.skipTest("takes minutes: with --full")
        self.check_rows(fault_rows.SLOW_ROWS)
