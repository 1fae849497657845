// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/sao.h"

#include <algorithm>
#include <array>

namespace softgen::media::hevc {
namespace {

/// A CTB's part of a component. Places count the component's own samples.
struct Area {
  int x, y, width, height, step;
};

/// Whether samples of the CTBs around may be looked at: by row and column, the CTB itself in the middle.
using Around = std::array<std::array<bool, 3>, 3>;

Around look_around(const PictureInfo& info, uint32_t ctb) {
  const int columns = static_cast<int>(info.ctb_columns()), rows = static_cast<int>(info.ctb_rows());
  const int column = static_cast<int>(ctb) % columns, row = static_cast<int>(ctb) / columns;
  Around around{};
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) {
      const int at_x = column + x - 1, at_y = row + y - 1;
      if (at_x < 0 || at_y < 0 || at_x >= columns || at_y >= rows) continue;
      const auto other = static_cast<uint32_t>(at_y * columns + at_x);
      const CtbInfo &here = info.ctbs[ctb], &there = info.ctbs[other];
      if (there.slice_address < 0) continue;
      // Of two slices the later one's flag counts.
      const bool other_is_later = info.to_tile_scan[other] > info.to_tile_scan[ctb];
      const bool slices =
          here.slice_address == there.slice_address || info.slices[other_is_later ? there.slice : here.slice].loop_across_slices;
      around[static_cast<size_t>(y)][static_cast<size_t>(x)] =
          slices && (info.parameters().loop_across_tiles || info.tile_of(ctb) == info.tile_of(other));
    }
  }
  return around;
}

template <typename T>
void apply_band(const T* from, size_t from_stride, const Area& area, const SaoParameters& sao, unsigned component, unsigned bits, T* to,
                size_t stride) {
  std::array<int8_t, 32> bands{};
  for (unsigned i = 0; i < 4; ++i) bands[(sao.position[component] + i) & 31] = sao.offset[component][i];
  const int limit = (1 << bits) - 1;
  for (int y = 0; y < area.height; ++y, from += from_stride, to += stride)
    for (int x = 0; x < area.width * area.step; x += area.step)
      to[x] = static_cast<T>(std::clamp(from[x] + bands[static_cast<size_t>(from[x]) >> (bits - 5)], 0, limit));
}

template <typename T>
void apply_edge(const T* from, size_t from_stride, const Area& area, const SaoParameters& sao, unsigned component, unsigned bits,
                const Around& around, T* to, size_t stride) {
  static constexpr int8_t steps[4][2] = {{-1, 0}, {0, -1}, {-1, -1}, {1, -1}};
  const int dx = steps[sao.position[component]][0], dy = steps[sao.position[component]][1], limit = (1 << bits) - 1;
  const ptrdiff_t distance = dy * static_cast<ptrdiff_t>(from_stride) + dx * area.step;
  const std::array<int8_t, 4>& offset = sao.offset[component];
  const std::array<int, 5> offsets{offset[0], offset[1], 0, offset[2], offset[3]};
  const auto sign = [](int value) { return (value > 0) - (value < 0); };
  const auto part = [](int at, int size) { return static_cast<size_t>(at < 0 ? 0 : at >= size ? 2 : 1); };
  for (int y = 0; y < area.height; ++y, from += from_stride, to += stride) {
    const std::array<bool, 3>&one = around[part(y + dy, area.height)], &other = around[part(y - dy, area.height)];
    for (int x = 0; x < area.width; ++x) {
      const T* const at = from + x * area.step;
      if (!one[part(x + dx, area.width)] || !other[part(x - dx, area.width)]) {
        to[x * area.step] = *at;
        continue;
      }
      const int edge = 2 + sign(*at - at[distance]) + sign(*at - at[-distance]);
      to[x * area.step] = static_cast<T>(std::clamp(*at + offsets[static_cast<size_t>(edge)], 0, limit));
    }
  }
}

/// PCM and lossless blocks stay.
template <typename T>
void restore(const PictureInfo& info, const Plane<T>& plane, const Area& area, unsigned component, T* to, size_t stride) {
  const int size = component ? 2 : 4, shift = component ? 1 : 0, first = component == 2 ? 1 : 0;
  for (int y = 0; y < area.height; ++y) {
    for (int x = 0; x < area.width; x += size) {
      if (!info.cells[info.cell_index((area.x + x) << shift, (area.y + y) << shift)].is(Cell::unfiltered)) continue;
      for (int i = x; i < x + size; ++i)
        to[static_cast<size_t>(y) * stride + static_cast<size_t>(i * area.step)] =
            plane.row(static_cast<uint32_t>(area.y + y))[(area.x + i) * area.step + first];
    }
  }
}

}  // namespace

template <typename T>
void apply_sao(const PictureInfo& info, const Frame<T>& deblocked, uint32_t ctb, unsigned component, T* to, size_t stride) {
  const PictureParameters& picture = info.parameters();
  const unsigned shift = component ? 1 : 0, bits = picture.bits(component);
  const uint32_t x = ctb % info.ctb_columns() << picture.log2_ctb, y = ctb / info.ctb_columns() << picture.log2_ctb;
  const Area area{.x = static_cast<int>(x >> shift),
                  .y = static_cast<int>(y >> shift),
                  .width = static_cast<int>(std::min(1u << picture.log2_ctb, picture.width - x) >> shift),
                  .height = static_cast<int>(std::min(1u << picture.log2_ctb, picture.height - y) >> shift),
                  .step = component ? 2 : 1};
  const Plane<T>& plane = component ? deblocked.chroma : deblocked.luma;
  const unsigned first = component == 2 ? 1 : 0;
  const T* const from = plane.at(x, y >> shift) + first;
  const SaoParameters& sao = info.ctbs[ctb].sao;
  to += first;
  if (sao.type[component] == 1) {
    apply_band(from, plane.stride(), area, sao, component, bits, to, stride);
  } else if (sao.type[component] == 2) {
    apply_edge(from, plane.stride(), area, sao, component, bits, look_around(info, ctb), to, stride);
  } else {
    for (int row = 0; row < area.height; ++row)
      for (int i = 0; i < area.width * area.step; i += area.step)
        to[static_cast<size_t>(row) * stride + static_cast<size_t>(i)] =
            from[static_cast<size_t>(row) * plane.stride() + static_cast<size_t>(i)];
    return;
  }
  if (picture.transquant_bypass || picture.pcm_loop_filter_off) restore(info, plane, area, component, to, stride);
}

template void apply_sao(const PictureInfo&, const Frame<uint8_t>&, uint32_t, unsigned, uint8_t*, size_t);
template void apply_sao(const PictureInfo&, const Frame<uint16_t>&, uint32_t, unsigned, uint16_t*, size_t);

}  // namespace softgen::media::hevc
