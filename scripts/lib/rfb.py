# SPDX-License-Identifier: GPL-2.0-or-later
"""A minimal VNC client, to see what QEMU shows: RFB 3.8 (RFC 6143), no authentication, raw rectangles."""
import socket
import struct

RAW, DESKTOP_SIZE = 0, -223
# 32 bits per pixel, depth 24, little-endian, true colour; red, green and blue have 8 bits each, at bits 16, 8 and 0.
PIXEL_FORMAT = struct.pack(">BBBBHHHBBB3x", 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)


class Screen:
    """A connection to the VNC server at a Unix socket; width, height and rows of RGB bytes."""

    def __init__(self, path, timeout=60):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        self._socket.connect(str(path))
        assert self._read(12).startswith(b"RFB 003.")
        self._socket.sendall(b"RFB 003.008\n")
        kinds = self._read(self._read(1)[0])
        assert 1 in kinds, "the server wants a password"
        self._socket.sendall(b"\x01")
        assert self._read(4) == bytes(4)
        self._socket.sendall(b"\x01")
        width, height, _, name = struct.unpack(">HH16sI", self._read(24))
        self._read(name)
        self._resize(width, height)
        self._socket.sendall(b"\0\0\0\0" + PIXEL_FORMAT + struct.pack(">BxHii", 2, 2, RAW, DESKTOP_SIZE))

    def close(self):
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self, size):
        data = bytearray()
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            assert more, "the server has closed the connection"
            data += more
        return bytes(data)

    def _resize(self, width, height):
        self.width, self.height = width, height
        self.rows = [bytearray(3 * width) for _ in range(height)]

    def update(self, incremental):
        """Requests the whole picture, or (incremental) waits for changes. True if the answer had pixels."""
        self._socket.sendall(struct.pack(">BBHHHH", 3, incremental, 0, 0, self.width, self.height))
        while (kind := self._read(1)[0]) != 0:
            assert kind in (2, 3), f"message {kind}"  # Bell; ServerCutText, which has a length
            if kind == 3:
                self._read(struct.unpack(">3xI", self._read(7))[0])
        pixels = 0
        for _ in range(struct.unpack(">xH", self._read(3))[0]):
            x, y, width, height, encoding = struct.unpack(">HHHHi", self._read(12))
            if encoding == DESKTOP_SIZE:
                self._resize(width, height)
                continue
            assert encoding == RAW, f"encoding {encoding}"
            pixels += width * height
            for row in self.rows[y:y + height]:
                data = self._read(4 * width)
                for channel in range(3):  # blue comes first
                    row[3 * x + 2 - channel:3 * (x + width):3] = data[channel::4]
        return pixels > 0

    def pixel(self, x, y):
        """0xRRGGBB"""
        return int.from_bytes(self.rows[y][3 * x:3 * x + 3], "big")
