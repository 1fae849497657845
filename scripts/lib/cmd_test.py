# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/test: all tests, with the closing line `N passed, N failed, N skipped`."""
import argparse
import time

import build
import cmd_setup
import suites
from common import Failure, main, say
from report import Report


def test(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/test", description="""Sets the machine up, builds, and runs all tests; the last line counts them. The exit status
        is 0 when none failed.""", epilog="Suites, in order: " + "; ".join(f"{name}: {suite.what}" for name, suite in suites.ALL.items()))
    parser.add_argument("--full", action="store_true", help="also run what takes long: slow tests, longer fuzzing, unit tests under ASan and UBSan, captures under ThreadSanitizer")
    parser.add_argument("--suite", action="append", metavar="NAME", help="run only this suite (may be given more than once)")
    parser.add_argument("--gpu", default="softgen", choices=["softgen", "stock"],
                        help="stock: run the boot tests on QEMU's standard VGA, to test the tests; what needs our device is skipped")
    parser.add_argument("--werror", action="store_true", help="build with warnings as errors, as .ci/run does")
    parser.add_argument("--filter", metavar="TEXT", default="", help="of device, boot and scripts tests, run only those whose name has TEXT")
    options = parser.parse_args(argv)
    unknown = set(options.suite or []) - set(suites.ALL)
    if unknown:
        raise Failure(f"there is no suite '{min(unknown)}'; choose from {', '.join(suites.ALL)}")
    build.SETTINGS.warnings_are_errors = options.werror
    start = time.monotonic()
    cmd_setup.ensure(("build", "headers", "guest", "test"))
    report = Report()
    for name, suite in suites.ALL.items():
        if name not in options.suite if options.suite else suite.slow and not options.full:
            continue
        report.begin(name, suite.what)
        try:
            suite.run(report, options)
        except Failure as failure:
            report.fail("the suite itself", str(failure))
        report.end()
    say(f"all in {(time.monotonic() - start) / 60:.1f} minutes")
    return report.close()


if __name__ == "__main__":
    main("test", test)
