# SPDX-License-Identifier: GPL-2.0-or-later
"""Ironlake's side of scripts/video for MPEG-2: i965's frames are written by va_frames.c, and compared by PSNR (those of H.264 as on other platforms). Its kernels (intel-vaapi-driver src/shaders/mpeg2/vld) are
the decoder behind the bit stream, and do not compute what the standard has:
- inverse quantisation leaves out the half step of non-intra levels, saturation and mismatch control, and rounds down (do_iq_*.g4i);
- chroma vectors are halved by rounding down (the standard: towards zero), so a chroma sample may come from half a sample beside its place;
- the mean of four samples is cut off.
Intra pictures are within 3 levels of software's; in others errors grow until the next intra picture, and most in chroma."""
import collections
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import time

import video_files
from app_run import run_in_time
from common import BUILD, CACHE, Failure, content_key

SOURCE = pathlib.Path(__file__).with_name("va_frames.c")
LIBRARIES = ("libavcodec", "libavformat", "libavutil", "libva")
# Least PSNR of a frame, in dB: luma and chroma.
Bounds = collections.namedtuple("Bounds", "luma chroma")
INTRA, INTER = Bounds(54, 54), Bounds(38, 16)
# Streams of field pictures of which i965 has no kernels: its field_*_16x8.g4a paint white, field_bidirect.g4a (dual prime, too) and those of a frame whose
# bottom field comes first look for the first field in the frame before.
NO_KERNELS = re.compile("-(field|dual|only-16x8|concealment|coding-.)-(tb|bt)|-mixed")


def refusal(stream):
    """Why this stream is not decoded on Ironlake, or ""."""
    if stream.codec not in ("mpeg2", "h264"):
        return f"{stream.codec} is not built on Ironlake"
    if stream.codec == "mpeg2" and stream.name != "mpeg2-syntax-only-field-tb" and NO_KERNELS.search(stream.name):
        return "i965 has no kernels for such field pictures"
    return ""


def bounds_of(stream):
    return INTRA if stream.encode[-2:] == ["-g", "1"] else INTER


def program():
    """va_frames, compiled in the cache."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", *LIBRARIES], capture_output=True, text=True, check=False)
    if flags.returncode:
        raise Failure(f"the headers of {', '.join(LIBRARIES)} are missing")
    target = CACHE / "video" / f"va_frames-{content_key(SOURCE.read_text(), flags.stdout)}"
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            draft = pathlib.Path(folder) / "va_frames"
            subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", draft, SOURCE, *flags.stdout.split()], check=True)
            draft.replace(target)
    return target


def decode(path, raw, node, options, seconds):
    """Writes the frames of the video PATH to RAW by i965 under softgen-run. Returns (seconds, what went wrong or "")."""
    with tempfile.TemporaryDirectory(prefix="softgen-video-") as name:
        report = pathlib.Path(name) / "stats.json"
        begin = time.monotonic()
        status, said = run_in_time([str(BUILD / "softgen-run"), "--stats", str(report), *options, "--", str(program()), node, str(path), str(raw)],
                                   {**os.environ, "LIBVA_DRIVER_NAME": "i965"}, seconds)
        spent = time.monotonic() - begin
        stats = json.loads(report.read_text()) if report.is_file() else {"failures": [], "work": {"cs_threads": 0}}
    if status is None:
        return math.nan, f"ran longer than {seconds} s"
    if status:
        return math.nan, f"status {status}: {(said.strip().splitlines() or ['no message'])[-1]}"
    failures = [f"{failure['kind']}: {failure['what']}" for failure in stats["failures"] if failure["kind"] in ("unimplemented", "guest error")]
    if not stats["work"]["cs_threads"]:
        failures.append("decoded in software: no thread was started")
    return spent, failures[0] if failures else ""


def planes(ours, theirs, size, folder):
    """(luma, chroma) PSNR of each frame of two files of I420, in dB."""
    graph = f"[0:v]settb=1,setpts=N[a];[1:v]settb=1,setpts=N[b];[a][b]psnr=stats_file={folder}/psnr"
    inputs = [word for raw in (ours, theirs) for word in ("-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", size, "-i", raw)]
    video_files.run(["ffmpeg", "-v", "error", "-nostdin", *inputs, "-lavfi", graph, "-f", "null", "-"])
    lines = (folder / "psnr").read_text().splitlines()
    values = [{plane: float(value) for plane, value in re.findall(r"psnr_([yuv]):(\S+)", line)} for line in lines]
    return [(value["y"], min(value["u"], value["v"])) for value in values]


def compare(stream, path, size, options, node, seconds):
    """(frames, what differs or "", detail, frames per second of ours and of software's, with the start of the programs)."""
    with tempfile.TemporaryDirectory(prefix="softgen-video-") as name:
        folder = pathlib.Path(name)
        ours, theirs = folder / "ours", folder / "theirs"
        begin = time.monotonic()
        video_files.run(["ffmpeg", "-v", "error", "-nostdin", *stream.software, "-i", path, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p", theirs])
        software = time.monotonic() - begin
        spent, wrong = decode(path, ours, node, options, seconds)
        if wrong:
            return 0, wrong, "", math.nan, math.nan
        width, height = map(int, size.split("x"))
        frame = width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2)
        counts = [file.stat().st_size / frame for file in (ours, theirs)]
        if counts[0] != counts[1] or not counts[0]:
            return int(counts[0]), f"{counts[0]:g} frames instead of {counts[1]:g}", "", math.nan, math.nan
        values, bounds = planes(ours, theirs, size, folder), bounds_of(stream)
    least = Bounds(*(min(column) for column in zip(*values)))
    short = [f"{plane} has {value:.1f} dB; {bound} are needed" for plane, value, bound in zip(Bounds._fields, least, bounds) if value < bound]
    return len(values), short[0] if short else "", f"{least.luma:.1f} dB, chroma {least.chroma:.1f} dB", len(values) / spent, len(values) / software
