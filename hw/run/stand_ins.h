// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace softgen::run {

/// The place of the folder: memory, or else the folder for temporary files.
std::filesystem::path stand_ins_parent();

/// A folder in `parent` with what libdrm and Mesa read of a DRM device: /dev/dri, /sys/dev/char/226:*, the PCI device's folder. It is made
/// once for a user and platform and stays, so that a run need not clean up. Returns its path.
/// Throws std::filesystem::filesystem_error or std::runtime_error.
std::string make_stand_ins(const std::string& platform, const std::filesystem::path& parent = stand_ins_parent());

}  // namespace softgen::run
