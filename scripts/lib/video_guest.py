# SPDX-License-Identifier: GPL-2.0-or-later
"""A booted guest with FFmpeg and the VA-API drivers of its release, in which scripts/video --guest decodes."""
import json
import pathlib
import shlex
import shutil
import tempfile

import guest as guests
import guest_packages
import video_run
from common import Failure
from video_encoders import DRIVERS

PACKAGES = ["ffmpeg", *DRIVERS.values()]
SHARE = "/mnt/share"
# Lines of the kernel's log that say that a driver had to reset the GPU, or worse.
TROUBLE = "grep -i -e 'GPU HANG' -e 'Resetting' -e 'BUG:' -e 'WARNING:' -e 'Oops'"


class VideoGuest:
    """A `where` of video_run: runs commands in the guest. close() or a `with` block ends it."""

    def __init__(self, guest, platform=None, threads=None):
        self.preempts = False
        self.platform, self._release, self._folder = platform, guest, pathlib.Path(tempfile.mkdtemp(prefix="softgen-video-"))
        arguments = f"threads={threads}" if threads is not None else ""
        try:
            self._guest = guests.Guest(guest, platform=platform, device_args=arguments, share=self._folder, overlay=guest_packages.folder(guest, PACKAGES))
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def __enter__(self):
        try:
            self._guest.boot()
            status, _, said = self._guest.capture(guest_packages.SETTLE, 120)
            if status:
                raise Failure(f"{guest_packages.SETTLE} failed in the guest: {said.strip()}")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._guest.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _work(self):
        return video_run.work_of(json.loads(self._guest.get("report")))

    def download(self, stream, driver):
        """See Host.download(). FFmpeg since 7 has JPEG's surfaces planar. Of 4:2:0 it takes YV12 images, into which iHD without its non-free kernels copies the
        planes of an IMC3 surface as they lie (media_libva.cpp, DdiMedia_CopySurfaceToImage): chroma is swapped."""
        if stream.codec != "jpeg" or self._release == "bookworm":
            return f"format={stream.download.get(driver, stream.pixels)}"
        swap = ",shuffleplanes=0:2:1" if driver == "iHD" and stream.pixels == "yuvj420p" else ""
        return f"format={stream.pixels.replace('yuvj', 'yuv')}{swap}"

    def run(self, words, driver, files, seconds):
        """Runs `words` with a driver. `files`: (path on the host, whether the program writes it) of all files that the words name; the guest sees them
        in the shared folder. Returns (exit status, None when it took longer; what it said; its Work)."""
        names = {str(path): f"{SHARE}/{path.name}" for path, _ in files}
        for path, is_output in files:
            if not is_output:
                shutil.copy(path, self._folder)
        before, logged = self._work(), self._guest.errors.stat().st_size
        inside = shlex.join(names.get(str(word), str(word)) for word in words)
        status, out, said = self._guest.capture(f"LIBVA_DRIVER_NAME={driver} timeout {seconds} {inside}", seconds + 60)
        work = video_run.Work(*(now - then for now, then in zip(self._work(), before)))
        for path, is_output in files:
            if is_output and (self._folder / path.name).exists():
                shutil.move(self._folder / path.name, path)
            (self._folder / path.name).unlink(missing_ok=True)
        found, lines, _ = self._guest.capture(f"dmesg --clear --read | {TROUBLE}", 60)
        if found == 0:
            return status or 1, f"[error] the guest's kernel: {lines.splitlines()[0]}", work
        with open(self._guest.errors, errors="replace") as log:
            log.seek(logged)
            return (None if status == 124 else status), out + said + log.read(), work
