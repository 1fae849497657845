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
MPEG2 = [
    mpeg2enc("interlaced", "-I 1 -R 2", proof={"frame_pred_frame_dct": 0}),
    mpeg2enc("pulldown", "-I 0 -p", moving("176x128", 8).replace("r=25", "r=24"), proof={"repeat_first_field": 1}),
    *[syntax("mpeg2", f"field-{order}-{seed}", {"picture_structure": 1}, seed=seed, structures=[order]) for order in ("tb", "bt") for seed in (1, 2)],
    syntax("mpeg2", "mixed", seed=3, structures=["frame", "tb", "frame", "bt"]),
    syntax("mpeg2", "dual-field", seed=4, pictures="IPPPPP", motions=["dual", "field"]),
    syntax("mpeg2", "dual-frame", seed=5, structures=["frame"], pictures="IPPPPP", motions=["dual", "field", "frame"]),
    syntax("mpeg2", "concealment", seed=6, concealment=1),
]
STREAMS = [*AVC, *KVAZAAR, *MPEG2]
