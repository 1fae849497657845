# SPDX-License-Identifier: GPL-2.0-or-later
"""A root folder (for chroot) with a Debian release's Mesa and small test programs, to run another Mesa than the host's."""
import os
import pathlib
import re
import shutil
import tempfile

import apt
from common import BUILD, CACHE, Failure, content_key, lock, output, step

PROGRAM_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/games"
PACKAGES = ["libgl1-mesa-dri", "libegl1", "libgbm1", "libgles2", "libglx-mesa0", "mesa-utils", "mesa-utils-bin", "mesa-vulkan-drivers",
            "vulkan-tools", "kmscube", "piglit", "spirv-tools", "glmark2-es2-drm"]
# Intel's OpenCL runtime of a release. Debian 13 has none.
OPENCL_PACKAGES = {"sid": ["piglit", "intel-opencl-icd", "ocl-icd-libopencl1", "clinfo", "clpeak"]}
# $0: root folder, $1: build folder, $2: working folder, the rest: the command. The mounts are in a namespace that ends with the command.
# The release may lack an LLVM that we support, so the host's softgen-eu-compiler compiles kernels, over a socket. This shell, its parent,
# becomes the command by exec, and --pdeathsig ends the compiler together with it.
ENTER = """set -e
mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; mount --rbind /sys "$0/sys"; mount --bind "$1" "$0/softgen"; mount --bind "$2" "$0/mnt"
mount -t tmpfs tmpfs "$0/softgen-compiler"
if [ -x "$1/softgen-eu-compiler" ]; then
  setpriv --pdeathsig TERM "$1/softgen-eu-compiler" --listen "$0/softgen-compiler/socket" </dev/null >&2 &
  tries=500; until [ -S "$0/softgen-compiler/socket" ] || [ $((tries -= 1)) -eq 0 ]; do sleep 0.01; done
fi
root=$0; shift 2
exec chroot "$root" env -C /mnt LD_LIBRARY_PATH=/softgen-libraries SOFTGEN_EU_COMPILER=unix:/softgen-compiler/socket "$@" """


def possible():
    """None, or the reason why such a folder cannot be used here."""
    return None if os.geteuid() == 0 else "only root may change the root folder"


def ensure(release, packages=PACKAGES):
    """The root folder with `packages`; made if it does not exist."""
    if possible():
        raise Failure(possible())
    root = CACHE / "mesa" / f"{release}-{content_key(release, ' '.join(packages))}"
    log = CACHE / "logs" / f"mesa-{release}.log"
    with lock(f"mesa-{root.name}"):
        if not root.exists():
            root.parent.mkdir(parents=True, exist_ok=True)
            draft = pathlib.Path(tempfile.mkdtemp(prefix=f"{release}-draft-", dir=root.parent))
            try:
                step(f"Mesa of {release}: downloading and installing packages",
                     ["mmdebstrap", "--mode=root", "--variant=apt", "--components=main", "--dpkgopt=force-unsafe-io",
                      '--aptopt=APT::Install-Recommends "false"', *[f"--aptopt={option}" for option in apt.acquire_options()],
                      f"--include={','.join(packages)}", release, draft, apt.base_repository()[0]], log)
                draft.rename(root)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
        _lay_libraries(root)
    return root


def _lay_libraries(root):
    """Copies the libraries of softgen-run and of scripts/bench's programs that the release lacks in the host's version. The release's own libc
    and libstdc++ are newer than those that we were built with, and are used."""
    libraries = root / "softgen-libraries"
    for folder in (libraries, root / "softgen", root / "softgen-compiler"):
        folder.mkdir(exist_ok=True)
    programs = [BUILD / "libsoftgen-run.so", BUILD / "softgen-run", *(BUILD / "tests" / "bench" / name for name in ("gl_rates", "vk_cube"))]
    for line in output(["ldd", *filter(pathlib.Path.exists, programs)]).splitlines():
        match = re.match(r"\s+(\S+) => (/\S+)", line)
        if match and not list(root.glob(f"usr/lib/*/{match[1]}")):
            # Renamed into place: other processes may have the old file mapped.
            draft = libraries / f".{match[1]}.draft"
            shutil.copyfile(match[2], draft)
            draft.rename(libraries / match[1])


def command(root, words, folder):
    """The command that runs `words` inside, in `folder`, which it sees as /mnt. Our build is at /softgen."""
    return ["unshare", "--mount", "sh", "-c", ENTER, str(root), str(BUILD), str(folder), *words]


class HostMesa:
    """Runs programs with the host's Mesa."""
    name = "host"
    softgen = str(BUILD)

    def has(self, program):
        return shutil.which(program, path=PROGRAM_PATH) is not None

    def file(self, path):
        """The host's path of a file that programs see at `path`."""
        return pathlib.Path(path)

    def command(self, words, folder):
        return words

    def place(self, folder):
        """The path of `folder` as programs see it."""
        return str(folder)


class ReleaseMesa:
    """Runs programs with another release's Mesa, in its root folder."""
    softgen = "/softgen"

    def __init__(self, release, packages=PACKAGES):
        self.name = release
        self._root = ensure(release, packages)

    def has(self, program):
        return any((self._root / folder / program.lstrip("/")).exists() for folder in (".", "usr/bin", "usr/games"))

    def file(self, path):
        return self._root / str(path).lstrip("/")

    def command(self, words, folder):
        return command(self._root, words, folder)

    def place(self, folder):
        return "/mnt"
