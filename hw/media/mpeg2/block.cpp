// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/block.h"

#include <algorithm>
#include <bit>

#include "hw/media/mpeg2/vlc.h"

namespace softgen::media::mpeg2 {
namespace {

constexpr std::array<std::array<uint8_t, 64>, 2> scans = {
    {{0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
      35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63},
     {0,  8,  16, 24, 1, 9,  2, 10, 17, 25, 32, 40, 48, 56, 57, 49, 41, 33, 26, 18, 3, 11, 4,  12, 19, 27, 34, 42, 50, 58, 35, 43,
      51, 59, 20, 28, 5, 13, 6, 14, 21, 29, 36, 44, 52, 60, 37, 45, 53, 61, 22, 30, 7, 15, 23, 31, 38, 46, 54, 62, 39, 47, 55, 63}}};

/// Table 7.6, quantiser_scale for q_scale_type 1.
constexpr uint8_t nonlinear_scale[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  10, 12, 14, 16, 18, 20,  22,
                                         24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 72, 80, 88, 96, 104, 112};

constexpr unsigned escape_bits = 24;

struct RunLevel {
  unsigned run;
  int level;
};

/// `word`: the next 32 bits; `entry` is what they begin with.
RunLevel run_level(uint32_t word, const CoefficientEntry& entry, unsigned& length) {
  if (entry.run == escape) {
    length = escape_bits;
    return {word >> 20 & 63, static_cast<int32_t>(word << 12) >> 20};
  }
  length = entry.length + 1u;
  const int level = entry.level;
  return {entry.run, word >> (31 - entry.length) & 1 ? -level : level};
}

/// 7.4.2.3 and 7.4.3. `weight`: scale times matrix.
int16_t restored(int level, bool intra, unsigned weight) {
  const unsigned magnitude = static_cast<unsigned>(std::abs(level));
  const unsigned value = intra ? magnitude * weight >> 4 : (2 * magnitude + 1) * weight >> 5;
  return static_cast<int16_t>(level < 0 ? -static_cast<int>(std::min(value, 2048u)) : static_cast<int>(std::min(value, 2047u)));
}

/// Mismatch control, 7.4.4: the sum of all is made odd.
void control_mismatch(unsigned sum, int16_t* block) {
  if (!(sum & 1)) block[63] ^= 1;
}

/// put(place, level) for each coefficient, places in raster order. False: not a code, or too many.
template <typename Put>
bool read_places(BitReader& bits, const PictureParams& picture, bool intra, Put&& put_level) {
  const CoefficientTable& table = coefficients[intra && picture.intra_vlc_format];
  const auto& scan = scans[picture.alternate_scan];
  unsigned at = intra ? 1 : 0;
  const auto put = [&](RunLevel next) {
    at += next.run;
    if (at > 63 || !next.level) return false;
    put_level(scan[at++], next.level);
    return true;
  };
  // A first coefficient has no end of block before it, so 1s is run 0 and level 1.
  if (!intra && bits.peek(1)) put({0, bits.take(2) & 1 ? -1 : 1});
  for (;;) {
    const uint32_t word = bits.peek32();
    const CoefficientEntry& entry = table.find(word >> 16);
    if (!entry.length) return false;
    if (entry.run == end_of_block) {
      bits.skip(entry.length);
      return true;
    }
    unsigned length;
    const RunLevel next = run_level(word, entry, length);
    bits.skip(length);
    if (!put(next)) return false;
  }
}

}  // namespace

const std::array<uint8_t, 64>& scan_order(bool alternate) { return scans[alternate]; }

int16_t restored_dc(int level, const PictureParams& picture) {
  return static_cast<int16_t>(std::clamp(level * (8 >> picture.intra_dc_precision), -2048, 2047));
}

void restore_block(const std::array<int16_t, 64>& levels, const PictureParams& picture, bool intra, unsigned scale, int16_t* block) {
  const auto& matrix = picture.matrix[!intra];
  unsigned sum = 0;
  for (unsigned i = 0; i < levels.size(); ++i) {
    if (intra && !i) block[i] = restored_dc(levels[i], picture);
    else block[i] = levels[i] ? restored(levels[i], intra, scale * matrix[i]) : int16_t{0};
    sum += static_cast<unsigned>(int{block[i]});
  }
  control_mismatch(sum, block);
}

unsigned quantiser_scale(unsigned code, bool q_scale_type) { return q_scale_type ? nonlinear_scale[code & 31] : (code & 31) * 2; }

bool read_dc(BitReader& bits, bool is_chroma, int& predictor) {
  const int size = take(bits, dc_sizes[is_chroma]);
  if (size < 0) return false;
  if (!size) return true;
  const int code = static_cast<int>(bits.take(static_cast<unsigned>(size))), half = 1 << (size - 1);
  predictor += code >= half ? code : code - 2 * half + 1;
  // A valid stream stays within 8 to 11 bits; others could leave the type.
  predictor = std::clamp(predictor, -2048, 2047);
  return true;
}

bool read_block(BitReader& bits, const PictureParams& picture, bool intra, unsigned scale, int16_t* block) {
  const auto& matrix = picture.matrix[!intra];
  unsigned sum = intra ? static_cast<unsigned>(block[0]) : 0;
  const bool good = read_places(bits, picture, intra, [&](unsigned place, int level) {
    const int16_t coefficient = restored(level, intra, scale * matrix[place]);
    block[place] = coefficient;
    sum += static_cast<unsigned>(coefficient);
  });
  if (good) control_mismatch(sum, block);
  return good;
}

bool read_levels(BitReader& bits, const PictureParams& picture, bool intra, int16_t* block) {
  return read_places(bits, picture, intra, [&](unsigned place, int level) { block[place] = static_cast<int16_t>(level); });
}

}  // namespace softgen::media::mpeg2
