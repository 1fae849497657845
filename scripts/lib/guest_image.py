# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian guest images: an ext4 root file system, the stock kernel and the parts of an initrd, in the cache.

No file system is mounted from an image: mmdebstrap gives a tarball, mke2fs -d turns the unpacked tree into an image.
Without root both happen in a user namespace."""
import os
import pathlib
import re
import shutil
import tempfile
import time

import apt
import initrd
from common import CACHE, ROOT, Failure, content_key, lock, output, say, step

GUESTS = {"bookworm": "Debian 12, Linux 6.1", "trixie": "Debian 13, Linux 6.12", "sid": "Debian unstable, as it is today"}
PACKAGES = ROOT / "scripts" / "guest" / "packages.txt"
# Driver families for hardware that a guest of ours never has: most of the modules' size. What others depend on stays.
NO_MODULES = ["net/wireless", "net/ethernet", "media", "infiniband", "isdn", "staging", "scsi", "ata", "iio", "hwmon", "mtd", "comedi",
              "gpu/drm/amd", "gpu/drm/nouveau", "gpu/drm/radeon"]
# Documentation, and the hook that would build an initrd we do not use.
NO_FILES = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*",
            "/etc/kernel/postinst.d/initramfs-tools", "/usr/share/kernel/postinst.d/initramfs-tools", "/lib/firmware/*", "/usr/lib/firmware/*"]
# Debian's kernels log an error for firmware that is not there, so the guest has what a laptop's has: Intel's DMC, GuC and HuC.
FIRMWARE = [f"{lib}/firmware/i915{rest}" for lib in ("/lib", "/usr/lib") for rest in ("", "/skl_*", "/kbl_*", "/icl_*", "/tgl_*")]
FREE_MIB = 512
KEEP_DAYS = 7


def package_names(guest):
    """The list's packages for `guest`: NAME, or NAME[GUEST,...] where only these guests have it."""
    words = [word for line in PACKAGES.read_text().splitlines() for word in line.split("#")[0].split()]
    pairs = [re.fullmatch(r"([^\[]+)(?:\[(.*)\])?", word).groups() for word in words]
    return [name for name, guests in pairs if not guests or guest in guests.split(",")]


def image_key(guest):
    return content_key(guest, pathlib.Path(__file__), pathlib.Path(initrd.__file__), *package_names(guest))


def directory(guest):
    return CACHE / "guests" / f"{guest}-{image_key(guest)}"


def ensure(guest):
    """The directory with root.img, vmlinuz, tools.cpio, modules.cpio and manifest of `guest`; made if need be."""
    if guest not in GUESTS:
        raise Failure(f"there is no guest '{guest}'; choose from {', '.join(GUESTS)}")
    final = directory(guest)
    if (final / "manifest").exists():
        os.utime(final)
        return final
    with lock(f"guest-{guest}"):
        if (final / "manifest").exists():
            return final
        say(f"making the guest image {guest} ({GUESTS[guest]}); this happens once and takes a minute or two")
        final.parent.mkdir(parents=True, exist_ok=True)
        scratch = os.environ.get("TMPDIR") or "/var/tmp"
        with tempfile.TemporaryDirectory(prefix="softgen-guest-", dir=scratch) as work:
            work = pathlib.Path(work)
            make(guest, work)
            shutil.rmtree(final, ignore_errors=True)
            draft = final.with_name(final.name + ".new")
            shutil.rmtree(draft, ignore_errors=True)
            shutil.move(work / "image", draft)
            draft.rename(final)
        forget_old(final)
    return final


def forget_old(current):
    """Removes images that no checkout on this machine has used for a while."""
    for image in current.parent.iterdir():
        if image != current and time.time() - image.stat().st_mtime > KEEP_DAYS * 86400:
            shutil.rmtree(image, ignore_errors=True)


def as_guest_root(command):
    """`command` able to own files as any user: root is; others get a user namespace."""
    return command if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--map-auto", "--", *command]


def make(guest, work):
    """Fills work/image."""
    log = CACHE / "logs" / f"guest-{guest}.log"
    log.unlink(missing_ok=True)
    tarball, tree, image = work / "root.tar", work / "tree", work / "image"
    image.mkdir()
    step(f"guest {guest}: downloading and installing packages", bootstrap_command(guest, tarball), log)
    try:
        tree.mkdir()
        step(f"guest {guest}: unpacking", as_guest_root(["tar", "-xpf", tarball, "--numeric-owner", "-C", tree]), log)
        tarball.unlink()
        pack(guest, tree, image, log)
    finally:
        # In a user namespace the tree's files belong to users that only this namespace may remove.
        step(f"guest {guest}: clearing up", as_guest_root(["rm", "-rf", tree]), log)


def bootstrap_command(guest, tarball):
    uri = apt.base_repository()[0]
    return ["mmdebstrap", f"--mode={'root' if os.geteuid() == 0 else 'unshare'}", "--variant=apt", "--format=tar",
            "--architectures=amd64", "--components=main,non-free-firmware", "--skip=output/dev", "--dpkgopt=force-unsafe-io",
            '--aptopt=APT::Install-Recommends "false"', *[f"--aptopt={option}" for option in apt.acquire_options()],
            *[f"--dpkgopt=path-exclude={pattern}" for pattern in NO_FILES],
            *[f"--dpkgopt=path-include={pattern}" for pattern in FIRMWARE],
            f"--include={','.join(package_names(guest))}", guest, str(tarball), uri]


def pack(guest, tree, image, log):
    """Makes image/* from the unpacked tree."""
    kernels = sorted((tree / "usr/lib/modules").iterdir())
    if len(kernels) != 1:
        raise Failure(f"the guest {guest} has {len(kernels)} kernels installed instead of one")
    release = kernels[0].name
    step(f"guest {guest}: leaving out drivers", as_guest_root(["rm", "--", *unneeded_modules(kernels[0])]), log, cwd=kernels[0])
    step(f"guest {guest}: listing the drivers left", as_guest_root(["depmod", "-b", tree, release]), log)
    (image / "modules.cpio").write_bytes(initrd.modules_archive(kernels[0]))
    (image / "tools.cpio").write_bytes(initrd.tools_archive(tree / "usr/bin/busybox"))
    (image / "vmlinuz").write_bytes((tree / f"boot/vmlinuz-{release}").read_bytes())
    size = int(re.match(r"\d+", output(as_guest_root(["du", "-sm", str(tree)]))).group(0)) * 11 // 10 + FREE_MIB
    # No journal, no checksums: the image is only ever used through snapshots.
    step(f"guest {guest}: making the disk image", as_guest_root(
        ["mke2fs", "-q", "-F", "-t", "ext4", "-L", "softgen", "-m", "0", "-O", "^has_journal,^metadata_csum",
         "-d", tree, image / "root.img", f"{size}M"]), log)
    status = (tree / "var/lib/dpkg/status").read_text()
    packages = re.findall(r"(?ms)^Package: (\S+)$.*?^Version: (\S+)$", status)
    (image / "manifest").write_text(f"kernel {release}\n" + "".join(f"{name} {version}\n" for name, version in packages))


def unneeded_modules(modules):
    """Paths below `modules` (lib/modules/RELEASE) of the families NO_MODULES, less what any other module depends on."""
    depends = initrd.dependencies(modules)
    families = tuple(f"kernel/drivers/{name}/" for name in NO_MODULES)
    kept = {path for path in depends if not path.startswith(families)}
    kept.update(need for path in list(kept) for need in depends[path])
    return sorted(set(depends) - kept)


def package_versions(image):
    """The manifest: {package: version}; of "kernel", the release."""
    return dict(line.split() for line in (image / "manifest").read_text().splitlines())


def kernel_release(image):
    return package_versions(image)["kernel"]
