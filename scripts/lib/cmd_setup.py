# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/setup: everything that running and testing need. The other scripts call ensure()."""
import argparse
import time

import build
import guest_image
import packages
import qemu_headers
from common import CACHE, main, say


def ensure(groups=("build", "headers", "guest"), guests=()):
    """Makes the machine ready: packages, QEMU's headers, the build, and images of `guests`. Quick when all is there."""
    packages.ensure(groups)
    build.ensure()
    for guest in guests:
        guest_image.ensure(guest)


def setup(argv):
    parser = argparse.ArgumentParser(prog="scripts/setup", description=f"""Makes a Debian 12 or 13 machine ready: installs
        packages (as root or by sudo), gets the headers that match the installed QEMU from its source package, and builds
        softgen in build/. Can be run again at any time. What it makes outside the tree is in {CACHE} and is safe to delete.""")
    parser.add_argument("--headers", action="store_true", help="stop before the build and print the directory with QEMU's headers")
    parser.add_argument("--guest", action="append", default=[], choices=guest_image.GUESTS, help="also make this guest's image")
    parser.add_argument("--window", action="store_true", help="also install what scripts/run needs to open a window")
    parser.add_argument("--tests", action="store_true", help="also install what scripts/test needs")
    options = parser.parse_args(argv)
    start = time.monotonic()
    groups = ["build", "headers", "guest"] + ["window"] * options.window + ["test"] * options.tests
    if options.headers:
        packages.ensure(groups)
        print(qemu_headers.ensure())
        return 0
    ensure(groups, options.guest)
    say(f"set up in {time.monotonic() - start:.0f} s: build/ is current")
    return 0


if __name__ == "__main__":
    main("setup", setup)
