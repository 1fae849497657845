// SPDX-License-Identifier: GPL-2.0-or-later
// What a baseline JPEG picture is to decoder and encoder: components, their sampling, matrices and tables. No packets.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "hw/media/frame/plane_map.h"

namespace softgen::media::jpeg {

/// A component's blocks in a minimum coded unit (MCU).
struct Sampling {
  uint8_t horizontal = 1, vertical = 1;
  bool operator==(const Sampling&) const = default;
};

/// Most pixels in each direction that drivers offer, and most samples: a 4:2:0 picture of that size.
constexpr uint32_t max_pixels = 16384, max_samples = 3u << 27;

struct Structure {
  uint8_t components = 1;                     ///< 1 or 3
  std::array<Sampling, 3> samplings;          ///< the first one is the largest
  uint32_t columns = 0, rows = 0;             ///< MCUs
  uint32_t pixels_wide = 0, pixels_high = 0;  ///< the picture within its MCUs

  Sampling of(unsigned component) const { return samplings[component]; }
  uint32_t width(unsigned component) const { return columns * of(component).horizontal * 8; }
  uint32_t height(unsigned component) const { return rows * of(component).vertical * 8; }
  /// Of the picture, without padding (T.81 A.1.1).
  uint32_t real_width(unsigned component) const {
    return (pixels_wide * of(component).horizontal + of(0).horizontal - 1) / of(0).horizontal;
  }
  uint32_t real_height(unsigned component) const { return (pixels_high * of(component).vertical + of(0).vertical - 1) / of(0).vertical; }
  uint64_t samples() const {
    uint64_t sum = 0;
    for (unsigned i = 0; i < components; ++i) sum += uint64_t{width(i)} * height(i);
    return sum;
  }
  bool is_possible() const {
    return columns && rows && columns <= max_pixels / 8 && rows <= max_pixels / 8 && width(0) <= max_pixels && height(0) <= max_pixels &&
           samples() <= max_samples;
  }
};

/// T.81 B.2.4.2 has a count per length and the values; the packets have 12 lengths of DC codes.
struct HuffmanTable {
  std::array<uint8_t, 16> dc_counts{}, ac_counts{};
  std::array<uint8_t, 12> dc_values{};
  std::array<uint8_t, 162> ac_values{};
  bool operator==(const HuffmanTable&) const = default;
};

enum class Rotation : uint8_t { none, right, left, half };
/// Planes of their own in the stream's sampling; NV12; packed 4:2:2 with chroma or luma in the first byte.
enum class Layout : uint8_t { planar, nv12, uyvy, yuy2 };

/// Where the pixels go. Its size is that of the picture after rotation.
struct Target {
  Layout layout = Layout::planar;
  Rotation rotation = Rotation::none;
  bool average = false;  ///< how chroma is made smaller; else every second sample is taken
  uint32_t width = 0, height = 0;
  std::array<PlaneLayout, 3> planes;  ///< base, pitch, tiling, first row and byte
};

/// One scan and its tables.
struct Scan {
  uint8_t components = 0;  ///< mask
  bool interleaved = false;
  uint32_t units = 0;                                 ///< MCUs
  uint32_t interval = 0;                              ///< MCUs between restarts; 0: there are none
  uint32_t first_column = 0, first_row = 0;           ///< MCUs
  std::array<HuffmanTable, 2> tables;                 ///< luma, chroma
  std::array<std::array<uint8_t, 64>, 3> matrices{};  ///< by component, row by row
};

}  // namespace softgen::media::jpeg
