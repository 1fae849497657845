# SPDX-License-Identifier: GPL-2.0-or-later
"""The streams of scripts/video: how each is made, and how far its decoded frames may differ from those of FFmpeg's software decoder.

Each has one feature of its standard, small, and each codec has one of 1920x1080 for speed."""
import collections

# `source`: a lavfi graph. `encode`: FFmpeg's options for it, or a command that reads Y4M and writes the file {out}; "cjpeg ...": runs once per frame.
# `pixels`: the format in which frames are compared. `least`: None: every frame is equal; else the least PSNR of a frame in dB.
# `download`: {driver: format of its surfaces}, where it is not `pixels`: iHD does not convert, and ends in a fault when asked for another.
# `software`: options of the software decoder. `quick`: in scripts/test. `speed`: for --speed. `without`: {driver: why it cannot decode this stream}.
# `recon`: the encoder is x265 alone, and its own reconstruction is what frames are compared with: FFmpeg's decoder differs from it.
Stream = collections.namedtuple("Stream", "name codec source encode pixels least software quick speed without download recon",
                                defaults=["nv12", None, (), False, False, {}, {}, False])

DRIVERS = {"iHD": "intel-media-va-driver", "i965": "i965-va-driver"}
PLATFORMS = {"kbl": ["iHD", "i965"], "icl": ["iHD"], "tgl": ["iHD"]}  # chips, and the drivers that know them
PACKAGES = ["ffmpeg", "x265", "libjpeg-turbo-progs", "vpx-tools", *DRIVERS.values()]

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


AVC = [
    x264("baseline", "crf=23", options=["-profile:v", "baseline"], quick=True),
    x264("cavlc", "cabac=0:crf=20:bframes=2"),
    x264("cavlc-8x8dct", "cabac=0:8x8dct=1:crf=16", noisy()),
    x264("cabac", "cabac=1:8x8dct=0:crf=20:bframes=0"),
    x264("high", "8x8dct=1:crf=20:bframes=3:ref=4", quick=True),
    x264("low-qp", "crf=3:8x8dct=1", noisy()),
    x264("high-qp", "qp=48", detailed()),
    x264("intra", "keyint=1:crf=18", detailed()),
    x264("ipcm", "qp=1:cabac=1:8x8dct=0", "nullsrc=s=176x144:r=25,trim=end_frame=4,geq=lum='random(1)*255':cb='random(2)*255':cr='random(3)*255'"),
    x264("slices", "slices=4:crf=20"),
    x264("slice-bytes", "slice-max-size=300:crf=20", detailed()),
    x264("weightp", "weightp=2:bframes=0:crf=20", moving(rest=",fade=in:0:12")),
    x264("weightb", "weightb=1:bframes=3:crf=20", moving(rest=",fade=out:0:12")),
    x264("direct-spatial", "direct=spatial:bframes=3:crf=24"),
    x264("direct-temporal", "direct=temporal:bframes=3:crf=24"),
    x264("direct-4x4", "direct=temporal:bframes=3:partitions=all:8x8dct=0:no-fast-pskip=1:subme=9:crf=20:level=13", noisy()),
    x264("pyramid", "b-pyramid=normal:bframes=7:b-adapt=0:ref=8:crf=24"),
    x264("ref16", "ref=16:crf=22", moving(frames=24)),
    x264("partitions", "partitions=all:subme=9:me=umh:crf=18", detailed()),
    x264("constrained-intra", "constrained-intra=1:crf=20"),
    x264("no-deblock", "no-deblock=1:crf=26"),
    x264("deblock-strong", "deblock=3,3:crf=30"),
    x264("deblock-weak", "deblock=-3,-3:crf=30"),
    x264("cqm", "cqm=jvt:8x8dct=1:crf=20", detailed()),
    x264("chroma-offset", "chroma-qp-offset=-6:crf=24", detailed()),
    x264("mbaff", "tff=1:bframes=3:crf=20", interlaced(), ["-flags", "+ildct+ilme"], quick=True),
    x264("mbaff-cavlc", "tff=1:cabac=0:bframes=0:crf=20", interlaced(), ["-flags", "+ildct+ilme"]),
    x264("mbaff-temporal", "tff=1:direct=temporal:bframes=3:crf=20", interlaced(frames=24), ["-flags", "+ildct+ilme"]),
    x264("mbaff-slices", "tff=1:slices=3:crf=20", interlaced(), ["-flags", "+ildct+ilme"]),
    x264("intra-refresh", "intra-refresh=1:bframes=0:crf=24", moving(frames=24)),
    x264("open-gop", "open-gop=1:bframes=3:crf=24", moving(frames=24)),
    x264("gray", "crf=20", options=["-pix_fmt", "gray"]),
    x264("crop", "crf=20", moving("178x146")),
    x264("narrow", "crf=20", moving("66x34")),
    x264("1080p", "keyint=25:bitrate=8000:bframes=3:8x8dct=1", FULL_HD_SOURCE, speed=True),
]


def surface_of(pixels):
    if pixels == "yuv420p":
        return {"pixels": "nv12"}
    return {"pixels": "p010le", "without": {"i965": "its vaGetImage does not know P010"}}


def x265(name, parameters, source=None, pixels="yuv420p", **more):
    return Stream(f"hevc-{name}", "hevc", source or moving(), ["-c:v", "libx265", "-pix_fmt", pixels, "-x265-params", f"log-level=none:keyint=8:{parameters}"],
                  **surface_of(pixels), **more)


def x265_recon(name, options, source=None):
    """FFmpeg's decoder (5.1) filters samples at the corners of 16x16 CTBs, and at lossless blocks, with neighbours that are not deblocked yet."""
    words = ["x265", "--log-level", "none", "--keyint", "8", *options.split(), "--y4m", "--input", "-", "--recon", "{out}.yuv", "-o", "{out}"]
    return Stream(f"hevc-{name}", "hevc", source or moving(), words, recon=True)


HEVC = [
    x265("main", "crf=24", quick=True),
    x265("main10", "crf=24", pixels="yuv420p10le", quick=True),
    x265("intra", "keyint=1:crf=20", detailed()),
    x265("low-qp", "qp=4", noisy()),
    x265("high-qp", "qp=48", detailed()),
    x265_recon("wpp", "--wpp --crf 22 --ctu 16", moving("352x288")),
    x265_recon("no-wpp", "--no-wpp --crf 22 --ctu 16", moving("352x288")),
    x265_recon("slices", "--slices 3 --crf 22 --ctu 16", moving("352x288")),
    x265_recon("ctu16", "--ctu 16 --crf 22"),
    x265("ctu32", "ctu=32:crf=22"),
    x265("min-cu", "min-cu-size=16:crf=22"),
    x265("tu-depth", "tu-intra-depth=4:tu-inter-depth=4:limit-tu=0:crf=20", detailed()),
    x265("amp", "rect=1:amp=1:crf=22:rd=4"),
    x265("tskip", "tskip=1:crf=12", noisy()),
    x265("lossless", "lossless=1", noisy(frames=6)),
    x265_recon("cu-lossless", "--cu-lossless --crf 10 --rd 6", detailed()),
    x265("scaling-lists", "scaling-list=default:crf=20", detailed()),
    x265("scaling-lists-10", "scaling-list=default:crf=20", detailed(), pixels="yuv420p10le"),
    x265("weightp", "weightp=1:bframes=0:crf=22", moving(rest=",fade=in:0:12")),
    x265("weightb", "weightb=1:bframes=3:crf=22", moving(rest=",fade=out:0:12")),
    x265("no-sao", "no-sao=1:crf=28"),
    x265("sao", "sao=1:crf=38:sao-non-deblock=1", detailed()),
    x265("no-deblock", "no-deblock=1:crf=28"),
    x265("deblock", "deblock=3,-3:crf=30"),
    x265("no-smoothing", "no-strong-intra-smoothing=1:crf=30", detailed()),
    x265("constrained-intra", "constrained-intra=1:crf=22"),
    x265("no-signhide", "no-signhide=1:crf=20", noisy()),
    x265("no-temporal-mvp", "no-temporal-mvp=1:bframes=3:crf=24"),
    x265("merge5", "max-merge=5:bframes=4:crf=24"),
    x265("merge1", "max-merge=1:bframes=4:crf=24"),
    x265("pyramid", "bframes=7:b-adapt=0:b-pyramid=1:ref=5:crf=26", moving(frames=24)),
    x265("cu-delta-qp", "aq-mode=2:qg-size=8:cutree=1:crf=26", detailed()),
    x265("chroma-offsets", "cbqpoffs=-5:crqpoffs=4:crf=26", detailed()),
    x265("narrow", "crf=22", moving("72x40")),
    x265("crop", "crf=22", moving("178x146")),
    x265("1080p", "keyint=25:bitrate=6000:bframes=4", FULL_HD_SOURCE, speed=True),
    x265("1080p-10", "keyint=25:bitrate=6000:bframes=4", FULL_HD_SOURCE, pixels="yuv420p10le", speed=True),
]


def libvpx(name, options, source=None, **more):
    return Stream(f"vp8-{name}", "vp8", source or moving(), ["-c:v", "libvpx", "-pix_fmt", "yuv420p", "-g", "8", "-b:v", "400k", *options], **more)


def vpxenc(codec, name, options, source=None, **more):
    return Stream(f"{codec}-{name}", codec, source or moving(), ["vpxenc", f"--codec={codec}", "--quiet", "--kf-max-dist=8", *options, "-o", "{out}", "-"], **more)


VP8 = [
    libvpx("plain", [], quick=True),
    libvpx("low-q", ["-crf", "4", "-qmin", "0", "-b:v", "8M"], noisy()),
    libvpx("high-q", ["-crf", "63", "-qmin", "60"], detailed()),
    vpxenc("vp8", "partitions2", ["--token-parts=1", "--target-bitrate=400"]),
    vpxenc("vp8", "partitions8", ["--token-parts=3", "--target-bitrate=800"], noisy()),
    vpxenc("vp8", "profile1", ["--profile=1", "--target-bitrate=300"]),
    vpxenc("vp8", "profile2", ["--profile=2", "--target-bitrate=300"]),
    vpxenc("vp8", "profile3", ["--profile=3", "--target-bitrate=300"]),
    libvpx("sharpness", ["-sharpness", "7", "-b:v", "150k"]),
    libvpx("error-resilient", ["-error-resilient", "default"]),
    libvpx("alt-ref", ["-auto-alt-ref", "1", "-lag-in-frames", "8", "-arnr-maxframes", "5"], moving(frames=24)),
    libvpx("static-segments", ["-static-thresh", "100", "-rc_lookahead", "0", "-deadline", "realtime", "-cpu-used", "-4"]),
    libvpx("odd", [], moving("177x143")),
    libvpx("small", [], moving("34x18")),
    libvpx("1080p", ["-g", "25", "-b:v", "8M", "-deadline", "realtime", "-cpu-used", "4"], FULL_HD_SOURCE, speed=True),
]


def libvpx9(name, options, source=None, pixels="yuv420p", **more):
    profile = ["-profile:v", "2"] if pixels == "yuv420p10le" else []
    return Stream(f"vp9-{name}", "vp9", source or moving(), ["-c:v", "libvpx-vp9", "-pix_fmt", pixels, *profile, "-g", "8", "-b:v", "300k", "-cpu-used", "3", *options],
                  **surface_of(pixels), **more)


VP9 = [
    libvpx9("plain", [], quick=True),
    libvpx9("10-bit", [], pixels="yuv420p10le", quick=True),
    libvpx9("low-q", ["-crf", "2", "-b:v", "0"], noisy()),
    libvpx9("low-q-10", ["-crf", "2", "-b:v", "0"], noisy(), pixels="yuv420p10le"),
    libvpx9("high-q", ["-crf", "63", "-b:v", "0"], detailed()),
    libvpx9("lossless", ["-lossless", "1"], noisy(frames=6)),
    libvpx9("tile-columns", ["-tile-columns", "2", "-b:v", "1M"], moving("1024x128")),
    libvpx9("tile-rows", ["-tile-rows", "2", "-b:v", "1M"], moving("352x288")),
    libvpx9("aq1", ["-aq-mode", "1", "-b:v", "150k"], detailed()),
    libvpx9("aq2", ["-aq-mode", "2", "-b:v", "150k"], detailed()),
    libvpx9("aq3", ["-aq-mode", "3", "-b:v", "150k", "-deadline", "realtime", "-cpu-used", "6"], moving(frames=24)),
    libvpx9("error-resilient", ["-error-resilient", "default"]),
    libvpx9("frame-parallel", ["-frame-parallel", "1"]),
    libvpx9("alt-ref", ["-auto-alt-ref", "1", "-lag-in-frames", "12"], moving(frames=30)),
    libvpx9("slow", ["-cpu-used", "0", "-b:v", "500k"], moving(frames=8)),
    libvpx9("interpolation", ["-cpu-used", "1", "-crf", "20", "-b:v", "0"], detailed()),
    libvpx9("odd", [], moving("177x143")),
    libvpx9("odd-small", [], moving("35x17")),
    libvpx9("odd-10", [], moving("177x143"), pixels="yuv420p10le"),
    # VP9's own resampling of references: the coder lowers the size of its frames when the rate does not suffice.
    vpxenc("vp9", "resize", ["--disable-warning-prompt", "--resize-allowed=1", "--rt", "--cpu-used=7", "--end-usage=cbr", "--target-bitrate=40", "--undershoot-pct=100", "--overshoot-pct=15",
                             "--buf-sz=200", "--buf-initial-sz=100", "--buf-optimal-sz=150", "--kf-max-dist=999"], noisy("640x360", frames=150)),
    libvpx9("1080p", ["-g", "25", "-b:v", "6M", "-deadline", "realtime", "-cpu-used", "6", "-tile-columns", "2"], FULL_HD_SOURCE, speed=True),
]


def mpeg2(name, options, source=None, **more):
    """The standard leaves the inverse DCT open; the engine computes FFmpeg's `simple`."""
    return Stream(f"mpeg2-{name}", "mpeg2", source or moving(), ["-c:v", "mpeg2video", "-pix_fmt", "yuv420p", "-g", "8", "-q:v", "4", *options],
                  software=("-idct", "simple"), **more)


STEPS = ",".join(str(8 + i // 3) for i in range(64))
MPEG2 = [
    mpeg2("p", ["-bf", "0"], quick=True),
    mpeg2("b", ["-bf", "2"], quick=True),
    mpeg2("intra", ["-g", "1"], detailed()),
    mpeg2("low-q", ["-q:v", "1", "-qmin", "1"], noisy()),
    mpeg2("high-q", ["-q:v", "31"], detailed()),
    mpeg2("interlaced", ["-flags", "+ildct+ilme", "-bf", "2"], interlaced()),
    mpeg2("alternate-scan", ["-flags", "+ildct+ilme", "-alternate_scan", "1"], interlaced()),
    mpeg2("intra-vlc", ["-intra_vlc", "1"], detailed()),
    mpeg2("nonlinear-quant", ["-non_linear_quant", "1", "-qmax", "28", "-q:v", "12"], detailed()),
    mpeg2("dc-precision", ["-dc", "10"], detailed()),
    mpeg2("dc-9", ["-dc", "9", "-bf", "2"]),
    mpeg2("matrices", ["-intra_matrix", STEPS, "-inter_matrix", STEPS], detailed()),
    mpeg2("slices", ["-slices", "4"]),
    mpeg2("long-vectors", ["-me_range", "128", "-bf", "2"], moving(rest=",scroll=h=0.1:v=0.05")),
    mpeg2("crop", [], moving("178x146")),
    mpeg2("1080p", ["-g", "12", "-bf", "2", "-q:v", "5"], FULL_HD_SOURCE, speed=True),
]

JPEG_SURFACES = {"yuvj420p": {"iHD": "nv12", "i965": "yuv420p"}, "yuvj422p": {"iHD": "yuyv422", "i965": "yuyv422"}, "yuvj444p": {"iHD": "yuv444p", "i965": "yuv444p"}, "yuvj411p": {"iHD": "yuv411p", "i965": "yuv411p"},
                "yuvj440p": {"iHD": "yuv440p", "i965": "yuv440p"}}
JPEG_BOUND = 50  # the inverse DCT is open, and both sides round


def mjpeg(name, options, source=None, pixels="yuvj420p", **more):
    return Stream(f"jpeg-{name}", "jpeg", source or detailed(frames=4), ["-c:v", "mjpeg", "-pix_fmt", pixels, "-q:v", "3", *options], pixels, JPEG_BOUND, download=JPEG_SURFACES.get(pixels, {}), **more)


def cjpeg(name, options, pixels, source=None, **more):
    return Stream(f"jpeg-{name}", "jpeg", source or detailed(frames=3), ["cjpeg", *options], pixels, JPEG_BOUND, download=JPEG_SURFACES.get(pixels, {}), **more)


JPEG = [
    mjpeg("420", [], quick=True),
    mjpeg("422", [], pixels="yuvj422p"),
    cjpeg("444", ["-sample", "1x1"], "yuvj444p"),
    cjpeg("422-vertical", ["-sample", "1x2"], "yuvj440p"),
    cjpeg("411", ["-sample", "4x1"], "yuvj411p"),
    cjpeg("gray", ["-grayscale"], "gray"),
    cjpeg("restart", ["-restart", "3B"], "yuvj420p"),
    cjpeg("restart-row", ["-restart", "1", "-sample", "2x1"], "yuvj422p"),
    cjpeg("optimal-huffman", ["-optimize"], "yuvj420p"),
    cjpeg("quality-1", ["-quality", "1"], "yuvj420p"),
    cjpeg("quality-100", ["-quality", "100"], "yuvj420p", noisy(frames=3)),
    mjpeg("slices", ["-slices", "4"]),
    mjpeg("odd", [], detailed("177x143", frames=3)),
    cjpeg("odd-444", ["-sample", "1x1"], "yuvj444p", detailed("35x17", frames=3)),
    cjpeg("odd-422", ["-sample", "2x1"], "yuvj422p", detailed("35x17", frames=3)),
    mjpeg("1080p", [], FULL_HD_SOURCE, speed=True),
]

STREAMS = [*AVC, *HEVC, *VP8, *VP9, *MPEG2, *JPEG]
CODECS = list(dict.fromkeys(stream.codec for stream in STREAMS))
