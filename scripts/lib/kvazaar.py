# SPDX-License-Identifier: GPL-2.0-or-later
"""The HEVC encoder kvazaar of Debian 13: Debian 12 has none."""
import pathlib
import shutil
import tempfile

import apt
from common import CACHE, lock, step

RELEASE = "trixie"
LOG = CACHE / "logs" / "kvazaar.log"


def root():
    """A folder with the package and its libraries, without configuration; made if it does not exist."""
    folder = CACHE / "kvazaar" / RELEASE
    with lock("kvazaar"):
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            draft = pathlib.Path(tempfile.mkdtemp(prefix="draft-", dir=folder.parent))
            try:
                step(f"kvazaar of {RELEASE}: downloading and unpacking",
                     ["mmdebstrap", "--variant=extract", "--components=main", '--aptopt=APT::Install-Recommends "false"',
                      *[f"--aptopt={option}" for option in apt.acquire_options()], "--include=kvazaar", RELEASE, draft, apt.base_repository()[0]], LOG)
                draft.rename(folder)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
    return folder


def command():
    """The first words of kvazaar's command: its own loader and libraries, so that no other root folder is needed."""
    usr = root() / "usr"
    return [str(usr / "lib64" / "ld-linux-x86-64.so.2"), "--library-path", str(usr / "lib" / "x86_64-linux-gnu"), str(usr / "bin" / "kvazaar")]
