# SPDX-License-Identifier: GPL-2.0-or-later
"""Picture gives the colours of a file as they are stored, whatever its alpha says."""
import pathlib
import sys
import tempfile
import unittest

from driver import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
from PIL import Image  # noqa: E402
from picture import Picture  # noqa: E402

PIXELS = {(0, 0): (10, 20, 30, 0), (1, 0): (40, 50, 60, 255), (2, 1): (10, 20, 30, 128)}


class Colours(unittest.TestCase):
    def picture(self, name):
        image = Image.new("RGBA", (3, 2))
        for at, colour in PIXELS.items():
            image.putpixel(at, colour)
        with tempfile.TemporaryDirectory() as work:
            path = pathlib.Path(work) / name
            image.save(path)
            return Picture(path)

    def test_of_png_and_tga(self):
        for name in ("a.png", "a.tga"):
            with self.subTest(name):
                picture = self.picture(name)
                self.assertEqual((picture.width, picture.height), (3, 2))
                self.assertEqual({at: picture.pixel(*at) for at in PIXELS}, {at: colour[:3] for at, colour in PIXELS.items()})
                self.assertEqual(picture.colours(), {(0, 0, 0): 3, (10, 20, 30): 2, (40, 50, 60): 1})
                self.assertEqual(picture.lit(), 3)
                self.assertEqual(picture.rows, [bytes([10, 20, 30, 40, 50, 60, 0, 0, 0]), bytes([0] * 6 + [10, 20, 30])])
                self.assertEqual(picture.bytes(), b"".join(picture.rows))
