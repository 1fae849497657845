# SPDX-License-Identifier: GPL-2.0-or-later
"""The targets of tests/fuzz: at full speed from the build folder (guard pages find bad accesses), and under libFuzzer, ASan and UBSan from
build-fuzz/."""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from build import variant
from common import BUILD, CACHE, ROOT, Failure, output

SANITIZED = ROOT / "build-fuzz"
LOG = CACHE / "logs" / "fuzz.log"
SEED = 20261121  # fixed: every run of CI has the same inputs; both engines print it
MAX_INPUT_SECONDS = 20
CI_SECONDS = 120  # per target, at most: a guard, CI_INPUTS end it before
MAX_FINDINGS = 20  # per target and run
MAX_CORPUS_FILES = 2000  # a larger corpus is merged
# Instruments all of our code for coverage, not only the harness. -O1 and line tables: reports name the same lines, and the build takes a quarter less.
FLAGS = "-fsanitize=fuzzer-no-link -gline-tables-only"
OPTIONS = ["-Dfuzz=true", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dbuildtype=plain", "-Doptimization=1", f"-Dc_args={FLAGS}", f"-Dcpp_args={FLAGS}"]


@dataclasses.dataclass
class Result:
    """The result of one target, or of a part of its run."""
    name: str
    executions: int = 0
    seconds: float = 0  # of `executions`
    plain_executions: int = 0
    plain_seconds: float = 0
    coverage: int = 0  # new edges
    findings: list = dataclasses.field(default_factory=list)  # (what, file, command)
    trouble: str = ""  # a failure of the run itself, not caused by an input

    @property
    def rate(self):
        """Executions per second and process: at full speed if the target runs so, else under the sanitizers."""
        if self.plain_seconds:
            return self.plain_executions / self.plain_seconds
        return self.executions / self.seconds if self.seconds else 0.0

    def add(self, other):
        self.executions += other.executions
        self.seconds += other.seconds
        self.plain_executions += other.plain_executions
        self.plain_seconds += other.plain_seconds
        self.coverage = max(self.coverage, other.coverage)
        self.findings += other.findings
        self.trouble = self.trouble or other.trouble


def targets(build_directory):
    """{UNIT: path} of the executables fuzz_UNIT."""
    listing = output(["meson", "introspect", "--targets", str(build_directory)])
    if not listing:
        raise Failure(f"meson does not list the targets of {build_directory}")
    paths = [pathlib.Path(target["filename"][0]) for target in json.loads(listing)
             if target["type"] == "executable" and target["name"].startswith("fuzz_")]
    return {path.name.removeprefix("fuzz_"): path for path in sorted(paths)}


def build(everything=False, names=None):
    """Builds the targets `names` (None: all targets; `everything`: the whole project) with the sanitizers. Returns the build directory."""
    def wanted():
        if everything:
            return []
        return [path.relative_to(SANITIZED) for name, path in targets(SANITIZED).items() if names is None or name in names]
    variant(SANITIZED, "ASan and UBSan", OPTIONS, wanted, LOG, env={**os.environ, "CC": "clang", "CXX": "clang++"})
    return SANITIZED


def findings_folder(name):
    folder = CACHE / "findings" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def run_plain(name, path, seconds, seed):
    """Runs a target at full speed; after a finding it goes on with the next input."""
    result, deadline, first = Result(name), time.monotonic() + seconds, 0
    while (left := deadline - time.monotonic()) > 0.5 and len(result.findings) < MAX_FINDINGS and not result.trouble:
        command = [path, f"--seconds={left:.1f}", f"--seed={seed}", f"--first={first}", f"--timeout={MAX_INPUT_SECONDS}",
                   f"--save={findings_folder(name)}"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                  timeout=left + 60 + 2 * MAX_INPUT_SECONDS, check=False)
            summary = json.loads(done.stdout.strip().splitlines()[-1])
        except (subprocess.TimeoutExpired, ValueError, IndexError) as problem:
            result.trouble = f"{path.name} did not end as it should: {problem}"
            break
        result.executions += summary["executions"]
        result.seconds += summary["seconds"]
        result.plain_executions += summary["executions"]
        result.plain_seconds += summary["seconds"]
        first += summary["executions"] + 1
        if summary["finding"]:
            said = [line for line in done.stderr.splitlines() if line.strip() and ": seed " not in line][:-1]  # the last line is the command
            what = "; ".join(said[-4:]).removesuffix(". Repeat with:")
            result.findings.append((what, summary["finding"], f"{path} {summary['finding']}"))
    return result


def edges(text):
    """(edges covered by the corpus, edges covered at the end), from libFuzzer's output."""
    marks = [int(number) for number in re.findall(r" cov: (\d+)", text)]
    begin = re.search(r"INITED cov: (\d+)", text)
    return (int(begin.group(1)) if begin else 0), max(marks, default=0)


# Inputs per target in CI under the sanitizers, a few seconds each. A count and not a time, so that every run does the same.
CI_INPUTS = {"aub": 1000, "batch": 2000, "draw": 700, "draw_icl": 700, "draw_tgl": 700, "guc": 1500, "mmio": 800, "surface": 6000, "bsd": 1000, "eu": 6000, "mpeg2": 1000,
             "vc1": 1000, "vebox": 1000, "vp8": 1000, "hevc": 1000, "encode": 200, "vme": 4000, "vfe": 2000}
CI_INPUTS_OF_OTHERS = 10000


def run_repeatable(name, path, seed):
    """Runs under libFuzzer from the repository's seeds only: the same inputs on each run of one build."""
    with tempfile.TemporaryDirectory() as corpus:
        return run_sanitized(name, path, CI_SECONDS, seed, corpus=pathlib.Path(corpus), runs=CI_INPUTS.get(name, CI_INPUTS_OF_OTHERS))


def run_sanitized(name, path, seconds, seed, corpus=None, runs=None):
    """Runs under libFuzzer for `seconds`, or for at most `runs` inputs and `seconds`. New inputs are kept in `corpus` (default: in the cache, for
    the next run)."""
    result, deadline = Result(name), time.monotonic() + seconds
    corpus = corpus or CACHE / "corpus" / path.name
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = ROOT / "tests" / "fuzz" / "corpus" / path.name
    environment = {**os.environ, "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1", "ASAN_OPTIONS": "detect_leaks=1"}
    while (left := deadline - time.monotonic()) > 0.5 and len(result.findings) < MAX_FINDINGS and not result.trouble:
        folder = findings_folder(name)
        before = set(folder.iterdir())
        command = [path, f"-max_total_time={max(1, round(left))}", f"-seed={seed + len(result.findings)}", f"-timeout={MAX_INPUT_SECONDS}",
                   "-rss_limit_mb=4096", "-print_final_stats=1", f"-artifact_prefix={folder}/", *([f"-runs={runs}"] if runs else []), corpus, *([seeds] if seeds.is_dir() else [])]
        start = time.monotonic()
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=left * 4 + 60, env=environment, check=False)
        except subprocess.TimeoutExpired:
            result.trouble = f"{path.name} did not end"
            break
        count = re.search(r"number_of_executed_units: +(\d+)", done.stdout)
        result.executions += int(count.group(1)) if count else 0
        result.seconds += time.monotonic() - start
        began, ended = edges(done.stdout)
        result.coverage += max(0, ended - began)
        if done.returncode == 0:
            break
        fresh = sorted(set(folder.iterdir()) - before)
        what = re.search(r"(ERROR: .*|.*runtime error: .*|SUMMARY: .*)", done.stdout)
        if not fresh:
            result.trouble = done.stdout[-3000:]
        for file in fresh:
            result.findings.append((what.group(1)[:300] if what else done.stdout[-300:], str(file), f"{path} {file}"))
    return result


def merge_corpus(path):
    """Reduces a large corpus to the inputs that its coverage needs."""
    corpus = CACHE / "corpus" / path.name
    if not corpus.is_dir() or sum(1 for _ in corpus.iterdir()) < MAX_CORPUS_FILES:
        return
    merged = corpus.with_suffix(".merged")
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir()
    done = subprocess.run([path, "-merge=1", merged, corpus], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode == 0 and any(merged.iterdir()):
        shutil.rmtree(corpus)
        merged.rename(corpus)
    else:
        shutil.rmtree(merged)


def plain_targets():
    """The targets that run at full speed; the project's own build has them."""
    return targets(BUILD)
