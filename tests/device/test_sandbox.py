# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels under QEMU's seccomp filter, and without a working compiler: QEMU survives, does not contain LLVM, and reports once why it interprets."""
import contextlib
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest
from unittest import mock

import build
import endless
from machine import Machine

# What libvirt passes where qemu.conf's seccomp_sandbox is not 0.
LIBVIRT = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"
RAM = 0x4000000  # where the GGTT's region lies in guest memory
GTT = 0x800000
INTERPRETED = "EU JIT: kernels are interpreted"


class Sandbox(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="softgen-sandbox-")
        self.addCleanup(folder.cleanup)
        # A copy, so that its processes are known by their file.
        self.compiler = pathlib.Path(folder.name) / "softgen-eu-compiler"
        shutil.copy(build.PLUGIN.parent / "softgen-eu-compiler", self.compiler)

    def start(self, sandbox, compiler=None):
        environment = {"SOFTGEN_CACHE": "off", "SOFTGEN_ENGINE": "tiers", "SOFTGEN_JIT": "inprocess",
                       "SOFTGEN_EU_COMPILER": str(compiler or self.compiler)}
        with mock.patch.dict(os.environ, environment):
            machine = Machine(extra=["-sandbox", sandbox])
        self.addCleanup(machine.close)
        machine.map_bars()
        ptes = [RAM + page | 1 for page in range(0, endless.SIZE, 4096)]
        machine.write(machine.BAR0 + GTT, struct.pack(f"<{len(ptes)}Q", *ptes))
        return machine

    def run_kernel(self, machine, header_moves):
        """512 threads of a kernel that is another one for each number of moves, more than the interpreter runs before it wants code."""
        work = endless._threads(endless.ENDS, endless._walker(8), "GPGPU")
        words = [endless._MOVE_HEADER] * header_moves + [endless._END]
        work.memory[endless.INSTRUCTIONS + endless.ENDS] = struct.pack(f"<{2 * len(words)}Q", *(half for word in words for half in word))
        work.put(endless.RESULT, [0])
        for address, data in work.memory.items():
            machine.write(RAM + address, data)
        for offset, value in work.registers():
            machine.mmio_write(offset, value)
        machine.poll(lambda: machine.peek(RAM + endless.RESULT) == endless.FINISHED, "the walker's end")

    def compilers(self, state=""):
        """The compiler's processes that are confined; `state`: only those in this state (proc(5), status: "S")."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                status = (process / "status").read_text()
                if (process / "exe").readlink() == self.compiler and "Seccomp:\t2\n" in status and f"State:\t{state}" in status:
                    found.append(int(process.name))
        return found

    def greeted(self, machine):
        """A compiler that has sent its greeting, after which it sleeps until it gets a request. For QEMU, one that ends earlier has not started."""
        found = []
        machine.poll(lambda: found.extend(self.compilers("S")) or found, "a compiler that waits")
        return found[0]

    @staticmethod
    def has_ended(process):
        """Its files are closed: what is sent to it now is refused, and not lost."""
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
        except FileNotFoundError:
            return True

    def said(self, machine):
        return machine.errors.read_text().count(INTERPRETED)

    def ends(self, machine):
        self.assertNotIn("libLLVM", pathlib.Path(f"/proc/{machine.pid}/maps").read_text())
        machine.command("quit")
        status, words = machine.ended()
        self.assertEqual(status, 0, words)
        machine.poll(lambda: not self.compilers(), "the compiler's end")

    def interprets(self, machine):
        self.run_kernel(machine, 1)
        machine.poll(lambda: self.said(machine), "the sentence")
        self.run_kernel(machine, 2)
        self.assertEqual(self.said(machine), 1)
        self.assertEqual(self.compilers(), [])
        self.ends(machine)

    def compiles(self, machine):
        self.run_kernel(machine, 1)
        machine.poll(self.compilers, "the compiler")
        self.run_kernel(machine, 2)
        self.assertEqual(self.said(machine), 0)
        self.ends(machine)

    def test_libvirts_sandbox(self):
        machine = self.start(LIBVIRT)
        self.interprets(machine)
        self.assertIn("Operation not permitted", machine.errors.read_text())

    def test_sandbox_that_allows_processes(self):
        self.compiles(self.start("on,obsolete=deny,elevateprivileges=deny,spawn=allow,resourcecontrol=deny"))

    def test_libvirts_sandbox_with_a_compiler_that_listens(self):
        address = self.compiler.parent / "socket"
        with subprocess.Popen([self.compiler, "--listen", address]) as listener:
            self.addCleanup(listener.wait)
            self.addCleanup(listener.terminate)
            machine = self.start(LIBVIRT, f"unix:{address}")
            machine.poll(address.exists, "the socket")
            self.compiles(machine)
            listener.terminate()

    def test_no_sandbox(self):
        self.compiles(self.start("off"))

    def test_compiler_that_is_missing_or_no_compiler(self):
        for path in ("/nonexistent/softgen-eu-compiler", "/bin/false"):
            with self.subTest(path=path):
                self.interprets(self.start("off", path))

    def test_compiler_that_is_stopped_or_killed(self):
        machine = self.start("off")
        self.run_kernel(machine, 1)
        killed = self.greeted(machine)
        os.kill(killed, signal.SIGKILL)
        machine.poll(lambda: self.has_ended(killed), "the compiler's end")
        self.run_kernel(machine, 2)
        os.kill(self.greeted(machine), signal.SIGSTOP)
        self.run_kernel(machine, 3)
        self.ends(machine)
