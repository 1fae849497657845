# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's headers for the installed qemu-system-x86, from the distribution's source package.

The result is a directory in the cache with the headers and two files: `cflags` (one line of include options) and
`version` (such as 10.0.2). Nothing of QEMU is compiled: its configure runs once with the optional features off, then
only the generated headers are made (config-host.h, the QAPI types, trace points)."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import apt
from common import CACHE, Failure, content_key, lock, output, say, step

BINARY = "/usr/bin/qemu-system-x86_64"
# pixman, opengl and kvm are what Debian's build has and what changes declarations that a device sees.
CONFIGURE = ["--python=/usr/bin/python3", "--target-list=x86_64-softmmu", "--enable-modules", "--enable-plugins",
             "--without-default-features", "--enable-pixman", "--enable-opengl", "--enable-kvm", "--disable-install-blobs",
             "--disable-download", "--disable-docs", "--disable-tools"]
# Folders whose headers no device of ours can want; left out of the cache.
UNWANTED = {"roms", "tests", "linux-user", "bsd-user", "subprojects", "qga", "contrib", "docs", "pc-bios"}
# What QEMU's headers include in turn.
LIBRARIES = ["glib-2.0", "pixman-1", "epoxy"]
INCLUDES = ["include", "build", "build/qapi", "linux-headers", ".", "host/include/x86_64", "host/include/generic"]


def qemu_version():
    """The upstream version of the installed QEMU, such as 10.0.2."""
    match = re.search(r"version (\d+\.\d+\.\d+)", output([BINARY, "--version"]))
    if not match:
        raise Failure(f"{BINARY} does not run, so its version is not known")
    version = match.group(1)
    if int(version.split(".")[0]) < 10:
        raise Failure(f"QEMU {version} is installed; softgen needs 10.0 or later")
    return version


def source_version(package_version, upstream):
    """The source package's version to fetch: the binary's own, else one of the same upstream version, else None."""
    versions = re.findall(r"(?m)^Version: (.*)$", output(["apt-cache", "showsrc", "--only-source", "qemu"]))
    if package_version in versions:
        return package_version
    return next((v for v in versions if re.match(rf"(\d+:)?{re.escape(upstream)}[+-]", v)), None)


def download(directory, package_version, upstream):
    """Puts the upstream tarball (and Debian's patches, if the archive has them) of QEMU into `directory`."""
    version = source_version(package_version, upstream)
    if version is None:
        release, codename = apt.release()
        apt.ensure_suite(f"{codename}-backports" if release == 12 else codename, binary=False, source=True)
        version = source_version(package_version, upstream)
    if version is None:
        raise Failure(f"apt knows no source package of QEMU {upstream}; the installed one is {package_version}")
    try:
        step(f"downloading the source package of QEMU {upstream}",
             ["apt-get", "source", "--download-only", "-o", "APT::Sandbox::User=root", f"qemu={version}"],
             CACHE / "logs" / "qemu-headers.log", cwd=directory)
    except Failure:
        # apt has checked the hash of what it did fetch. An archive may lag with the packaging part, which the headers
        # do not need: Debian's patches to QEMU touch no declaration that a device sees.
        if not list(directory.glob("qemu_*.orig.tar.*")):
            raise
        say("the packaging part of QEMU's source package is not in the archive; its upstream tarball is enough")


def unpack(directory):
    """Unpacks the tarball; returns the source tree."""
    tarball = next(path for path in sorted(directory.glob("qemu_*.orig.tar.*")) if path.suffix != ".asc")
    step("unpacking QEMU's source", ["tar", "-xf", tarball, "-C", directory, "--exclude=*/roms/*"],
         CACHE / "logs" / "qemu-headers.log")
    tree = next(path for path in directory.iterdir() if path.is_dir())
    # Debian's tarball leaves out firmware whose file names meson still checks.
    for name in set(re.findall(r"'(edk2-[\w-]+\.fd)'", (tree / "pc-bios/meson.build").read_text())):
        (tree / "pc-bios" / f"{name}.bz2").touch()
    return tree


def generate(tree):
    """Runs configure and makes the generated headers in tree/build."""
    log = CACHE / "logs" / "qemu-headers.log"
    build = tree / "build"
    build.mkdir()
    environment = {key: value for key, value in os.environ.items() if key not in ("CFLAGS", "CXXFLAGS", "LDFLAGS")}
    step("configuring QEMU for its headers", ["../configure", *CONFIGURE], log, cwd=build, env=environment)
    targets = re.findall(r"(?m)^(\S+\.h): CUSTOM_COMMAND", output(["ninja", "-t", "targets", "all"], cwd=build))
    wanted = [t for t in targets if not re.search(r"shader|s390|img-cmds|^tests/|^qga/|linux-user|bsd-user", t)]
    if not wanted:
        raise Failure(f"QEMU's build in {build} lists no generated header")
    step(f"generating {len(wanted)} headers", ["ninja", "-C", build, *wanted], log, env=environment)


def collect(tree, target):
    """Copies the headers into `target`, keeping their places."""
    for folder, subfolders, files in os.walk(tree):
        relative = pathlib.Path(folder).relative_to(tree)
        if relative.parts and relative.parts[0] in UNWANTED:
            subfolders.clear()
            continue
        for name in files:
            if name.endswith((".h", ".inc", ".def")):
                (target / relative).mkdir(parents=True, exist_ok=True)
                shutil.copy(pathlib.Path(folder) / name, target / relative / name)


def ensure():
    """The directory with the headers; made on the first call for this QEMU."""
    upstream = qemu_version()
    package_version = output(["dpkg-query", "-W", "-f", "${source:Version}", "qemu-system-x86"])
    final = CACHE / "qemu-headers" / f"{upstream}-{content_key(package_version, pathlib.Path(__file__))}"
    if (final / "cflags").exists():
        return final
    with lock("qemu-headers"):
        if (final / "cflags").exists():
            return final
        final.parent.mkdir(parents=True, exist_ok=True)
        (CACHE / "logs" / "qemu-headers.log").unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix="work-", dir=final.parent) as work:
            work = pathlib.Path(work)
            work.chmod(0o755)
            download(work, package_version, upstream)
            tree = unpack(work)
            generate(tree)
            draft = work / "headers"
            collect(tree, draft)
            (draft / "version").write_text(upstream + "\n")
            flags = [f"-I{final / include}" for include in INCLUDES if (draft / include).is_dir()]
            flags += output(["pkg-config", "--cflags", *LIBRARIES]).split()
            (draft / "cflags").write_text(shlex.join(flags) + "\n")
            check(draft, final)
            draft.rename(final)
    return final


def check(draft, final):
    """Compiles one line against the headers, so that a bad set is not kept."""
    flags = (draft / "cflags").read_text().replace(str(final), str(draft)).split()
    source = '#include "qemu/osdep.h"\n#include "hw/pci/pci_device.h"\n#include "hw/display/vga_int.h"\nint n = sizeof(PCIDevice);\n'
    done = subprocess.run(["cc", "-fsyntax-only", "-x", "c", "-", *flags], input=source, text=True, capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise Failure(f"QEMU's generated headers do not compile: {re.search(r'.*error:.*', done.stderr).group(0)}")
