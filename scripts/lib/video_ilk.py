# SPDX-License-Identifier: GPL-2.0-or-later
"""Ironlake's side of scripts/video for MPEG-2: i965's frames are written by va_frames.c, and compared by PSNR (those of H.264 as on other platforms).
Its kernels (intel-vaapi-driver src/shaders/mpeg2/vld) are the decoder behind the bit stream, and do not compute what the standard has:
- inverse quantisation leaves out the half step of non-intra levels, saturation and mismatch control, and rounds down (do_iq_*.g4i);
- chroma vectors are halved by rounding down (the standard: towards zero), so a chroma sample may come from half a sample beside its place;
- the mean of four samples is cut off.
Intra pictures are within 3 levels of software's; in others errors grow until the next intra picture, and most in chroma."""
import collections
import fnmatch
import math
import pathlib
import platform
import re
import subprocess
import tempfile
import time

import video_files
from common import CACHE, Failure, content_key

SOURCE = pathlib.Path(__file__).with_name("va_frames.c")
LIBRARIES = ("libavcodec", "libavformat", "libavutil", "libva")
# Least PSNR of a frame, in dB: luma and chroma.
Bounds = collections.namedtuple("Bounds", "luma chroma")
INTRA, INTER = Bounds(54, 54), Bounds(38, 16)
# Streams of field pictures of which i965 has no kernels: its field_*_16x8.g4a paint white, field_bidirect.g4a (dual prime, too) and those of a frame whose
# bottom field comes first look for the first field in the frame before.
NO_KERNELS = re.compile("-(field|dual|only-16x8|concealment|coding-.)-(tb|bt)|-mixed")
# H.264 frames one macroblock wide and several high: the scheduler of deblocking (AVC_ILDB_Dep_Check.asm) goes from column 2 (Col_Boundary) of a row to the first
# one of the next, or on in a row behind the column that its table keeps, where 255 stands for a row that has not begun. With one column it never comes to
# column 2, looks for column 256 in the second row and in all behind it, past its table's end, and waits for a thread that it has not started.
ONE_COLUMN = re.compile("h264-.*-size-16x(?!16-)")
# What --sample takes: streams of both codecs, each of few macroblocks, and together of all features that i965 has.
SAMPLE = ("mpeg2-p", "mpeg2-b", "mpeg2-intra", "mpeg2-interlaced", "mpeg2-alternate-scan", "mpeg2-intra-vlc", "mpeg2-nonlinear-quant", "mpeg2-dc-9", "mpeg2-matrices",
          "mpeg2-slices", "mpeg2-long-vectors", "mpeg2-crop", "mpeg2-mpeg2enc-b[12]-*", "mpeg2-mpeg2enc-pulldown", "mpeg2-size-16x16-frame", "mpeg2-size-130x66-*",
          "mpeg2-syntax-dual-frame", "mpeg2-syntax-only-field-*", "mpeg2-syntax-only-frame-frame", "mpeg2-syntax-concealment-frame", "mpeg2-syntax-coding-?-frame",
          "h264-baseline", "h264-cavlc", "h264-cavlc-8x8dct", "h264-high", "h264-intra", "h264-ipcm", "h264-slices", "h264-weightp", "h264-weightb", "h264-direct-4x4",
          "h264-pyramid", "h264-constrained-intra", "h264-no-deblock", "h264-deblock-strong", "h264-cqm", "h264-chroma-offset", "h264-mbaff", "h264-mbaff-cavlc",
          "h264-mbaff-slices", "h264-gray", "h264-crop", "h264-size-16x16-*", "h264-size-130x66-*", "h264-field-size-48x36", "h264-gop-5-6-temporal", "h264-slices-9-weights",
          "h264-syntax-paff-b-temporal-mix-cabac", "h264-syntax-paff-b-spatial-bt-cavlc", "h264-syntax-paff-implicit-tb-cabac", "h264-syntax-paff-long-term-tb-cavlc",
          "h264-syntax-paff-mixed-slices-mix-cavlc", "h264-syntax-paff-constrained-intra-mix-cabac", "h264-syntax-frame-temporal-cavlc")


def refusal(stream, guest=None):
    """Why this stream is not decoded on Ironlake, or "". `guest`: the release of the guest that decodes it."""
    if stream.codec not in ("mpeg2", "h264"):
        return f"{stream.codec} is not built on Ironlake"
    if stream.codec == "mpeg2" and stream.name != "mpeg2-syntax-only-field-tb" and NO_KERNELS.search(stream.name):
        return "i965 has no kernels for such field pictures"
    if stream.codec == "mpeg2" and guest and guest != platform.freedesktop_os_release().get("VERSION_CODENAME"):
        return "va_frames.c is compiled for this machine's release"
    if ONE_COLUMN.match(stream.name):
        return "i965's deblocking starts no second row of pictures one macroblock wide"
    return ""


def in_sample(stream):
    return any(fnmatch.fnmatchcase(stream.name, name) for name in SAMPLE)


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


def decode(path, raw, where, node, seconds):
    """Writes the frames of the video PATH to RAW by i965. `where`: video_run's. Returns (seconds, what went wrong or "")."""
    begin = time.monotonic()
    status, said, work = where.run([program(), node, path, raw], "i965", [(program(), False), (path, False), (raw, True)], seconds)
    spent = time.monotonic() - begin
    if status is None:
        return math.nan, f"ran longer than {seconds} s"
    if lacks := re.search("(unimplemented|guest error): .*", said):
        return math.nan, lacks[0]
    if status:
        return math.nan, f"status {status}: {(said.strip().splitlines() or ['no message'])[-1]}"
    return spent, "" if work.threads else "decoded in software: no thread was started"


def compare(stream, path, size, where, node, seconds):
    """(frames, what differs or "", detail, frames per second of ours and of software's, with the start of the programs)."""
    with tempfile.TemporaryDirectory(prefix="softgen-video-") as name:
        folder = pathlib.Path(name)
        ours, theirs = folder / "ours", folder / "theirs"
        begin = time.monotonic()
        video_files.run(["ffmpeg", "-v", "error", "-nostdin", *stream.software, "-i", path, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p", theirs])
        software = time.monotonic() - begin
        spent, wrong = decode(path, ours, where, node, seconds)
        if wrong:
            return 0, wrong, "", math.nan, math.nan
        width, height = map(int, size.split("x"))
        frame = width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2)
        counts = [file.stat().st_size / frame for file in (ours, theirs)]
        if counts[0] != counts[1] or not counts[0]:
            return int(counts[0]), f"{counts[0]:g} frames instead of {counts[1]:g}", "", math.nan, math.nan
        inputs = (["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", size, "-i", raw] for raw in (ours, theirs))
        values = [(frame["y"], min(frame["u"], frame["v"])) for frame in video_files.frame_psnrs(*inputs, folder)]
        bounds = bounds_of(stream)
    least = Bounds(*(min(column) for column in zip(*values)))
    short = [f"{plane} has {value:.1f} dB; {bound} are needed" for plane, value, bound in zip(Bounds._fields, least, bounds) if value < bound]
    return len(values), short[0] if short else "", f"{least.luma:.1f} dB, chroma {least.chroma:.1f} dB", len(values) / spent, len(values) / software
