# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures as tests look at them: RGB, 8 bits a channel, of any file that Pillow reads."""


class Picture:
    def __init__(self, path):
        from PIL import Image  # scripts that need it install it first, when they have imported this
        with Image.open(path) as image:
            self._image = image.convert("RGB")
        self.width, self.height = self._image.size

    def bytes(self):
        return self._image.tobytes()

    @property
    def rows(self):
        data, stride = self.bytes(), 3 * self.width
        return [data[i:i + stride] for i in range(0, len(data), stride)]

    def pixel(self, x, y):
        return self._image.getpixel((x, y))

    def colours(self):
        """{(r, g, b): number of pixels}."""
        return {colour: n for n, colour in self._image.getcolors(self.width * self.height)}

    def lit(self):
        """How many pixels are not black."""
        return self.width * self.height - self.colours().get((0, 0, 0), 0)
