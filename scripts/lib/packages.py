# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian packages that softgen needs on the host, grouped by purpose."""
import os
import re

import app_rows
import apt
import video_encoders
from common import output

# Minimum versions that Debian 12 has in backports only. QEMU 10's configure requires those of meson and pycotap.
FROM_BACKPORTS = {"qemu-system-x86": "1:10.0~", "qemu-system-gui": "1:10.0~", "meson": "1.5~", "python3-pycotap": "1~"}

GROUPS = {
    "build": ["build-essential", "meson", "ninja-build", "pkg-config", "libpixman-1-dev", "libpng-dev", "liblzma-dev", "libxxhash-dev",
              "libfmt-dev", "libcli11-dev", "catch2", "nlohmann-json3-dev", "libdrm-dev", "libglib2.0-dev", "libepoxy-dev", "llvm-19-dev",
              "libvulkan-dev", "glslang-tools"],
    # For QEMU's configure, which generates its headers.
    "headers": ["qemu-system-x86", "dpkg-dev", "xz-utils", "python3-venv", "python3-pycotap", "libfdt-dev"],
    "guest": ["qemu-system-x86", "mmdebstrap", "e2fsprogs", "kmod", "xz-utils", "zstd"],
    "window": ["qemu-system-gui"],
    "programs": ["mesa-utils", "vulkan-tools", "kmscube", "glmark2-es2-drm", "piglit", "python3-pil", *app_rows.packages(app_rows.SHORT), *video_encoders.PACKAGES],
    "piglit": ["piglit", "spirv-tools", "libgl1-mesa-dri", "libegl1", "libgbm1"],
    "profile": ["linux-perf", "libdevel-nytprof-perl"],
    "test": ["clang", "grub-common", "grub-pc-bin", "clang-format-19", "clang-tidy-19", "universal-ctags", "python3-pil"],
}

# Debian 13 has neither compute-runtime (unstable's does not support Gen9: dropped after 24.35) nor Media SDK. GStreamer's vaapi plugin is tried with Debian 12's alone.
OF_DEBIAN_12 = ["intel-opencl-icd", "clinfo", "gstreamer1.0-plugins-good", "gstreamer1.0-vaapi", "libmfx-tools"]


def sanitizer_runtime():
    """[libclang-rt-N-dev] for the version N that the package `clang` depends on; [] before apt has lists."""
    match = re.search(r"Depends: clang-(\d+)", output(["apt-cache", "depends", "clang"]))
    return [f"libclang-rt-{match.group(1)}-dev"] if match else []


def names(groups):
    wanted = {name for group in groups for name in GROUPS[group]}
    if "test" in groups:
        wanted.update(sanitizer_runtime())
    if "programs" in groups and apt.release()[0] == 12:
        wanted.update(OF_DEBIAN_12)
    if "guest" in groups and os.geteuid() != 0:
        wanted.add("uidmap")
    return sorted(wanted)


def ensure(groups):
    """Installs missing packages; quick if none is missing."""
    wanted = names(groups)
    have = apt.installed(wanted)
    missing = [name for name in wanted if name not in have or
               (name in FROM_BACKPORTS and apt.older(have[name], FROM_BACKPORTS[name]))]
    if not missing:
        return
    version, codename = apt.release()
    backported = [name for name in missing if name in FROM_BACKPORTS] if version == 12 else []
    if backported:
        apt.ensure_suite(f"{codename}-backports", binary=True, source=True)
        apt.install("packages from backports", backported, f"{codename}-backports")
    else:
        apt.base_repository()
    rest = [name for name in missing if name not in backported]
    if "test" in groups:  # once more: apt may have had no lists before
        rest = sorted(set(rest) | set(sanitizer_runtime()))
    if rest:
        apt.install("packages", rest)
