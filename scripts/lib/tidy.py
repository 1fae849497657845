# SPDX-License-Identifier: GPL-2.0-or-later
"""clang-tidy over the sources that the build folder compiles, with the checks of .clang-tidy."""
import concurrent.futures
import json
import os
import re
import subprocess

from common import BUILD, ROOT, Failure

TIDY = "clang-tidy-19"
FOLDER = "hw"
# One file per process would not share parsed headers; all files in one process would leave the other cores idle.
FILES_PER_PROCESS = 4


def sources():
    """The C++ files of hw/ that build/ compiles, relative to the tree's root, sorted."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    paths = {os.path.relpath(os.path.join(command["directory"], command["file"]), ROOT) for command in commands}
    return sorted(path for path in paths if path.startswith(FOLDER + "/") and path.endswith(".cpp"))


def check(files, build=BUILD):
    """clang-tidy's findings in `files`, with the options of `build`'s compile_commands.json: lines "path:line:column: what"."""
    # -Wno-error: under -Werror, warnings that .clang-tidy turns off are errors, even in the C++ library's headers (std::stable_sort of
    # libstdc++ 12).
    done = subprocess.run([TIDY, "-p", build, "--quiet", "--extra-arg=-Wno-error", *files], cwd=ROOT, capture_output=True, text=True, check=False)
    found = sorted({os.path.normpath(line) for line in re.findall(r"^\S+:\d+:\d+: (?:warning|error): .*", done.stdout, re.MULTILINE)})
    if done.returncode and not found:
        raise Failure(f"{TIDY} failed: {done.stderr.strip()[-500:]}")
    return found


def run():
    """(number of files, findings without duplicates)."""
    files = sources()
    parts = [files[i:i + FILES_PER_PROCESS] for i in range(0, len(files), FILES_PER_PROCESS)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return len(files), sorted({line for found in pool.map(check, parts) for line in found})
