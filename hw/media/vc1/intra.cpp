// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vc1/intra.h"

#include <algorithm>
#include <cstdlib>

namespace softgen::media::vc1 {
namespace {

/// A block next to the one that is decoded.
struct Neighbour {
  const Macroblock* macroblock = nullptr;  ///< null: it is not there, or not intra
  unsigned index = 0;
};

struct Neighbours {
  Neighbour above, left, corner;
};

/// `dx`, `dy`: 0 or -1 blocks.
Neighbour neighbour(const Picture& picture, Position at, unsigned index, int dx, int dy) {
  uint32_t x = at.x, y = at.y;
  unsigned found = index;
  if (index < 4) {
    const int column = static_cast<int>(2 * at.x + (index & 1)) + dx, row = static_cast<int>(2 * at.y + (index >> 1)) + dy;
    if (column < 0 || row < static_cast<int>(2 * at.first_row)) return {};
    x = static_cast<uint32_t>(column) / 2, y = static_cast<uint32_t>(row) / 2;
    found = static_cast<unsigned>((row & 1) * 2 + (column & 1));
  } else {
    if ((dx && !x) || (dy && !at.has_above())) return {};
    x -= dx ? 1 : 0, y -= dy ? 1 : 0;
  }
  const Macroblock& macroblock = picture.at(x, y);
  if (!(macroblock.intra >> found & 1)) return {};
  return {&macroblock, found};
}

/// By the reciprocal of 18 bits (8.1.3.9).
int rescaled(int value, int from, int to) {
  const uint32_t reciprocal = (0x40000u + static_cast<uint32_t>(to) / 2) / static_cast<uint32_t>(to);
  return static_cast<int32_t>(static_cast<uint32_t>(value) * static_cast<uint32_t>(from) * reciprocal + 0x20000) >> 18;
}

/// A level's weight in AC prediction: twice the quantizer with its half step, less 1.
int ac_weight(const PictureParams& picture, Quantizer quantizer) {
  return 2 * quantizer.step + (!quantizer.alternative && picture.quantizer.half_step) - 1;
}

int dc_of(const Neighbour& from, unsigned step) {
  const int value = from.macroblock->dc[from.index];
  const unsigned its = from.macroblock->quantizer.step;
  return !its || its == step ? value : rescaled(value, dc_step(its), dc_step(step));
}

/// What stands for blocks outside of the picture: 1024, but 0 where samples are centred.
int outer_dc(const PictureParams& picture) {
  const int step = dc_step(picture.quantizer.step);
  return picture.is_centred() ? 0 : (1024 + step / 2) / step;
}

/// Predicts DC; true: from the left.
bool predict_dc(const PictureParams& picture, const Neighbours& from, unsigned step, int& predicted) {
  const bool has_above = from.above.macroblock, has_left = from.left.macroblock;
  if (!picture.advanced && picture.is_intra()) {
    // Simple and Main profile: all blocks have a value (8.1.3.3).
    const int outer = outer_dc(picture);
    const int above = has_above ? dc_of(from.above, step) : outer, left = has_left ? dc_of(from.left, step) : outer;
    const int corner = from.corner.macroblock ? dc_of(from.corner, step) : outer;
    const bool is_left = std::abs(above - corner) <= std::abs(corner - left);
    predicted = is_left ? left : above;
    return is_left;
  }
  const int above = has_above ? dc_of(from.above, step) : 0, left = has_left ? dc_of(from.left, step) : 0;
  const int corner = from.corner.macroblock ? dc_of(from.corner, step) : 0;
  const bool is_left = has_left ? !has_above || std::abs(above - corner) <= std::abs(corner - left) : !has_above;
  predicted = is_left ? left : above;
  return is_left;
}

}  // namespace

bool read_intra_block(CoefficientReader& coefficients, Picture& picture, Position at, unsigned index, bool is_coded, bool predicts_ac,
                      int16_t* block) {
  const PictureParams& params = picture.params;
  Macroblock& macroblock = picture.at(at.x, at.y);
  const Quantizer quantizer = macroblock.quantizer;
  const bool is_chroma = index > 3;
  const Neighbours from = {neighbour(picture, at, index, 0, -1), neighbour(picture, at, index, -1, 0),
                           neighbour(picture, at, index, -1, -1)};
  std::fill_n(block, 64, int16_t{0});
  int dc = 0, predicted = 0;
  if (!coefficients.read_dc(is_chroma, quantizer.step, dc)) return false;
  const bool is_left = predict_dc(params, from, quantizer.step, predicted);
  const int16_t level = static_cast<int16_t>(dc + predicted);
  macroblock.dc[index] = level;
  const Neighbour& source = is_left ? from.left : from.above;
  // The scan of I pictures follows the direction even where there is nothing to predict from, but for interlaced frames.
  const Scan predicted_scan = is_left ? Scan::from_left : Scan::from_above;
  const Scan scan = params.coding == Coding::frame ? (predicts_ac && source.macroblock ? predicted_scan : Scan::interlaced)
                    : !params.is_intra()           ? (params.is_field() ? Scan::interlaced : Scan::inter)
                    : !predicts_ac                 ? Scan::intra
                                                   : predicted_scan;
  if (is_coded && !coefficients.read_intra(is_chroma, scan, block)) return false;
  const unsigned step = is_left ? 8 : 1;
  if (predicts_ac && source.macroblock) {
    const auto& levels = source.macroblock->ac[source.index][is_left];
    const int own = ac_weight(params, quantizer), its = ac_weight(params, source.macroblock->quantizer);
    for (unsigned i = 1; i < 8; ++i) {
      const int value = its == own || its <= 0 || own <= 0 ? levels[i] : rescaled(levels[i], its, own);
      block[i * step] = static_cast<int16_t>(block[i * step] + value);
    }
  }
  for (unsigned i = 1; i < 8; ++i) macroblock.ac[index][0][i] = block[i], macroblock.ac[index][1][i] = block[i * 8];
  for (unsigned i = 1; i < 64; ++i) block[i] = coefficients.dequantise(block[i], quantizer);
  block[0] = static_cast<int16_t>(level * dc_step(quantizer.step));
  return true;
}

}  // namespace softgen::media::vc1
