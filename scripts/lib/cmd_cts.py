# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/cts: runs Khronos' conformance tests (VK-GL-CTS) under softgen-run and counts what passes."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import tempfile
import time

import choice
import cmd_setup
import cts_process
import mesa_root
from app_rows import LAVAPIPE
from common import BUILD, CACHE, ROOT, Failure, existing_directory, main, output_file, print_table, say

KNOWN = ROOT / "tests" / "cts" / "failing.txt"
RELEASES = ("bookworm", "trixie", "sid")
# folder and name of the program in a build; folder of the lists in the sources (its newest version counts) and the list's name
Suite = collections.namedtuple("Suite", "folder program lists name")
GL_LISTS = "external/openglcts/data/gl_cts/data/mustpass"
SUITES = {
    "gles2": Suite("modules/gles2", "deqp-gles2", f"{GL_LISTS}/gles/aosp_mustpass/*", "gles2-main.txt"),
    "gles3": Suite("modules/gles3", "deqp-gles3", f"{GL_LISTS}/gles/aosp_mustpass/*", "gles3-main.txt"),
    "gles31": Suite("modules/gles31", "deqp-gles31", f"{GL_LISTS}/gles/aosp_mustpass/*", "gles31-main.txt"),
    "khr-gles32": Suite("external/openglcts/modules", "glcts", f"{GL_LISTS}/gles/khronos_mustpass/*", "gles32-khr-main.txt"),
    "khr-gl46": Suite("external/openglcts/modules", "glcts", f"{GL_LISTS}/gl/khronos_mustpass/*", "gl46-main.txt"),
    "vk": Suite("external/vulkancts/modules/vulkan", "deqp-vk", "external/vulkancts/mustpass/*", "vk-default.txt"),
}
DEFAULT_SUITES = ("gles2", "gles3", "gles31")
# As in Khronos' own runs of the mustpass lists (mustpass.xml).
SURFACE = ["--deqp-surface-type=pbuffer", "--deqp-gl-config-name=rgba8888d24s8ms0", "--deqp-surface-width=256", "--deqp-surface-height=256"]
# By default deqp-vk writes a shader cache to the current folder.
NO_CACHE = ["--deqp-shadercache=disable"]
OPTIONS = ["--deqp-log-filename=/dev/null", "--deqp-log-images=disable", "--deqp-log-shader-sources=disable", "--deqp-stdin-caselist"]
PASSED = ("Pass", "QualityWarning", "CompatibilityWarning", "CapabilityWarning", "Waiver")
LEFT_OUT = ("NotSupported",)
CHUNK = 400  # cases per process: many enough to hide its start, few enough that all cores stay busy towards the end
PROGRESS_SECONDS = 30
HEAD = ["suite", "GPU", "tests", "passed", "failed", "crashed", "timed out", "unsupported", "seconds"]  # columns of row()
LIBRARIES = {"libEGL.so": "libEGL.so.1", "libGLESv2.so": "libGLESv2.so.2", "libGL.so": "libGL.so.1", "libvulkan.so": "libvulkan.so.1"}
MULTIARCH = pathlib.Path("/usr/lib/x86_64-linux-gnu")


def sources(build):
    """The folder of the sources that `build` was configured from."""
    cache = build / "CMakeCache.txt"
    home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read_text(), re.M) if cache.is_file() else None
    if not home:
        raise Failure(f"'{build}' is no build of VK-GL-CTS: it has no CMakeCache.txt with the place of the sources")
    return pathlib.Path(home[1])


def version(path):
    return [int(number) for number in re.findall(r"\d+", path.parent.name)]


def mustpass(build, suite):
    """The cases of the suite's newest list in the sources; a list may include further lists."""
    found = sorted(sources(build).glob(f"{suite.lists}/{suite.name}"), key=version)
    if not found:
        raise Failure(f"{sources(build)} has no list {suite.lists}/{suite.name}")
    lines = found[-1].read_text().split()
    if lines and lines[0].endswith(".txt"):
        return [case for line in lines for case in (found[-1].parent / line).read_text().split()]
    return lines


class Place:
    """Where the programs run: on this host, or in a root folder with a Debian release's Mesa. Both see the folder `scratch`."""

    def __init__(self, release, build):
        self._build = build
        self._root = mesa_root.ensure(release) if release else None
        self._scratch = pathlib.Path(tempfile.mkdtemp(prefix="cts-", dir=self._root / "tmp" if self._root else None))
        self.libraries = self._scratch / "libraries"
        self.libraries.mkdir()
        # The programs load libraries by the names that only -dev packages have.
        for name, real in LIBRARIES.items():
            (self.libraries / name).symlink_to(MULTIARCH / real)

    def close(self):
        shutil.rmtree(self._scratch)

    def inside(self, path):
        return f"/{path.relative_to(self._root)}" if self._root else str(path)

    def command(self, suite, options, gpu):
        """(words, environment) that run the suite's program on `gpu`, softgen or llvmpipe."""
        build = pathlib.Path("/mnt") if self._root else self._build
        words = [str(build / suite.folder / suite.program), f"--deqp-archive-dir={build / suite.folder}", *OPTIONS]
        words += SURFACE if suite.program != "deqp-vk" else NO_CACHE
        libraries = [self.inside(self.libraries)] + (["/softgen-libraries"] if self._root else [])
        inner = ["env", "EGL_PLATFORM=surfaceless", f"LD_LIBRARY_PATH={':'.join(libraries)}"]
        if gpu == "softgen":
            build_folder = "/softgen" if self._root else str(BUILD)
            words = [*inner, f"{build_folder}/softgen-run", "--platform", options.platform, "--threads", str(options.threads), "--", *words]
        else:
            # Debian 12's llvmpipe offers OpenGL 4.5. With the version overridden it runs the tests of 4.6.
            words = [*inner, "LIBGL_ALWAYS_SOFTWARE=1", "MESA_GL_VERSION_OVERRIDE=4.6", *[f"{name}={value}" for name, value in LAVAPIPE.environment.items()], *words]
        return (mesa_root.command(self._root, words, self._build) if self._root else words), dict(os.environ)


def failing(outcomes):
    return {case: o for case, o in outcomes.items() if o.word not in PASSED + LEFT_OUT}


def run_suite(name, cases, place, options, gpu, log):
    """Outcome by case, in `options.jobs` processes at once."""
    words, environment = place.command(SUITES[name], options, gpu)
    chunks = [cases[i:i + CHUNK] for i in range(0, len(cases), CHUNK)]
    outcomes, start, said = {}, time.monotonic(), 0.0
    say(f"{name}: {len(cases)} tests on {gpu}")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, open(log, "ab") as stderr:
        waiting = {pool.submit(cts_process.run, words, chunk, environment, stderr, options.timeout) for chunk in chunks}
        try:
            while waiting:
                ready, waiting = concurrent.futures.wait(waiting, PROGRESS_SECONDS, concurrent.futures.FIRST_COMPLETED)
                for future in ready:
                    outcomes |= future.result()
                    for case, o in failing(future.result()).items():
                        say(f"{o.word} {case} ({o.text})")
                if time.monotonic() - said >= PROGRESS_SECONDS:
                    said = time.monotonic()
                    say(f"{name}: {len(outcomes)} of {len(cases)} tests done, {len(failing(outcomes))} failed, {said - start:.0f} s so far")
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
    return outcomes, time.monotonic() - start


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/cts", description="""Runs the mustpass lists of Khronos' conformance tests (VK-GL-CTS) on softgen-run, prints those that do
        not pass, and a table. DIR is a build of its public repository, made by hand with DEQP_TARGET=surfaceless (docs/harness.md).
        Known failures have their reason in tests/cts/failing.txt.""",
        epilog="Exit status: 0 no failure without a known reason, 1 some.")
    parser.add_argument("directory", metavar="DIR")
    parser.add_argument("--suite", action="append", choices=SUITES, help=f"may be given more than once (default: {', '.join(DEFAULT_SUITES)})")
    parser.add_argument("--list", metavar="FILE", help="run the cases named in FILE, one per line, instead of the mustpass list")
    choice.add_options(parser)
    parser.add_argument("--mesa", choices=RELEASES, help="the Mesa of this Debian release, in a folder of its own (needs root; default: the host's)")
    parser.add_argument("--peer", choices=["failing", "all"], nargs="?", const="all",
                        help="run them on llvmpipe or lavapipe, too: all (default), or only those that fail here")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes at once (default: one per core)")
    parser.add_argument("--platform", default="kbl", metavar="CHIP", help="softgen-run's platform (default: kbl)")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="softgen-run's worker threads (default: 0)")
    parser.add_argument("--timeout", type=int, default=120, metavar="SECONDS", help="for one test (default: 120)")
    parser.add_argument("--log", metavar="FILE", help="append the standard error of the programs and of softgen-run to FILE")
    parser.add_argument("--json", metavar="FILE", help="also write every test's outcome there")
    parser.add_argument("--no-setup", action="store_true", help="use what is built")
    options = parser.parse_args(argv)
    options.suite = options.suite or list(DEFAULT_SUITES)
    return options


def row(name, gpu, outcomes, seconds):
    """A line of the table."""
    words = collections.Counter(o.word for o in outcomes.values())
    passed, skipped = sum(words[w] for w in PASSED), sum(words[w] for w in LEFT_OUT)
    lethal = words["Crash"] + words["Timeout"]
    return [name, gpu, len(outcomes), passed, len(outcomes) - passed - skipped - lethal, words["Crash"], words["Timeout"], skipped, f"{seconds:.0f}"]


def unimplemented(log):
    """[(line, count)]: softgen-run's messages about missing features."""
    found = re.findall(r"unimplemented: .*", log.read_text(errors="replace"))
    return collections.Counter(found).most_common()


def run_all(options, build, place, log):
    """Rows of the table, and per suite the outcomes by GPU."""
    rows, everything = [], {}
    for name in options.suite:
        everywhere = pathlib.Path(options.list).read_text().split() if options.list else mustpass(build, SUITES[name])
        cases = choice.choose(everywhere, options)
        if not cases:
            raise Failure(f"no test of {name} is chosen")
        ours, seconds = run_suite(name, cases, place, options, "softgen", log)
        everything[name] = {"softgen": ours}
        rows.append(row(name, "softgen", ours, seconds))
        peers = cases if options.peer == "all" else [case for case in cases if case in failing(ours)] if options.peer else []
        if peers:
            peer = "lavapipe" if name == "vk" else "llvmpipe"
            theirs, seconds = run_suite(name, peers, place, options, peer, log)
            everything[name]["peer"] = theirs
            rows.append(row(name, peer, theirs, seconds))
    return rows, everything


def report(rows, everything, platform):
    """Prints the results; returns (passed, failed, skipped, failed without a known reason)."""
    patterns = choice.known_reasons(KNOWN, platform)
    unknown = 0
    for outcomes in everything.values():
        peer = outcomes.get("peer", {})
        for case, o in sorted(failing(outcomes["softgen"]).items()):
            why = choice.reason(case, patterns)
            if not why and case in failing(peer):
                why = f"the peer's result is {peer[case].word}, too"
            unknown += not why
            print(f"{o.word:14} {case} ({o.text}): {why or '(unknown)'}")
    print_table([HEAD, *rows], left=(0, 1))
    ours = [r for r in rows if r[1] == "softgen"]
    return sum(r[3] for r in ours), sum(r[4] + r[5] + r[6] for r in ours), sum(r[7] for r in ours), unknown


def cts(argv):
    options = parse(argv)
    if options.jobs < 1:
        raise Failure("--jobs must be 1 or more")
    build = existing_directory(options.directory, "DIR")
    for suite in (SUITES[name] for name in options.suite):
        if not (build / suite.folder / suite.program).is_file():
            raise Failure(f"{build} has no {suite.folder}/{suite.program}")
    results = output_file(options.json, "--json") if options.json else None
    if not options.no_setup:
        cmd_setup.ensure(("build", "programs"))
    CACHE.mkdir(parents=True, exist_ok=True)
    place = Place(options.mesa, build)
    try:
        log = output_file(options.log, "--log") if options.log else place.libraries / "log"
        say(f"seed {options.seed}" if options.sample else "all chosen tests")
        rows, everything = run_all(options, build, place, log)
        passed, failed, skipped, unknown = report(rows, everything, options.platform)
        for line, count in unimplemented(log):
            print(f"{count} times: {line}")
    finally:
        place.close()
    if results:
        results.write_text(json.dumps(everything, indent=1) + "\n")
    print(f"{unknown} failures without a known reason")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if unknown == 0 else 1


if __name__ == "__main__":
    main("cts", cts)
