#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_hang.py OUT.aub: a capture whose only batch stores a number, flushes, and then waits for a semaphore that is never signalled. It is the
example of docs/debugging.md."""
import struct
import sys

BATCH, SEMAPHORE, RESULT = 0x10000, 0x20000, 0x20008
LRCA, RING, STATUS = 0x2000, 0x1000, 0x30000
RENDER = 0x2000


def record(kind, *dwords, payload=b""):
    payload += bytes(-len(payload) % 4)
    length = 1 + len(dwords) + len(payload) // 4
    return struct.pack(f"<{1 + len(dwords)}I", 7 << 29 | 0x2E << 23 | kind << 16 | length - 1, *dwords) + payload


def memory(space, address, data):
    return b"".join(record(6, (address + at) & 0xFFFFFFFF, (address + at) >> 32, space << 28, len(data[at:at + 4096]),
                           payload=data[at:at + 4096]) for at in range(0, len(data), 4096))


def register(offset, value):
    return record(3, offset, 2 << 16, 0xFFFFFFFF, 0, value)


def main():
    out = record(0x0E, 1, 16 << 8, 0, 0, payload=b"PCI-ID=0x5912 hang\0")
    out += memory(4, 0, struct.pack("<64Q", *((0x100 + page) << 12 | 1 for page in range(64))))
    for at, entry in ((0x1000, 0x2003), (0x2000, 0x3003), (0x3000, 0x4003)):
        out += memory(2, at, struct.pack("<Q", entry))
    out += memory(2, 0x4000, struct.pack("<256Q", *((0x200 + page) << 12 | 3 for page in range(256))))
    batch = [0x10000002, RESULT, 0, 0xC0FFEE,  # MI_STORE_DATA_IMM
             0x7A000004, 1 << 20 | 1 << 12, 0, 0, 0, 0,  # PIPE_CONTROL
             0x1C << 23 | 1 << 15 | 4 << 12 | 2, 1, SEMAPHORE, 0,  # MI_SEMAPHORE_WAIT: poll until memory == 1
             0x05000000]
    out += memory(2, 0x200000 + BATCH, struct.pack(f"<{len(batch)}I", *batch))
    out += memory(0, RING, struct.pack("<4I", 0x18800101, BATCH, 0, 0))
    image = [0] * 1024
    image[1] = 0x1100101B
    for index, (offset, value) in enumerate(((0x244, 0x90009), (0x34, 0), (0x30, 16), (0x38, RING), (0x3C, 1))):
        image[2 + 2 * index], image[3 + 2 * index] = RENDER + offset, value
    image[0x21], image[0x30], image[0x32], image[0x33] = 0x11001011, RENDER + 0x274, RENDER + 0x270, 0x1000
    out += memory(0, LRCA + 0x1000, struct.pack("<1024I", *image))
    out += register(RENDER + 0x29C, 0x80008000) + register(RENDER + 0x80, STATUS)
    for value in (0, 0, 0, LRCA | 0x339):
        out += register(RENDER + 0x230, value)
    out += record(2, RENDER + 0x234, 2 << 16, 0x10, 0, 0)
    with open(sys.argv[1], "wb") as file:
        file.write(out)


if __name__ == "__main__":
    main()
