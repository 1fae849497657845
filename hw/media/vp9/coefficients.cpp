// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/coefficients.h"

#include <algorithm>

#include "hw/media/vp9/tables.h"

namespace softgen::media::vp9 {
namespace {

// VP9 specification, 9.3 (more_coefs): a neighbour above and one to the left, or twice that in the direction of the scan.
Scan make_scan(unsigned tx_size, TxType type) {
  Scan scan{};
  const std::span<const uint16_t> order = scan_of(tx_size, type);
  const unsigned size = 4u << tx_size, log2 = 2 + tx_size;
  const bool by_rows = tx_size < 3 && type == TxType::adst_dct, by_columns = tx_size < 3 && type == TxType::dct_adst;
  for (unsigned i = 0; i < order.size(); ++i) {
    const unsigned at = order[i], row = at >> log2, column = at & (size - 1);
    const unsigned above = at - size, left = at - 1;
    unsigned a = 0, b = 0;
    if (row && column) a = by_rows ? left : above, b = by_columns ? above : left;
    else if (row) a = b = above;
    else if (column) a = b = left;
    scan.order[i] = static_cast<uint16_t>(at);
    scan.stored[i] = static_cast<uint16_t>(column << log2 | row);
    scan.neighbours[i] = {static_cast<uint16_t>(a), static_cast<uint16_t>(b)};
  }
  return scan;
}

constexpr uint8_t cat_probabilities[5][5] = {{159}, {165, 145}, {173, 148, 140}, {176, 155, 140, 135}, {180, 157, 141, 134, 130}};
constexpr uint8_t cat6[16] = {255, 255, 254, 254, 254, 252, 249, 243, 230, 196, 177, 153, 140, 133, 130, 129};

unsigned read_extra(BoolDecoder& bits, const uint8_t* probabilities, unsigned count) {
  unsigned value = 0;
  for (unsigned i = 0; i < count; ++i) value = value << 1 | unsigned{bits.decode(probabilities[i])};
  return value;
}

/// A value of two or more; `energy`: what contexts see of it.
unsigned read_large(BoolDecoder& bits, const uint8_t* p, unsigned bit_depth, uint8_t& energy) {
  if (!bits.decode(p[0])) {
    if (!bits.decode(p[1])) return energy = 2, 2;
    energy = 3;
    return 3 + unsigned{bits.decode(p[2])};
  }
  if (!bits.decode(p[3])) {
    energy = 4;
    if (!bits.decode(p[4])) return 5 + read_extra(bits, cat_probabilities[0], 1);
    return 7 + read_extra(bits, cat_probabilities[1], 2);
  }
  energy = 5;
  if (!bits.decode(p[5])) {
    if (!bits.decode(p[6])) return 11 + read_extra(bits, cat_probabilities[2], 3);
    return 19 + read_extra(bits, cat_probabilities[3], 4);
  }
  if (!bits.decode(p[7])) return 35 + read_extra(bits, cat_probabilities[4], 5);
  const unsigned extra = bit_depth == 8 ? 14 : 16;
  return 67 + read_extra(bits, cat6 + (16 - extra), extra);
}

struct Category {
  unsigned first;  ///< the value of no extra bits
  const uint8_t* probabilities;
  unsigned extra;
};
/// Of 8 bits per sample. The largest value has 14 bits behind 67.
constexpr Category categories[6] = {{5, cat_probabilities[0], 1},  {7, cat_probabilities[1], 2},  {11, cat_probabilities[2], 3},
                                    {19, cat_probabilities[3], 4}, {35, cat_probabilities[4], 5}, {67, cat6 + 2, 14}};

/// The counterpart of read_large(), of 8 bits per sample. Returns the energy.
uint8_t write_large(BoolEncoder& bits, const uint8_t* p, unsigned value) {
  bits.put(value > 4, p[0]);
  if (value <= 4) {
    bits.put(value > 2, p[1]);
    if (value > 2) bits.put(value == 4, p[2]);
    return value > 2 ? 3 : 2;
  }
  unsigned which = 5;
  while (categories[which].first > value) --which;
  const Category& category = categories[which];
  bits.put(which > 1, p[3]);
  if (which < 2) {
    bits.put(which == 1, p[4]);
  } else {
    bits.put(which > 3, p[5]);
    bits.put(which == 3 || which == 5, p[which > 3 ? 7 : 6]);
  }
  for (unsigned i = 0; i < category.extra; ++i)
    bits.put((value - category.first) >> (category.extra - 1 - i) & 1, category.probabilities[i]);
  return which > 1 ? 5 : 4;
}

constexpr uint8_t bands_of_4x4[16] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5};
constexpr uint8_t first_bands[22] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5};
unsigned band_of(unsigned tx_size, unsigned i) { return tx_size == 0 ? bands_of_4x4[i] : i < 22 ? first_bands[i] : 5; }

}  // namespace

const Scan& scan_table(unsigned tx_size, TxType type) {
  static const auto all = [] {
    std::array<std::array<Scan, 4>, 4> scans;
    for (unsigned size = 0; size < 4; ++size)
      for (unsigned i = 0; i < 4; ++i) scans[size][i] = make_scan(size, static_cast<TxType>(i));
    return scans;
  }();
  return all[tx_size][static_cast<size_t>(type)];
}

unsigned read_coefficients(const FrameState& frame, TileState<BoolDecoder>& tile, const CoefficientBlock& block, int32_t* to) {
  BoolDecoder bits = tile.bits;  // a copy: its state stays in registers
  const Scan& scan = scan_table(block.tx_size, block.type);
  const auto& probabilities = frame.probabilities.coefficients[block.tx_size][block.chroma][block.inter];
  auto& counts = tile.counts.coefficients[block.tx_size][block.chroma][block.inter];
  auto& looks = tile.counts.more_coefficients[block.tx_size][block.chroma][block.inter];
  const unsigned count = 16u << (2 * block.tx_size);
  uint8_t* const energies = tile.energies;
  unsigned context = block.context, i = 0;
  bool look = true;
  while (i < count) {
    const unsigned band = band_of(block.tx_size, i);
    const uint8_t* const p = probabilities[band][context];
    if (look) {
      ++looks[band][context];
      if (!bits.decode(p[0])) {
        ++counts[band][context][3];
        break;
      }
    }
    uint8_t energy = 0;
    if (!bits.decode(p[1])) {
      ++counts[band][context][0];
      look = false;
    } else {
      unsigned value = 1;
      energy = 1;
      look = true;
      if (bits.decode(p[2])) {
        ++counts[band][context][2];
        value = read_large(bits, pareto[std::max<unsigned>(p[2], 1) - 1], frame.picture.bit_depth, energy);
      } else {
        ++counts[band][context][1];
      }
      const int32_t scaled = scaled_level(value, (*block.quantizers)[i > 0], block.tx_size, frame.picture.bit_depth);
      to[scan.stored[i]] = bits.flag() ? -scaled : scaled;
    }
    energies[scan.order[i]] = energy;
    if (++i == count) break;
    context = (1u + energies[scan.neighbours[i][0]] + energies[scan.neighbours[i][1]]) >> 1;
  }
  tile.bits = bits;
  return i;
}

int32_t scaled_level(unsigned level, unsigned quantizer, unsigned tx_size, unsigned bit_depth) {
  // Streams keep within these (8.6.2): 16 bits, or 18 for 10 bits per sample.
  const int64_t largest = bit_depth == 8 ? INT16_MAX : (1 << 18) - 1;
  return static_cast<int32_t>(std::min(int64_t{level} * quantizer >> (tx_size == 3), largest));
}

void write_coefficients(const FrameState& frame, TileState<BoolEncoder>& tile, const CoefficientBlock& block,
                        std::span<const int16_t> levels) {
  const Scan& scan = scan_table(block.tx_size, block.type);
  const auto& probabilities = frame.probabilities.coefficients[block.tx_size][block.chroma][block.inter];
  auto& counts = tile.counts.coefficients[block.tx_size][block.chroma][block.inter];
  auto& looks = tile.counts.more_coefficients[block.tx_size][block.chroma][block.inter];
  const unsigned count = 16u << (2 * block.tx_size);
  unsigned context = block.context;
  bool look = true;
  for (unsigned i = 0; i < count; ++i) {
    if (i) context = (1u + tile.energies[scan.neighbours[i][0]] + tile.energies[scan.neighbours[i][1]]) >> 1;
    const unsigned band = band_of(block.tx_size, i);
    const uint8_t* const p = probabilities[band][context];
    auto& symbols = counts[band][context];
    if (look) {
      ++looks[band][context];
      tile.bits.put(i < levels.size(), p[0]);
    }
    if (i == levels.size()) {
      ++symbols[3];
      return;
    }
    const unsigned value = static_cast<unsigned>(std::abs(levels[i]));
    tile.bits.put(value > 0, p[1]);
    uint8_t energy = value > 0;
    look = value > 0;
    ++symbols[std::min(value, 2u)];
    if (value) tile.bits.put(value > 1, p[2]);
    if (value > 1) energy = write_large(tile.bits, pareto[std::max<unsigned>(p[2], 1) - 1], value);
    if (value) tile.bits.put(levels[i] < 0, 128);
    tile.energies[scan.order[i]] = energy;
  }
}

}  // namespace softgen::media::vp9
