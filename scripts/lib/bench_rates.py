# SPDX-License-Identifier: GPL-2.0-or-later
"""Rates of tests/bench/gl_rates on our core, against llvmpipe, the host's own peak, one thread, and the interpreter; memory and compile times."""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import build
from bench_glmark2 import place
from bench_rows import LAVAPIPE_PEER, SIZES, THREADS, mesa_version, repeated, row
from bench_runs import under_softgen
from common import Failure

FILL_BOUND = ("fill", "fill-blended", "texture-bilinear", "arithmetic")
LONGEST_WAIT_MILLISECONDS = 100  # for one kernel on one core
FRAGMENT_HEAVY = ("arithmetic", "texture-bilinear")


def program(name, mesa=None):
    """The program's path on the host, or inside the root folder of `mesa`."""
    path = build.BUILD / "tests" / "bench" / name
    if not path.exists():
        raise Failure(f"{path} is not built")
    return str(path) if mesa is None else f"{mesa.softgen}/tests/bench/{name}"


def printed(command, env=None):
    """The JSON that a program prints, and its peak memory in MiB."""
    name = pathlib.Path(next(word for word in map(str, command) if "/tests/bench/" in word)).name
    with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, env={**os.environ, **(env or {})}) as process:
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failure(f"{name} ended with status {process.returncode}")
    return json.loads(text), usage.ru_maxrss / 1024


def inside(mesa, words):
    return mesa.command([str(word) for word in words], os.getcwd())


def ours(options, tasks=(), threads=THREADS - 1, engine="tiers", warm_up=0.5, env=None):
    mesa = place(options)
    words = [f"{mesa.softgen}/softgen-run", "--threads", threads, "--engine", engine, "--", program("gl_rates", mesa), "--seconds",
             options.seconds, "--warm-up", warm_up, *tasks]
    return printed(inside(mesa, words), env)


def llvmpipe(options):
    mesa = place(options)
    return printed(inside(mesa, [program("gl_rates", mesa), "--seconds", options.seconds]),
                   {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe", "LP_NUM_THREADS": str(THREADS)})


def values(runs, task):
    return [run["rates"][task]["value"] for run, _ in runs]


def rates(options):
    """Fill, textures, triangles, vertices and compute, against llvmpipe and, for some tasks, the host's own peak; peak memory of both."""
    ours(options)  # warm-up: fills the kernel cache
    mine, peer, host = repeated(options, "rates", lambda: ours(options), lambda: llvmpipe(options),
                                lambda: printed([program("host_rates"), THREADS]))
    if any("llvmpipe" in run["renderer"] for run, _ in mine) or any("llvmpipe" not in run["renderer"] for run, _ in peer):
        raise Failure("gl_rates runs on the wrong driver")
    driver = mesa_version(mine[0][0]["version"])
    for task, figure in mine[0][0]["rates"].items():
        yield row(f"rates/{task}", values(mine, task), values(peer, task), figure["unit"], False, driver)
    for task, kind, unit in (("compute-fma", "fma", "GFLOP/s"), ("compute-copy", "copy", "GB/s")):
        yield row(f"rates/{task} against the host", values(mine, task), [run[kind] for run, _ in host], unit, False, driver)
    yield row("memory/gl_rates", [used for _, used in mine], [used for _, used in peer], "MiB, most", driver=driver)


def vulkan(options):
    """vkcube's scene and 1024 draws of it, off the screen: anv on our core against lavapipe, at each size."""
    mesa = place(options)

    def side(size, grid, peer):
        width, height = size.split("x")
        words = [program("vk_cube", mesa), "--width", width, "--height", height, "--grid", grid, "--seconds", options.seconds]
        run = printed(inside(mesa, words), LAVAPIPE_PEER) if peer else printed(inside(mesa, under_softgen(mesa, words)))
        if ("llvmpipe" in run[0]["renderer"]) != peer:
            raise Failure("vk_cube runs on the wrong driver")
        return run

    for size in options.size or SIZES:
        for task, grid in (("cube", 1), ("draws", 32)):
            mine, peer = repeated(options, f"vulkan, {task} at {size}", lambda: side(size, grid, False), lambda: side(size, grid, True))
            yield row(f"vulkan/{task}@{size}", values(mine, task), values(peer, task), "frames/s", False, mesa_version(mine[0][0]["version"]))


def scaling(options):
    """Two threads against one."""
    two, one = repeated(options, "scaling", lambda: ours(options, FILL_BOUND), lambda: ours(options, FILL_BOUND, threads=0))
    for task in FILL_BOUND:
        yield row(f"scaling/{task}, 2 threads against 1", values(two, task), values(one, task), two[0][0]["rates"][task]["unit"], False)


def jit(options):
    """The compiler against the interpreter, and how many kernels a second run still compiles: with the host's Mesa."""
    options = argparse.Namespace(**{**vars(options), "mesa": "host"})
    ours(options, FRAGMENT_HEAVY, engine="jit", warm_up=1)
    compiled, interpreted = repeated(options, "jit", lambda: ours(options, FRAGMENT_HEAVY, engine="jit"),
                                     lambda: ours(options, FRAGMENT_HEAVY, engine="interp", warm_up=0))
    for task in FRAGMENT_HEAVY:
        yield row(f"jit/{task}, against the interpreter", values(compiled, task), values(interpreted, task),
                  compiled[0][0]["rates"][task]["unit"], False)
    tiers, interpreted = repeated(options, "first run", lambda: first_run(options, "tiers"), lambda: first_run(options, "interp"))
    for task in FRAGMENT_HEAVY:
        yield row(f"jit/longest frame of a first run of {task}, against the interpreter's", longest(tiers, task), longest(interpreted, task), "ms")
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = [compiling(cache) for _ in range(2)]
    yield row("jit/longest compile, against what a frame may wait", [cold["longest_compile_milliseconds"]], [LONGEST_WAIT_MILLISECONDS], "ms")
    yield row("jit/kernels compiled by a second run", [warm["kernels_compiled"]], [cold["kernels_compiled"]], "kernels")


def first_run(options, engine):
    """A run with empty caches of kernels and of Mesa's shaders. With "tiers" kernels are compiled while frames are drawn, with "interp" never."""
    with tempfile.TemporaryDirectory() as cache:
        return ours(options, FRAGMENT_HEAVY, engine=engine, warm_up=0, env={"XDG_CACHE_HOME": cache})


def longest(runs, task):
    return [run["rates"][task]["longest_milliseconds"] for run, _ in runs]


def compiling(cache):
    """softgen-run's counters of kernels after all tasks ran once with this cache."""
    with tempfile.TemporaryDirectory() as work:
        stats = pathlib.Path(work) / "stats.json"
        command = [build.BUILD / "softgen-run", "--engine", "jit", "--stats", stats, "--", program("gl_rates"), "--seconds", 0.1, "--warm-up", 0.1]
        printed(command, {"XDG_CACHE_HOME": cache})
        return json.loads(stats.read_text())["eu"]
