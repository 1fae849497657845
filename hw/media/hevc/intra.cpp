// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/intra.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace softgen::media::hevc {
namespace {

/// Tables 8-5 and 8-6, by mode.
constexpr int8_t angles[35] = {0,   0,   32,  26,  21,  17, 13, 9,  5, 2, 0, -2, -5, -9, -13, -17, -21, -26,
                               -32, -26, -21, -17, -13, -9, -5, -2, 0, 2, 5, 9,  13, 17, 21,  26,  32};
constexpr int16_t inverse_angles[15] = {-4096, -1638, -910, -630, -482, -390, -315, -256, -315, -390, -482, -630, -910, -1638, -4096};

template <typename T>
void predict_planar(const Samples<T>& to, unsigned size, const IntraBorder& border) {
  const unsigned log2 = static_cast<unsigned>(std::countr_zero(size));
  const uint16_t *const left = border.left.data() + 1, *const above = border.above.data() + 1;
  for (unsigned y = 0; y < size; ++y) {
    T* const row = to.at + static_cast<ptrdiff_t>(y) * to.stride;
    for (unsigned x = 0; x < size; ++x)
      row[x * to.step] = static_cast<T>(
          ((size - 1 - x) * left[y] + (x + 1) * above[size] + (size - 1 - y) * above[x] + (y + 1) * left[size] + size) >> (log2 + 1));
  }
}

template <typename T>
void predict_dc(const Samples<T>& to, unsigned size, const IntraBorder& border, bool is_luma) {
  const uint16_t *const left = border.left.data() + 1, *const above = border.above.data() + 1;
  unsigned sum = size;
  for (unsigned i = 0; i < size; ++i) sum += left[i] + above[i];
  const unsigned dc = sum >> (std::countr_zero(size) + 1);
  for (unsigned y = 0; y < size; ++y)
    for (unsigned x = 0; x < size; ++x) to.at[static_cast<ptrdiff_t>(y) * to.stride + x * to.step] = static_cast<T>(dc);
  if (!is_luma || size >= 32) return;
  to.at[0] = static_cast<T>((left[0] + 2 * dc + above[0] + 2) >> 2);
  for (unsigned i = 1; i < size; ++i) {
    to.at[i * to.step] = static_cast<T>((above[i] + 3 * dc + 2) >> 2);
    to.at[static_cast<ptrdiff_t>(i) * to.stride] = static_cast<T>((left[i] + 3 * dc + 2) >> 2);
  }
}

/// Along: the border in the direction's main axis. Horizontal modes are vertical ones with the axes exchanged.
template <typename T>
void predict_angular(const Samples<T>& to, unsigned size, unsigned mode, const IntraBorder& border, bool is_luma, unsigned bits) {
  const bool is_vertical = mode >= 18;
  const uint16_t* const main = is_vertical ? border.above.data() : border.left.data();
  const uint16_t* const side = is_vertical ? border.left.data() : border.above.data();
  const int angle = angles[mode], n = static_cast<int>(size), last = n * angle >> 5;
  std::array<uint16_t, 3 * 32 + 1> buffer;
  uint16_t* const reference = buffer.data() + 32;
  for (int i = 0; i <= n; ++i) reference[i] = main[i];
  if (angle < 0) {
    for (int i = last; i < 0; ++i) reference[i] = side[(i * inverse_angles[mode - 11] + 128) >> 8];
  } else {
    for (int i = n + 1; i <= 2 * n; ++i) reference[i] = main[i];
  }
  const ptrdiff_t across = is_vertical ? to.stride : static_cast<ptrdiff_t>(to.step),
                  along = is_vertical ? static_cast<ptrdiff_t>(to.step) : to.stride;
  for (int line = 0; line < n; ++line) {
    const int whole = (line + 1) * angle >> 5, part = (line + 1) * angle & 31;
    const uint16_t* const from = reference + whole + 1;
    T* const row = to.at + line * across;
    for (int i = 0; i < n; ++i) row[i * along] = static_cast<T>(part ? ((32 - part) * from[i] + part * from[i + 1] + 16) >> 5 : from[i]);
  }
  if (angle || !is_luma || size >= 32) return;
  for (int line = 0; line < n; ++line)
    to.at[line * across] = static_cast<T>(std::clamp(main[1] + ((side[line + 1] - side[0]) >> 1), 0, (1 << bits) - 1));
}

}  // namespace

template <typename T>
void read_border(const Samples<T>& block, unsigned size, const IntraPresence& presence, unsigned unit, unsigned bits, IntraBorder& to) {
  // In the order of the substitution: from the lowest of the left ones up to the corner, then along the upper ones.
  std::array<uint16_t, 129> line;
  const unsigned twice = 2 * size;
  const T* const left = block.at - block.step;
  const T* const above = block.at - block.stride;
  int first_present = -1;
  uint16_t previous = static_cast<uint16_t>(1u << (bits - 1));
  const auto put = [&](unsigned place, bool is_present, const T& sample) {
    if (is_present) {
      previous = sample;
      if (first_present < 0) first_present = static_cast<int>(place);
    }
    line[place] = previous;
  };
  for (unsigned i = 0; i < twice; ++i) {
    const unsigned y = twice - 1 - i;
    const bool is_present = presence.left >> (y / unit) & 1;
    put(i, is_present, is_present ? left[static_cast<ptrdiff_t>(y) * block.stride] : *block.at);
  }
  put(twice, presence.corner, presence.corner ? above[-static_cast<ptrdiff_t>(block.step)] : *block.at);
  for (unsigned x = 0; x < twice; ++x) {
    const bool is_present = presence.above >> (x / unit) & 1;
    put(twice + 1 + x, is_present, is_present ? above[x * block.step] : *block.at);
  }
  for (int i = 0; i < first_present; ++i) line[static_cast<size_t>(i)] = line[static_cast<size_t>(first_present)];
  for (unsigned i = 0; i <= twice; ++i) to.left[i] = line[twice - i], to.above[i] = line[twice + i];
}

void smooth_border(IntraBorder& border, unsigned size, unsigned mode, bool strong, unsigned bits) {
  const int distance = mode == intra_planar ? 8 : std::min(std::abs(static_cast<int>(mode) - 26), std::abs(static_cast<int>(mode) - 10));
  const int threshold = size == 8 ? 7 : size == 16 ? 1 : 0;
  if (mode == intra_dc || size == 4 || distance <= threshold) return;
  const unsigned twice = 2 * size;
  const int corner = border.left[0];
  const auto is_flat = [&](const std::array<uint16_t, 65>& side) { return std::abs(corner + side[64] - 2 * side[32]) < 1 << (bits - 5); };
  if (strong && size == 32 && is_flat(border.above) && is_flat(border.left)) {
    for (auto* const side : {&border.above, &border.left}) {
      const int end = (*side)[64];
      for (int i = 1; i < 64; ++i) (*side)[static_cast<size_t>(i)] = static_cast<uint16_t>(((64 - i) * corner + i * end + 32) >> 6);
    }
    return;
  }
  const uint16_t smooth_corner = static_cast<uint16_t>((border.left[1] + 2 * corner + border.above[1] + 2) >> 2);
  for (auto* const side : {&border.above, &border.left}) {
    int before = corner;
    for (unsigned i = 1; i < twice; ++i) {
      const int here = (*side)[i];
      (*side)[i] = static_cast<uint16_t>((before + 2 * here + (*side)[i + 1] + 2) >> 2);
      before = here;
    }
    (*side)[0] = smooth_corner;
  }
}

template <typename T>
void predict_intra(const Samples<T>& to, unsigned size, unsigned mode, const IntraBorder& border, bool is_luma, unsigned bits) {
  if (mode == intra_planar) predict_planar(to, size, border);
  else if (mode == intra_dc) predict_dc(to, size, border, is_luma);
  else predict_angular(to, size, mode, border, is_luma, bits);
}

template void read_border(const Samples<uint8_t>&, unsigned, const IntraPresence&, unsigned, unsigned, IntraBorder&);
template void read_border(const Samples<uint16_t>&, unsigned, const IntraPresence&, unsigned, unsigned, IntraBorder&);
template void predict_intra(const Samples<uint8_t>&, unsigned, unsigned, const IntraBorder&, bool, unsigned);
template void predict_intra(const Samples<uint16_t>&, unsigned, unsigned, const IntraBorder&, bool, unsigned);

}  // namespace softgen::media::hevc
