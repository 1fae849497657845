# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of QEMU's VNC server (RFC 6143): the framebuffer as the server sends it, raw."""
import socket
import struct

RAW, DESKTOP_SIZE = 0, -223
SET_ENCODINGS, UPDATE_REQUEST = 2, 3


class Rfb:
    def __init__(self, path, timeout=60):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        self._socket.connect(path)
        self._take(12)
        self._socket.sendall(b"RFB 003.008\n")
        self._take(self._take(1)[0])
        self._socket.sendall(b"\1")  # security type "None"
        self._take(4)
        self._socket.sendall(b"\1")  # shared
        self.width, self.height = struct.unpack(">HH", self._take(4))
        self._take(16)  # the server's pixel format: for us 32 bits, little endian
        self._take(struct.unpack(">I", self._take(4))[0])
        self._socket.sendall(struct.pack(">BxHii", SET_ENCODINGS, 2, RAW, DESKTOP_SIZE))
        self.pixels = bytearray(self.width * self.height * 4)

    def close(self):
        self._socket.close()

    def _take(self, size):
        data = b""
        while len(data) < size:
            part = self._socket.recv(size - len(data))
            if not part:
                raise ConnectionError("the VNC server has hung up")
            data += part
        return data

    def update(self, incremental=True):
        """Asks for an update and takes it."""
        self._socket.sendall(struct.pack(">BBHHHH", UPDATE_REQUEST, incremental, 0, 0, self.width, self.height))
        kind, rectangles = struct.unpack(">BxH", self._take(4))
        if kind != 0:
            raise ConnectionError(f"the VNC server sends message {kind}")
        for _ in range(rectangles):
            x, y, width, height, encoding = struct.unpack(">HHHHi", self._take(12))
            if encoding == DESKTOP_SIZE:
                self.width, self.height = width, height
                self.pixels = bytearray(width * height * 4)
                continue
            for row in range(y, y + height):
                at = (row * self.width + x) * 4
                self.pixels[at:at + width * 4] = self._take(width * 4)

    def pixel(self, x, y):
        """0xRRGGBB"""
        at = (y * self.width + x) * 4
        return int.from_bytes(self.pixels[at:at + 3], "little")
