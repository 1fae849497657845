# SPDX-License-Identifier: GPL-2.0-or-later
"""The initial RAM disk of fuzzers' guests: the agent as init, i915 with all that it depends on, and its firmware."""
import os
import pathlib
import subprocess
import tempfile

import guest_image
import initrd
from common import CACHE, ROOT, Failure, content_key, lock, say

AGENT = ROOT / "scripts" / "guest" / "fuzz"
PORTS = ROOT / "hw" / "qemu"
MODULE = "i915"
# Gives i2c buses to programs.
EXTRA_MODULES = ["i2c_dev"]
FOLDERS = ["dev", "proc", "sys", "tmp", "modules", "lib", "lib/firmware", "lib/firmware/i915"]
WARNINGS = ["-Wall", "-Wextra", "-Werror"]


def agent():
    """The path of the agent's binary; built when it is not in the cache."""
    sources = [*sorted(AGENT.glob("*.[ch]")), PORTS / "harness.h"]
    target = CACHE / "fuzz" / f"agent-{content_key(*sources, *WARNINGS)}"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_suffix(f".{os.getpid()}")
    built = subprocess.run(["cc", "-O2", *WARNINGS, "-static", "-I/usr/include/libdrm", "-I", PORTS, "-o", draft, *[path for path in sources if path.suffix == ".c"]],
                           capture_output=True, text=True, check=False)
    if built.returncode:
        raise Failure(f"the agent in the guest does not build: {built.stderr.strip()[-2000:]}")
    draft.rename(target)
    return target


def debugfs(image, *commands):
    """Runs debugfs(8) on a file system; no mount and no root needed."""
    with tempfile.NamedTemporaryFile("w", suffix=".debugfs") as script:
        script.write("\n".join(commands) + "\n")
        script.flush()
        subprocess.run(["/sbin/debugfs", "-f", script.name, image], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def fill(archive, image, work, module):
    """Adds modules and firmware of the guest's image to the archive. `module`: an i915.ko in place of the guest's, or None."""
    release = guest_image.kernel_release(image)
    tree, root = f"/usr/lib/modules/{release}", image / "root.img"
    debugfs(root, f"dump {tree}/modules.dep {work}/modules.dep", f"rdump /usr/lib/firmware/i915 {work}")
    depends = initrd.dependencies(work)
    paths = {initrd.stem(path): path for path in depends}
    if MODULE not in paths:
        raise Failure(f"the kernel {release} has no module {MODULE}")
    order, driver = initrd.loading_order(depends, [paths[name] for name in [*EXTRA_MODULES, MODULE] if name in paths]), paths[MODULE]
    debugfs(root, *(f"dump {tree}/{path} {work}/{pathlib.PurePath(path).name}" for path in order))
    loads = []
    for path in order:
        name = pathlib.PurePath(path).name
        data = module.read_bytes() if module and path == driver else initrd.module_bytes(work / name)
        plain = initrd.stem(path) + ".ko"
        archive.file(f"modules/{plain}", data, 0o100644)
        loads += [] if path == driver else [plain]
    archive.file("modules.load", "".join(f"{name}\n" for name in loads).encode(), 0o100644)
    for path in sorted((work / "i915").iterdir()):
        if path.is_file():  # not a link to a file that was not installed
            archive.file(f"lib/firmware/i915/{path.name}", path.read_bytes(), 0o100644)


def ram_disk(guest, module=None):
    """(kernel, initrd) for a guest's release; made when they are not in the cache."""
    image, program = guest_image.ensure(guest), agent()
    key = content_key(image.name, program.name, pathlib.Path(__file__), module or "")
    target = CACHE / "fuzz" / f"{guest}-{key}.cpio"
    with lock(f"fuzz-{guest}"):
        if not target.exists():
            say(f"making the fuzzer's guest of {guest}")
            archive = initrd.Cpio()
            for folder in FOLDERS:
                archive.directory(folder)
            archive.file("init", program.read_bytes())
            with tempfile.TemporaryDirectory(prefix="softgen-fuzz-") as work:
                fill(archive, image, pathlib.Path(work), module)
            draft = target.with_suffix(".new")
            draft.write_bytes(archive.finish())
            draft.rename(target)
    return image / "vmlinuz", target
