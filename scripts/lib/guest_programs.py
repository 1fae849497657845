# SPDX-License-Identifier: GPL-2.0-or-later
"""Our own programs for guests, which use i915's ioctls directly: tests/boot/guest."""
import pathlib
import subprocess
import tempfile

from common import CACHE, ROOT, content_key

SOURCES = ROOT / "tests" / "boot" / "guest"


def overlay():
    """A directory to lay over a guest's root, with all programs compiled, static so that they run in every release."""
    sources = sorted(SOURCES.glob("*.c"))
    target = CACHE / "guest-programs" / content_key(*sources, pathlib.Path(__file__))
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as work:
            draft = pathlib.Path(work) / "overlay"
            (draft / "usr/local/bin").mkdir(parents=True)
            for source in sources:
                subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-static", "-I/usr/include/libdrm", "-o", draft / "usr/local/bin" / source.stem, source],
                               check=True)
            draft.rename(target)
    return target
