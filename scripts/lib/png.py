# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the PNG files that QEMU writes (8 bits, RGB or RGBA, not interlaced) with nothing but the standard library."""
import pathlib
import struct
import zlib


class Picture:
    """width, height and rows of RGB bytes."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        if data[:8] != b"\x89PNG\r\n\x1a\n":
            raise ValueError(f"{path} is no PNG file")
        packed, offset = b"", 8
        while offset < len(data):
            size, kind = struct.unpack_from(">I4s", data, offset)
            body = data[offset + 8:offset + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            elif kind == b"IDAT":
                packed += body
            offset += size + 12
        if depth != 8 or colour not in (2, 6) or interlace:
            raise ValueError(f"{path}: depth {depth}, colour type {colour}, interlace {interlace} are not read here")
        channels = 3 if colour == 2 else 4
        self.rows = [bytes(row) if channels == 3 else bytes(byte for i, byte in enumerate(row) if i % 4 != 3)
                     for row in _unfiltered(zlib.decompress(packed), self.width, self.height, channels)]

    def pixel(self, x, y):
        return tuple(self.rows[y][3 * x:3 * x + 3])

    def colours(self):
        """{(r, g, b): number of pixels}."""
        count = {}
        for row in self.rows:
            for i in range(0, len(row), 3):
                colour = row[i:i + 3]
                count[colour] = count.get(colour, 0) + 1
        return {tuple(colour): n for colour, n in count.items()}

    def lit(self):
        """How many pixels are not black."""
        return self.width * self.height - self.colours().get((0, 0, 0), 0)


def _unfiltered(data, width, height, channels):
    """PNG specification, section 9: each row after its filter byte."""
    stride = width * channels
    above = bytearray(stride)
    for y in range(height):
        kind = data[y * (stride + 1)]
        row = bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if kind == 1:
            for i in range(channels, stride):
                row[i] = (row[i] + row[i - channels]) & 255
        elif kind == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, above))
        elif kind == 3:
            for i in range(stride):
                row[i] = (row[i] + ((row[i - channels] if i >= channels else 0) + above[i]) // 2) & 255
        elif kind == 4:
            for i in range(stride):
                left, corner = (row[i - channels], above[i - channels]) if i >= channels else (0, 0)
                row[i] = (row[i] + _paeth(left, above[i], corner)) & 255
        yield row
        above = row


def _paeth(left, up, corner):
    guess = left + up - corner
    distances = abs(guess - left), abs(guess - up), abs(guess - corner)
    return left if distances[0] == min(distances) else up if distances[1] == min(distances) else corner
