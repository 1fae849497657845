# SPDX-License-Identifier: GPL-2.0-or-later
"""Which tests of a suite to run (a shard, a seeded sample), and the reasons of those known to fail."""
import argparse
import fnmatch
import random
import re


def shard(text):
    """argparse type of 'I/N'."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or not 1 <= int(match.group(1)) <= int(match.group(2)):
        raise argparse.ArgumentTypeError("a shard looks like 1/4")
    return int(match.group(1)), int(match.group(2))


def add_options(parser):
    parser.add_argument("--shard", type=shard, metavar="I/N", help="every Nth test, beginning with the Ith")
    parser.add_argument("--sample", type=int, metavar="N", help="N tests chosen at random")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample (default: 1)")
    parser.add_argument("--filter", default="", metavar="TEXT", help="only tests whose name has TEXT")


def choose(tests, options):
    """The tests that the options of add_options() select; a sample is sorted."""
    tests = [name for name in tests if options.filter in name]
    if options.shard:
        part, of = options.shard
        tests = tests[part - 1::of]
    if options.sample and options.sample < len(tests):
        tests = sorted(random.Random(options.seed).sample(tests, options.sample))
    return tests


def known_reasons(path, platform):
    """[(pattern, reason)] of a file of tests known to fail. Lines: 'PATTERN | reason', or for some platforms only 'ilk,kbl: PATTERN | reason'."""
    rows = []
    for line in path.read_text().splitlines():
        match = re.fullmatch(r"(?:([a-z0-9,]+): )?([^#|][^|]*)\|(.*)", line)
        if match and (not match[1] or platform in match[1].split(",")):
            rows.append((match[2].strip(), match[3].strip()))
    return rows


def reason(name, patterns):
    """The reason of the first pattern that `name` matches, or ''. Brackets in test names are literal, not fnmatch's sets."""
    return next((why for pattern, why in patterns if fnmatch.fnmatchcase(name, pattern.replace("[", "[[]"))), "")
