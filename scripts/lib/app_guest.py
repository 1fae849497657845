# SPDX-License-Identifier: GPL-2.0-or-later
"""Desktops of scripts/apps: each runs in a guest, on our GPU, and on a peer in the same machine; the pictures are the monitor's."""
import collections
import pathlib
import re
import tempfile
import time

import app_run
import guest as guests
import guest_packages
from app_rows import CHROMIUM_VIDEO_BOUND, LLVMPIPE, Bound, Peer
from common import ROOT, Failure
from picture import Picture

SCRIPTS = ROOT / "scripts" / "guest"
# `programs`: must have drawn on the GPU, or must not, by i915's counter of each process. `hidden`: rectangles (x, y, width, height) that are not compared.
Session = collections.namedtuple("Session", "name packages programs peer bound hidden seconds count", defaults=[1])
# LLVM takes the family and model of TCG's own CPU for one without 64-bit code, and llvmpipe then does not start. Haswell's.
CPU = ["-cpu", "max,la57=off,svm=off,vendor=GenuineIntel,family=6,model=60,stepping=3"]

MONITOR = "xres=1024,yres=768"  # llvmpipe needs seconds for a frame under TCG
SETTLED_SECONDS = 40  # longer than the parts of the desktop take to follow each other under TCG
MIN_CHANGE = 0.3  # fraction of the values: the wallpaper and a window change more, the panel less

SESSIONS = [
    # Breeze's wallpaper, the panel with blur and contrast behind it, the windows' shadows, a terminal. Qt Quick and KWin both draw with GL.
    Session("plasma", ["kwin-wayland", "plasma-desktop", "plasma-workspace", "qtwayland5", "qml-module-qt-labs-platform", "plasma-integration", "breeze",
                       "breeze-icon-theme", "desktop-base", "konsole", "dbus", "python3-gi"],
            ["kwin_wayland", "plasmashell"], LLVMPIPE,
            Bound(2, 0, "passes of the blur, shadows and scaled icons, each rounded to 8 bits"),
            [(874, 724, 110, 44), (496, 368, 32, 40)], 900),  # the clock; the pointer, which changes its shape some time after the window comes
    Session("chromium-video", ["chromium", "python3", "ffmpeg", "intel-media-va-driver"], ["weston", "chromium"], Peer("its own decoders", {}, True),
            CHROMIUM_VIDEO_BOUND, [], 600),
]
NAMES = [session.name for session in SESSIONS]


def visible(picture, hidden):
    """The picture's bytes with `hidden` made black."""
    data, stride = bytearray(picture.bytes()), 3 * picture.width
    for x, y, width, height in hidden:
        for row in range(y, min(y + height, picture.height)):
            data[row * stride + 3 * x:row * stride + 3 * (x + width)] = bytes(3 * width)
    return bytes(data)


def render_times(report):
    """{program: nanoseconds of the render engine}, as scripts/guest/*/session prints them."""
    return {name: int(time_spent) for name, time_spent in re.findall(r"^render (\S+) (\d+)$", report, re.MULTILINE)}


def fault(session, software, status, report, kernel, log):
    """What is wrong with a run, or "". `report`: the session's; `kernel`: warnings and errors, and the error state; `log`: the device's."""
    if status:
        return f"status {status}: {(report.strip().splitlines() or [''])[-1]}"
    if lacks := re.search("unimplemented.*", log):
        return lacks[0]
    if reports := guests.graphics_reports(kernel) or re.findall("^Kernel:.*", kernel, re.MULTILINE):
        return reports[0]
    drawn = render_times(report)
    if software and any(drawn.values()):
        return f"drew on our GPU instead of its own: {max(drawn, key=drawn.get)}"
    idle = [name for name in session.programs if not drawn.get(name)]
    return f"{idle[0]} drew nothing on our GPU" if idle and not software else ""


def monitor(machine, shot, hidden):
    machine.screenshot(shot)
    return visible(Picture(shot), hidden)


def settle(machine, shot, hidden, before, deadline):
    """Waits until the monitor's picture differs from `before` by MIN_CHANGE and has been constant for SETTLED_SECONDS; leaves it in `shot`."""
    last, since = before, time.monotonic()
    while True:
        now = monitor(machine, shot, hidden)
        if now != last:
            last, since = now, time.monotonic()
        changed = app_run.compare([now], [before], 0).over > MIN_CHANGE if len(now) == len(before) else True
        if changed and time.monotonic() - since > SETTLED_SECONDS:
            return
        if time.monotonic() > deadline:
            raise Failure("the monitor's picture does not settle")
        time.sleep(1)


def run(session, guest="bookworm", software=False, platform="kbl"):
    """app_run.Run of the session on our GPU, or drawn by the CPU."""
    overlay = guest_packages.folder(guest, session.packages)
    with tempfile.TemporaryDirectory(prefix="softgen-apps-") as name:
        shot = pathlib.Path(name) / "picture.png"
        with guests.Guest(guest, overlay=overlay, share=SCRIPTS / session.name, platform=platform, qemu_args=CPU, device_args=MONITOR) as machine:
            machine.boot()
            start = time.monotonic()
            deadline = start + session.seconds
            try:
                for step in ("software" if software else "gl", "window"):
                    before = monitor(machine, shot, session.hidden)
                    status, *texts = machine.capture(f"{guest_packages.SETTLE}; sh /mnt/share/session {step}", deadline - time.monotonic())
                    if status:
                        return app_run.Run([], time.monotonic() - start, 0, f"status {status}: {''.join(texts).strip()}")
                    settle(machine, shot, session.hidden, before, deadline)
                seconds = time.monotonic() - start
                status, report, errors = machine.capture("sh /mnt/share/session report", 60)
                kernel = machine.capture(f"{guests.KERNEL_REPORTS}; cat /sys/class/drm/card0/error", 60)[1]
            except Failure as failure:
                return app_run.Run([], time.monotonic() - start, 0, str(failure))
            wrong = fault(session, software, status, report + errors, kernel, machine.errors.read_text(errors="replace"))
        return app_run.Run([visible(Picture(shot), session.hidden)], seconds, sum(render_times(report).values()), wrong)
