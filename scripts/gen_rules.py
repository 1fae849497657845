#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/rules.md, from the rows of hw/debug/rules as softgen-replay knows them: says whether it is current, or writes it."""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "rules.md"


def main():
    parser = argparse.ArgumentParser(prog="gen_rules.py", description=__doc__)
    parser.add_argument("--replay", metavar="PROGRAM", default=str(ROOT / "build/softgen-replay"), help="default: that of build/")
    parser.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args()
    page = subprocess.run([options.replay, "--check=page"], capture_output=True, text=True, check=True).stdout
    if options.write:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        print("docs/rules.md is not what hw/debug/rules says: scripts/gen_rules.py --write", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
