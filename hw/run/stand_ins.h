// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace softgen::run {

/// Makes a temporary folder with what libdrm and Mesa read of a DRM device: /dev/dri, /sys/dev/char/226:*, the PCI device's folder.
/// Returns its path. Throws std::filesystem::filesystem_error or std::runtime_error.
std::string make_stand_ins(const std::string& platform);

}  // namespace softgen::run
