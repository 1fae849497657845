#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that the C and C++ sources are formatted by clang-format 19, that no function is longer than 60 lines, that no class has more
than 20 data members, and that headers of the C++ library are included where they are used (docs/contributing.md). Needs clang-format-19 and
universal-ctags."""
import argparse
import collections
import json
import os
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
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)', re.MULTILINE)
# A precompiled header has these (hw/base/standard.h), so the compiler does not notice where an #include is missing.
NAMES_OF_HEADERS = {
    "algorithm": "all_of any_of binary_search clamp count_if fill_n find_if lower_bound max_element minmax none_of remove_if reverse sort stable_sort "
                 "transform upper_bound",
    "array": "array",
    "atomic": "atomic atomic_bool atomic_ref memory_order_acquire memory_order_relaxed memory_order_release",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero has_single_bit popcount rotl rotr",
    "cmath": "ceil exp2 fabs floor fma isinf isnan log2 lrint lround pow sqrt",
    "cstring": "memcmp memcpy memmove memset strcmp strlen",
    "functional": "function",
    "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "optional": "make_optional nullopt optional",
    "span": "span",
    "string": "string to_string",
    "string_view": "string_view",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in NAMES_OF_HEADERS.items() for name in names.split()}


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


def included(texts, name):
    """What `name`, a key of `texts` {path: text}, includes of files that are not in `texts`, directly or through those that are."""
    outside, seen, left = set(), set(), [name]
    while left:
        file = left.pop()
        if file in seen:
            continue
        seen.add(file)
        for path in INCLUDE.findall(texts[file]):
            candidates = [os.path.normpath(os.path.join(folder, path)) for folder in (os.path.dirname(file), "", "include")]
            ours = [candidate for candidate in candidates if candidate in texts]
            if ours:
                left.append(ours[0])
            else:
                outside.add(path)
    return outside


def missing_includes(root, names):
    """[(path, header of the C++ library that neither it nor a file of ours that it includes includes)]."""
    texts = {name: (root / name).read_text() for name in names}
    found = []
    for name in names:
        code = re.sub(r'//.*|"(?:\\.|[^"\\])*"', "", texts[name])
        used = set(re.findall(r"std::(?:ranges::)?(\w+)", code))
        needed = {HEADER_OF[word] for word in used if word in HEADER_OF}
        found += [(name, header) for header in sorted(needed - included(texts, name))] if needed else []
    return found


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
    wrong += [f"{name}: needs #include <{header}>" for name, header in missing_includes(root, [name for name in names if not name.endswith(".c")])]
    print("\n".join(wrong) or "style: all sources are formatted and include what they use, no function or class is too large")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
