# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine whose CPU is halted and whose devices the test accesses itself, by QEMU's qtest protocol (tests/qtest/libqtest.c).

Debian's QEMU has the protocol but not the accelerator of that name. So the CPU runs a firmware that halts, under TCG, and time is real time."""
import guest as guests
from common import Failure

CONFIG_ADDRESS, CONFIG_DATA = 0xCF8, 0xCFC
COMMAND, BAR0, BAR2, BAR4 = 0x04, 0x10, 0x18, 0x20
ENABLE_IO_MEMORY_MASTER = 7
# Unused ranges of q35's address space.
MMIO_BASE, APERTURE_BASE, IO_BASE = 0xC0000000, 0xD0000000, 0xC000
# Firmware at the reset vector: cli; hlt; jump back to it.
FIRMWARE_BYTES, RESET_VECTOR = 65536, bytes([0xFA, 0xF4, 0xEB, 0xFD])


class QTest(guests.Machine):
    """q35 with the device at 00:02.0. Memory and registers are read and written in guest-physical addresses."""

    def __init__(self, device_args="", qemu_args=(), **kwargs):
        super().__init__(device_args=device_args, accelerator="tcg", **kwargs)
        firmware = self._work / "firmware"
        firmware.write_bytes(bytes(FIRMWARE_BYTES - 16) + RESET_VECTOR.ljust(16, b"\xf4"))
        self._arguments += ["-chardev", f"socket,id=qtest,fd={self.socket('qtest')}", "-qtest", "chardev:qtest",
                            "-bios", str(firmware), *qemu_args]
        self._buffer = b""

    def ask(self, line):
        """Sends one qtest command; the words of its answer after OK."""
        self.ours["qtest"].settimeout(60)
        try:
            self.ours["qtest"].sendall(line.encode() + b"\n")
            while True:
                while b"\n" not in self._buffer:
                    data = self.ours["qtest"].recv(65536)
                    if not data:
                        raise self.gone(f"QEMU ended at '{line[:60]}'")
                    self._buffer += data
                answer, self._buffer = self._buffer.split(b"\n", 1)
                words = answer.decode().split()
                if words and words[0] == "OK":
                    return words[1:]
                if not words or words[0] != "IRQ":
                    raise Failure(f"qtest answers '{answer.decode()}' to '{line[:60]}'")
        except TimeoutError:
            raise Failure(f"QEMU does not answer to '{line[:60]}'") from None
        except OSError:
            raise self.gone(f"QEMU ended at '{line[:60]}'") from None

    def config(self, offset, size=4, slot=2):
        """A value of the PCI configuration space of 00:SLOT.0."""
        self.ask(f"outl {CONFIG_ADDRESS:#x} {0x80000000 | slot << 11 | (offset & ~3):#x}")
        return int(self.ask(f"in{'?bw?l'[size]} {CONFIG_DATA + (offset & 3):#x}")[0], 0)

    def set_config(self, offset, value, size=4, slot=2):
        self.ask(f"outl {CONFIG_ADDRESS:#x} {0x80000000 | slot << 11 | (offset & ~3):#x}")
        self.ask(f"out{'?bw?l'[size]} {CONFIG_DATA + (offset & 3):#x} {value:#x}")

    def bar_size(self, offset):
        """The size of a memory BAR, found by writing ones; the BAR's value is restored."""
        old = self.config(offset)
        wide = old & 6 == 4
        high = self.config(offset + 4) if wide else 0
        self.set_config(offset, 0xFFFFFFFF)
        mask = self.config(offset) & ~15
        if wide:
            self.set_config(offset + 4, 0xFFFFFFFF)
            mask |= self.config(offset + 4) << 32
            self.set_config(offset + 4, high)
        else:
            mask |= 0xFFFFFFFF00000000
        self.set_config(offset, old)
        return (1 << 64) - mask

    def map_bars(self):
        """Assigns the BARs and enables the device, as firmware does."""
        self.set_config(BAR0, MMIO_BASE)
        self.set_config(BAR0 + 4, 0)
        self.set_config(BAR2, APERTURE_BASE)
        self.set_config(BAR2 + 4, 0)
        self.set_config(BAR4, IO_BASE)
        self.set_config(COMMAND, ENABLE_IO_MEMORY_MASTER, 2)

    def read32(self, address):
        return int(self.ask(f"readl {address:#x}")[0], 0)

    def write32(self, address, value):
        self.ask(f"writel {address:#x} {value:#x}")

    def read(self, address, size):
        return bytes.fromhex(self.ask(f"read {address:#x} {size:#x}")[0][2:])

    def write(self, address, data):
        self.ask(f"write {address:#x} {len(data):#x} 0x{data.hex()}")

    def reg(self, offset):
        """A register in BAR 0."""
        return self.read32(MMIO_BASE + offset)

    def set_reg(self, offset, value):
        self.write32(MMIO_BASE + offset, value)
