# SPDX-License-Identifier: GPL-2.0-or-later
"""How the streams of scripts/video are made, and how far their decoded frames may differ from those of FFmpeg's software decoder."""
import collections
import functools
import json
import os
import pathlib

import apt

# `source`: a lavfi graph. `encode`: FFmpeg's options for it, or a command that reads Y4M and writes the file {out}; "cjpeg ...": runs once per frame;
# "syntax ...": a syntax_*.py, which needs no source.
# `pixels`: the format in which frames are compared. `min_psnr`: of a frame, in dB; None: every frame is equal.
# `download`: {driver: format of its surfaces}, where it is not `pixels`: iHD does not convert, and ends in a fault when asked for another.
# `software`: options of the software decoder. `quick`: in scripts/test. `speed`: for --speed. `without`: {driver: why it cannot decode this stream}; `without_free`: why
# its free build cannot, which Debian's main has.
# `recon`: the encoder's own reconstruction, {out}.yuv, or libde265's frames of a "syntax ..." is what frames are compared with: FFmpeg's decoder (5.1) filters
# samples at the corners of 16x16 CTBs, and at lossless blocks, with neighbours that are not deblocked yet.
# `proof`: {element of FFmpeg's trace_headers: a value} that the stream must have: its feature; of VC-1 {what its decoder says: 1}.
Stream = collections.namedtuple("Stream", "name codec source encode pixels min_psnr software quick speed without without_free download recon proof",
                                defaults=["nv12", None, (), False, False, {}, {}, {}, False, {}])

DRIVERS = {"iHD": "intel-media-va-driver", "i965": "i965-va-driver"}
NON_FREE = {"iHD": "intel-media-va-driver-non-free", "i965": "i965-va-driver-shaders"}
PLATFORMS = {"kbl": ["iHD", "i965"], "icl": ["iHD"], "tgl": ["iHD"], "ilk": ["i965"]}  # chips, and the drivers that know them
PACKAGES = ["ffmpeg", "x265", "libjpeg-turbo-progs", "vpx-tools", "mjpegtools", "libde265-examples", "mmdebstrap",
            "libavcodec-dev", "libavformat-dev", "libva-dev", *DRIVERS.values()]  # mmdebstrap: see kvazaar.py


@functools.cache
def drivers_with_kernels():
    """Which VA-API drivers here are Debian's non-free ones, which have kernels for encoding and processing: installed, or in LIBVA_DRIVERS_PATH."""
    folder, installed = os.environ.get("LIBVA_DRIVERS_PATH"), apt.installed(list(NON_FREE.values()))
    return [driver for driver, package in NON_FREE.items()
            if package in installed or (folder and (pathlib.Path(folder) / f"{driver}_drv_video.so").is_file())]


def refusals(stream, complete):
    """{driver: why it cannot decode `stream`}. `complete`: the drivers that are not the free builds."""
    return {**stream.without, **{driver: reason for driver, reason in stream.without_free.items() if driver not in complete}}


def moving(size="176x144", frames=12, rest=""):
    return f"testsrc2=s={size}:r=25,trim=end_frame={frames}{rest}"


def detailed(size="176x144", frames=12, rest=""):
    return f"mandelbrot=s={size}:r=25:maxiter=500,trim=end_frame={frames}{rest}"


def noisy(size="176x144", frames=12, strength=40):
    return moving(size, frames, f",noise=alls={strength}:allf=t:all_seed=1")


def interlaced(size="176x144", frames=12):
    """Each field is of another time."""
    return f"testsrc2=s={size}:r=50,trim=end_frame={2 * frames},tinterlace=mode=interleave_top,setfield=tff"


FULL_HD = "1920x1080"
# Slow and fast parts, and detail that a real picture has: two moving sources.
FULL_HD_SOURCE = f"mandelbrot=s={FULL_HD}:r=25:maxiter=300,trim=end_frame=50[a];testsrc2=s=960x540:r=25,trim=end_frame=50[b];[a][b]overlay=x=20+8*n:y=200"


def x264(name, parameters, source=None, options=(), **more):
    return Stream(f"h264-{name}", "h264", source or moving(), ["-c:v", "libx264", *(["-pix_fmt", "yuv420p"] if "-pix_fmt" not in options else []), *options,
                                                               "-x264-params", f"keyint=8:{parameters}"], **more)


def surface_of(pixels):
    if pixels == "yuv420p":
        return {"pixels": "nv12"}
    return {"pixels": "p010le", "without": {"i965": "its vaGetImage does not know P010"}}


def x265(name, parameters, source=None, pixels="yuv420p", **more):
    return Stream(f"hevc-{name}", "hevc", source or moving(), ["-c:v", "libx265", "-pix_fmt", pixels, "-x265-params", f"log-level=none:keyint=8:{parameters}"],
                  **surface_of(pixels), **more)


def x265_recon(name, options, source=None):
    words = ["x265", "--log-level", "none", "--keyint", "8", *options.split(), "--y4m", "--input", "-", "--recon", "{out}.yuv", "-o", "{out}"]
    return Stream(f"hevc-{name}", "hevc", source or moving(), words, recon=True)


def kvz(name, options, source=None, **more):
    """kvazaar, whose CTBs are of 64x64."""
    words = ["kvazaar", "-i", "-", "--input-file-format", "y4m", "--threads", "0", "--owf", "0", "--no-enable-logging", "--no-info", "--preset", "veryfast", "-q", "27", "--no-wpp",
             *options.split(), "--debug", "{out}.yuv", "-o", "{out}"]
    return Stream(f"hevc-kvazaar-{name}", "hevc", source or moving("264x200", frames=6), words, **more)


def libvpx(name, options, source=None, **more):
    return Stream(f"vp8-{name}", "vp8", source or moving(), ["-c:v", "libvpx", "-pix_fmt", "yuv420p", "-g", "8", "-b:v", "400k", *options], **more)


def vpxenc(codec, name, options, source=None, **more):
    return Stream(f"{codec}-{name}", codec, source or moving(), ["vpxenc", f"--codec={codec}", "--quiet", "--kf-max-dist=8", *options, "-o", "{out}", "-"], **more)


def libvpx9(name, options, source=None, pixels="yuv420p", **more):
    profile = ["-profile:v", "2"] if pixels == "yuv420p10le" else []
    return Stream(f"vp9-{name}", "vp9", source or moving(), ["-c:v", "libvpx-vp9", "-pix_fmt", pixels, *profile, "-g", "8", "-b:v", "300k", "-cpu-used", "3", *options],
                  **surface_of(pixels), **more)


def mpeg2(name, options, source=None, **more):
    """The standard leaves the inverse DCT open; the engine computes FFmpeg's `simple`."""
    return Stream(f"mpeg2-{name}", "mpeg2", source or moving(), ["-c:v", "mpeg2video", "-pix_fmt", "yuv420p", "-g", "8", "-q:v", "4", *options],
                  software=("-idct", "simple"), **more)


def mpeg2enc(name, options, source=None, **more):
    words = ["mpeg2enc", "-v", "0", "-f", "3", "-b", "8000", "-q", "6", "-g", "6", "-G", "6", *options.split(), "-o", "{out}"]
    return Stream(f"mpeg2-mpeg2enc-{name}", "mpeg2", source or interlaced("176x128", 8), words, software=("-idct", "simple"), **more)


SYNTAX_CODECS = {"mpeg2": "mpeg2", "avc": "h264", "hevc": "hevc", "vc1": "vc1"}


def syntax(writer, name, proof=None, more=None, **options):
    """By syntax_{writer}.py, with its options. `more`: of Stream."""
    # FFmpeg's decoder of H.264 takes other vectors for direct prediction in fields with several threads than with one.
    extra = {"mpeg2": {"software": ("-idct", "simple")}, "avc": {"software": ("-threads", "1")}, "hevc": surface_of("yuv420p10le") if options.get("depth", 8) > 8 else {},
             "vc1": {"software": ("-flags", "bitexact"), "without_free": {"iHD": "Debian's free build has no VC-1"}}}[writer]
    return Stream(f"{SYNTAX_CODECS[writer]}-syntax-{name}", SYNTAX_CODECS[writer], "", ["syntax", writer, json.dumps(options)], proof=proof or {}, **extra, **(more or {}))


JPEG_SURFACES = {"yuvj420p": {"iHD": "nv12", "i965": "yuv420p"}, "yuvj422p": {"iHD": "yuyv422", "i965": "yuyv422"}, "yuvj444p": {"iHD": "yuv444p", "i965": "yuv444p"}, "yuvj411p": {"iHD": "yuv411p", "i965": "yuv411p"},
                "yuvj440p": {"iHD": "yuv440p", "i965": "yuv440p"}}
JPEG_BOUND = 50  # the inverse DCT is open, and both sides round


def mjpeg(name, options, source=None, pixels="yuvj420p", **more):
    return Stream(f"jpeg-{name}", "jpeg", source or detailed(frames=4), ["-c:v", "mjpeg", "-pix_fmt", pixels, "-q:v", "3", *options], pixels, JPEG_BOUND, download=JPEG_SURFACES.get(pixels, {}), **more)


def cjpeg(name, options, pixels, source=None, **more):
    return Stream(f"jpeg-{name}", "jpeg", source or detailed(frames=3), ["cjpeg", *options], pixels, JPEG_BOUND, download=JPEG_SURFACES.get(pixels, {}), **more)
