# SPDX-License-Identifier: GPL-2.0-or-later
"""Which core a fuzzer's machine has for itself. QEMU's threads wake each other for every timer of the guest, which is 10 % faster on one core than on two."""
import contextlib
import fcntl
import os

from common import CACHE

FOLDER = CACHE / "fuzz"


class Core:
    """A core that no other machine takes until release(), or until the process ends."""

    def __init__(self, number, file):
        self.number, self._file = number, file

    def release(self):
        self._file.close()


def take(allowed=None, present=None, folder=FOLDER):
    """The lowest core without a machine, of any process of this user. None: every core has one, there is one core only, or the caller has chosen
    the cores (`allowed` has not all that are `present`): then the machine runs where the kernel puts it."""
    allowed = sorted(os.sched_getaffinity(0) if allowed is None else allowed)
    if len(allowed) < 2 or len(allowed) < (os.cpu_count() if present is None else present):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    for number in allowed:
        with contextlib.ExitStack() as stack:
            file = stack.enter_context(open(folder / f"core-{number}.lock", "wb"))
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                stack.pop_all()
                return Core(number, file)
    return None
