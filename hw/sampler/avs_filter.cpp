// SPDX-License-Identifier: GPL-2.0-or-later
// Columns first, then rows, in integers that hold all bits: a block's sum of 8 times 8 products of two taps and a code is below 2^29.
#include "hw/sampler/avs_filter.h"

#include <algorithm>

namespace softgen::sampler::avs {
namespace {

constexpr int32_t one = 256;  ///< of positions
constexpr unsigned max_segment = 128;

/// Of columns or rows: the values that each pixel takes, and their weights.
template <unsigned count>
struct Window {
  unsigned taps = 0;
  int32_t at[max_taps][count];
  int16_t weight[max_taps][count];
};

int32_t inside(int64_t at, int32_t size, bool mirrored) {
  if (!mirrored) return static_cast<int32_t>(std::clamp<int64_t>(at, 0, size - 1));
  const int64_t round = int64_t{2} * size;
  const int64_t place = (at % round + round) % round;
  return static_cast<int32_t>(place < size ? place : round - 1 - place);
}

template <unsigned count>
void set_window(Window<count>& w, std::span<const int32_t> positions, unsigned taps, const Taps* table, int32_t size, bool mirrored) {
  w.taps = taps;
  for (size_t i = 0; i < positions.size(); ++i) {
    // Phases are 1/32: chosen is the nearest one.
    constexpr int32_t phase = one / phases;
    const int32_t p = table ? (positions[i] + phase / 2) & ~(phase - 1) : positions[i];
    const int32_t first = (p >> 8) - static_cast<int32_t>(taps / 2 - 1);
    const int32_t part = p & (one - 1);
    const unsigned skipped = (max_taps - taps) / 2;
    for (unsigned k = 0; k < taps; ++k) {
      w.at[k][i] = inside(int64_t{first} + k, size, mirrored);
      w.weight[k][i] = static_cast<int16_t>(table ? (*table)[static_cast<size_t>(part / phase)][skipped + k] : k ? part : one - part);
    }
  }
}

/// One channel's values.
class Source {
 public:
  Source(memory::View& view, const Surface& surface, const Channel& channel) : view_(view), surface_(surface), channel_(channel) {}

  int32_t width() const { return static_cast<int32_t>(channel_.half_x ? (surface_.width + 1) / 2 : surface_.width); }
  int32_t height() const { return static_cast<int32_t>(channel_.half_y ? (surface_.height + 1) / 2 : surface_.height); }

  uint8_t value(int32_t x, int32_t y) const { return view_.load<uint8_t>(surface_.base + offset(byte_of(x), row_of(y))); }
  /// Values `x` to `x` + `count` - 1, max_segment at most.
  void segment(int32_t x, int32_t y, unsigned count, uint8_t* out) const {
    uint8_t bytes[max_segment * 4];
    const unsigned step = channel_.step, size = (count - 1) * step + 1;
    uint8_t* to = step == 1 ? out : bytes;
    const uint32_t row = row_of(y), first = byte_of(x);
    surface::each_row_piece(surface_.tiling, first, size,
                            [&](uint32_t from, uint32_t n) { view_.read(surface_.base + offset(from, row), to + (from - first), n); });
    for (unsigned i = 0; step != 1 && i < count; ++i) out[i] = bytes[i * step];
  }

 private:
  uint32_t byte_of(int32_t x) const { return channel_.x + static_cast<uint32_t>(x) * channel_.step; }
  uint32_t row_of(int32_t y) const { return channel_.y + (static_cast<uint32_t>(y) << surface_.line_shift) + surface_.line_offset; }
  uint64_t offset(uint32_t x, uint32_t y) const { return surface::offset_of_bytes(surface_.tiling, x, y, channel_.pitch); }

  memory::View& view_;
  const Surface& surface_;
  const Channel& channel_;
};

/// The columns of one row of values, filtered.
void filter_row(const Source& source, int32_t y, const Window<max_columns>& x, int32_t low, int32_t high, int32_t (&out)[max_columns]) {
  int16_t values[max_taps][max_columns];
  if (high - low < static_cast<int32_t>(max_segment)) {
    uint8_t line[max_segment];
    source.segment(low, y, static_cast<unsigned>(high - low) + 1, line);
    for (unsigned k = 0; k < x.taps; ++k)
      for (unsigned i = 0; i < max_columns; ++i) values[k][i] = line[x.at[k][i] - low];
  } else {
    for (unsigned k = 0; k < x.taps; ++k)
      for (unsigned i = 0; i < max_columns; ++i) values[k][i] = source.value(x.at[k][i], y);
  }
  for (int32_t& sum : out) sum = 0;
  for (unsigned k = 0; k < x.taps; ++k)
    for (unsigned i = 0; i < max_columns; ++i) out[i] += values[k][i] * x.weight[k][i];
}

/// `shift`: what gives a sum 8 bits of fraction.
void filter(const Source& source, const Positions& at, bool mirrored, unsigned taps, const Taps* x, const Taps* y, unsigned shift,
            Block& out) {
  Window<max_columns> columns;
  Window<max_rows> rows;
  // Missing columns repeat the last one.
  std::array<int32_t, max_columns> places = at.x;
  std::fill(places.begin() + at.columns, places.end(), at.x[at.columns - 1]);
  set_window(columns, places, taps, x, source.width(), mirrored);
  set_window(rows, std::span(at.y).first(at.rows), taps, y, source.height(), mirrored);
  int32_t low = columns.at[0][0], high = low;
  for (unsigned k = 0; k < taps; ++k)
    for (const int32_t place : columns.at[k]) low = std::min(low, place), high = std::max(high, place);

  // Rows that several pixels take are filtered once.
  int32_t known[max_taps * max_rows];
  int32_t filtered[max_taps * max_rows][max_columns];
  unsigned count = 0;
  for (unsigned j = 0; j < at.rows; ++j) {
    int32_t sums[max_columns] = {};
    for (unsigned k = 0; k < taps; ++k) {
      const int32_t row = rows.at[k][j];
      unsigned found = count;
      while (found && known[found - 1] != row) --found;
      if (!found) {
        known[count] = row;
        filter_row(source, row, columns, low, high, filtered[count]);
        found = ++count;
      }
      const int32_t weight = rows.weight[k][j];
      for (unsigned i = 0; i < max_columns; ++i) sums[i] += filtered[found - 1][i] * weight;
    }
    for (unsigned i = 0; i < max_columns; ++i)
      out[j][i] = static_cast<uint16_t>(std::clamp((sums[i] + (1 << (shift - 1))) >> shift, 0, 255 << 8));
  }
}

}  // namespace

void filter_block(memory::View& view, const Surface& surface, const Channel& channel, const Positions& at, const Filter& sharp,
                  unsigned sharpness, Block& out) {
  constexpr unsigned sharp_shift = 6 + 6 - 8, smooth_shift = 8 + 8 - 8;
  const Source source(view, surface, channel);
  const auto sharpen = [&](Block& to) { filter(source, at, surface.mirrored, sharp.taps, &sharp.x, &sharp.y, sharp_shift, to); };
  if (sharpness == polyphase::all_sharp) return sharpen(out);
  filter(source, at, surface.mirrored, 2, nullptr, nullptr, smooth_shift, out);
  if (!sharpness) return;
  Block sharpened;
  sharpen(sharpened);
  for (unsigned j = 0; j < at.rows; ++j)
    for (unsigned i = 0; i < max_columns; ++i) out[j][i] = polyphase::mix(out[j][i], sharpened[j][i], sharpness);
}

}  // namespace softgen::sampler::avs
