#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that the C and C++ sources are formatted by clang-format 19, that no function is longer than 60 lines, and that no class has more
than 20 data members (docs/contributing.md). Needs clang-format-19 and universal-ctags."""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

FOLDERS = ["hw", "include", "tests"]
# Sources of captures, archived as they were when the capture was made.
LEFT_ALONE = "tests/golden/captures/"
SUFFIXES = {".h", ".cpp", ".c"}
MAX_LINES, MAX_MEMBERS = 60, 20
FORMATTER = "clang-format-19"


def sources(root):
    """Paths from `root`, sorted."""
    paths = (path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)
    names = sorted(str(path.relative_to(root)) for path in paths)
    return [name for name in names if not name.startswith(LEFT_ALONE)]


def unformatted(root, names):
    done = subprocess.run([FORMATTER, "--dry-run", *names], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return sorted({line.split(":")[0] for line in done.stderr.splitlines() if "[-Wclang-format-violations]" in line})


def sizes(root, names):
    """{(path, function or class): (size, "lines" or "data members")}. Of functions with the same name in a file: the longest."""
    done = subprocess.run(["ctags", "--languages=C,C++", "--langmap=C++:+.h", "--kinds-C++=fm", "--kinds-C=fm", "--fields=+neKsS", "--output-format=json", "-f", "-", *names],
                          cwd=root, capture_output=True, text=True, check=True)
    members, result = collections.Counter(), {}
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        if tag["kind"] == "function" and "end" in tag:
            name = "::".join(filter(None, [tag.get("scope"), tag["name"]]))
            key = tag["path"], re.sub(r"__anon\w+::", "", name)
            result[key] = max(result.get(key, (0,)), (tag["end"] - tag["line"] + 1, "lines"))
        elif tag["kind"] == "member" and "scope" in tag and not re.search(r"(^|:)__anon\w+$", tag["scope"]):
            members[tag["path"], tag["scope"]] += 1
    result.update({(path, re.sub(r"__anon\w+::", "", scope)): (count, "data members") for (path, scope), count in members.items()})
    return result


def too_large(found):
    return {key: size for key, size in found.items() if size[0] > (MAX_LINES if size[1] == "lines" else MAX_MEMBERS)}


def main():
    parser = argparse.ArgumentParser(prog="check_style.py", description=__doc__)
    parser.add_argument("--root", metavar="DIR", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent,
                        help="the source tree to check (default: the one this script is in)")
    parser.add_argument("--fix", action="store_true", help="format the sources")
    options = parser.parse_args()
    root, names = options.root, sources(options.root)
    try:
        if options.fix:
            subprocess.run([FORMATTER, "-i", *names], cwd=root, check=True)
        found = too_large(sizes(root, names))
        wrong = [f"{name}: not as {FORMATTER} writes it (scripts/check_style.py --fix)" for name in unformatted(root, names)]
    except FileNotFoundError as error:
        print(f"check_style.py: {error.filename} is not installed (Debian: clang-format-19, universal-ctags)", file=sys.stderr)
        return 2
    wrong += [f"{file}: {name} has {count} {what}, at most {MAX_LINES if what == 'lines' else MAX_MEMBERS} may be"
              for (file, name), (count, what) in sorted(found.items())]
    print("\n".join(wrong) or "style: all sources are formatted, no function or class is too large")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
