# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/piglit: runs piglit's profiles under softgen-run and counts what passes."""
import argparse
import bz2
import collections
import gzip
import json
import os
import pathlib
import random
import tempfile

import choice
import cmd_setup
import mesa_root
import piglit_guest
import piglit_needs
from app_rows import INTEL_OPENCL
from common import BUILD, CACHE, ROOT, Failure, main, output, say, step

PROFILES = pathlib.Path("/usr/lib/x86_64-linux-gnu/piglit/tests")
LISTS = ROOT / "tests" / "piglit"
KNOWN = LISTS / "failing.txt"
LISTED = ("quick_gl", "quick_shader")  # profiles that a list may name tests of
PASSED, LEFT_OUT = ("pass", "warn"), ("skip", "notrun")
LETHAL = ("crash", "timeout", "incomplete")
RELEASES = ("trixie", "sid")
Outcome = collections.namedtuple("Outcome", "name word reason")


def mesa_of(options):
    """Where the tests run: on the host, or in a root folder with the drivers of a release that the profiles need."""
    if not options.mesa:
        return mesa_root.HostMesa()
    if "cl" in options.profile and options.mesa not in mesa_root.OPENCL_PACKAGES:
        raise Failure(f"{options.mesa} has no OpenCL runtime of Intel's; {', '.join(mesa_root.OPENCL_PACKAGES)} has one")
    names = (mesa_root.PACKAGES if set(options.profile) - {"cl"} else []) + (mesa_root.OPENCL_PACKAGES[options.mesa] if "cl" in options.profile else [])
    return mesa_root.ReleaseMesa(options.mesa, names)


def profile_tests(mesa, profile):
    """name -> options of each test."""
    folder = mesa.file(PROFILES)
    path = folder / f"{profile}.xml.gz"
    if not path.is_file():
        known = sorted(p.name.removesuffix(".xml.gz") for p in folder.glob("*.xml.gz"))
        raise Failure(f"piglit has no profile '{profile}'; it has {', '.join(known)}")
    with gzip.open(path, "rt") as text:
        return piglit_needs.descriptions(text.read())


def read_list(name):
    path = pathlib.Path(name) if pathlib.Path(name).is_file() else LISTS / f"{name}.txt"
    if not path.is_file():
        raise Failure(f"there is no list '{name}'")
    return {line for line in path.read_text().splitlines() if line and not line.startswith("#")}


def chosen(mesa, options):
    """Tests by profile."""
    every = {profile: list(profile_tests(mesa, profile)) for profile in options.profile}
    if options.list:
        wanted = read_list(options.list)
        lost = wanted.difference(*every.values())
        if lost:
            say(f"{len(lost)} tests of the list are in no profile that is run, as {min(lost)}")
        every = {profile: [name for name in tests if name in wanted] for profile, tests in every.items()}
    return {profile: choice.choose(tests, options) for profile, tests in every.items()}


def unlistable(tests, options):
    """Tests that cannot be named in a list: piglit's since Debian 13 takes what follows a # for a comment."""
    names = {name for name in tests if "#" in name} if options.mesa else set()
    if names:
        say(f"{len(names)} tests with a # in their names are skipped: a list cannot name them")
    return names


def run(mesa, profile, tests, options, folder):
    """Results of one profile, piglit's own JSON: name -> {'result', 'out', 'err', ...}."""
    folder.mkdir(parents=True, exist_ok=True)
    names = folder / f"{profile}.tests"
    names.write_text("\n".join(tests) + "\n")
    out = folder / profile
    place = mesa.place(folder)
    command = ["/usr/bin/piglit", "run", "-o", "-j", str(options.jobs), "--timeout", str(options.timeout), "-p", options.waffle,
               "-l", "quiet", "--test-list", f"{place}/{names.name}", profile, f"{place}/{profile}"]
    # Otherwise piglit probes EGL and GLX contexts to decide which shader tests to skip, and finds neither here.
    environment = os.environ | {"PIGLIT_NO_FAST_SKIP": "1"} | INTEL_OPENCL
    if options.gpu == "softgen":
        command = [f"{mesa.softgen}/softgen-run", "--platform", options.platform, "--threads", str(options.threads), "--", *command]
    else:
        environment["LIBGL_ALWAYS_SOFTWARE"] = "1"
    step(f"{profile}: {len(tests)} tests on {options.gpu}", mesa.command(command, folder), folder / f"{profile}.log", env=environment)
    path = next(iter(out.glob("results.json*")), None)
    if not path:
        raise Failure(f"piglit left no results in {out}")
    with (bz2.open(path, "rt") if path.suffix == ".bz2" else open(path, encoding="utf-8")) as text:
        return json.load(text)["tests"]


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/piglit", description="""Runs tests of Debian's piglit on softgen-run, prints those that do not pass,
        and a count for each profile. Known failures have their reason in tests/piglit/failing.txt.""")
    parser.add_argument("profile", nargs="*", help=f"quick_gl, quick_shader, glslparser, ... (default: quick_gl; with a list {', '.join(LISTED)})")
    choice.add_options(parser)
    parser.add_argument("--list", metavar="FILE", help="only the tests named in FILE, one per line, or in the list of this name in tests/piglit")
    parser.add_argument("--choose", metavar="FILE", help="""for a chip of OpenGL 2.1: of each profile run tests by --seed until --sample of them ran, not only were
                        skipped, and write their names to FILE""")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="tests at once (default: one per core)")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="softgen-run's worker threads (default: 0)")
    parser.add_argument("--timeout", type=int, default=60, metavar="SECONDS", help="for one test (default: 60)")
    parser.add_argument("--waffle", default="gbm", choices=["gbm", "surfaceless_egl"], help="waffle's platform (default: gbm)")
    parser.add_argument("--platform", default="kbl", metavar="CHIP", help="softgen-run's platform (default: kbl)")
    parser.add_argument("--gpu", default="softgen", choices=["softgen", "llvmpipe"], help="llvmpipe: to see which tests fail there, too")
    parser.add_argument("--mesa", choices=RELEASES, help="""this release's piglit with its Mesa, or for profile cl its OpenCL runtime, in a folder of its own
                        (needs root; default: the host's)""")
    parser.add_argument("--guest", choices=["bookworm", "trixie", "sid"], help="run them in this guest, one after the other")
    parser.add_argument("--keep", metavar="DIR", help="keep piglit's results there, for `piglit summary html`")
    parser.add_argument("--json", metavar="FILE", help="also write every test's outcome there")
    parser.add_argument("--no-setup", action="store_true", help="use what is built")
    options = parser.parse_args(argv)
    if options.choose and (options.list or options.guest or not options.sample):
        parser.error("--choose requires --sample, and excludes --list and --guest")
    options.profile = options.profile or list(LISTED if options.list else LISTED[:1])
    return options


def report(profile, outcomes):
    """Prints failed tests and counts; returns (passed, failed, skipped, failed without a known reason)."""
    words = collections.Counter(outcome.word for outcome in outcomes)
    failed = [o for o in outcomes if o.word not in PASSED + LEFT_OUT]
    for o in sorted(failed):
        print(f"{o.word:10} {o.name:90} {o.reason or '(unknown)'}")
    passed, skipped = sum(words[w] for w in PASSED), sum(words[w] for w in LEFT_OUT)
    ran = passed + len(failed)
    print(f"{profile}: {', '.join(f'{n} {word}' for word, n in words.most_common())}"
          + (f"; {100 * passed / ran:.2f} % of those that ran; {1000 * sum(words[w] for w in LETHAL) / ran:.1f} in 1,000 crashed or timed out"
             if ran else ""))
    return passed, len(failed), skipped, sum(not o.reason for o in failed)


def run_listed(mesa, profile, tests, options, folder):
    """Outcomes of `tests`."""
    unlisted = unlistable(tests, options)
    tests = [name for name in tests if name not in unlisted]
    found = piglit_guest.run(profile, tests, options, folder) if options.guest else run(mesa, profile, tests, options, folder)
    words = {name: test["result"] for name, test in found.items()} | {name: "incomplete" for name in set(tests) - set(found)}
    return words | {name: "skip" for name in unlisted}


def run_chosen(mesa, profile, offered, options, folder):
    """Outcomes of the first --sample tests in the order of the seed that run."""
    tests = [name for name, needs in sorted(profile_tests(mesa, profile).items()) if piglit_needs.fits(name, needs, offered, options.waffle)]
    random.Random(options.seed).shuffle(tests)
    say(f"{profile}: {len(tests)} tests may run; seed {options.seed}")
    words, done = {}, 0
    while len(words) < options.sample and done < len(tests):
        part = tests[done:done + options.sample - len(words)]
        found = run_listed(mesa, profile, part, options, folder / str(done))
        words |= {name: found[name] for name in part if found[name] not in LEFT_OUT}
        done += len(part)
    return words


def driver_extensions(mesa, options, folder):
    """The driver's extensions."""
    words = ["eglinfo", "-p", options.waffle.removesuffix("_egl")]
    if options.gpu == "softgen":
        words = [f"{mesa.softgen}/softgen-run", "--platform", options.platform, "--", *words]
    found = piglit_needs.extensions(output(mesa.command(words, folder)))
    if not found:
        raise Failure("eglinfo prints no extension of the driver")
    return found


def results(mesa, options, folder):
    """Yields each profile with its tests' outcomes."""
    if options.choose:
        extensions = driver_extensions(mesa, options, folder)
        for profile in options.profile:
            yield profile, run_chosen(mesa, profile, extensions, options, folder / profile)
        return
    for profile, tests in chosen(mesa, options).items():
        if not tests:
            raise Failure(f"no test of {profile} is chosen")
        yield profile, run_listed(mesa, profile, tests, options, folder)


def piglit(argv):
    options = parse(argv)
    if not options.no_setup:
        cmd_setup.ensure(("build", "piglit") + (("headers", "guest") if options.guest else ()), [options.guest] if options.guest else [])
    mesa = mesa_of(options)
    patterns = choice.known_reasons(KNOWN, options.platform)
    totals, everything = [0, 0, 0, 0], {}
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="piglit-", dir=CACHE) as scratch:
        folder = pathlib.Path(options.keep).resolve() if options.keep else pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        say(f"seed {options.seed}" if options.sample else "all chosen tests")
        for profile, words in results(mesa, options, folder):
            everything[profile] = words
            totals = [a + b for a, b in zip(totals, report(profile, [Outcome(name, word, choice.reason(name, patterns)) for name, word in words.items()]))]
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(everything, indent=1))
    if options.choose:
        pathlib.Path(options.choose).write_text("\n".join(sorted(name for words in everything.values() for name in words)) + "\n")
    passed, failed, skipped, unknown = totals
    print(f"{unknown} failures without a known reason")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if unknown == 0 else 1


if __name__ == "__main__":
    main("piglit", piglit)
