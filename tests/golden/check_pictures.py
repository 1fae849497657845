#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_pictures.py SOFTGEN_REPLAY CAPTURES_FOLDER [--working NAME,...] [NAME...]: runs captures and compares their results with
ref/ (made by the same program on llvmpipe or lavapipe).

Without names: all captures. --working FILE lists those that must come out right: the test fails when one of them does not, and also when one
that is not listed does (then it belongs on the list). Buffers of integers must be equal. Pictures: a pixel is wrong when a channel is off by more
than TOLERANCE; so many may be wrong (edges of MSAA, lines, points and filtering differ between rasterizers, see captures/README.md)."""
import argparse
import pathlib
import re
import subprocess
import sys

TOLERANCE = 2
WRONG_PIXELS = {"gl_msaa": 400, "gl_msaa_noccs": 400, "gl_mrt": 200, "gl_geom": 40, "gl_tess": 40}
USUAL_WRONG_PIXELS = 20
INTEGERS = {"gl_csonly": "csonly.bin", "vk_comp": "vk_comp.bin"}
WIDTH, HEIGHT = 256, 64  # bytes, rows


def reference(references, name):
    if name in INTEGERS:
        return (references / INTEGERS[name]).read_bytes()
    if name == "vk_tri":
        return (references / "vk_tri.bin").read_bytes()
    scene = name.removeprefix("gl_").removesuffix("_noccs")
    return (references / f"{scene}.rgba").read_bytes()


def place(readme, name):
    """(address, tiling, pitch) from the README's table."""
    row = re.search(rf"^\| {name} \|.*$", readme, re.M).group(0)
    if match := re.search(r"(linear|Y-tiled) 64x64 pitch (\d+) at (0x[0-9a-f]+)", row):
        return match.group(3), match.group(1), int(match.group(2))
    return re.search(r"VA (0x[0-9a-f]+)", row).group(1), "linear", WIDTH


def untile_y(data, pitch):
    """64 x 64 texels of 4 bytes in tiles of 128 bytes x 32 rows."""
    out = bytearray(WIDTH * HEIGHT)
    for y in range(HEIGHT):
        for x in range(0, WIDTH, 16):
            offset = (y // 32 * (pitch // 128) + x // 128) * 4096 + (x % 128 // 16) * 512 + y % 32 * 16
            out[y * WIDTH + x:y * WIDTH + x + 16] = data[offset:offset + 16]
    return bytes(out)


def wrong_pixels(data, expected):
    wrong = worst = 0
    for at in range(0, len(expected), 4):
        off = max(abs(a - b) for a, b in zip(data[at:at + 4], expected[at:at + 4]))
        worst = max(worst, off)
        wrong += off > TOLERANCE
    return wrong, worst


def check(replay, folder, references, readme, name, arguments):
    """(is right, sentence)"""
    address, tiling, pitch = place(readme, name)
    expected = reference(references, name)
    dump = f"{address},{pitch * HEIGHT if tiling == 'Y-tiled' else len(expected)}"
    command = [replay, folder / f"{name}.aub.xz", "--dump", dump, *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        return False, f"exit {done.returncode}: {done.stderr.decode(errors='replace').strip().splitlines()[-1:]}"
    if subprocess.run([*command, "--preempt"], stdout=subprocess.PIPE, check=False).stdout != done.stdout:
        return False, "preempted between tiles and groups it ends otherwise"
    threaded = [replay, folder / f"{name}.aub.xz", "--dump", dump, "--threads", "2"]
    if subprocess.run(threaded, stdout=subprocess.PIPE, check=False).stdout != done.stdout:
        return False, "with small draws put off and tiles shared out among threads it ends otherwise"
    data = untile_y(done.stdout, pitch) if tiling == "Y-tiled" else done.stdout
    if name in INTEGERS:
        equal = sum(data[at:at + 4] == expected[at:at + 4] for at in range(0, len(expected), 4))
        return data == expected, f"{equal} of {len(expected) // 4} values"
    wrong, worst = wrong_pixels(data, expected)
    return wrong <= WRONG_PIXELS.get(name, USUAL_WRONG_PIXELS), f"{wrong} of 4096 pixels wrong, worst channel off by {worst}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("replay")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--working", type=pathlib.Path)
    parser.add_argument("--references", type=pathlib.Path, help="default: CAPTURES_FOLDER/ref")
    parser.add_argument("--threads", default="0")
    args = parser.parse_args()
    readme = (args.folder / "README.md").read_text()
    names = args.names or sorted(path.name.split(".")[0] for path in args.folder.glob("*.aub.xz"))
    working = {line for line in args.working.read_text().split("\n") if line and line[0] != "#"} if args.working else set()
    if unknown := working - set(names):
        raise SystemExit(f"no such captures: {sorted(unknown)}")
    bad = right = 0
    for name in names:
        good, sentence = check(args.replay, args.folder, args.references or args.folder / "ref", readme, name, ["--threads", args.threads])
        right += good
        note = ""
        if args.working and good != (name in working):
            bad += 1
            note = "  <- add it to the list of working captures" if good else "  <- REGRESSION"
        print(f"{'right' if good else 'WRONG'}  {name}: {sentence}{note}")
    print(f"{right} of {len(names)} captures end as they should")
    return 1 if bad or (not args.working and right < len(names)) else 0


if __name__ == "__main__":
    sys.exit(main())
