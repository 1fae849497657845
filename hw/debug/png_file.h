// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace softgen::debug {

/// Writes width x height pixels of R, G, B, A bytes, top row first. Returns "" or why it failed, in one sentence.
std::string write_png(const std::string& path, uint32_t width, uint32_t height, std::span<const uint8_t> rgba);

}  // namespace softgen::debug
