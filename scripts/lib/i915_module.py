# SPDX-License-Identifier: GPL-2.0-or-later
"""i915.ko for a guest's kernel, built from Debian's source with changes: outside the kernel's own tree, against its headers."""
import os
import pathlib
import shutil

import apt
import guest_image
from common import CACHE, Failure, content_key, lock, step

FOLDER = "drivers/gpu/drm/i915"
NEEDED = [FOLDER, "drivers/platform/x86/intel_ips.h"]  # the driver includes a header of another one
LOG = CACHE / "logs" / "i915.log"
# Without debug information and BTF, for neither is read.
FLAGS = ["KCFLAGS=-g0", "CONFIG_DEBUG_INFO_BTF_MODULES=", "CONFIG_DRM_I915_GVT_KVMGT=n"]


class Source:
    """The source of a guest's i915, below `tree`; one at a time may be built."""

    def __init__(self, guest):
        image = guest_image.ensure(guest)
        self.release = guest_image.kernel_release(image)
        self.version = guest_image.package_versions(image)[f"linux-image-{self.release}"]
        self.headers = pathlib.Path("/usr/src") / f"linux-headers-{self.release}"
        self.tree = CACHE / "i915" / self.version

    def fetch(self):
        """Installs the kernel's headers, and unpacks the driver's source, if they are not there."""
        if not self.headers.exists():
            apt.install(f"the headers of Linux {self.release}", [f"linux-headers-{self.release}"])
        with lock(f"i915-{self.version}"):
            if self.tree.exists():
                return
            draft = self.tree.with_name(f"{self.tree.name}.new")
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir(parents=True)
            series = ".".join(self.version.split(".")[:2])
            package = f"linux-source-{series}"
            step(f"fetching {package}", ["apt-get", "download", "-o", "APT::Sandbox::User=root", f"{package}={self.version}"], LOG, cwd=draft)
            [archive] = draft.glob("*.deb")
            step(f"unpacking {package}", ["sh", "-ec", f"""
                dpkg-deb --fsys-tarfile {archive.name} | tar -xO ./usr/src/{package}.tar.xz | tar -xJ --strip-components=1 {' '.join(f'{package}/{path}' for path in NEEDED)}
                rm {archive.name}"""], LOG, cwd=draft)
            self._move_out(draft)
            draft.rename(self.tree)

    def _move_out(self, tree):
        """The driver's Makefile and trace headers look for it in the kernel's own tree."""
        (tree / "include" / "trace").mkdir(parents=True)
        makefile = tree / FOLDER / "Makefile"
        makefile.write_text(makefile.read_text().replace("-I$(srctree)/$(src)", f"-I$(src) -I{self.tree}/include/trace"))

    def module(self, seed, target):
        """Builds i915.ko with one change (fuzz_seeds.Seed) into the file `target`."""
        with lock(f"i915-{self.version}"):
            path = self.tree / FOLDER / seed.file
            text = path.read_text()
            if text.count(seed.old) != 1:
                raise Failure(f"{seed.name}: {seed.file} of Linux {self.version} has not what it changes")
            try:
                path.write_text(text.replace(seed.old, seed.new))
                step(f"building i915 with {seed.name}", ["make", "-C", self.headers, f"M={self.tree / FOLDER}", f"-j{os.cpu_count()}", *FLAGS, "i915.ko"], LOG)
                shutil.copy(self.tree / FOLDER / "i915.ko", target)
            finally:
                path.write_text(text)

    def kept_module(self, seed):
        """The path of the module with one change; built if it is not there."""
        path = CACHE / "i915" / f"{self.version}-{seed.name}-{content_key(seed.file, seed.old, seed.new)}.ko"
        if not path.exists():
            self.fetch()
            draft = path.with_suffix(".new")
            self.module(seed, draft)
            draft.rename(path)
        return path
