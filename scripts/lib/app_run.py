# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs one program of scripts/apps on our GPU or on its peer, and compares the pictures."""
import collections
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import tempfile
import time

from app_rows import MONITOR
from common import Failure
from mesa_root import PROGRAM_PATH
from picture import Picture

# `pictures`: bytes of each; `drawn`: number of draws and dispatches on our GPU; `trouble`: what went wrong, or "".
Run = collections.namedtuple("Run", "pictures seconds drawn trouble")
Difference = collections.namedtuple("Difference", "largest over")


def xwd_pixels(path):
    """Pixels of an XWD file, three bytes each (X11/XWDFile.h). Pillow cannot read XWD. The fourth byte of a pixel, if there is one, is padding; xwd itself
    makes pixels of three bytes, in lines as long as the server's, when windows of several visuals are shown."""
    data = path.read_bytes()
    header = struct.unpack_from(">20I", data) if len(data) >= 100 else (0,) * 20
    version, width, height, bits, line, colors = (header[i] for i in (1, 4, 5, 11, 12, 19))
    if version != 7 or bits not in (24, 32) or line < width * bits // 8:
        raise Failure(f"{path} is no XWD file with three or four bytes per pixel")
    start = header[0] + 12 * colors
    kept = bytearray().join(data[first:first + width * bits // 8] for first in range(start, start + line * height, line))
    if bits == 32:
        del kept[3::4]
    return bytes(kept)


def pixels(path):
    return xwd_pixels(path) if path.suffix == ".xwd" else Picture(path).bytes()


def shown(pictures, limit):
    """The frames of a display without black ones (before the first picture and after the last) and repetitions. A frame is a repetition when
    no value differs by more than `limit`: mpv's gpu-next sometimes draws its first picture twice, with shaders that round differently."""
    kept = []
    for picture in filter(any, pictures):
        if not kept or len(kept[-1]) != len(picture) or compare([kept[-1]], [picture], limit).over:
            kept.append(picture)
    return kept


def pictures_of(row, folder, display):
    kind, _, what = row.pictures.partition(" ")
    if kind == "raw":
        data = (folder / what).read_bytes() if (folder / what).is_file() else b""
        size = len(data) // row.count
        return [data[i * size:(i + 1) * size] for i in range(row.count)] if size and size * row.count == len(data) else []
    if kind == "images":
        return [pixels(path) for path in sorted(folder.glob(what))]
    return shown(map(pixels, sorted((display or folder).glob("*.png"))), row.bound.limit)


def run_in_time(words, environment, seconds):
    """(exit status, output). Status None: time-out. Waits for children that hold the standard error open, too: Chromium's GPU process writes
    its report after the first process has exited."""
    with subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        try:
            said, _ = process.communicate(timeout=seconds)
            return process.returncode, said.decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            return None, said.decode(errors="replace")


def drawn_on_our_gpu(stats):
    """Number of draws and dispatches in the report of softgen-run --stats. 0: no process used the GPU, or it was killed before it could report;
    its file is empty until then."""
    report = stats.read_text() if stats.is_file() else ""
    work = json.loads(report)["work"] if report else {"draws": 0, "walkers": 0}
    return work["draws"] + work["walkers"]


def run(row, mesa, peer=None, platform="kbl"):
    """The program on our GPU, or on its peer, with `mesa` (HostMesa or ReleaseMesa)."""
    with tempfile.TemporaryDirectory(prefix="softgen-apps-") as name:
        folder = pathlib.Path(name) / "home"
        folder.mkdir()
        for path, text in row.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
            if text.startswith("#!"):
                (folder / path).chmod(0o755)
        display, stats = pathlib.Path(name) / "display", pathlib.Path(name) / "stats.json"
        place = mesa.place(name)
        words = (peer.command if peer else None) or row.command
        shows = row.pictures == "display" and (not peer or peer.display)
        if not peer or peer.display:
            width, height = MONITOR if shows else (640, 480)
            frames = ["--frames", f"{place}/display"] if shows else []
            words = [f"{mesa.softgen}/softgen-run", "--platform", platform, "--mode", f"{width}x{height}@0", "--stats", f"{place}/stats.json", *frames, "--", *words]
        environment = {**os.environ, "PATH": PROGRAM_PATH, "HOME": f"{place}/home", "XDG_RUNTIME_DIR": place, **row.environment,
                       **(peer.environment if peer else {})}
        words = mesa.command(["env", "-C", f"{place}/home", f"PWD={place}/home", *words], name)
        start = time.monotonic()
        status, said = run_in_time(words, environment, row.seconds)
        seconds = time.monotonic() - start
        drawn = drawn_on_our_gpu(stats)
        pictures = pictures_of(row, folder, display if shows else None)[:row.count]
        return Run(pictures, seconds, drawn, trouble(row, peer, status, said, drawn, len(pictures)))


def trouble(row, peer, status, said, drawn, pictures):
    """What is wrong with a run, or "". Does not look into the pictures."""
    last = said.strip().splitlines()[-1:] or [""]
    if status is None:
        return f"ran longer than {row.seconds} s"
    if status:
        return f"status {status}: {last[0]}"
    if not peer and (lacks := re.search("unimplemented: .*", said)):
        return lacks[0]
    if bool(drawn) == bool(peer):
        return "drew on our GPU instead of its own" if peer else "drew nothing on our GPU"
    return "" if pictures == row.count else f"{pictures} pictures instead of {row.count}"


def compare(ours, theirs, limit):
    """The largest difference of a channel value, and the fraction of values that differ by more than `limit`. Both lists must have the same
    number of pictures, of the same sizes."""
    counts = collections.Counter()
    for one, other in zip(ours, theirs):
        counts.update(abs(a - b) for a, b in zip(one, other))
    over = sum(n for difference, n in counts.items() if difference > limit)
    return Difference(max(counts), over / counts.total())


def verdict(row, ours, theirs):
    """(Difference or None, what is wrong or "")."""
    for who, result in (("softgen", ours), (row.peer.name, theirs)):
        if result.trouble:
            return None, f"{who}: {result.trouble}"
    if [len(p) for p in ours.pictures] != [len(p) for p in theirs.pictures]:
        return None, "the pictures differ in size"
    difference = compare(ours.pictures, theirs.pictures, row.bound.limit)
    if difference.over <= row.bound.share:
        return difference, ""
    return difference, f"{100 * difference.over:.3f} % of the values differ by more than {row.bound.limit} ({100 * row.bound.share:g} % may: {row.bound.why})"
