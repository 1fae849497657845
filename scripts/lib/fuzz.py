# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds tests/fuzz with clang, ASan and UBSan in build-fuzz/, and runs its targets for a while."""
import json
import os
import pathlib
import subprocess
import tempfile

from build import variant
from common import CACHE, ROOT, Failure, output

BUILD = ROOT / "build-fuzz"
LOG = CACHE / "logs" / "fuzz.log"
SEED = 20261121  # the same inputs on each run of CI; libFuzzer prints it
SLOWEST_INPUT_SECONDS = 20
# Coverage in all of our code, not only in the harness file.
OPTIONS = ["-Dfuzz=true", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dbuildtype=debugoptimized",
           "-Dc_args=-fsanitize=fuzzer-no-link", "-Dcpp_args=-fsanitize=fuzzer-no-link"]


def build(everything=False):
    """Builds the targets (or all of the project); the build directory."""
    variant(BUILD, "ASan and UBSan", OPTIONS, lambda: [] if everything else [target.relative_to(BUILD) for target in targets(BUILD)], LOG,
            env={**os.environ, "CC": "clang", "CXX": "clang++"})
    return BUILD


def targets(build_directory):
    """The executables called fuzz_UNIT."""
    listing = output(["meson", "introspect", "--targets", str(build_directory)])
    if not listing:
        raise Failure(f"meson does not list the targets of {build_directory}")
    return sorted(pathlib.Path(target["filename"][0]) for target in json.loads(listing)
                  if target["type"] == "executable" and target["name"].startswith("fuzz_"))


def run(target, seconds):
    """None when `target` survived; else what it said. New inputs are kept in the cache for the next run."""
    corpus = CACHE / "corpus" / target.name
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = ROOT / "tests" / "fuzz" / "corpus" / target.name
    environment = {**os.environ, "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1", "ASAN_OPTIONS": "detect_leaks=1"}
    with tempfile.TemporaryDirectory() as work:
        command = [target, f"-max_total_time={seconds}", f"-seed={SEED}", f"-timeout={SLOWEST_INPUT_SECONDS}", "-rss_limit_mb=4096",
                   "-print_final_stats=1", f"-artifact_prefix={work}/", corpus, *([seeds] if seeds.is_dir() else [])]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=seconds * 4 + 60, env=environment, check=False)
        except subprocess.TimeoutExpired:
            return f"{target.name} did not end"
        if done.returncode == 0:
            return None
        crashes = [f"{path.name}: {path.read_bytes()[:4096].hex()}" for path in pathlib.Path(work).iterdir()]
        return done.stdout[-6000:] + "\n" + "\n".join(crashes)
