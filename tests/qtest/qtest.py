# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives a stock QEMU that has softgen.so loaded: QMP, the qtest protocol, and PCI configuration space over it.

The qtest protocol is lines of text on a socket (QEMU's system/qtest.c); addresses and values are hexadecimal. Distributions leave out
QEMU's qtest accelerator, so the machine runs under TCG with firmware whose every byte is HLT: its CPU sleeps from the first instruction
on, the tests are the only ones on the bus, and the clock is the real one."""
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time

QEMU = os.environ.get("QEMU", "qemu-system-x86_64")
PLUGIN = os.environ.get("SOFTGEN_SO", "build/softgen.so")
DEVICE = "intel-gpu-kbl"
LIMIT_S = 60
GPU = (2, 0)  # slot and function the tests put the device at


class Line:
    """A socket read by lines."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT_S)
        deadline = time.monotonic() + LIMIT_S
        while True:
            try:
                self.socket.connect(str(path))
                break
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        self.file = self.socket.makefile("r")

    def send(self, text):
        self.socket.sendall(text.encode() + b"\n")

    def receive(self):
        line = self.file.readline()
        if not line:
            raise EOFError("QEMU closed the connection")
        return line.rstrip("\n")


class QmpError(Exception):
    pass


class Qmp:
    def __init__(self, path):
        self.line = Line(path)
        self.events = []
        json.loads(self.line.receive())
        self("qmp_capabilities")

    def __call__(self, command, **arguments):
        arguments = {key.replace("_", "-"): value for key, value in arguments.items()}
        self.line.send(json.dumps({"execute": command, "arguments": arguments}))
        while True:
            answer = json.loads(self.line.receive())
            if "event" in answer:
                self.events.append(answer)
            elif "error" in answer:
                raise QmpError(answer["error"]["desc"])
            else:
                return answer["return"]

    def hmp(self, line):
        return self("human-monitor-command", **{"command-line": line})

    def wait_status(self, command, wanted, failed=("failed", "cancelled")):
        """Polls a query-* command until its status is `wanted`."""
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            status = self(command).get("status")
            if status == wanted:
                return
            if status in failed:
                raise QmpError(f"{command}: {status}")
            time.sleep(0.02)
        raise TimeoutError(f"{command} is not {wanted} after {LIMIT_S} s")


class Machine:
    """One QEMU. Its CPU sleeps and the methods below are the bus, unless `firmware` lets SeaBIOS run."""

    def __init__(self, device="", machine="q35", firmware=False, memory="256M", extra=(), gpu=True):
        self.folder = tempfile.TemporaryDirectory(prefix="softgen-qtest-")
        self.path = pathlib.Path(self.folder.name)
        arguments = [QEMU, "-M", machine, "-accel", "tcg", "-m", memory, "-display", "none", "-nodefaults", "-vga", "none",
                     "-plugin", PLUGIN, "-qmp", f"unix:{self.path}/qmp,server=on,wait=off",
                     "-qtest", f"unix:{self.path}/qtest,server=on,wait=off", "-qtest-log", "/dev/null"]
        if not firmware:
            (self.path / "halt.bin").write_bytes(b"\xf4" * 65536)
            arguments += ["-bios", str(self.path / "halt.bin")]
        if gpu:
            arguments += ["-device", f"{DEVICE},id=gpu,addr=2.0" + ("," + device if device else "")]
        self.log = open(self.path / "stderr", "w+")
        self.process = subprocess.Popen(arguments + list(extra), stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)
        try:
            self.qtest = Line(self.path / "qtest")
            self.qmp = Qmp(self.path / "qmp")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        self.folder.cleanup()

    def stderr(self):
        self.log.flush()
        return (self.path / "stderr").read_text()

    # ---- bus ----
    def ask(self, command):
        self.qtest.send(command)
        while True:
            line = self.qtest.receive()
            if line.startswith("OK"):
                return line[3:]
            if not line.startswith("IRQ"):
                raise RuntimeError(f"qtest: {command}: {line}")

    def read(self, address, size=4):
        return int(self.ask(f"read{'?bw?l???q'[size]} {address:#x}"), 16)

    def write(self, address, value, size=4):
        self.ask(f"write{'?bw?l???q'[size]} {address:#x} {value:#x}")

    def read_bytes(self, address, count):
        return bytes.fromhex(self.ask(f"read {address:#x} {count:#x}")[2:])

    def write_bytes(self, address, data):
        self.ask(f"write {address:#x} {len(data):#x} 0x{data.hex()}")

    def inb(self, port):
        return int(self.ask(f"inb {port:#x}"), 16)

    def outb(self, port, value):
        self.ask(f"outb {port:#x} {value:#x}")

    def inl(self, port):
        return int(self.ask(f"inl {port:#x}"), 16)

    def outl(self, port, value):
        self.ask(f"outl {port:#x} {value:#x}")

    def poll(self, condition, what):
        """Waits until condition() is true, for what the device does by its clock or its threads."""
        deadline = time.monotonic() + LIMIT_S
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what}: not after {LIMIT_S} s")
            time.sleep(0.001)

    # ---- configuration space, by the 0xcf8 mechanism ----
    def _select(self, register, slot):
        self.outl(0xCF8, 0x80000000 | slot[0] << 11 | slot[1] << 8 | register & 0xFC)

    def config_read(self, register, size=4, slot=GPU):
        self._select(register, slot)
        return int(self.ask(f"in{'?bw?l'[size]} {0xCFC + (register & 3):#x}"), 16)

    def config_write(self, register, value, size=4, slot=GPU):
        self._select(register, slot)
        self.ask(f"out{'?bw?l'[size]} {0xCFC + (register & 3):#x} {value:#x}")

    def capability(self, wanted):
        """Offset of a capability; None if there is none."""
        at = self.config_read(0x34, 1)
        while at:
            if self.config_read(at, 1) == wanted:
                return at
            at = self.config_read(at + 1, 1)
        return None

    BAR0, BAR2, IO_BAR = 0xE0000000, 0xC0000000, 0xC000

    def map_bars(self):
        """Places the BARs and turns on I/O, memory and bus mastering."""
        self.config_write(0x10, self.BAR0)
        self.config_write(0x14, 0)
        self.config_write(0x18, self.BAR2)
        self.config_write(0x1C, 0)
        self.config_write(0x20, self.IO_BAR)
        self.config_write(0x04, 0x7, 2)

    def mmio(self, offset, size=4):
        return self.read(self.BAR0 + offset, size)

    def mmio_write(self, offset, value, size=4):
        self.write(self.BAR0 + offset, value, size)

    # ---- QMP shorthands ----
    def get(self, name):
        return self.qmp("qom-get", path="/machine/peripheral/gpu", property=name)

    def set(self, name, value):
        self.qmp("qom-set", path="/machine/peripheral/gpu", property=name, value=value)

    def screendump(self, head=0):
        """The console's picture: width, height, RGB bytes."""
        target = self.path / "screen.ppm"
        self.qmp("screendump", filename=str(target), device="gpu", head=head)
        data = target.read_bytes()
        fields = data.split(None, 4)
        width, height = int(fields[1]), int(fields[2])
        return width, height, data[len(data) - width * height * 3:]


def run_once(arguments, plugin=PLUGIN):
    """Starts QEMU with arguments that must make it end; returns exit status and standard error."""
    done = subprocess.run([QEMU, "-M", "q35", "-accel", "tcg", "-display", "none", "-nodefaults", "-vga", "none", "-plugin", plugin,
                           *arguments], capture_output=True, text=True, timeout=LIMIT_S, check=False)
    return done.returncode, done.stderr.strip(), done.stdout


def run_device(properties):
    return run_once(["-device", f"{DEVICE},{properties}"])
