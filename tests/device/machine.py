# SPDX-License-Identifier: GPL-2.0-or-later
"""QTest with what the tests of hw/qemu need beside: other machines, real firmware, snapshots, values of any size."""
import subprocess
import time

import driver  # noqa: F401  puts scripts/lib on the path
import build
import guest as guests
from common import Failure
from qmp import QmpError
from qtest import QTest

DEVICE = "intel-gpu-kbl"
LIMIT_S = 60


class Machine(QTest):
    """A started machine with the device as /machine/peripheral/gpu. `firmware`: SeaBIOS runs instead of HLT."""

    BAR0, BAR2, IO_BAR = 0xC0000000, 0xD0000000, 0xC000  # where map_bars() puts them

    def __init__(self, device="", machine="q35", firmware=False, extra=(), gpu=True, memory="256M", platform=None):
        super().__init__(device_args=device, qemu_args=extra, memory=memory, platform=platform)
        self._arguments[self._arguments.index("q35")] = machine
        if firmware:
            self.drop("-bios")
        if not gpu:
            self.drop("-device")
        try:
            self.start()
            self.command("set-action", reboot="reset")
        except BaseException:
            self.close()
            raise

    def drop(self, option):
        at = self._arguments.index(option)
        del self._arguments[at:at + 2]

    def command(self, execute, **arguments):
        return self.qmp.command(execute, **arguments)

    def poll(self, condition, what):
        """Waits until condition() is true, for what the device does by its clock or its threads."""
        deadline = time.monotonic() + LIMIT_S
        while not condition():
            if time.monotonic() > deadline:
                raise Failure(f"{what}: not after {LIMIT_S} s")
            time.sleep(0.001)

    def wait_status(self, command, wanted):
        """Waits until a query-* command's status is `wanted`."""
        def reached():
            status = self.command(command).get("status")
            if status in ("failed", "cancelled"):
                raise QmpError(f"{command}: {status}")
            return status == wanted
        self.poll(reached, f"{command} {wanted}")

    def ended(self):
        """Waits for QEMU's end; its exit status and last words."""
        return self._process.wait(LIMIT_S), self.errors.read_text()

    # ---- bus ----
    def peek(self, address, size=4):
        return int.from_bytes(self.read(address, size), "little") if size == 8 else int(self.ask(f"read{' bw l'[size]} {address:#x}")[0], 0)

    def poke(self, address, value, size=4):
        self.ask(f"write{' bw l   q'[size]} {address:#x} {value:#x}")

    def inb(self, port):
        return int(self.ask(f"inb {port:#x}")[0], 0)

    def outb(self, port, value):
        self.ask(f"outb {port:#x} {value:#x}")

    def inl(self, port):
        return int(self.ask(f"inl {port:#x}")[0], 0)

    def outl(self, port, value):
        self.ask(f"outl {port:#x} {value:#x}")

    def mmio(self, offset, size=4):
        return self.peek(self.BAR0 + offset, size)

    def mmio_write(self, offset, value, size=4):
        self.poke(self.BAR0 + offset, value, size)

    def capability(self, wanted):
        """Offset of a capability; None if there is none."""
        at = self.config(0x34, 1)
        while at:
            if self.config(at, 1) == wanted:
                return at
            at = self.config(at + 1, 1)
        return None

    # ---- device ----
    def picture(self, head=0):
        """The console's picture: width, height, RGB bytes."""
        target = self._work / "screen.ppm"
        self.command("screendump", filename=str(target), device="gpu", head=head)
        data = target.read_bytes()
        fields = data.split(None, 4)
        width, height = int(fields[1]), int(fields[2])
        return width, height, data[len(data) - width * height * 3:]


def run_once(arguments, plugin=None):
    """Starts QEMU with arguments that must make it end; its exit status, standard error and standard output."""
    done = subprocess.run([guests.QEMU, "-M", "q35", "-accel", "tcg", "-display", "none", "-nodefaults", "-vga", "none",
                           "-plugin", str(plugin or build.PLUGIN), *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    return done.returncode, done.stderr.strip(), done.stdout


def run_device(properties):
    return run_once(["-device", f"{DEVICE},{properties}"])
