# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/video: streams of all codecs, decoded by VA-API under softgen-run; every frame is compared with software's."""
import argparse
import contextlib
import fnmatch
import math

import cmd_setup
import video_ilk
import video_run
from common import Failure, main, print_table, say
from guest_image import GUESTS
from video_guest import VideoGuest
from video_encoders import DRIVERS, PLATFORMS, drivers_with_kernels, refusals
from video_streams import CODECS, STREAMS


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/video", description=f"""Decodes streams by VA-API on our GPU with unmodified drivers, compares every frame with FFmpeg's software
        decoder, and prints a table with both sides' speed (frames per second, without the start of the program). The streams are made on first use.
        Codecs: {', '.join(CODECS)}.""",
        epilog="Exit status: 0 all frames agree, 1 some do not, or a driver did not use the video engine.")
    parser.add_argument("--codec", action="append", choices=CODECS, help="only this one's streams (may be given more than once)")
    parser.add_argument("--stream", action="append", metavar="NAME", help="only this stream, or those that match a pattern such as 'vp9-odd*' (may be given more than once)")
    parser.add_argument("--driver", action="append", choices=list(DRIVERS), help="only this driver (may be given more than once)")
    parser.add_argument("--platform", choices=list(PLATFORMS), default="kbl", help="the chip (default: kbl)")
    parser.add_argument("--guest", choices=list(GUESTS), help="decode in a guest of this release, with its kernel, FFmpeg and drivers, instead of under softgen-run")
    parser.add_argument("--sample", action="store_true", help="only a fixed sample of small streams of MPEG-2 and H.264: those for --guest with --platform ilk")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of our GPU (default: softgen-run's or the device's)")
    parser.add_argument("--preempt", type=int, metavar="N", help="softgen-run's --preempt: after N commands the video engine's context goes through its image, where it can be "
                        "preempted; a stream with which that never happened fails")
    parser.add_argument("--speed", action="store_true", help="only the streams of 1920x1080, without comparison: the best of three runs of each side")
    parser.add_argument("--list", action="store_true", help="print the streams' names and how they are made")
    parser.add_argument("--no-setup", action="store_true", help="use what is built and installed")
    options = parser.parse_args(argv)
    for name in options.stream or ():
        if not fnmatch.filter([stream.name for stream in STREAMS], name):
            raise Failure(f"there is no stream '{name}'; --list prints the names")
    if options.driver and not set(options.driver) & set(PLATFORMS[options.platform]):
        raise Failure(f"{options.driver[0]} does not know {options.platform}")
    if options.preempt and (options.guest or options.platform == "ilk"):
        raise Failure("--preempt is for engines with execlists, under softgen-run")
    if options.platform == "ilk" and options.speed:
        raise Failure("MPEG-2 on Ironlake is decoded by a program of ours, which does not measure its speed")
    return options


def chosen(options):
    def fits(stream):
        return (not options.sample or video_ilk.in_sample(stream)) and (not options.codec or stream.codec in options.codec) and (
            any(fnmatch.fnmatch(stream.name, name) for name in options.stream) if options.stream else stream.speed or not options.speed)
    return [stream for stream in STREAMS if fits(stream)]


def place(options):
    """A context whose value is the `where` of video_run."""
    if options.guest:
        return VideoGuest(options.guest, options.platform, options.threads)
    return contextlib.nullcontext(video_run.Host(options.platform, threads=options.threads, preempt=options.preempt))


def number(value):
    return "-" if math.isnan(value) else f"{value:.1f}"


def lines_of(stream, options, where):
    """Lines of the table, each with whether it passed (None: not run)."""
    asked = [driver for driver in options.driver or DRIVERS if driver in PLATFORMS[options.platform]]
    without = refusals(stream, () if options.guest else drivers_with_kernels())  # guests have the free builds
    if options.platform == "ilk" and (reason := video_ilk.refusal(stream, options.guest)):
        without = {**without, "i965": reason}
    drivers = [driver for driver in asked if driver not in without]
    for driver, reason in without.items():
        if driver in asked:
            yield [stream.name, driver, "-", "-", "-", f"not run: {reason}"], None
    if options.speed:
        for driver, wrong, ours, theirs in video_run.speed(stream, drivers, where=where):
            yield [stream.name, driver, "-", number(ours), number(theirs), wrong or "decoded"], not wrong
        return
    try:
        for driver, verdict, ours, theirs in video_run.compare(stream, drivers, where=where):
            result = verdict.wrong or (f"close {verdict.detail}" if verdict.detail else "equal")
            yield [stream.name, driver, verdict.frames, number(ours), number(theirs), result], not verdict.wrong
    except Failure as failure:
        yield [stream.name, "-", "-", "-", "-", f"not made: {failure}"], False


def video(argv):
    options = parse(argv)
    streams = chosen(options)
    if options.list:
        print_table([["stream", "source", "encoder"], *[[stream.name, stream.source, " ".join(stream.encode)] for stream in streams]], left=(0, 1, 2))
        return 0
    if not options.no_setup:
        cmd_setup.ensure(("build", "programs") + (("headers", "guest") if options.guest else ()), [options.guest] if options.guest else [])
    results = []
    with place(options) as where:
        for index, stream in enumerate(streams):
            say(f"{stream.name} ({index + 1} of {len(streams)})")
            results += lines_of(stream, options, where)
    print_table([["stream", "driver", "frames", "per second", "software", "result"], *[line for line, _ in results]], left=(0, 1, 5))
    passed, failed, skipped = (sum(good is what for _, good in results) for what in (True, False, None))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    main("video", video)
