#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_counts.py SOFTGEN_REPLAY CAPTURE...: the event counts of draws and walkers (--stats, docs/performance.md) must not depend on the number of worker
threads or on what runs kernels. For some captures they are compared with known values."""
import json
import pathlib
import subprocess
import sys

WAYS = [("interp", "0"), ("jit", "0"), ("jit", "2"), ("tiers", "2")]
PICTURE = 64 * 64  # pixels of all captures' targets

# A copy to the picture, a clear of colour without CCS, and one of depth without HiZ are rectangles of the picture's size. The triangle of gl_tri has 1152
# pixels (ref/tri.rgba). Each thread of gl_compute (16 channels) has one barrier, and one channel with an atomic.
FACTS = {
    "gl_clear": {"samples_rasterized": PICTURE, "samples_written": PICTURE, "ps_threads": PICTURE // 16},
    "gl_tri": {"samples_written": PICTURE + 1152, "pixels_sampled": PICTURE},
    "gl_tri_noccs": {"samples_written": PICTURE + 1152, "samples_rasterized": PICTURE + 1152, "vs_threads": 1},
    "gl_csonly": {"cs_threads": PICTURE // 16, "untyped_bytes_written": 4 * PICTURE, "memory_accesses": PICTURE // 16},
    "vk_comp": {"untyped_bytes_read": 4 * PICTURE, "untyped_bytes_written": 4 * PICTURE},
    "gl_compute": {"cs_threads": 256, "barriers": 256, "atomics": 256, "typed_bytes_written": 16 * PICTURE},
    "gl_geom": {"gs_threads": 1},
    "gl_tess": {"hs_threads": 1, "ds_threads": 2},
}


def counts(replay, capture, engine, threads):
    done = subprocess.run([replay, capture, "--stats", "--engine", engine, "--threads", threads], capture_output=True, check=True)
    stats = json.loads(done.stdout)
    names = list(stats)
    return {name: stats[name] for name in names[names.index("vs_threads"):names.index("messages")]}


def wrong_facts(name, seen):
    """Messages about counts that differ from FACTS or do not add up."""
    for what, value in FACTS.get(name, {}).items():
        if seen[what] != value:
            yield f"{what} is {seen[what]}, not {value}"
    # One target, one sample, no discards and no tests after the shader: all samples that pass are written, except those of a clear of depth.
    if name in ("gl_depth_noccs", "gl_stencil", "gl_gouraud", "gl_copy"):
        cleared = PICTURE if name == "gl_depth_noccs" else 0
        if seen["samples_rasterized"] - seen["samples_failed_early"] - cleared != seen["samples_written"]:
            yield "samples_written is not what is left of samples_rasterized"


def main():
    replay, *captures = sys.argv[1:]
    bad = 0
    for capture in map(pathlib.Path, captures):
        name = capture.name.split(".")[0]
        first, *others = [counts(replay, capture, *way) for way in WAYS]
        for way, other in zip(WAYS[1:], others):
            for what in (what for what in first if other[what] != first[what]):
                bad += 1
                print(f"{name}: {what} is {first[what]}, with engine {way[0]} and {way[1]} threads {other[what]}")
        for sentence in wrong_facts(name, first):
            bad += 1
            print(f"{name}: {sentence}")
    print(f"{len(captures)} captures, {bad} wrong counts")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
