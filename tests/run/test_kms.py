# SPDX-License-Identifier: GPL-2.0-or-later
"""What the monitor shows when a program uses the cursor, gamma and properties (kms_cursor.c)."""
import pathlib

from driver import Picture, RunTest

WIDTH, HEIGHT, CURSOR = 320, 240, 64
BACKGROUND = (0x20, 0x40, 0x60)
# Quarters of the cursor over the background: a premultiplied colour + (1 - 128/255) of what is below it.
RED, WHITISH, GREENISH = (255, 0, 0), (144, 160, 176), (16, 160, 48)


def expected(cursor):
    """Colour by position, for a cursor at this place; None: there is none."""
    def colour(x, y):
        if cursor is None or not (0 <= x - cursor[0] < CURSOR and 0 <= y - cursor[1] < CURSOR):
            return BACKGROUND
        right, lower = x - cursor[0] >= CURSOR // 2, y - cursor[1] >= CURSOR // 2
        return (GREENISH, BACKGROUND)[right] if lower else (RED, WHITISH)[right]
    return colour


def inverted(colour):
    return lambda x, y: tuple(255 - channel for channel in colour(x, y))


# Of each step of kms_cursor.c its name and its picture.
STEPS = [
    ("no cursor yet", expected(None)),
    ("drawn without a flip", lambda x, y: (255, 255, 255) if (x, y) == (0, 0) else BACKGROUND),
    ("cursor at 0, 0", expected((0, 0))),
    ("cursor at -32, -32", expected((-32, -32))),
    ("cursor at the lower right", expected((WIDTH - 32, HEIGHT - 16))),
    ("page flip", expected((WIDTH - 32, HEIGHT - 16))),
    ("cursor left of the screen", expected(None)),
    ("cursor far away", expected(None)),
    ("cursor at 100, 100", expected((100, 100))),
    ("inverted", inverted(expected((100, 100)))),
    ("as it was", expected((100, 100))),
    ("no cursor", expected(None)),
    ("VRR_ENABLED", expected(None)),
    ("off", lambda x, y: (0, 0, 0)),
    ("on", expected(None)),
    ("cursor plane at the lower left", expected((-10, HEIGHT - 20))),
    ("cursor plane at the upper right", expected((WIDTH - 20, -10))),
    ("one property of it", expected((50, -10))),
    ("its framebuffer goes", expected(None)),
    ("without a mode", lambda x, y: (0, 0, 0)),
]


class Kms(RunTest):
    def test_cursor_gamma_and_properties(self):
        program = self.compiled("kms_cursor", pathlib.Path(__file__).parent, ["-ldrm"])
        frames = self.folder / "frames"
        done = self.run_on_gpu(program, str(frames), options=["--frames", str(frames), "--mode", f"{WIDTH}x{HEIGHT}@0"])
        self.assertEqual((done.returncode, "unimplemented" in done.stderr), (0, False), done.stdout + done.stderr)
        self.assertEqual(done.stdout.splitlines(), [f"{i} {name}" for i, (name, _) in enumerate(STEPS)] + ["ok"])
        for i, (name, colour) in enumerate(STEPS):
            with self.subTest(name):
                picture = Picture(frames / f"frame{i:05}.png")
                self.assertEqual((picture.width, picture.height), (WIDTH, HEIGHT))
                wrong = [(x, y) for x in range(WIDTH) for y in range(HEIGHT) if tuple(picture.pixel(x, y)[:3]) != colour(x, y)]
                self.assertFalse(wrong, f"{len(wrong)} pixels; the first at {wrong[:1]}: {wrong and (picture.pixel(*wrong[0]), colour(*wrong[0]))}")
