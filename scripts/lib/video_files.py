# SPDX-License-Identifier: GPL-2.0-or-later
"""The files of the streams of scripts/video, in the cache. A file's name has a hash of all that makes it."""
import importlib
import json
import pathlib
import re
import subprocess
import tempfile

import apt
import kvazaar
from common import CACHE, ROOT, Failure, content_key, lock

FOLDER = CACHE / "video"
ENCODERS = ["ffmpeg", "x265", "vpx-tools", "libjpeg-turbo-progs", "mjpegtools", "libde265-examples"]
SUFFIXES = {"ffmpeg": "mkv", "cjpeg": "mjpeg", "vpxenc": "webm", "x265": "hevc", "kvazaar": "hevc", "mpeg2enc": "m2v"}
WRITERS = {"mpeg2": "m2v", "avc": "h264", "hevc": "hevc", "vc1": "vc1"}
SECONDS = 900


def path_of(stream):
    """Where the stream's file is, or will be."""
    tool, versions = tool_of(stream), apt.installed(ENCODERS)
    is_syntax = tool == "syntax"
    sources = [path.read_text() for path in sorted((ROOT / "scripts" / "lib").glob("syntax_*.py"))] if is_syntax else [stream.source]
    key = content_key(*sources, *stream.encode, *(f"{name} {versions.get(name)}" for name in ENCODERS), kvazaar.RELEASE)
    return FOLDER / f"{stream.name}-{key}.{WRITERS[stream.encode[1]] if is_syntax else SUFFIXES[tool]}"


def recon_of(path):
    """The encoder's reconstruction of a stream with `recon`: raw yuv420p."""
    return path.with_suffix(".yuv")


def tool_of(stream):
    return "ffmpeg" if stream.encode[0].startswith("-") else stream.encode[0]


def run(words, **kwargs):
    done = subprocess.run(words, stderr=subprocess.PIPE, check=False, timeout=SECONDS, **kwargs)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Failure(f"{words[0]} failed (exit status {done.returncode}): {said[-1] if said else 'it said nothing'}")
    return done.stdout


def frame_psnrs(ours, theirs, folder):
    """{plane: dB} of each frame of two videos, each given as FFmpeg's words for an input."""
    stats = folder / "psnr"
    graph = f"[0:v]settb=1,setpts=N[a];[1:v]settb=1,setpts=N[b];[a][b]psnr=stats_file={stats}"
    run(["ffmpeg", "-v", "error", "-nostdin", *ours, *theirs, "-lavfi", graph, "-f", "null", "-"])
    return [{plane: float(value) for plane, value in re.findall(r"psnr_([yuv]):(\S+)", line)} for line in stats.read_text().splitlines()]


def frames_command(stream, output):
    """FFmpeg's command that makes the frames of a stream's source."""
    return ["ffmpeg", "-v", "error", "-nostdin", "-filter_complex", stream.source, *output]


def encode_by_ffmpeg(stream, target):
    run(frames_command(stream, [*stream.encode, "-f", "matroska", "-y", target]))


def encode_frames(stream, target):
    """Motion JPEG: one image after the other."""
    with tempfile.TemporaryDirectory(prefix="softgen-video-") as folder:
        kind = "pgm" if "-grayscale" in stream.encode else "ppm"
        run(frames_command(stream, [f"{folder}/%04d.{kind}"]))
        images = [run([*stream.encode, image], stdout=subprocess.PIPE) for image in sorted(pathlib.Path(folder).iterdir())]
        target.write_bytes(b"".join(images))


def encode_by_pipe(stream, target):
    words = [word.replace("{out}", str(target)) for word in stream.encode]
    if words[0] == "kvazaar":
        words[:1] = kvazaar.command()
    with tempfile.NamedTemporaryFile(suffix=".y4m") as frames:
        run(frames_command(stream, ["-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "-y", frames.name]))
        run(words, stdin=frames)


def write_syntax(stream, target):
    """By a syntax_*.py: ["syntax", its name, JSON of its options]."""
    writer = importlib.import_module(f"syntax_{stream.encode[1]}")
    target.write_bytes(writer.write(**json.loads(stream.encode[2])))
    if stream.recon:
        run(["libde265-dec265", "-q", "-o", f"{target}.yuv", target], stdout=subprocess.PIPE)


def lacking(stream, path):
    """Those of stream.proof that the file does not have."""
    # trace_headers does not know VC-1: its decoder says which bitplanes there are, and showinfo whether frames are interlaced.
    way = ["-vf", "showinfo"] if stream.codec == "vc1" else ["-c", "copy", "-bsf:v", "trace_headers"]
    words = ["ffmpeg", "-v", "trace", "-nostdin", "-i", path, "-an", *way, "-f", "null", "-"]
    said = subprocess.run(words, stderr=subprocess.PIPE, check=False, timeout=SECONDS).stderr.decode(errors="replace")
    if stream.codec == "vc1":
        return [name for name in stream.proof if name not in said]
    return [f"{name} = {value}" for name, value in stream.proof.items() if not re.search(rf" {name}(\[[0-9]+\])* +[01]+ = {value}$", said, re.MULTILINE)]


def ensure(stream):
    """The stream's file; made when it is not there."""
    path = path_of(stream)
    with lock(f"video-{stream.name}"):
        if not path.exists() or (stream.recon and not recon_of(path).exists()):
            FOLDER.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(".draft")
            {"ffmpeg": encode_by_ffmpeg, "cjpeg": encode_frames, "syntax": write_syntax}.get(tool_of(stream), encode_by_pipe)(stream, draft)
            if stream.proof and (names := lacking(stream, draft)):
                raise Failure(f"it has no {names[0]}")
            if stream.recon:
                pathlib.Path(f"{draft}.yuv").rename(recon_of(path))
            draft.rename(path)
    return path
