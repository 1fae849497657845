# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of scripts/bench."""
import collections
import math
import re
import statistics

SIZES = ("800x600", "1920x1080")
THREADS = 2  # per side; ours are an engine's thread and one worker
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
