// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/sao.h"

#include <algorithm>
#include <array>

#include "hw/media/hevc/sample_kernels.h"

namespace softgen::media::hevc {
namespace {

/// A CTB's part of a plane: samples, and how far neighbours of one component are apart.
struct Area {
  uint32_t x, y, width, height;
  int step;
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
void apply_edge(const T* from, ptrdiff_t from_stride, const Area& area, unsigned direction, const SaoKernel (&by)[2], int limit,
                const Around& around, T* to, size_t stride) {
  static constexpr int8_t steps[4][2] = {{-1, 0}, {0, -1}, {-1, -1}, {1, -1}};
  const auto& sao_edge = kernels().samples<T>().sao_edge;
  const int dx = steps[direction][0], dy = steps[direction][1], height = static_cast<int>(area.height);
  const ptrdiff_t distance = dy * from_stride + dx * area.step;
  const auto step = static_cast<unsigned>(area.step), last = area.width - step;
  const auto part = [](int at, int size) { return static_cast<size_t>(at < 0 ? 0 : at >= size ? 2 : 1); };
  for (int y = 0; y < height; ++y, from += from_stride, to += stride) {
    const std::array<bool, 3>&one = around[part(y + dy, height)], &other = around[part(y - dy, height)];
    const bool first_present = one[static_cast<size_t>(1 + std::min(dx, 0))] && other[static_cast<size_t>(1 + std::min(-dx, 0))],
               last_present = one[static_cast<size_t>(1 + std::max(dx, 0))] && other[static_cast<size_t>(1 + std::max(-dx, 0))];
    // All of the row between its ends has the same neighbours.
    const bool present = one[1] && other[1];
    const unsigned begin = present && first_present ? 0 : step, end = present && last_present ? area.width : last;
    std::copy_n(from, area.width, to);
    if (present) {
      sao_edge(from + begin, distance, end - begin, by, limit, to + begin);
    } else {
      if (first_present) sao_edge(from, distance, step, by, limit, to);
      if (last_present && last) sao_edge(from + last, distance, step, by, limit, to + last);
    }
  }
}

/// PCM and lossless blocks stay. Cells are 4x4 luma samples; as many columns, and half of the rows, of interleaved chroma.
template <typename T>
void restore(const PictureInfo& info, const T* from, size_t from_stride, const Area& area, bool is_chroma, T* to, size_t stride) {
  for (uint32_t y = 0; y < area.height; ++y) {
    for (uint32_t x = 0; x < area.width; x += 4) {
      const size_t cell = info.cell_index(static_cast<int>(area.x + x), static_cast<int>((area.y + y) << is_chroma));
      if (info.cells[cell].is(Cell::unfiltered)) std::copy_n(from + y * from_stride + x, 4, to + y * stride + x);
    }
  }
}

}  // namespace

template <typename T>
void apply_sao(const PictureInfo& info, const Frame<T>& deblocked, uint32_t ctb, bool is_chroma, T* to, size_t stride) {
  const PictureParameters& picture = info.parameters();
  const unsigned bits = picture.bits(is_chroma), component = is_chroma ? 1 : 0;
  const uint32_t x = ctb % info.ctb_columns() << picture.log2_ctb, y = ctb / info.ctb_columns() << picture.log2_ctb;
  const Area area{.x = x,
                  .y = y >> is_chroma,
                  .width = std::min(1u << picture.log2_ctb, picture.width - x),
                  .height = std::min(1u << picture.log2_ctb, picture.height - y) >> is_chroma,
                  .step = is_chroma ? 2 : 1};
  const Plane<T>& plane = is_chroma ? deblocked.chroma : deblocked.luma;
  const T* const from = plane.at(area.x, area.y);
  const SaoParameters& sao = info.ctbs[ctb].sao;
  SaoKernel by[2];
  for (unsigned i = 0; i < 2; ++i) {
    const unsigned which = is_chroma ? 1 + i : 0;
    by[i].position = sao.position[which];
    std::copy_n(sao.offset[which].begin(), 4, by[i].offset);
  }
  // Both chroma components have the same type, and the same class of edges (7.4.9.3).
  if (sao.type[component] == 2) {
    apply_edge(from, static_cast<ptrdiff_t>(plane.stride()), area, sao.position[component], by, (1 << bits) - 1, look_around(info, ctb), to,
               stride);
  } else {
    for (uint32_t row = 0; row < area.height; ++row) {
      if (sao.type[component]) kernels().samples<T>().sao_band(from + row * plane.stride(), area.width, by, bits, to + row * stride);
      else std::copy_n(from + row * plane.stride(), area.width, to + row * stride);
    }
  }
  if (sao.type[component] && (picture.transquant_bypass || picture.pcm_loop_filter_off))
    restore(info, from, plane.stride(), area, is_chroma, to, stride);
}

template void apply_sao(const PictureInfo&, const Frame<uint8_t>&, uint32_t, bool, uint8_t*, size_t);
template void apply_sao(const PictureInfo&, const Frame<uint16_t>&, uint32_t, bool, uint16_t*, size_t);

}  // namespace softgen::media::hevc
