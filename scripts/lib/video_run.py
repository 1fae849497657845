# SPDX-License-Identifier: GPL-2.0-or-later
"""Decodes a stream of scripts/video by VA-API on our GPU and in software, and compares the frames."""
import collections
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile

import video_files
import video_ilk
from app_run import run_in_time
from common import BUILD

SECONDS = 300
NODE = "/dev/dri/renderD128"

# `frames`: (size in bytes, MD5) of each; `seconds`: of decoding, without the start of the program; `trouble`: what went wrong, or "".
Decoded = collections.namedtuple("Decoded", "frames seconds trouble")
# What a run has made of our GPU: milliseconds of the video engine, threads of compute and media kernels, and how often the video engines were preempted.
Work = collections.namedtuple("Work", "video threads preemptions", defaults=[0])
# `wrong`: what differs, or ""; `detail`: the minimum PSNR, when that is what is compared.
Verdict = collections.namedtuple("Verdict", "frames wrong detail")


def ffmpeg(stream, path, driver, output, where):
    """FFmpeg's command. Its messages have their level, and the line of -benchmark is among them."""
    decoder = ["-hwaccel", "vaapi", "-hwaccel_device", NODE, "-hwaccel_output_format", "vaapi"] if driver else stream.software
    filters = ["-vf", filters_of(stream, driver, where)]
    if stream.recon and not driver:
        decoder, path = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", size_of(path)], video_files.recon_of(path)
    return ["ffmpeg", "-v", "level+info", "-nostats", "-hide_banner", "-nostdin", "-benchmark", *decoder, "-i", str(path), "-an", "-fps_mode", "passthrough",
            *filters, *output]


def filters_of(stream, driver, where):
    """The filters that bring a decoded frame to memory, in the format of the comparison."""
    return (f"hwdownload,{where.download(stream, driver)}," if driver else "") + f"format={stream.pixels}"


def work_of(report):
    preemptions = sum(engine["preemptions"] for name, engine in report["engines"].items() if name.startswith("vcs"))
    return Work(report["work"]["stage_milliseconds"]["video"], report["work"]["cs_threads"], preemptions)


class Host:
    """Where streams are decoded: under softgen-run. Options are softgen-run's; None is its default."""

    def __init__(self, platform=None, **options):
        self.platform, self.preempts = platform, bool(options.get("preempt"))
        self._options = [word for name, value in {"platform": platform, **options}.items() if value is not None for word in (f"--{name}", str(value))]

    def download(self, stream, driver):
        """The filters behind hwdownload: the format of a driver's surfaces, and the order of their planes."""
        return f"format={stream.download.get(driver, stream.pixels)}"

    def run(self, words, driver, files, seconds):
        """See VideoGuest.run()."""
        with tempfile.TemporaryDirectory(prefix="softgen-video-") as name:
            report = pathlib.Path(name) / "stats.json"
            status, said = run_in_time([str(BUILD / "softgen-run"), "--stats", str(report), *self._options, "--", *map(str, words)],
                                       {**os.environ, "LIBVA_DRIVER_NAME": driver}, seconds)
            return status, said, work_of(json.loads(report.read_text())) if report.is_file() else Work(0, 0)


def decode(stream, path, driver, output, files=(), where=Host()):
    """Decodes by `driver` on our GPU, or in software on the host when it is None. `output`: FFmpeg's options for the output; `files`: those that they name.
    Returns (Decoded without frames)."""
    words, spent, preempted = ffmpeg(stream, path, driver, output, where), None, True
    if driver:
        status, said, work = where.run(words, driver, [(path, False), *((file, True) for file in files)], SECONDS)
        spent, preempted = work.video, work.preemptions or not where.preempts
    else:
        status, said = run_in_time(words, dict(os.environ), SECONDS)
    time = re.search(r"rtime=([\d.]+)s", said)
    return Decoded([], float(time[1]) if time else math.nan, trouble(status, said, spent, preempted))


def trouble(status, said, spent, preempted=True):
    """What is wrong with a run, or "". `spent`: milliseconds of the video engine; None: software. `preempted`: it was, or need not be."""
    errors = [line for line in said.splitlines() if re.search(r"\[(error|fatal)\]", line)]
    if status is None:
        return f"ran longer than {SECONDS} s"
    if spent is not None and (lacks := re.search("unimplemented: .*", said)):
        return lacks[0]
    if status:
        return f"status {status}: {(errors or said.strip().splitlines() or ['no message'])[-1]}"
    if spent == 0:
        return f"decoded in software: {errors[0] if errors else 'the video engine had nothing to do'}"
    if not preempted:
        return "the video engine was never preempted"
    return errors[0] if errors else ""


def md5s(path):
    """(size, MD5) per frame of FFmpeg's framemd5."""
    if not path.is_file():
        return []
    rows = [line.split(",") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [(int(row[4]), row[5].strip()) for row in rows]


def decode_frames(stream, path, driver, folder, where=Host()):
    """Decoded, with all frames. Those of a stream that is compared by PSNR are in the file FOLDER/DRIVER.raw, too."""
    sums, raw = folder / f"{driver}.md5", folder / f"{driver}.raw"
    if stream.min_psnr is None:
        done = decode(stream, path, driver, ["-f", "framemd5", "-y", str(sums)], [sums], where)
    else:
        # One output: FFmpeg 7 would download each frame on two threads at a time, which iHD does not bear.
        done = decode(stream, path, driver, ["-f", "rawvideo", "-y", str(raw)], [raw], where)
        if raw.is_file():
            video_files.run(["ffmpeg", "-v", "error", "-nostdin", *raw_input(stream, raw), "-f", "framemd5", "-y", sums])
    return done._replace(frames=md5s(sums))


def raw_input(stream, raw):
    """FFmpeg's options for a file of decoded frames."""
    return ["-f", "rawvideo", "-pix_fmt", stream.pixels, "-s", size_of(video_files.ensure(stream)), "-i", raw]


def size_of(path):
    """WIDTHxHEIGHT of a stream."""
    words = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "csv=p=0:s=x", path]
    return video_files.run(words, stdout=subprocess.PIPE).split()[0].decode().rstrip("x")  # of streams with side data


def min_psnr(stream, folder, driver):
    """The minimum PSNR of a frame in dB (inf: all are equal), and that frame's index. Chroma counts as luma does."""
    inputs = (raw_input(stream, folder / f"{name}.raw") for name in (driver, "None"))
    values = [min(planes.values()) for planes in video_files.frame_psnrs(*inputs, folder)]
    return min((value, i) for i, value in enumerate(values))


def verdict(stream, ours, theirs, folder, driver):
    """Compares two Decoded."""
    count = len(ours.frames)
    for who, result in ((driver, ours), ("software", theirs)):
        if result.trouble:
            return Verdict(count, result.trouble if who == driver else f"{who}: {result.trouble}", "")
    if not theirs.frames or count != len(theirs.frames):
        return Verdict(count, f"{count} frames instead of {len(theirs.frames)}", "")
    if stream.min_psnr is not None:
        value, frame = min_psnr(stream, folder, driver)
        wrong = f"frame {frame} has {value:.1f} dB; {stream.min_psnr} are needed" if value < stream.min_psnr else ""
        return Verdict(count, wrong, f"{value:.1f} dB")
    different = [i for i in range(count) if ours.frames[i] != theirs.frames[i]]
    return Verdict(count, f"frame {different[0]} is the first of {len(different)} that differ" if different else "", "")


def compare(stream, drivers, where=Host()):
    """Yields (driver, Verdict, our frames per second, those of software) for each driver. MPEG-2's of Ironlake are with the start of the programs."""
    path = video_files.ensure(stream)
    if where.platform == "ilk" and stream.codec == "mpeg2":  # FFmpeg does not read these frames
        for driver in drivers:
            frames, wrong, detail, ours, theirs = video_ilk.compare(stream, path, size_of(path), where, NODE, SECONDS)
            yield driver, Verdict(frames, wrong, detail), ours, theirs
        return
    with tempfile.TemporaryDirectory(prefix="softgen-video-") as name:
        folder = pathlib.Path(name)
        theirs = decode_frames(stream, path, None, folder)
        for driver in drivers:
            ours = decode_frames(stream, path, driver, folder, where=where)
            yield driver, verdict(stream, ours, theirs, folder, driver), rate(ours), rate(theirs)


def rate(decoded):
    return len(decoded.frames) / decoded.seconds if decoded.frames and decoded.seconds else math.nan


def speed(stream, drivers, repetitions=3, where=Host()):
    """Yields (driver, what went wrong, our frames per second, those of software): the best of some runs each, without comparison; the frames of both
    reach the program's memory."""
    path = video_files.ensure(stream)
    count = len(video_files.run(["ffprobe", "-v", "error", "-show_entries", "packet=size", "-of", "csv", path], stdout=subprocess.PIPE).splitlines())

    def best(driver):
        runs = [decode(stream, path, driver, ["-f", "null", "-"], where=where) for _ in range(repetitions)]
        wrong = next((run.trouble for run in runs if run.trouble), "")
        return count / min((run.seconds for run in runs if run.seconds > 0), default=math.nan), wrong

    theirs, _ = best(None)
    for driver in drivers:
        ours, wrong = best(driver)
        yield driver, wrong, ours, theirs
