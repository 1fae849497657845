# SPDX-License-Identifier: GPL-2.0-or-later
"""Families of streams: combinations of options, and what only kvazaar, mpeg2enc and our own syntax_*.py write."""
from video_encoders import cjpeg, detailed, interlaced, kvz, libvpx9, mjpeg, moving, mpeg2, mpeg2enc, noisy, syntax, vpxenc, x264, x265

# From tiny ones to odd crops. HEVC's and VP9's smallest for the drivers are larger.
SIZES = ("16x16", "34x50", "50x34", "130x66", "200x40", "46x130", "322x182")

# Structures of frames: both fields in each order, and a mixture with frames.
PAFF = {"tb": ["tb"], "bt": ["bt"], "mix": ["frame", "tb", "frame", "bt"]}
ENTROPY = ("cavlc", "cabac")


def paff(name, **options):
    """Field pictures in both entropy codings, of each kind of structures."""
    return [syntax("avc", f"{name}-{order}-{ENTROPY[cabac]}", {"field_pic_flag": 1}, seed=seed, structures=PAFF[order], cabac=cabac, **options)
            for seed, order in enumerate(PAFF) for cabac in (0, 1)]


AVC = [
    *paff("paff-p", pictures="IPPPPPP"),
    *paff("paff-b-spatial"),
    *paff("paff-b-temporal", spatial=0, pictures="IPBBPBBPBB"),
    *paff("paff-weights", weights=1),
    *paff("paff-implicit", weights=2, pictures="IPBBPBBPBB"),
    *paff("paff-reorder", reorder=1, slices=2),
    *paff("paff-long-term", long_term=1, pictures="IPPPPPPP", reorder=1),
    *paff("paff-mixed-slices", mixed=1, slices=3, pictures="IPBBPBB"),
    *paff("paff-mixed-temporal", mixed=1, slices=3, pictures="IPBBPBBPBB", spatial=0, weights=2),
    *paff("paff-constrained-intra", constrained_intra=1, intra=45, chroma_offset=-5, slices=2),
    *[syntax("avc", f"paff-size-{width}x{height}-{ENTROPY[cabac]}", {"field_pic_flag": 1}, seed=9, width=width, height=height, structures=PAFF["mix"], cabac=cabac)
      for width, height in ((16, 32), (48, 96), (208, 64)) for cabac in (0, 1)],
    *[syntax("avc", f"frame-{name}-{ENTROPY[cabac]}", {"field_pic_flag": 0}, seed=8, structures=["frame"], cabac=cabac, **options)
      for cabac in (0, 1) for name, options in (("p", {"pictures": "IPPPPPP"}), ("temporal", {"spatial": 0}), ("long-term", {"long_term": 1, "pictures": "IPPPPPPP"}))],
]
X264 = [
    *[x264(f"size-{size}-{name}", f"{options}:crf=22:bframes=2", moving(size, 6))
      for size in SIZES for name, options in (("cavlc", "cabac=0"), ("cabac", "8x8dct=1"))],
    *[x264(f"field-size-{size}", "tff=1:bframes=2:crf=22", interlaced(size, 6), ["-flags", "+ildct+ilme"]) for size in ("48x36", "132x68", "200x40", "324x184")],
    *[x264(f"gop-{bframes}-{refs}-{direct}", f"bframes={bframes}:b-adapt=0:b-pyramid={pyramid}:ref={refs}:direct={direct}:crf=26", noisy(frames=10, strength=15))
      for bframes, pyramid, refs in ((1, "none", 1), (3, "strict", 3), (5, "normal", 6)) for direct in ("spatial", "temporal")],
    *[x264(f"qp-{qp}-{scan}", f"qp={qp}:bframes=1", interlaced(frames=6) if scan == "mbaff" else detailed(frames=6), ["-flags", "+ildct+ilme"] if scan == "mbaff" else [])
      for qp in (8, 20, 36, 51) for scan in ("frame", "mbaff")],
    *[x264(f"slices-{slices}-{name}", f"slices={slices}:{options}:crf=24:bframes=2", moving(frames=6)) for slices in (2, 9)
      for name, options in (("cavlc", "cabac=0"), ("weights", "weightp=2:weightb=1"), ("deblock", "deblock=2,-2"))],
]
X265 = [
    *[x265(f"size-{size}", "crf=24:bframes=2", moving(size, 6)) for size in SIZES[1:]],
    *[x265(f"10-bit-size-{size}", "crf=24:bframes=2", moving(size, 6), pixels="yuv420p10le") for size in SIZES[3:]],
    *[x265(f"gop-{bframes}-{refs}-{'weights' if weights else 'plain'}", f"bframes={bframes}:b-adapt=0:ref={refs}:weightp={weights}:weightb={weights}:crf=28", moving(frames=10, rest=",fade=in:0:8"))
      for bframes, refs in ((0, 4), (2, 2), (6, 5)) for weights in (0, 1)],
    *[x265(f"qp-{qp}-{bits}", f"qp={qp}", detailed(frames=6), pixels="yuv420p10le" if bits == 10 else "yuv420p") for qp in (10, 26, 40) for bits in (8, 10)],
]
KVAZAAR = [
    *[kvz(f"tiles-{tiles}", f"--tiles {tiles}", proof={"tiles_enabled_flag": 1}) for tiles in ("2x1", "1x2", "2x2", "4x3")],
    kvz("tiles-uneven", "--tiles-width-split 64,192 --tiles-height-split 128", proof={"uniform_spacing_flag": 0}),
    *[kvz(f"tile-slices-{tiles}", f"--tiles {tiles} --slices tiles", proof={"tiles_enabled_flag": 1, "first_slice_segment_in_pic_flag": 0}) for tiles in ("2x2", "3x1")],
    kvz("wpp", "--wpp", proof={"entropy_coding_sync_enabled_flag": 1}),
    kvz("dependent-slices", "--wpp --slices wpp", proof={"dependent_slice_segment_flag": 1}),
    kvz("lossless", "--lossless", recon=True, proof={"transquant_bypass_enabled_flag": 1}),
    kvz("transform-skip", "--transform-skip --pu-depth-intra 2-4 -q 20", proof={"transform_skip_enabled_flag": 1}),
    kvz("amp", "--smp --amp --rd 2 --pu-depth-inter 0-3", proof={"amp_enabled_flag": 1}),
    kvz("scaling-list", "--scaling-list default", proof={"scaling_list_enabled_flag": 1}),
    *[kvz(f"gop-{gop}", f"--gop {gop} --bipred --ref 4 --period 16", moving("264x200", 18)) for gop in ("8", "16", "lp-g4d3t1", "lp-g8d4t2", "0")],
    *[kvz(f"sao-{sao}", f"--sao {sao} -q 38") for sao in ("off", "band", "edge")],
    *[kvz(f"size-{size}", "--gop 8 --bipred", moving(size, 9)) for size in ("72x40", "136x72", "66x130", "328x248")],
    kvz("deblock", "--deblock -3:4"),
    kvz("no-deblock", "--no-deblock"),
    kvz("signhide", "--signhide --tr-depth-intra 2", proof={"sign_data_hiding_enabled_flag": 1}),
    kvz("merge-1", "--max-merge 1 --no-tmvp"),
    kvz("intra", "-p 1 --rd 3", detailed("200x136", 4)),
    kvz("vaq", "--vaq 5", detailed("264x200", 6), proof={"cu_qp_delta_enabled_flag": 1}),
]
VP8 = [
    *[vpxenc("vp8", f"size-{size}-profile{profile}", [f"--profile={profile}", "--target-bitrate=200"], moving(size, 6)) for size in SIZES for profile in (0, 3)],
    *[vpxenc("vp8", f"parts-{parts}-profile{profile}", [f"--profile={profile}", f"--token-parts={parts}", "--target-bitrate=900"], noisy(frames=6))
      for parts in (0, 3) for profile in (1, 2)],
    *[vpxenc("vp8", f"sharpness-{sharpness}", [f"--sharpness={sharpness}", "--target-bitrate=120", "--auto-alt-ref=1", "--lag-in-frames=5"], detailed(frames=8)) for sharpness in (2, 5)],
]
VP9 = [
    *[libvpx9(f"size-{size}", ["-crf", "24", "-b:v", "0"], moving(size, 6)) for size in SIZES[1:]],
    *[libvpx9(f"10-bit-size-{size}", ["-crf", "24", "-b:v", "0"], moving(size, 6), pixels="yuv420p10le") for size in SIZES[3:]],
    *[libvpx9(f"tiles-{columns}-{rows}-{bits}", ["-tile-columns", str(columns), "-tile-rows", str(rows), "-crf", "30", "-b:v", "0"], moving("528x136", 4),
              pixels="yuv420p10le" if bits == 10 else "yuv420p") for columns, rows in ((0, 1), (1, 1), (1, 2)) for bits in (8, 10)],
    *[libvpx9(f"aq-{aq}-{name}", ["-aq-mode", str(aq), *options], detailed(frames=6)) for aq in (1, 2) for name, options in
      (("error-resilient", ["-error-resilient", "default"]), ("frame-parallel", ["-frame-parallel", "1"]), ("intra", ["-g", "1"]))],
]
PYRAMID = {"kinds": "IPBBBPBBB", "orders": [0, 4, 2, 1, 3, 8, 6, 5, 7]}
TILED, WAVES, PCM, DEPENDENT, LONG = ({name: 1} for name in ("tiles_enabled_flag", "entropy_coding_sync_enabled_flag", "pcm_enabled_flag", "dependent_slice_segment_flag",
                                                                "used_by_curr_pic_lt_flag"))

BY_LIBDE265 = {"recon": True}


def hevc(name, proof=None, seeds=(1, 2), **options):
    return [syntax("hevc", f"{name}-{seed}", proof, seed=seed, **options) for seed in seeds]


HEVC_SYNTAX = [
    *[stream for log2 in (4, 5, 6) for stream in hevc(f"ctb{1 << log2}", log2_ctb=log2, more={"recon": log2 == 4})],
    *hevc("intra", kinds="III"),
    *hevc("p", kinds="IPPPP"),
    *hevc("pyramid", **PYRAMID),
    *hevc("tiles", TILED, tiles=[2, 2]),
    *hevc("tiles-uneven", TILED, tiles=[[1, 2], [2]]),
    *hevc("tiles-apart", {"loop_filter_across_tiles_enabled_flag": 0}, tiles=[3, 2], across_tiles=0),
    *hevc("tiles-segments", {**TILED, **DEPENDENT}, tiles=[2, 2], segment=2, dependent=60),
    *hevc("tile-segments", {**TILED, **DEPENDENT}, tiles=[2, 3], segment=-1, dependent=50),
    *hevc("segments", DEPENDENT, segment=3, dependent=60),
    *hevc("segments-16", DEPENDENT, log2_ctb=4, more=BY_LIBDE265, segment=7, dependent=60),
    *hevc("slices-apart", {"pps_loop_filter_across_slices_enabled_flag": 0}, segment=4, across_slices=0),
    *hevc("wpp", WAVES, wpp=1),
    *hevc("wpp-segments", {**WAVES, **DEPENDENT}, wpp=1, segment=2, dependent=70),
    *hevc("wpp-rows", {**WAVES, **DEPENDENT}, wpp=1, segment=100, dependent=100),
    *hevc("pcm", PCM, pcm=8),
    *hevc("pcm-5", PCM, pcm=5),
    *hevc("pcm-unfiltered", {"pcm_loop_filter_disabled_flag": 1}, pcm=7, pcm_unfiltered=1, more=BY_LIBDE265),
    *hevc("long-term", LONG, long_term=1, kinds="IPPBPBPP"),
    *hevc("long-term-sps", {"num_long_term_sps": 1}, long_term=2, kinds="IPPBPBPP", modification=1),
    *hevc("list-entries", {"lists_modification_present_flag": 1}, modification=1, kinds="IPBPBPB"),
    *hevc("weights", {"weighted_pred_flag": 1}, weights=1),
    *hevc("transform-skip", {"transform_skip_enabled_flag": 1}, transform_skip=1),
    *hevc("bypass", {"transquant_bypass_enabled_flag": 1}, bypass=1, more=BY_LIBDE265),
    *hevc("constrained-intra", {"constrained_intra_pred_flag": 1}, constrained_intra=1, intra=50),
    *hevc("chroma-offsets", {"pps_cb_qp_offset": -7}, chroma_offsets=(-7, 9)),
    *hevc("no-deblock", {"pps_deblocking_filter_disabled_flag": 1}, deblock=0),
    *hevc("no-sao", sao=0),
    *hevc("min-cb-16", log2_min=4, merge=1),
    *hevc("small-transforms", log2_max_tb=3, depth_inter=0, depth_intra=0),
    *hevc("no-temporal", temporal=0, mvd_zero=0, sign_hiding=0),
    *hevc("scaling-default", {"sps_scaling_list_data_present_flag": 0}, scaling=1),
    *hevc("scaling-sps", {"sps_scaling_list_data_present_flag": 1}, scaling=2, transform_skip=1),
    *hevc("scaling-pps", {"pps_scaling_list_data_present_flag": 1}, scaling=3, depth=10),
    *[stream for level in (3, 5) for stream in hevc(f"parallel-merge-{level}", {"log2_parallel_merge_level_minus2": level - 2}, log2_parallel_merge=level)],
    *hevc("min-transform-8", {"log2_min_luma_transform_block_size_minus2": 1}, log2_min_tb=3, log2_min=4),
    # With SAO, too, FFmpeg and libde265 differ from each other at the edges of such slices.
    *hevc("slice-controls", {"deblocking_filter_override_flag": 1}, controls=1, segment=4, kinds="IPBPPB", sao=0, more=BY_LIBDE265),
    *hevc("picture-controls", {"deblocking_filter_override_flag": 1}, controls=1, kinds="IPBPPB"),
    *hevc("collocated", {"collocated_from_l0_flag": 0}, controls=1, kinds="IPBBPBB"),
    *hevc("mixed-slices", {"slice_type": 0}, mixed=1, segment=3, dependent=30, kinds="IPBBBB"),
    *hevc("all", {**TILED, **DEPENDENT, **PCM}, (3, 4, 5), tiles=[2, 2], segment=2, dependent=40, pcm=6, scaling=2, weights=1, transform_skip=1, long_term=1, modification=1,
          chroma_offsets=(3, -4), kinds="IPBBPB"),
    *hevc("crop", width=152, height=88, crop=(6, 2)),
    *hevc("10-bit", depth=10),
    *hevc("10-bit-pcm", PCM, depth=10, pcm=8, tiles=[2, 2]),
    *hevc("10-bit-weights", depth=10, weights=1, **PYRAMID),
]
MPEG2 = [
    mpeg2enc("interlaced", "-I 1 -R 2", proof={"frame_pred_frame_dct": 0}),
    *[mpeg2enc(f"b{count}-{name}", f"-I {mode} -R {count} -q {q}", proof={"alternate_scan": 1}) for count in (0, 1, 2) for name, mode, q in (("field-dct", 1, 4), ("progressive", 0, 12))],
    *[mpeg2enc(f"matrix-{name}", f"-I 1 -K {name} -D {precision}", proof={"load_intra_quantiser_matrix": 1, "intra_dc_precision": precision - 8})
      for name, precision in (("kvcd", 8), ("tmpgenc", 9), ("hi-res", 10))],
    mpeg2enc("no-alternate-scan", "-I 1 --no-altscan-mpeg2", proof={"alternate_scan": 0}),
    *[mpeg2(f"size-{size}-frame", ["-bf", "2"], moving(size, 6)) for size in SIZES],
    # iHD ends with an error where 16 lines are coded as 32.
    *[mpeg2(f"size-{size}-field-dct", ["-flags", "+ildct+ilme", "-bf", "1"], interlaced(size, 6)) for size in SIZES[1:]],
    *[mpeg2(f"dc{dc}-vlc{vlc}-q{q}", ["-dc", str(dc), "-intra_vlc", str(vlc), "-q:v", str(q), "-bf", "1"], detailed(frames=6)) for dc in (8, 10) for vlc in (0, 1) for q in (2, 10)],
    mpeg2enc("pulldown", "-I 0 -p", moving("176x128", 8).replace("r=25", "r=24"), proof={"repeat_first_field": 1}),
    *[syntax("mpeg2", f"field-{order}-{seed}", {"picture_structure": 1}, seed=seed, structures=[order]) for order in ("tb", "bt") for seed in (1, 2)],
    syntax("mpeg2", "mixed", seed=3, structures=["frame", "tb", "frame", "bt"]),
    *[syntax("mpeg2", f"dual-{order}", {"picture_structure": 3 if order == "frame" else 1}, seed=4, structures=[order], pictures="IPPPPP", motions=["dual", "field", "frame"], top_field_first=top)
      for order, top in (("tb", 1), ("bt", 1), ("frame", 1))],
    syntax("mpeg2", "dual-frame-bottom-first", {"top_field_first": 0}, seed=5, structures=["frame"], pictures="IPPPPP", motions=["dual"], top_field_first=0),
    *[syntax("mpeg2", f"only-{motion}-{order}", seed=6, structures=[order], motions=[motion]) for motion, order in (("16x8", "tb"), ("field", "tb"), ("field", "frame"), ("frame", "frame"))],
    *[syntax("mpeg2", f"concealment-{order}", {"concealment_motion_vectors": 1}, seed=7, structures=[order], concealment=1) for order in ("tb", "frame")],
    *[syntax("mpeg2", f"coding-{i}-{order}", {"alternate_scan": scan, "intra_vlc_format": vlc}, seed=8 + i, structures=[order], alternate_scan=scan, intra_vlc=vlc, q_scale_type=scale,
             dc_precision=precision, slices=2, skips=45)
      for i, (scan, vlc, scale, precision) in enumerate(((0, 1, 1, 1), (1, 0, 0, 2), (1, 1, 1, 0))) for order in ("tb", "frame")],
]
JPEG = [
    *[mjpeg(f"{name}-size-{size}", [], detailed(size, 2), pixels=pixels) for size in SIZES[1:5] for name, pixels in (("420", "yuvj420p"), ("422", "yuvj422p"))],
    *[cjpeg(f"444-size-{size}", ["-sample", "1x1"], "yuvj444p", detailed(size, 2)) for size in SIZES[1:5]],
    *[cjpeg(f"quality-{quality}-{name}", ["-quality", str(quality), "-sample", sample], pixels, detailed(frames=2))
      for quality in (30, 75) for name, sample, pixels in (("420", "2x2", "yuvj420p"), ("444", "1x1", "yuvj444p"), ("411", "4x1", "yuvj411p"))],
]
IMODES = ("raw", "norm2", "diff2", "norm6", "diff6", "rows", "columns")
MODES = ("1mv", "mixed", "half", "bilinear")
MIXED = {"modes": MODES, "imodes": IMODES}


def vc1(name, profiles=(3, 1), **options):
    """In Advanced and in Main profile."""
    return [syntax("vc1", f"{name}-{('simple', 'main', '', 'advanced')[profile]}", profile=profile, **options) for profile in profiles]


# What FFmpeg 5.1 decodes otherwise than the standard has it is not here: see docs/conformance.md.
VC1 = [
    *[stream for i, imode in enumerate(IMODES) for stream in vc1(f"bitplanes-{imode}", seed=10 + i, pictures=["I", "P", "B", "BI"], imodes=[imode], modes=["mixed"],
                                                                 width=(96, 112, 48, 80, 144, 64, 128)[i], height=(64, 48, 80, 96, 48, 112, 64)[i])],
    *[stream for index in (6, 20) for mode in MODES for stream in vc1(f"motion-{mode}-{index}", seed=3, modes=[mode], imodes=IMODES, index=index)],
    *[stream for kind in ("", "whole", "rows", "columns", "quarters", "macroblock")
      for stream in vc1(f"transform-{kind or 'fixed'}", seed=5, pictures="IPPPBB", transforms=kind, index=[3, 8, 20], **MIXED)],
    *[stream for mode, name in enumerate(("implicit", "explicit", "nonuniform", "uniform"))
      for stream in vc1(f"quantizer-{name}", seed=6, pictures="IPPBIPPB", quantizer=mode, index=[1, 2, 6, 10, 30], half=1, transforms="macroblock", **MIXED)],
    *[stream for use in ("edges", "choice", "difference")
      for stream in vc1(f"vopdquant-{use}", seed=7, pictures="IPPBPI", alternative=use, index=[5, 9, 14], half=1, transforms="macroblock", **MIXED)],
    *vc1("overlap", seed=8, pictures="IPPPI", overlap=1, index=14, intra=60, modes=MODES),
    *[syntax("vc1", f"condover-{name}", seed=9, pictures="IIIPI", overlap=1, conditions=values, imodes=IMODES, slices=2)
      for name, values in (("none", [0]), ("all", [1]), ("flags", [2]), ("mixed", [0, 1, 2]))],
    *[stream for kind in ("whole", "macroblock") for stream in vc1(f"deblock-{kind}", seed=11, pictures="IPPPBBPI", loop_filter=1, transforms=kind, index=[6, 20], **MIXED)],
    syntax("vc1", "slices", seed=12, pictures="IPPPBBPI", loop_filter=1, overlap=1, slices=1, transforms="macroblock", index=[6, 14, 25], conditions=[0, 1, 2], intra=45, **MIXED),
    syntax("vc1", "slices-raw", seed=21, pictures="IPBPI", slices=3, height=176, imodes=["raw"], modes=["mixed"], index=[2, 8, 31]),
    *vc1("intensity", seed=13, pictures="IPPPPBPB", compensation=70, modes=MODES),
    *vc1("extended", seed=14, pictures="IPPPPB", extended=1, modes=MODES),
    *vc1("fast-chroma", seed=15, fast_chroma=1, modes=MODES),
    *vc1("simple", [0], seed=15, pictures="IPPPPPPI", fast_chroma=1, modes=["1mv", "mixed"], transforms="macroblock", index=[4, 12]),
    *[stream for size in SIZES for stream in vc1(f"size-{size}", seed=16, width=int(size.split("x")[0]), height=int(size.split("x")[1]), pictures="IPPBP", loop_filter=1, **MIXED)],
    *[stream for fraction in ("1/2", "1/3", "2/3", "7/8") for stream in vc1(f"fraction-{fraction.replace('/', '-')}", seed=17, pictures="IPBBPB", fraction=fraction, modes=MODES)],
    *vc1("bi", seed=18, pictures=["I", "P", "BI", "B", "P", "BI"], overlap=1, index=[6, 12]),
    syntax("vc1", "skipped", seed=19, pictures="IPSPSS", modes=MODES),
    syntax("vc1", "skipped-b", seed=20, pictures="IPPSBP", modes=["1mv", "mixed"], b_types=[2], direct=0, intra=0),
]
TOP, BOTTOM = {"i:T": 1}, {"i:B": 1}  # FFmpeg's showinfo
B_FIELDS, FRAMES = {**TOP, "MB Forward Type plane": 1}, {**BOTTOM, "FIELDTX plane": 1}
FIELD_PAIRS = ["I/I", "P/P", "B/B", "P/P", "B/B", "B/BI", "BI/B", "BI/BI", "P/P", "B/B"]
INTERLACED_FRAMES = ["Ii", "Pi", "Bi", "Pi", "Bi", "BIi", "Bi", "Pi", "Bi", "Bi"]
FIELD_MODES = {"modes": MODES, "imodes": IMODES}


def vc1_interlaced(name, proof, **options):
    return syntax("vc1", name, proof, interlaced=1, **options)


# Fields have an even number of macroblocks where they have bitplanes: see docs/conformance.md.
VC1_FIELDS = [
    *[vc1_interlaced(f"fields-p-{mode}", TOP, seed=1, pictures=["I/I", "P/P", "I/P", "P/P", "P/I", "P/P"], modes=[mode], imodes=IMODES) for mode in MODES],
    *[vc1_interlaced(f"fields-b-{mode}", B_FIELDS, seed=2, pictures=FIELD_PAIRS, modes=[mode], imodes=IMODES, distances=[0, 1, 2, 3, 4, 7], index=[4, 20]) for mode in MODES],
    *[vc1_interlaced(f"fields-references-{count}", TOP, seed=3, pictures=["I/I", "P/P", "P/P", "P/P"], references=[count], distances=[0, 1, 2, 5], **FIELD_MODES) for count in (0, 1)],
    *[vc1_interlaced(f"fields-fraction-{fraction.replace('/', '-')}", B_FIELDS, seed=4, pictures=FIELD_PAIRS, fraction=fraction, distances=[1, 3, 6], **FIELD_MODES) for fraction in ("1/3", "3/4", "7/8")],
    vc1_interlaced("fields-bottom-first", BOTTOM, seed=5, pictures=FIELD_PAIRS, tops=[0], distances=[0, 1, 2, 5], **FIELD_MODES),
    vc1_interlaced("fields-extended", B_FIELDS, seed=6, pictures=FIELD_PAIRS, extended=1, wide=[0, 1, 2, 3], distances=[0, 1, 2, 5], **FIELD_MODES),
    *[vc1_interlaced(f"fields-direct-{kind}", B_FIELDS, seed=7, pictures=FIELD_PAIRS, b_kinds=[kind], forward=10, **FIELD_MODES) for kind in ("backward", "direct", "interpolated")],
    *[vc1_interlaced(f"fields-deblock-{kind}", B_FIELDS, seed=8, pictures=FIELD_PAIRS, loop_filter=1, transforms=kind, index=[5, 14, 25], **FIELD_MODES) for kind in ("quarters", "macroblock")],
    vc1_interlaced("fields-overlap", TOP, seed=9, pictures=["I/I", "P/P", "I/P", "P/P", "I/I"], overlap=1, conditions=[0, 1, 2], index=[5, 14], intra=50, **FIELD_MODES),
    vc1_interlaced("fields-slices", B_FIELDS, seed=10, pictures=FIELD_PAIRS, slices=1, width=112, height=128, loop_filter=1, overlap=1, conditions=[0, 1, 2], **FIELD_MODES),
    vc1_interlaced("fields-fast-chroma", B_FIELDS, seed=11, pictures=FIELD_PAIRS, fast_chroma=1, b_kinds=["backward"], **FIELD_MODES),
    *[vc1_interlaced(f"fields-vopdquant-{use}", B_FIELDS, seed=12, pictures=FIELD_PAIRS, alternative=use, half=1, index=[3, 9, 14], transforms="macroblock", **FIELD_MODES)
      for use in ("edges", "choice", "difference")],
    vc1_interlaced("fields-intensity", B_FIELDS, seed=13, pictures=["I/I", "P/P", "P/P", "P/P", *FIELD_PAIRS[1:]], modes=MODES, compensation=70),
    *[vc1_interlaced(f"fields-size-{width}x{height}", B_FIELDS, seed=14, pictures=FIELD_PAIRS, width=width, height=height, loop_filter=1, **FIELD_MODES)
      for width, height in ((16, 64), (98, 36), (64, 48), (50, 52), (352, 288))],
    vc1_interlaced("fields-frames", TOP, seed=15, pictures=["I", "P", "P/P", "P", "P/P", "I/P", "P"], modes=MODES),
]
VC1_FRAMES = [
    vc1_interlaced("frames-p", FRAMES, seed=1, pictures=["Ii", "Pi", "Pi", "Ii", "Pi", "Pi"], imodes=IMODES[1:], transforms="macroblock", index=[4, 20]),
    *[vc1_interlaced(f"frames-b-{fraction.replace('/', '-')}", FRAMES, seed=2, pictures=INTERLACED_FRAMES, imodes=IMODES[1:], index=[4, 20], fraction=fraction) for fraction in ("1/2", "1/3", "7/8")],
    vc1_interlaced("frames-raw", FRAMES, seed=3, pictures=INTERLACED_FRAMES, imodes=["raw"]),
    vc1_interlaced("frames-extended", FRAMES, seed=4, pictures=INTERLACED_FRAMES, imodes=IMODES, extended=1, wide=[0, 1, 2, 3]),
    *[vc1_interlaced(f"frames-deblock-{kind}", FRAMES, seed=5, pictures=INTERLACED_FRAMES, imodes=IMODES, loop_filter=1, transforms=kind, index=[5, 14, 25]) for kind in ("rows", "columns", "macroblock")],
    *[vc1_interlaced(f"frames-overlap-{loop_filter}", FRAMES, seed=6, pictures=["Ii", "Pi", "Pi", "Ii"], imodes=IMODES, overlap=1, conditions=[0, 1, 2], index=[5, 14], intra=50, loop_filter=loop_filter)
      for loop_filter in (0, 1)],
    vc1_interlaced("frames-slices", FRAMES, seed=7, pictures=INTERLACED_FRAMES, imodes=IMODES, slices=1, width=112, height=128, loop_filter=1, overlap=1, conditions=[0, 1, 2]),
    *[vc1_interlaced(f"frames-vopdquant-{use}", FRAMES, seed=8, pictures=INTERLACED_FRAMES, imodes=IMODES, alternative=use, half=1, index=[3, 9, 14], transforms="macroblock")
      for use in ("edges", "choice", "difference")],
    vc1_interlaced("frames-intensity", FRAMES, seed=9, pictures=["Ii", "Pi", "Pi", "Pi", *INTERLACED_FRAMES[1:]], compensation=70),
    *[vc1_interlaced(f"frames-size-{width}x{height}", FRAMES, seed=10, pictures=INTERLACED_FRAMES, imodes=IMODES, width=width, height=height, loop_filter=1)
      for width, height in ((16, 16), (16, 64), (98, 36), (352, 288))],
    *[vc1_interlaced(f"frames-fields-{seed}", {**FRAMES, **TOP}, seed=seed, pictures=["I", "Pi", "P/P", "P", "Pi", "Ii", "P/P", "Pi", "I/P", "P", "Ii", "Pi", "Bi"], modes=MODES, loop_filter=seed % 2) for seed in (11, 12, 13)],
]
# Those of scripts/test. kvazaar's are not: it has to be downloaded.
QUICK = ("h264-syntax-paff-b-temporal-mix-cabac", "h264-syntax-paff-long-term-tb-cavlc", "hevc-syntax-tiles-segments-1", "hevc-syntax-wpp-segments-1", "hevc-syntax-pcm-1",
         "hevc-syntax-long-term-1", "mpeg2-syntax-dual-tb", "mpeg2-syntax-mixed",
         "vc1-syntax-slices", "vc1-syntax-fields-slices", "vc1-syntax-frames-fields-11", "vc1-syntax-vopdquant-choice-main", "vc1-syntax-intensity-advanced")
STREAMS = [stream._replace(quick=stream.name in QUICK) for stream in (*AVC, *X264, *X265, *KVAZAAR, *HEVC_SYNTAX, *VP8, *VP9, *MPEG2, *JPEG, *VC1, *VC1_FIELDS, *VC1_FRAMES)]
