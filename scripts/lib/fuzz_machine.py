# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine of fuzzers of guest drivers: a kernel, an agent, the device, and executions that begin at a snapshot and repeat exactly.

One vCPU whose clock counts instructions (icount): guest time passes by what the guest does, and jumps when it sleeps. Engines work inside the
register write that submits to them (threads=0). So the same input, plan and snapshot give the same execution, whatever else the host does."""
import base64
import collections
import json
import os
import pathlib
import re
import time

import accel
import coverage
import fuzz_cores
import fuzz_image
import guest as guests
from common import Failure
from fuzz_plans import OPREGION
from qmp import QmpError

HARNESS = "/machine/peripheral/harness"
# Guest nanoseconds per instruction: 2^ICOUNT. A slower processor spends fewer instructions in loops that wait for a time to pass.
ICOUNT = 5
MEMORY = "256M"
# A batch that spins gives the processor back after so many commands.
POLL_COMMANDS = 2048
BOOT_SECONDS = 300
# Of guest time, and of the host's: an execution that reaches either has not ended.
LIMIT_US, LIMIT_SECONDS = 60_000_000, 30
# Guest time from the instruction of a checkpoint to the snapshot: after a suspend, executions differ by up to 1 us.
BEHIND_US = 2
POLL_SECONDS, DYING_SECONDS, TRACE_SECONDS = 0.05, 0.3, 5
ORACLES = [("KASAN", r"BUG: KASAN: .*"), ("oops", r"BUG: unable to handle .*|BUG: kernel NULL pointer.*|general protection fault.*|Oops: .*"),
           ("soft lockup", r"watchdog: BUG: soft lockup.*|rcu: INFO: .*stall.*"), ("BUG", r"kernel BUG at .*|BUG: .*"), ("WARN", r"WARNING: CPU.*"), ("hung task", r"INFO: task .* blocked for more than .*"),
           ("lockdep", r"WARNING: possible .*|WARNING: bad unlock.*|INFO: possible recursive locking.*"),
           ("panic", r"Kernel panic.*"),
           ("UBSAN", r"UBSAN: .*"), ("list", r"list_(?:add|del) corruption.*"), ("refcount", r"refcount_t: .*"), ("divide", r"divide error.*|invalid opcode.*")]

ENDLESS = ("no end", "soft lockup", "panic")
# Behind these the guest does not end its work.
FATAL = re.compile(rb"Kernel panic|soft lockup - CPU|rcu: INFO: .*stall")
LONGEST_FATAL = 128  # bytes
# A kernel that complains of a device without an end: the serial port takes the host 4 us per byte. The longest reports (a state of all engines) have 90 KiB.
MAX_CONSOLE = 256 << 10
# The last line of a panic's report. Other reports have none.
END_OF_REPORT = re.compile(rb"end Kernel panic")

# How an execution ended. end: done, limit (of guest time), silent (the host waited for too long), dead (the kernel says so), loud (the kernel has written more
# than MAX_CONSOLE). fresh: {classes, blocks, all} of coverage.
ALIVE = ("done", "loud")  # the guest would go on
Outcome = collections.namedtuple("Outcome", "end status time_ns output console fresh seconds")


def complaints(console):
    """[(oracle, line)] that a kernel's log shows, in order."""
    found = []
    for line in console.splitlines():
        for name, pattern in ORACLES:
            match = re.search(pattern, line)
            if match:
                found.append((name, match.group(0)))
                break
    return found


class FuzzMachine(guests.Machine):
    """`node`: where executions begin (reach() in scripts/guest/fuzz/agent.c). `module`: an i915.ko in place of the guest's."""

    def __init__(self, guest="bookworm", platform=None, node="submit", module=None, append="", device_args=""):
        kernel, ram_disk = fuzz_image.ram_disk(guest, module)
        # nokaslr: modules lie at the same addresses each time. Hung tasks are traced at level 6. The console shows what happens inside a suspend, too.
        words = ["nokaslr", "no_timer_check", "console=ttyS0", "no_console_suspend", "loglevel=7", "panic=0", "audit=0", "mitigations=off", "clocksource=tsc", "tsc=reliable",
                 f"FUZZ_NODE={node}", append]
        device = ",".join(filter(None, ["threads=0", f"poll-commands={POLL_COMMANDS}", f"coverage={coverage.MODULE_AREA}", "xres=640", "yres=480", device_args]))
        super().__init__(device_args=device, accelerator="tcg", memory=MEMORY, cpus=1, platform=platform, qemu_args=[
            "-icount", f"shift={ICOUNT},sleep=off", "-rtc", "base=2026-01-01,clock=vm", "-device", "softgen-harness,id=harness",
            "-kernel", str(kernel), "-initrd", str(ram_disk), "-append", " ".join(words)])
        # Without "fast" string instructions the kernel copies by eight bytes: TCG takes the same time for a byte.
        slow = {"tcg,thread=multi": "tcg,thread=single", accel.TCG[-1]: f"{accel.TCG[-1]},erms=off,fsrm=off,hypervisor=off"}
        self._arguments = [slow.get(word, word) for word in self._arguments]
        self._console_at, self._searched, self._request = 0, 0, pathlib.Path(self.serial).with_name("execution")
        self.image = ram_disk.stem  # what the guest is made of
        self._core = fuzz_cores.take()

    def _in_child(self):
        super()._in_child()
        if self._core:
            os.sched_setaffinity(0, {self._core.number})

    def close(self):
        super().close()
        if self._core:
            self._core.release()
            self._core = None

    def boot(self):
        """Starts QEMU, runs to the node and takes the snapshot; what the kernel said until then."""
        self.start()
        if self._wait(BOOT_SECONDS) != "stopped" or self._outcome()["end"] != "ready":
            raise self.gone("the fuzzer's guest did not reach its node")
        self.put("snapshot-take", True)
        return self._console()

    def advance(self, data, line):
        """Takes the snapshot where the fault plan's `line` fires in an execution: later ones begin with b"" as their input. The line may change nothing
        (`do or 0`): the guest goes on without it."""
        self._begin(data, line, LIMIT_US)
        fired = self.qmp.take(("SOFTGEN_FAULT",), LIMIT_SECONDS)
        self.qmp.command("stop")
        if not fired:
            raise Failure(f"the guest never came to '{line}'")
        # The event came when the guest was further already. The same execution again, which ends there.
        self._begin(data, line, (fired["data"]["time"] - self._outcome()["begin_ns"]) // 1000 + BEHIND_US)
        if not self.qmp.take(("SOFTGEN_FAULT",), LIMIT_SECONDS) or self._wait(LIMIT_SECONDS) != "stopped" or self._outcome()["end"] != "limit":
            raise Failure(f"the guest came to '{line}' at another time than before")
        self.put("faults-text", "")
        self.put("snapshot-take", True)
        self._console()

    def _begin(self, data, plan, limit_us):
        self._request.write_text(f"{limit_us}\n{base64.b64encode(data).decode()}\n{plan}")
        self.qmp.events.clear()
        self.put("begin", str(self._request), HARNESS)

    def execute(self, data, plan="", limit_us=LIMIT_US, seconds=LIMIT_SECONDS):
        """One execution from the snapshot on: the agent gets `data`, the device fails by `plan`. An Outcome. Raises Failure when QEMU ends."""
        began = time.monotonic()
        self._begin(data, plan, limit_us)
        how = self._wait(seconds)
        if how != "stopped":
            self.qmp.command("stop")
        outcome, fresh = self._get_all((HARNESS, "outcome"), (guests.GPU, "coverage-fresh"))
        if how == "stopped" and outcome["end"] == "done" and self._console_bytes() > MAX_CONSOLE:
            how = "loud"  # whether _wait() had seen it in time
        if how == "silent" or outcome["end"] == "limit":
            self._have_traced()
        return Outcome(outcome["end"] if how == "stopped" else how, outcome["status"], outcome["time_ns"], base64.b64decode(outcome["output"]).decode(errors="replace"),
                       self._console(), fresh, time.monotonic() - began)

    def _have_traced(self):
        """The guest does not end its work: its kernel panics at an NMI that it did not expect, and tells what it is doing."""
        self.qmp.events.clear()
        self.qmp.command("inject-nmi")
        self.qmp.command("cont")
        self._wait(TRACE_SECONDS)
        self.qmp.command("stop")

    def _outcome(self):
        return self._get_all((HARNESS, "outcome"))[0]

    def _get_all(self, *properties):
        """Values of properties (path, name) that are JSON."""
        return [json.loads(self.qmp.reply(number)) for number in self.qmp.send(*(("qom-get", {"path": path, "property": name}) for path, name in properties))]

    def _console(self):
        """What the kernel has written since the last call."""
        with open(self.serial, "rb") as log:
            log.seek(self._console_at)
            text = log.read()
        self._console_at += len(text)
        self._searched = self._console_at
        return text.decode(errors="replace")

    def _console_bytes(self):
        """How much the kernel has written since the last _console()."""
        return os.stat(self.serial).st_size - self._console_at

    def _says(self, pattern):
        """Whether the console's text matches, from the first part on that was not searched."""
        with open(self.serial, "rb") as log:
            log.seek(max(self._console_at, self._searched - LONGEST_FATAL))
            text = log.read()
            if found := pattern.search(text):
                return found
            self._searched = log.tell()
        return None

    def _let_report(self):
        """Waits until a kernel that dies has written its report."""
        deadline = time.monotonic() + DYING_SECONDS
        while time.monotonic() < deadline and not self._says(END_OF_REPORT):
            self.qmp.event((), POLL_SECONDS)

    def _wait(self, seconds):
        """Waits until the machine stops: "stopped", or "silent" after so many seconds of the host, "dead" or "loud"."""
        deadline = time.monotonic() + seconds
        while True:
            event = self.qmp.event(("STOP", "SUSPEND"), min(POLL_SECONDS, max(0, deadline - time.monotonic())))
            if event == "STOP":
                return "stopped"
            if event == "SUSPEND":
                self.qmp.command("system_wakeup")
            elif self._says(FATAL):
                self._let_report()
                return "dead"
            elif self._console_bytes() > MAX_CONSOLE:
                return "loud"
            elif time.monotonic() >= deadline:
                return "silent"

    def restored_hash(self):
        """Restores the snapshot, without an execution: a hash of memory, and one of devices."""
        self.put("snapshot-restore", True)
        return self.get("snapshot-hash")

    def firmware_offsets(self):
        """Offsets in the OpRegion: of nonzero bytes, and of the three after each, which may belong to the same value."""
        region = base64.b64decode(self.get("opregion", HARNESS))
        return sorted({near for at, byte in enumerate(region) if byte for near in range(at, min(at + 4, len(region)))})

    def module_symbols(self):
        """The symbols of the guest's modules, as /proc/kallsyms has them; of a machine whose agent takes inputs at its snapshot."""
        text = ""
        while part := self.execute(b"s%d" % len(text)).output:
            text += part
        return coverage.parse_symbols(text)

    def constants(self):
        """Numbers that the code of the guest's modules that ran so far compares with."""
        return [int(word, 16) for word in self.get("coverage-constants").split()]

    def trace_compares(self, values):
        """From now on compares with one of these numbers are recorded, until compares()."""
        self.put("coverage-compares", " ".join(f"{value:x}" for value in values))

    def compares(self):
        """Lines of what was recorded (fuzz_compares.read)."""
        text = self.get("coverage-compares")
        self.put("coverage-compares", "")
        return text

    def refuses(self, plan):
        """The device's sentence on a plan that is wrong, or None."""
        try:
            self.put("faults-text", "".join(line for line in plan.splitlines(True) if not line.startswith(OPREGION)))
        except QmpError as error:
            return str(error)
        return None
