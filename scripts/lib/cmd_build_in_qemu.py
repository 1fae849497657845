# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/build-in-qemu: builds QEMU from source with patches/ applied; the device is its module hw-display-intel-gpu."""
import argparse
import os
import pathlib
import shutil
import subprocess

import cmd_setup
import qemu_headers
from common import CACHE, ROOT, Failure, lock, main, output, say, step

MODULE = "hw-display-intel-gpu.so"
CONFIGURE = ["--python=/usr/bin/python3", "--target-list=x86_64-softmmu", "--enable-modules", "--without-default-features",
             "--enable-pixman", "--enable-tcg", "--enable-softgen", "--disable-install-blobs", "--disable-download",
             "--disable-docs", "--disable-tools", "-Db_staticpic=true"]
# The parts of this tree that QEMU's build needs.
TREE = ["meson.build", "meson.options", "include", "hw", "scripts"]


def source_tree(work):
    """QEMU's source with the series applied and this tree as its subproject."""
    version = qemu_headers.qemu_version()
    package = output(["dpkg-query", "-W", "-f", "${source:Version}", "qemu-system-x86"])
    qemu_headers.download(work, package, version)
    tree = qemu_headers.unpack(work)
    for patch in sorted((ROOT / "patches").glob("*.patch")):
        with open(patch, "rb") as text:
            done = subprocess.run(["patch", "-p1", "--forward"], cwd=tree, stdin=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"{patch.name} does not apply to QEMU {version}: {done.stdout.strip().splitlines()[-1]}")
        say(f"applied {patch.name} to QEMU {version}")
    for name in TREE:
        target = tree / "subprojects" / "softgen" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, target)
    return tree


def compile_tree(tree, targets):
    log = CACHE / "logs" / "build-in-qemu.log"
    log.unlink(missing_ok=True)
    build = tree / "build"
    build.mkdir()
    environment = {key: value for key, value in os.environ.items() if key not in ("CFLAGS", "CXXFLAGS", "LDFLAGS")}
    step("configuring QEMU", ["../configure", *CONFIGURE], log, cwd=build, env=environment)
    step(f"building {' '.join(targets)}", ["ninja", "-C", build, *targets], log, env=environment)
    return build


def prove(build):
    """The built QEMU finds the device in its module and realizes it."""
    done = subprocess.run([build / "qemu-system-x86_64", "-M", "q35", "-L", "/usr/share/seabios", "-L", "/usr/share/qemu", "-vga", "none",
                           "-nodefaults", "-display", "none", "-device", "intel-gpu-kbl,addr=2.0", "-monitor", "stdio", "-S"],
                          env={**os.environ, "QEMU_MODULE_DIR": str(build)}, input="info pci\nquit\n", capture_output=True, text=True,
                          timeout=120, check=False)
    if "8086:5912" not in done.stdout:
        raise Failure(f"the built QEMU does not show the device: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    say("the built QEMU shows intel-gpu-kbl as 8086:5912")


def run(argv):
    parser = argparse.ArgumentParser(prog="scripts/build-in-qemu", description=f"""Proves patches/: unpacks the source of the installed
        QEMU, applies the series, puts this tree into it as a subproject, builds the emulator for x86_64 and its module {MODULE},
        and starts it with the device. Takes 10 to 30 minutes; the result is deleted unless --keep is given.""")
    parser.add_argument("--module-only", action="store_true", help="build the module only, and start nothing")
    parser.add_argument("--keep", metavar="DIR", help="build in this new directory and keep it")
    options = parser.parse_args(argv)
    cmd_setup.packages.ensure(["build", "headers"])
    with lock("build-in-qemu"):
        work = pathlib.Path(options.keep).absolute() if options.keep else CACHE / "build-in-qemu"
        if options.keep and work.exists():
            raise Failure(f"--keep: '{options.keep}' exists already")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        try:
            build = compile_tree(source_tree(work), [MODULE] if options.module_only else [MODULE, "qemu-system-x86_64"])
            if not options.module_only:
                prove(build)
        finally:
            if not options.keep:
                shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    main("build-in-qemu", run)
