# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of a guest's own release that its image does not have: an overlay (overlay_image) of packages and of all that they depend on.

Maintainer scripts are not run. What they would do for libraries is left to ldconfig, which the guest runs (SETTLE)."""
import os
import pathlib
import shutil
import tempfile

import apt
import guest_image
from common import CACHE, content_key, lock, output, step

# For the guest, once it is up.
SETTLE = "ldconfig"
# Implementations among which update-alternatives chooses have folders of their own, which ldconfig looks into only when they are named.
CHOSEN = ["blas", "lapack"]
LIBRARIES = "usr/lib/x86_64-linux-gnu"
# As in the guest's image. Desktops have hundreds of MB of these.
NO_FILES = ["usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale"]
UNPACK = 'for file; do dpkg-deb --extract "$file" "$0" || exit; done; cd "$0" && rm -rf ' + " ".join(NO_FILES)


def folder(guest, packages):
    """The overlay; made if need be."""
    image = guest_image.ensure(guest)
    final = CACHE / "guest-packages" / f"{guest}-{content_key(image.name, *packages, pathlib.Path(__file__))}"
    with lock(f"guest-packages-{final.name}"):
        if not final.exists():
            final.parent.mkdir(parents=True, exist_ok=True)
            draft = pathlib.Path(tempfile.mkdtemp(prefix="draft-", dir=final.parent))
            try:
                _fill(draft / "root", guest, image, packages, draft)
                (draft / "root").rename(final)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
    os.utime(final)
    guest_image.forget_old(final)
    return final


def _fill(root, guest, image, packages, work):
    root.mkdir()
    log = CACHE / "logs" / f"guest-packages-{guest}.log"
    get = _apt_get(guest, image, work)
    step(f"guest {guest}: listing packages", [*get, "update"], log)
    step(f"guest {guest}: downloading {', '.join(packages)}", [*get, "install", "--yes", "--no-install-recommends", "--download-only", *packages], log)
    files = sorted((work / "archives").glob("*.deb"))
    step(f"guest {guest}: unpacking {len(files)} packages", ["sh", "-c", UNPACK, root, *files], log)
    settings = root / "etc/ld.so.conf.d/softgen.conf"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("".join(f"/{LIBRARIES}/{name}\n" for name in CHOSEN if (root / LIBRARIES / name).is_dir()))


def _apt_get(guest, image, work):
    """apt-get for the guest's release, and for what its image has installed."""
    for name in ("lists/partial", "archives/partial", "state", "sources.list.d"):
        (work / name).mkdir(parents=True)
    (work / "status").write_text(output(["/usr/sbin/debugfs", "-R", "cat /var/lib/dpkg/status", str(image / "root.img")]))
    uri, _, entry = apt.base_repository()
    stanza = ["Types: deb", f"URIs: {uri}", f"Suites: {guest}", "Components: main", *apt.entry_options(uri, entry)]
    (work / "sources.list.d" / "guest.sources").write_text("\n".join(stanza) + "\n")
    settings = {"Dir::State": work / "state", "Dir::State::lists": work / "lists", "Dir::State::status": work / "status", "Dir::Cache::archives": work / "archives",
                "Dir::Cache::pkgcache": "", "Dir::Cache::srcpkgcache": "", "Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": work / "sources.list.d",
                "APT::Sandbox::User": "", "Debug::NoLocking": "true"}
    return [*apt.GET, "--quiet", *[word for name, value in settings.items() for word in ("-o", f"{name}={value}")]]
