# SPDX-License-Identifier: GPL-2.0-or-later
"""Families of streams: combinations of options, and what only kvazaar, mpeg2enc and our own syntax_*.py write."""
from video_encoders import interlaced, kvz, moving, mpeg2enc, syntax

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
    *[syntax("avc", f"frame-{name}-{ENTROPY[cabac]}", {"field_pic_flag": 0}, seed=8, structures=["frame"], cabac=cabac, **options)
      for cabac in (0, 1) for name, options in (("p", {"pictures": "IPPPPPP"}), ("temporal", {"spatial": 0}), ("long-term", {"long_term": 1, "pictures": "IPPPPPPP"}))],
]
KVAZAAR = [
    *[kvz(f"tiles-{tiles}", f"--tiles {tiles}", proof={"tiles_enabled_flag": 1}) for tiles in ("2x1", "1x2", "2x2", "4x3")],
    kvz("tiles-uneven", "--tiles-width-split 64,192 --tiles-height-split 128", proof={"uniform_spacing_flag": 0}),
    *[kvz(f"tile-slices-{tiles}", f"--tiles {tiles} --slices tiles", proof={"tiles_enabled_flag": 1, "first_slice_segment_in_pic_flag": 0}) for tiles in ("2x2", "3x1")],
    kvz("wpp", "--wpp", proof={"entropy_coding_sync_enabled_flag": 1}),
    kvz("dependent-slices", "--wpp --slices wpp", proof={"dependent_slice_segment_flag": 1}),
]
PYRAMID = {"kinds": "IPBBBPBBB", "orders": [0, 4, 2, 1, 3, 8, 6, 5, 7]}
TILED, WAVES, PCM, DEPENDENT, LONG = ({name: 1} for name in ("tiles_enabled_flag", "entropy_coding_sync_enabled_flag", "pcm_enabled_flag", "dependent_slice_segment_flag",
                                                                "used_by_curr_pic_lt_flag"))


def hevc(name, proof=None, seeds=(1, 2), **options):
    return [syntax("hevc", f"{name}-{seed}", proof, seed=seed, **options) for seed in seeds]


HEVC_SYNTAX = [
    *[stream for log2 in (4, 5, 6) for stream in hevc(f"ctb{1 << log2}", log2_ctb=log2)],
    *hevc("intra", kinds="III"),
    *hevc("p", kinds="IPPPP"),
    *hevc("pyramid", **PYRAMID),
    *hevc("tiles", TILED, tiles=[2, 2]),
    *hevc("tiles-uneven", TILED, tiles=[[1, 2], [2]]),
    *hevc("tiles-apart", {"loop_filter_across_tiles_enabled_flag": 0}, tiles=[3, 2], across_tiles=0),
    *hevc("tiles-segments", {**TILED, **DEPENDENT}, tiles=[2, 2], segment=2, dependent=60),
    *hevc("tile-segments", {**TILED, **DEPENDENT}, tiles=[2, 3], segment=-1, dependent=50),
    *hevc("segments", DEPENDENT, segment=3, dependent=60),
    *hevc("segments-16", DEPENDENT, log2_ctb=4, segment=7, dependent=60),
    *hevc("slices-apart", {"pps_loop_filter_across_slices_enabled_flag": 0}, segment=4, across_slices=0),
    *hevc("wpp", WAVES, wpp=1),
    *hevc("wpp-segments", {**WAVES, **DEPENDENT}, wpp=1, segment=2, dependent=70),
    *hevc("wpp-rows", {**WAVES, **DEPENDENT}, wpp=1, segment=100, dependent=100),
    *hevc("pcm", PCM, pcm=8),
    *hevc("pcm-5", PCM, pcm=5),
    *hevc("pcm-unfiltered", {"pcm_loop_filter_disabled_flag": 1}, pcm=7, pcm_unfiltered=1),
    *hevc("long-term", LONG, long_term=1, kinds="IPPBPBPP"),
    *hevc("long-term-sps", {"num_long_term_sps": 1}, long_term=2, kinds="IPPBPBPP", modification=1),
    *hevc("list-entries", {"lists_modification_present_flag": 1}, modification=1, kinds="IPBPBPB"),
    *hevc("weights", {"weighted_pred_flag": 1}, weights=1),
    *hevc("transform-skip", {"transform_skip_enabled_flag": 1}, transform_skip=1),
    *hevc("bypass", {"transquant_bypass_enabled_flag": 1}, bypass=1),
    *hevc("constrained-intra", {"constrained_intra_pred_flag": 1}, constrained_intra=1, intra=50),
    *hevc("chroma-offsets", {"pps_cb_qp_offset": -7}, chroma_offsets=(-7, 9)),
    *hevc("no-deblock", {"pps_deblocking_filter_disabled_flag": 1}, deblock=0),
    *hevc("no-sao", sao=0),
    *hevc("min-cb-16", log2_min=4, merge=1),
    *hevc("small-transforms", log2_max_tb=3, depth_inter=0, depth_intra=0),
    *hevc("no-temporal", temporal=0, mvd_zero=0, sign_hiding=0),
    *hevc("crop", width=152, height=88, crop=(6, 2)),
    *hevc("10-bit", depth=10),
    *hevc("10-bit-pcm", PCM, depth=10, pcm=8, tiles=[2, 2]),
    *hevc("10-bit-weights", depth=10, weights=1, **PYRAMID),
]
MPEG2 = [
    mpeg2enc("interlaced", "-I 1 -R 2", proof={"frame_pred_frame_dct": 0}),
    mpeg2enc("pulldown", "-I 0 -p", moving("176x128", 8).replace("r=25", "r=24"), proof={"repeat_first_field": 1}),
    *[syntax("mpeg2", f"field-{order}-{seed}", {"picture_structure": 1}, seed=seed, structures=[order]) for order in ("tb", "bt") for seed in (1, 2)],
    syntax("mpeg2", "mixed", seed=3, structures=["frame", "tb", "frame", "bt"]),
    syntax("mpeg2", "dual-field", seed=4, pictures="IPPPPP", motions=["dual", "field"]),
    syntax("mpeg2", "dual-frame", seed=5, structures=["frame"], pictures="IPPPPP", motions=["dual", "field", "frame"]),
    syntax("mpeg2", "concealment", seed=6, concealment=1),
]
STREAMS = [*AVC, *KVAZAAR, *HEVC_SYNTAX, *MPEG2]
