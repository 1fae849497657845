// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "hw/run/kms.h"

namespace softgen::run {

/// Writes the framebuffer as PNG. Empty: done; else why not, in one sentence.
std::string save_frame(const Framebuffer& fb, const std::string& path);

}  // namespace softgen::run
