# SPDX-License-Identifier: GPL-2.0-or-later
"""piglit's tests in a guest: an overlay has the host's binaries and the files that they name; one shell script in the guest runs them all."""
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import guest as guests
from common import Failure, output, say

TREE = pathlib.Path("/usr/lib/x86_64-linux-gnu/piglit")
LIBRARIES = "usr/local/lib/piglit"  # in the guest
# Libraries that always are the guest's own: the C library, and those that load its Mesa.
GUESTS_OWN = re.compile(r"(ld-linux|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|libGL|libEGL|libGLX|libGLdispatch|libgbm)[.-]")

# $1: time-out of a test in seconds. Reads lines NAME<tab>COMMAND; prints `piglit: WORD<tab>NAME`. A test's last line with PIGLIT is its
# verdict.
SCRIPT = f"""
mkdir -p /tmp/libraries
for library in /{LIBRARIES}/*; do
    [ -e /usr/lib/x86_64-linux-gnu/${{library##*/}} ] || [ -e /lib/x86_64-linux-gnu/${{library##*/}} ] || ln -s $library /tmp/libraries/
done
export LD_LIBRARY_PATH=/tmp/libraries PIGLIT_PLATFORM=gbm PIGLIT_SOURCE_DIR={TREE}
cd {TREE}
while IFS='\t' read -r name command; do
    timeout "$1" sh -c "$command" </dev/null >/tmp/said 2>&1
    status=$?
    word=$(sed -n 's/^PIGLIT: .*"result": *"\\([a-z]*\\)".*/\\1/p' /tmp/said | tail -n 1)
    [ $status -eq 124 ] && word=timeout
    [ $status -ge 126 ] && word=crash
    [ $status -ne 0 ] && [ "$word" = pass ] && word=warn
    printf 'piglit: %s\\t%s\\n' "${{word:-crash}}" "$name"
    case ${{word:-crash}} in pass|skip) ;; *) tail -n 20 /tmp/said | sed "s/^/    /" ;; esac
done </usr/local/lib/piglit-tests
"""


def commands(profile, tests):
    """{name: command for the guest}."""
    listing = output(["/usr/bin/piglit", "print-cmd", profile])
    every = dict(line.split(" ::: ", 1) for line in listing.splitlines() if " ::: " in line)
    lost = set(tests) - set(every)
    if lost:
        raise Failure(f"piglit prints no command for '{min(lost)}'")
    # print-cmd joins words by blanks without quoting; no argument of piglit's tests has a blank.
    words = {name: every[name].replace("../lib/x86_64-linux-gnu/piglit/", f"{TREE}/").split() for name in tests}
    return {name: shlex.join(command) for name, command in words.items()}


def lay_out(folder, every):
    """Fills the guest's overlay with the files that the commands name and those that the programs open by themselves."""
    shutil.copytree(TREE / "tests", folder / str(TREE / "tests").lstrip("/"), ignore=shutil.ignore_patterns("*.shader_test", "*.xml.gz", "*.py"))
    wanted = {word for command in every.values() for word in shlex.split(command) if word.startswith(f"{TREE}/") and pathlib.Path(word).is_file()}
    wanted |= {str(path) for path in (TREE / "lib").iterdir()}
    for path in wanted:
        target = folder / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    programs = sorted(path for path in wanted if "/bin/" in path)
    linked = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    libraries = folder / LIBRARIES
    libraries.mkdir(parents=True)
    for name, path in set(re.findall(r"^\s*(\S+) => (/\S+)", linked, re.MULTILINE)):
        if not GUESTS_OWN.match(name) and not path.startswith(f"{TREE}/"):
            shutil.copy(path, libraries / name)
    (folder / "usr/local/lib/piglit-tests").write_text("".join(f"{name}\t{command}\n" for name, command in every.items()))


def run(profile, tests, options, folder):
    """{name: {'result': word}}, like piglit's own results."""
    windowed = [name for name in tests if name.startswith("glx@")]  # piglit itself skips them on GBM
    every = commands(profile, [name for name in tests if name not in windowed])
    said, log = [], folder / f"{profile}.log"
    say(f"{profile}: {len(tests)} tests in {options.guest}")
    with tempfile.TemporaryDirectory(dir=folder) as overlay:
        lay_out(pathlib.Path(overlay), every)
        machine = guests.Guest(options.guest, overlay=overlay)
    with machine:
        machine.boot()
        status = machine.run(f"set -- {options.timeout}\n{SCRIPT}", (options.timeout + 10) * len(tests) + 60, stdout=said.append)
    text = b"".join(said).decode(errors="replace")
    log.write_text(text)
    if status != 0:
        raise Failure(f"the tests' script ended with status {status} in the guest; see {log}")
    words = [(name, word) for word, name in re.findall(r"^piglit: (\w+)\t(.*)$", text, re.MULTILINE)] + [(name, "skip") for name in windowed]
    return {name: {"result": word} for name, word in words}
