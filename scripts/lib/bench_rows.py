# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of scripts/bench."""
import collections
import math
import re
import statistics

from app_rows import LAVAPIPE
from common import Failure, say

SIZES = ("800x600", "1920x1080")
THREADS = 2  # per side; ours are an engine's thread and one worker
# The environment in which programs of Vulkan run on the peer.
LAVAPIPE_PEER = {**LAVAPIPE.environment, "LP_NUM_THREADS": str(THREADS)}
# `driver`: the version of Mesa that both sides ran on; "-": none.
Row = collections.namedtuple("Row", "name softgen peer ratio unit spread driver", defaults=["-"])


def row(name, ours, peers, unit, smaller_is_better=True, driver="-"):
    """Medians of both sides; the spread is (max - min) / median of ours."""
    softgen, peer = statistics.median(ours), statistics.median(peers)
    ratio = (peer / softgen if smaller_is_better else softgen / peer) if softgen and peer else 0.0
    return Row(name, softgen, peer, ratio, unit, (max(ours) - min(ours)) / softgen if softgen else 0.0, driver)


def mesa_version(text):
    """The part "Mesa 25.0.7" of a driver's version string, or "-"."""
    found = re.search(r"Mesa \d[\w.]*", text)
    return found[0] if found else "-"


def geometric_mean(name, rows, unit):
    mean = math.exp(statistics.fmean(math.log(max(r.ratio, 1e-9)) for r in rows))
    return Row(name, mean, 1.0, mean, unit, 0.0, rows[0].driver)


def scene_rows(program, suffix, ours, peers, peer, driver="-", prefix=None):
    """One row per scene from both sides' runs ({scene: frames per second} each), then their mean. `prefix` of the names: the program, if it is not given."""
    prefix = prefix or program
    scenes = [scene for scene in ours[0] if all(scene in run for run in ours + peers)]
    lost = sorted(set().union(*ours, *peers) - set(scenes))
    if lost or not scenes:
        raise Failure(f"{program} did not show {lost[0] if lost else 'any scene'} in every run")
    rows = [row(f"{prefix}/{scene}@{suffix}", [run[scene] for run in ours], [run[scene] for run in peers], "frames/s", False, driver)
            for scene in scenes]
    return [*rows, geometric_mean(f"{prefix}/geometric-mean@{suffix}", rows, f"of {peer}")]


def repeated(options, what, *sides):
    """One list of results per side; the sides are measured in turn."""
    results = [[] for _ in sides]
    for number in range(options.repeats):
        for result, side in zip(results, sides):
            result.append(side())
        say(f"{what}: {number + 1} of {options.repeats}")
    return results
