// SPDX-License-Identifier: GPL-2.0-or-later
// What the planes can show, and how lists go to clients.
#pragma once

#include <drm_fourcc.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace softgen::run {

inline constexpr std::array<uint32_t, 4> plane_formats = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888, DRM_FORMAT_RGB565};
inline constexpr std::array<uint64_t, 3> plane_modifiers = {DRM_FORMAT_MOD_LINEAR, I915_FORMAT_MOD_X_TILED, I915_FORMAT_MOD_Y_TILED};
// i915 display/intel_cursor.c: intel_cursor_formats, intel_cursor_size_ok for Ivy Bridge and later.
inline constexpr std::array<uint32_t, 1> cursor_formats = {DRM_FORMAT_ARGB8888};
inline constexpr std::array<uint64_t, 1> cursor_modifiers = {DRM_FORMAT_MOD_LINEAR};
inline constexpr uint32_t cursor_min_height = 8, cursor_max_size = 256;
constexpr bool is_cursor_size(uint32_t width, uint32_t height) {
  return (width == 64 || width == 128 || width == cursor_max_size) && height >= cursor_min_height && height <= width;
}

/// Copies what fits, as the kernel does: count says how many there are, the pointer is filled when the client's count is large enough.
template <typename T, typename Count>
void copy_list(std::span<const T> list, uint64_t pointer, Count& count) {
  if (pointer && count >= list.size()) std::memcpy(reinterpret_cast<void*>(pointer), list.data(), list.size_bytes());
  count = static_cast<Count>(list.size());
}

}  // namespace softgen::run
