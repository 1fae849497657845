# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's initial RAM disk: busybox, the few modules that reach the root disk, and scripts/guest.

It is made by us and not by initramfs-tools since it then needs no maintainer scripts, takes a tenth of the time to
unpack under TCG, and changes with scripts/guest without a new image."""
import lzma
import pathlib
import subprocess

from common import ROOT, Failure

SCRIPTS = ROOT / "scripts" / "guest"
# Loaded before the root disk is mounted; `overlay` only if the kernel command line asks for it.
MODULES = ["virtio_pci", "virtio_blk", "crc32c_generic", "ext4", "overlay"]
# Part of the kernel itself since Linux 6.14.
OPTIONAL = {"crc32c_generic"}
APPLETS = ["sh", "mount", "umount", "insmod", "mkdir", "cp", "ln", "cat", "sleep", "switch_root", "reboot", "tee"]


class Cpio:
    """A writer of the `newc` format that Linux takes as an initramfs (Documentation/driver-api/early-userspace). Ours, since cpio(1) packs files only,
    which would first have to be written with the right modes, owners and times, and Debian 12's python3-libarchive-c makes no links."""

    def __init__(self):
        self._parts = []
        self._inode = 1

    def add(self, name, mode, data=b""):
        header = [self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        self._inode += 1
        entry = b"070701" + b"".join(b"%08X" % field for field in header) + name.encode() + b"\0"
        self._parts.append(entry + b"\0" * (-len(entry) % 4) + data + b"\0" * (-len(data) % 4))

    def directory(self, name):
        self.add(name, 0o040755)

    def file(self, name, data, mode=0o100755):
        self.add(name, mode, data)

    def link(self, name, target):
        self.add(name, 0o120777, target.encode())

    def finish(self):
        self.add("TRAILER!!!", 0)
        return b"".join(self._parts)


def dependencies(tree):
    """{path: [path]} of all modules below `tree` (lib/modules/RELEASE) and all that each needs, as depmod has found."""
    lines = [line.partition(":") for line in (tree / "modules.dep").read_text().splitlines()]
    return {path: needs.split() for path, _, needs in lines}


def stem(path):
    """A module's name, as the kernel writes it."""
    return path.rsplit("/", 1)[-1].split(".ko")[0].replace("-", "_")


def loading_order(depends, paths):
    """`paths` and all that they need, by dependencies()."""
    order = []

    def visit(path):
        for need in depends[path]:
            visit(need)
        if path not in order:
            order.append(path)

    for path in paths:
        visit(path)
    return order


def module_paths(tree):
    """Paths below `tree` (lib/modules/RELEASE) of MODULES and all they depend on, in loading order."""
    depends, builtin, wanted = dependencies(tree), (tree / "modules.builtin").read_text(), []
    for name in MODULES:
        found = [path for path in depends if stem(path) == name]
        if found:
            wanted.append(found[0])
        elif name not in OPTIONAL and f"/{name}.ko" not in builtin.replace("-", "_"):
            raise Failure(f"the guest's kernel has no module {name}")
    return loading_order(depends, wanted)


def module_bytes(path):
    """The module itself: Debian 13 compresses its modules."""
    data = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(data)
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


def modules_archive(tree):
    """A cpio with the modules and /modules.load; Linux takes several archives one after the other."""
    archive = Cpio()
    archive.directory("modules")
    names = []
    for path in module_paths(tree):
        name = path.rsplit("/", 1)[-1].split(".ko")[0] + ".ko"
        names.append(name)
        archive.file(f"modules/{name}", module_bytes(tree / path), 0o100644)
    archive.file("modules.load", "".join(f"{name}\n" for name in names).encode(), 0o100644)
    return archive.finish()


def tools_archive(busybox):
    """A cpio with busybox (its path is given) and its names."""
    archive = Cpio()
    for name in ("bin", "dev", "proc", "sys", "root", "disk", "overlay", "work"):
        archive.directory(name)
    archive.file("bin/busybox", busybox.read_bytes())
    for name in APPLETS:
        archive.link(f"bin/{name}", "busybox")
    return archive.finish()


def scripts_archive():
    """A cpio with scripts/guest: /init and what runs after it."""
    archive = Cpio()
    archive.file("init", (SCRIPTS / "initrd-init").read_bytes())
    archive.directory("softgen")
    for path in sorted(SCRIPTS.iterdir()):
        if path.suffix == ".sh":
            archive.file(f"softgen/{path.stem}", path.read_bytes())
    return archive.finish()


def write(target, image):
    """Writes the initrd for the guest image directory `image` (which holds tools.cpio and modules.cpio)."""
    image = pathlib.Path(image)
    target.write_bytes((image / "tools.cpio").read_bytes() + (image / "modules.cpio").read_bytes() + scripts_archive())
