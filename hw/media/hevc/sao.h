// SPDX-License-Identifier: GPL-2.0-or-later
// Sample adaptive offset (H.265 8.7.3).
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/media/frame/frame.h"
#include "hw/media/hevc/picture_info.h"

namespace softgen::media::hevc {

/// Samples of a CTB (luma, or both chroma components, interleaved) as they leave the loop filters. `to`: the CTB's first, rows `stride` samples apart.
template <typename T>
void apply_sao(const PictureInfo& info, const Frame<T>& deblocked, uint32_t ctb, bool is_chroma, T* to, size_t stride);

}  // namespace softgen::media::hevc
