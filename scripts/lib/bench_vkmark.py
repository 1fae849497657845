# SPDX-License-Identifier: GPL-2.0-or-later
"""vkmark without a window, natively under softgen-run and in the guest: anv on our core against lavapipe. Debian has it from release 13 on."""
import re

import guest_packages
from bench_rows import LAVAPIPE_PEER, SIZES, repeated, scene_rows
from bench_runs import in_guests, output, under_softgen
from common import Failure, say
from mesa_root import PACKAGES, ReleaseMesa

PROGRAM = "vkmark"
WITHOUT = ("host", "bookworm")  # Debian 12 has no package of it


def _words(options, size):
    """vkmark's default scenes, each for the time of the options."""
    return [PROGRAM, "--winsys", "headless", "--size", size, "--benchmark", f":duration={options.seconds:g}"]


def frames(text, peer):
    """{scene: frames per second} of vkmark's output."""
    device = re.search(r"Device Name:\s*(.*)", text)
    # With another driver than the intended one the ratio would mean nothing.
    if not device or ("llvmpipe" in device[1]) != peer:
        raise Failure(f"{PROGRAM} runs on {device[1] if device else 'nothing'}")
    found = re.findall(r"^\[(.*?)\] (.*?): ?FPS: \d+ FrameTime: ([\d.]+|inf) ms", text, re.MULTILINE)
    if endless := [f"{scene}:{what}" for scene, what, milliseconds in found if milliseconds == "inf"]:
        raise Failure(f"{PROGRAM} ended no frame of {endless[0]} on {device[1]}: give it more --seconds")
    return {f"{scene}:{what}": 1000 / max(float(milliseconds), 0.001) for scene, what, milliseconds in found}


def driver(text):
    """Mesa's version, from a driver version as VK_MAKE_API_VERSION packs it."""
    packed = int(re.search(r"Driver Version:\s*(\d+)", text)[1])
    return f"Mesa {packed >> 22 & 127}.{packed >> 12 & 1023}.{packed & 4095}"


def vkmark(options):
    """Natively, with the Mesa of the options."""
    if options.mesa in WITHOUT:
        say(f"{PROGRAM}: not measured; Debian has it for --mesa trixie and sid")
        return
    mesa = ReleaseMesa(options.mesa, [*PACKAGES, PROGRAM])

    def run(size, peer):
        words = _words(options, size)
        return output(mesa, words, LAVAPIPE_PEER)[0] if peer else output(mesa, under_softgen(mesa, words), {})[0]

    for size in options.size or SIZES:
        version = driver(run(size, False))  # fills the cache of kernels
        ours, peers = repeated(options, f"{PROGRAM} at {size}", lambda: frames(run(size, False), False), lambda: frames(run(size, True), True))
        yield from scene_rows(PROGRAM, size, ours, peers, "lavapipe", version)


def guest_vkmark(options):
    """In the guest: our device against lavapipe."""
    if options.guest in WITHOUT:
        say(f"{PROGRAM} in the guest: not measured; Debian has it for --guest trixie and sid")
        return
    size = SIZES[0]

    def script(peer):
        environment = [f"{name}={value}" for name, value in LAVAPIPE_PEER.items()] if peer else []
        run = " ".join([*environment, *_words(options, size)])
        return f"{guest_packages.SETTLE}; {run} >/dev/null && {run}"  # the first run fills the caches of kernels and shaders

    ours, peers = in_guests(options, PROGRAM, script, frames, guest_packages.folder(options.guest, [PROGRAM]))
    yield from scene_rows(PROGRAM, size, ours, peers, "lavapipe", prefix=f"guest/{PROGRAM}")
