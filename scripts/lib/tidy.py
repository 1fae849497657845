# SPDX-License-Identifier: GPL-2.0-or-later
"""clang-tidy over the sources that the build folder compiles, with the checks of .clang-tidy.

Most of a run's time goes into the headers that a source includes (the C++ library's, above all), so sources of one target are checked as one
translation unit that includes them: a tenth of the time. Sources that do not compile together (two have a function of one name) are checked apart."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

from common import BUILD, ROOT, Failure

TIDY = "clang-tidy-19"
FOLDER = "hw"
SOURCES_PER_UNIT = 24
# Options that name the source or its outputs, with the number of their arguments; and the precompiled header, which is the compiler's own: sources
# include what they use without it.
OF_ONE_SOURCE = {"-c": 1, "-o": 1, "-MF": 1, "-MQ": 1, "-MD": 0, "-include": 1, "-fpch-preprocess": 0}


def sources_by_command(build=BUILD):
    """{(directory, command without what names the source and its outputs): [C++ files, sorted]}."""
    found = collections.defaultdict(set)
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = iter(entry.get("arguments") or shlex.split(entry["command"]))
        kept = []
        for word in words:
            if word in OF_ONE_SOURCE:
                for _ in range(OF_ONE_SOURCE[word]):
                    next(words)
            else:
                kept.append(word)
        if entry["file"].endswith(".cpp"):
            found[entry["directory"], tuple(kept)].add(os.path.normpath(os.path.join(entry["directory"], entry["file"])))
    return {command: sorted(files) for command, files in found.items()}


def text_of(files):
    """The text of a translation unit that has all of `files`."""
    return "".join(f'#include "{file}"\n' for file in files)


def with_errors(files, command):
    """Those of `files` that do not compile when all are in one translation unit; all but the first if nothing says which ones."""
    directory, words = command
    done = subprocess.run([*words, "-w", "-fsyntax-only", "-fdiagnostics-color=never", "-x", "c++", "-"], cwd=directory, input=text_of(files),
                          env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True, check=False)
    found, included_by = set(), []
    for line in done.stderr.splitlines():
        if match := re.match(r"(In file included| +) ?from ([^:]+):\d+", line):
            included_by = ([] if match[1] == "In file included" else included_by) + [match[2]]
        elif match := re.match(r"([^:\s]+):\d+:\d+: (?:fatal )?error: ", line):
            places = [os.path.normpath(os.path.join(directory, place)) for place in (match[1], *included_by)]
            found.update([place for place in places if place in files][:1])
    return found or set(files[1:] if done.returncode else [])


def compile_together(files, command):
    """`files` in groups, each of which compiles as one translation unit of `command` (of sources_by_command())."""
    groups = []
    while files:
        group = files
        # What has an error uses a name that a source before it has: another group's.
        while len(group) > 1 and (found := with_errors(group, command)):
            group = [file for file in group if file not in found] or group[:1]
        groups.append(group)
        files = [file for file in files if file not in group]
    return groups


def check(files, command):
    """clang-tidy's findings in `files`, which are compiled by `command`: lines "path:line:column: what"."""
    directory, words = command
    with tempfile.TemporaryDirectory() as work:
        unit = pathlib.Path(work) / "unit.cpp"
        unit.write_text(text_of(files))
        entry = {"directory": str(directory), "file": str(unit), "arguments": [*words, "-c", str(unit)]}
        (unit.parent / "compile_commands.json").write_text(json.dumps([entry]))
        # -Wno-error: under -Werror, warnings that .clang-tidy turns off are errors, even in the C++ library's headers (std::stable_sort of
        # libstdc++ 12).
        done = subprocess.run([TIDY, "-p", work, "--quiet", f"--config-file={ROOT / '.clang-tidy'}", "--extra-arg=-Wno-error", unit],
                              cwd=ROOT, capture_output=True, text=True, check=False)
        found = {os.path.normpath(line) for line in re.findall(r"^\S+:\d+:\d+: (?:warning|error): .*", done.stdout, re.MULTILINE)}
        if done.returncode and not found:
            raise Failure(f"{TIDY} failed: {done.stderr.strip()[-500:]}")
        # bugprone-suspicious-include is right about the unit.
        return {line for line in found if not line.startswith(f"{unit}:")}


def run():
    """(number of files, findings without duplicates)."""
    parts = []
    for command, files in sources_by_command().items():
        files = [file for file in files if file.startswith(f"{ROOT / FOLDER}/")]
        parts += [(files[i:i + SOURCES_PER_UNIT], command) for i in range(0, len(files), SOURCES_PER_UNIT)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        groups = pool.map(compile_together, *zip(*parts))
        units = [(group, command) for (_, command), several in zip(parts, groups) for group in several]
        units.sort(key=lambda unit: len(unit[0]), reverse=True)  # the longest first, so that none runs alone at the end
        found = set().union(*pool.map(check, *zip(*units)))
    return len({file for files, _ in units for file in files}), sorted(found)
