// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/deblock.h"

#include <algorithm>
#include <cstdlib>

namespace softgen::media::hevc {
namespace {

/// Table 8-12.
constexpr uint8_t beta_table[52] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                    16, 17, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64};
constexpr uint8_t tc_table[54] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,  1,  1,  1,  1,  1,  1,  1,  1,
                                  2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 8, 9, 10, 11, 13, 14, 16, 18, 20, 22, 24};

/// Four lines across an edge. `step`: from a sample to the next across it, `line`: to the next line.
struct Segment {
  ptrdiff_t step, line;
  int beta, tc, limit;
  bool keep_p, keep_q;
};

template <typename T>
void filter_strong(T* q, const Segment& s) {
  const ptrdiff_t n = s.step;
  const int p0 = q[-n], p1 = q[-2 * n], p2 = q[-3 * n], p3 = q[-4 * n], q0 = q[0], q1 = q[n], q2 = q[2 * n], q3 = q[3 * n],
            range = 2 * s.tc;
  const auto near = [range](int value, int old) { return static_cast<T>(std::clamp(value, old - range, old + range)); };
  if (!s.keep_p) {
    q[-n] = near((p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3, p0);
    q[-2 * n] = near((p2 + p1 + p0 + q0 + 2) >> 2, p1);
    q[-3 * n] = near((2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3, p2);
  }
  if (!s.keep_q) {
    q[0] = near((p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3, q0);
    q[n] = near((p0 + q0 + q1 + q2 + 2) >> 2, q1);
    q[2 * n] = near((p0 + q0 + q1 + 3 * q2 + 2 * q3 + 4) >> 3, q2);
  }
}

template <typename T>
void filter_weak(T* q, const Segment& s, bool inner_p, bool inner_q) {
  const ptrdiff_t n = s.step;
  const int p0 = q[-n], p1 = q[-2 * n], p2 = q[-3 * n], q0 = q[0], q1 = q[n], q2 = q[2 * n];
  int delta = (9 * (q0 - p0) - 3 * (q1 - p1) + 8) >> 4;
  if (std::abs(delta) >= s.tc * 10) return;
  delta = std::clamp(delta, -s.tc, s.tc);
  const int half = s.tc >> 1;
  const auto clip = [&s](int value) { return static_cast<T>(std::clamp(value, 0, s.limit)); };
  if (!s.keep_p) {
    q[-n] = clip(p0 + delta);
    if (inner_p) q[-2 * n] = clip(p1 + std::clamp((((p2 + p0 + 1) >> 1) - p1 + delta) >> 1, -half, half));
  }
  if (!s.keep_q) {
    q[0] = clip(q0 - delta);
    if (inner_q) q[n] = clip(q1 + std::clamp((((q2 + q0 + 1) >> 1) - q1 - delta) >> 1, -half, half));
  }
}

// 8.7.2.5.3, 8.7.2.5.6, 8.7.2.5.7.
template <typename T>
void filter_luma(T* at, const Segment& s) {
  const ptrdiff_t n = s.step;
  const auto bend_p = [n](const T* q) { return std::abs(q[-3 * n] - 2 * q[-2 * n] + q[-n]); };
  const auto bend_q = [n](const T* q) { return std::abs(q[2 * n] - 2 * q[n] + q[0]); };
  T* const third = at + 3 * s.line;
  const int p_first = bend_p(at), p_third = bend_p(third), q_first = bend_q(at), q_third = bend_q(third);
  if (p_first + q_first + p_third + q_third >= s.beta) return;
  const auto is_flat = [&](const T* q, int bend) {
    return 2 * bend < s.beta >> 2 && std::abs(q[-4 * n] - q[-n]) + std::abs(q[0] - q[3 * n]) < s.beta >> 3 &&
           std::abs(q[-n] - q[0]) < (5 * s.tc + 1) >> 1;
  };
  const bool strong = is_flat(at, p_first + q_first) && is_flat(third, p_third + q_third);
  const int inner = (s.beta + (s.beta >> 1)) >> 3;
  for (int i = 0; i < 4; ++i) {
    if (strong) filter_strong(at + i * s.line, s);
    else filter_weak(at + i * s.line, s, p_first + p_third < inner, q_first + q_third < inner);
  }
}

// 8.7.2.5.8, of both components: chroma's samples are interleaved.
template <typename T>
void filter_chroma(T* at, const Segment& s, const std::array<int, 2>& tc, unsigned lines) {
  const ptrdiff_t n = s.step;
  for (unsigned i = 0; i < lines; ++i) {
    for (unsigned part = 0; part < 2; ++part) {
      T* const q = at + static_cast<ptrdiff_t>(i) * s.line + part;
      const int delta = std::clamp(((q[0] - q[-n]) * 4 + q[-2 * n] - q[n] + 4) >> 3, -tc[part], tc[part]);
      if (!s.keep_p) q[-n] = static_cast<T>(std::clamp(q[-n] + delta, 0, s.limit));
      if (!s.keep_q) q[0] = static_cast<T>(std::clamp(q[0] - delta, 0, s.limit));
    }
  }
}

}  // namespace

template <typename T>
void deblock(const PictureInfo& info, Frame<T>& frame, bool vertical, uint32_t first, uint32_t last) {
  const PictureParameters& picture = info.parameters();
  const std::vector<uint8_t>& edges = vertical ? info.vertical_edges : info.horizontal_edges;
  const size_t columns = info.cell_columns(), before = vertical ? 1 : columns;
  const auto luma_stride = static_cast<ptrdiff_t>(frame.luma.stride()), chroma_stride = static_cast<ptrdiff_t>(frame.chroma.stride());
  const unsigned grid = vertical ? 0 : 1;
  for (uint32_t row = first; row < std::min(last, info.cell_rows()); ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      const size_t cell = row * columns + column;
      const uint8_t strength = edges[cell];
      if (!strength || strength > 2 || cell < before) continue;
      const Cell &p = info.cells[cell - before], &q = info.cells[cell];
      const SliceFilter& slice = info.slices[info.ctbs[info.ctb_at(static_cast<int>(column * 4), static_cast<int>(row * 4))].slice];
      const int qp = (p.qp + q.qp + 1) >> 1, tc_shift = 2 * (strength - 1) + slice.tc_offset;
      const auto tc_of = [tc_shift](int from, unsigned bits) { return tc_table[std::clamp(from + tc_shift, 0, 53)] * (1 << (bits - 8)); };
      Segment segment{.step = vertical ? 1 : luma_stride,
                      .line = vertical ? luma_stride : 1,
                      .beta = beta_table[std::clamp(qp + slice.beta_offset, 0, 51)] * (1 << (picture.luma_bits - 8)),
                      .tc = tc_of(qp, picture.luma_bits),
                      .limit = (1 << picture.luma_bits) - 1,
                      .keep_p = p.is(Cell::unfiltered),
                      .keep_q = q.is(Cell::unfiltered)};
      filter_luma(frame.luma.at(column * 4, row * 4), segment);
      if (strength < 2 || (grid ? row : column) % 4) continue;
      segment.step = vertical ? 2 : chroma_stride, segment.line = vertical ? chroma_stride : 2,
      segment.limit = (1 << picture.chroma_bits) - 1;
      const std::array<int, 2> tc{tc_of(chroma_qp(qp + picture.cb_qp_offset), picture.chroma_bits),
                                  tc_of(chroma_qp(qp + picture.cr_qp_offset), picture.chroma_bits)};
      filter_chroma(frame.chroma.at(column * 4, row * 2), segment, tc, 2);
    }
  }
}

template void deblock(const PictureInfo&, Frame<uint8_t>&, bool, uint32_t, uint32_t);
template void deblock(const PictureInfo&, Frame<uint16_t>&, bool, uint32_t, uint32_t);

}  // namespace softgen::media::hevc
