# SPDX-License-Identifier: GPL-2.0-or-later
"""glmark2, natively under softgen-run and in the guest: iris on our core against llvmpipe."""
import re

from bench_rows import SIZES, THREADS, mesa_version, repeated, scene_rows
from bench_runs import in_guests, output, under_softgen
from common import Failure
from mesa_root import HostMesa, ReleaseMesa

PROGRAM = "glmark2-es2-drm"
# The name of llvmpipe on a KMS device in Debian's Mesa.
LLVMPIPE = {"MESA_LOADER_DRIVER_OVERRIDE": "kms_swrast", "LP_NUM_THREADS": str(THREADS)}


# glmark2's default scenes (its default-benchmarks.h).
SCENES = ("build:use-vbo=false", "build:use-vbo=true", "texture:texture-filter=nearest", "texture:texture-filter=linear",
          "texture:texture-filter=mipmap", "shading:shading=gouraud", "shading:shading=blinn-phong-inf", "shading:shading=phong",
          "shading:shading=cel", "bump:bump-render=high-poly", "bump:bump-render=normals", "bump:bump-render=height",
          "effect2d:kernel=0,1,0;1,-4,1;0,1,0;", "effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;",
          "pulsar:light=false:quads=5:texture=false", "desktop:blur-radius=5:effect=blur:passes=1:separable=true:windows=4",
          "desktop:effect=shadow:windows=4",
          "buffer:columns=200:interleave=false:update-dispersion=0.9:update-fraction=0.5:update-method=map",
          "buffer:columns=200:interleave=false:update-dispersion=0.9:update-fraction=0.5:update-method=subdata",
          "buffer:columns=200:interleave=true:update-dispersion=0.9:update-fraction=0.5:update-method=map",
          "ideas:speed=duration", "jellyfish", "terrain", "shadow", "refract", "conditionals:fragment-steps=0:vertex-steps=0",
          "conditionals:fragment-steps=5:vertex-steps=0", "conditionals:fragment-steps=0:vertex-steps=5",
          "function:fragment-complexity=low:fragment-steps=5", "function:fragment-complexity=medium:fragment-steps=5",
          "loop:fragment-loop=false:fragment-steps=5:vertex-steps=5", "loop:fragment-steps=5:fragment-uniform=false:vertex-steps=5",
          "loop:fragment-steps=5:fragment-uniform=true:vertex-steps=5")


def place(options):
    """Where native programs run: HostMesa or ReleaseMesa."""
    return HostMesa() if options.mesa == "host" else ReleaseMesa(options.mesa)


def benchmarks(options, scenes):
    """glmark2's arguments."""
    return [word for scene in scenes for word in ("-b", f"{scene}:duration={options.seconds:g}")]


def frames(text, llvmpipe):
    """{scene as glmark2 prints it: frames per second}."""
    renderer = re.search(r"GL_RENDERER:\s*(.*)", text)
    # With another driver than the intended one the ratio would mean nothing.
    if not renderer or ("llvmpipe" in renderer.group(1)) != llvmpipe:
        raise Failure(f"{PROGRAM} runs on {renderer.group(1) if renderer else 'nothing'}")
    text = re.sub(r"\] duration=[\d.]+:( FPS)?", lambda alone: "] <default>: FPS" if alone.group(1) else "] ", text)
    text = re.sub(r":duration=[\d.]+", "", text)
    found = re.findall(r"^\[(.*?)\] (.*?):(?:softgen:.*\n)? FPS: \d+ FrameTime: ([\d.]+) ms", text, re.MULTILINE)
    return {name if what == "<default>" else f"{name}:{what}": 1000 / max(float(ms), 0.001) for name, what, ms in found}


def native(options, mesa, size, env):
    """({scene: frames per second}, the driver's version string). One process per scene: draws still pending from one scene would be counted
    in the next."""
    found, version = {}, ""
    for scene in options.scene or SCENES:
        # No size that equals the monitor's: glmark2 would believe that the window exists already. Under DRM each window fills the monitor.
        words = under_softgen(mesa, [PROGRAM, "--size", "320x240", *benchmarks(options, [scene])], "--mode", f"{size}@0")
        text, _ = output(mesa, words, env)
        found |= {scene: rate for rate in frames(text, "LP_NUM_THREADS" in env).values()}
        version = re.search(r"GL_VERSION:\s*(.*)", text)[1]
    return found, mesa_version(version)


def gl(options):
    """Runs natively, both drivers in turn, with the same display and number of threads."""
    mesa = place(options)
    for size in options.size or SIZES:
        for env in ({}, LLVMPIPE):
            _, driver = native(options, mesa, size, env)  # warm-up: fills the caches of kernels and shaders
        ours, peers = repeated(options, f"glmark2 at {size}", lambda: native(options, mesa, size, {})[0], lambda: native(options, mesa, size, LLVMPIPE)[0])
        yield from scene_rows("glmark2", size, ours, peers, "llvmpipe", driver)


def guest_gl(options):
    """Runs in the guest, with a display of 1920x1080: our device against llvmpipe."""
    script = " ".join(f"'{word}'" for word in [PROGRAM, *benchmarks(options, options.scene or SCENES)])
    ours, peers = in_guests(options, "glmark2", lambda _: script, frames)
    yield from scene_rows("glmark2", "1920x1080", ours, peers, "llvmpipe", prefix="guest/glmark2")
