// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vc1/coefficients.h"

#include <algorithm>
#include <bit>

#include "hw/media/vc1/transform.h"

namespace softgen::media::vc1 {
namespace {

// Raster positions, eight per row, in the order of the scans.
constexpr std::array<std::array<uint8_t, 64>, 5> scans = {
    {{0,  8,  1,  2,  9,  16, 24, 17, 10, 3,  4,  11, 18, 25, 32, 40, 48, 56, 41, 33, 26, 19, 12, 5,  6,  13, 20, 27, 34, 49, 57, 58,
      50, 42, 35, 28, 21, 14, 7,  15, 22, 29, 36, 43, 51, 59, 60, 52, 44, 37, 30, 23, 31, 38, 45, 53, 61, 62, 54, 46, 39, 47, 55, 63},
     {0,  8,  1,  2,  9, 16, 24, 17, 10, 3,  4,  11, 18, 25, 32, 40, 33, 48, 26, 19, 12, 5,  6,  13, 20, 27, 34, 41, 56, 49, 57, 42,
      35, 28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 58, 51, 59, 44, 37, 30, 23, 31, 38, 45, 52, 60, 53, 61, 46, 39, 47, 54, 62, 55, 63},
     {0,  1,  8,  2,  3,  9,  16, 24, 17, 10, 4,  5,  11, 18, 25, 32, 40, 48, 33, 26, 19, 12, 6,  7,  13, 20, 27, 34, 41, 56, 49, 57,
      42, 35, 28, 21, 14, 15, 22, 29, 36, 43, 50, 58, 51, 44, 37, 30, 23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63},
     {0,  8,  16, 1, 24, 32, 40, 9,  2,  3,  10, 17, 25, 48, 56, 41, 33, 26, 18, 11, 4,  5,  12, 19, 27, 34, 49, 57, 50, 42, 35, 28,
      20, 13, 6,  7, 14, 21, 29, 36, 43, 51, 58, 59, 52, 44, 37, 30, 22, 15, 23, 31, 38, 45, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63},
     {0,  8, 1,  16, 24, 9,  2, 32, 40, 48, 56, 17, 10, 3,  25, 18, 11, 4,  33, 41, 49, 57, 26, 34, 42, 50, 58, 19, 12, 5,  27, 20,
      13, 6, 35, 28, 21, 14, 7, 15, 22, 29, 36, 43, 51, 59, 60, 52, 44, 37, 30, 23, 31, 38, 45, 53, 61, 62, 54, 46, 39, 47, 55, 63}}};
constexpr uint8_t rows_advanced[32] = {0,  8,  1,  16, 2,  9, 10, 3,  24, 17, 4,  11, 18, 12, 5,  19,
                                       25, 13, 20, 26, 27, 6, 21, 28, 14, 22, 29, 7,  30, 15, 23, 31};
constexpr uint8_t rows_main[32] = {0,  1,  2,  8,  3,  9, 10, 16, 4,  11, 17, 24, 18, 12, 5,  19,
                                   25, 13, 20, 26, 27, 6, 21, 28, 14, 22, 29, 7,  30, 15, 23, 31};
constexpr uint8_t columns_advanced[32] = {0,  1,  8,  2,  9,  16, 17, 24, 10, 32, 25, 18, 40, 3,  33, 26,
                                          48, 11, 56, 41, 34, 49, 57, 42, 19, 50, 27, 58, 35, 43, 51, 59};
constexpr uint8_t columns_main[32] = {0,  8,  1,  16, 9,  24, 17, 2,  32, 10, 25, 40, 18, 48, 33, 26,
                                      56, 41, 34, 3,  49, 57, 11, 42, 19, 50, 27, 58, 35, 43, 51, 59};
constexpr uint8_t rows_interlaced[32] = {0,  8, 16, 24, 1,  9, 2,  17, 25, 10, 3,  18, 26, 4,  11, 19,
                                         12, 5, 13, 20, 27, 6, 21, 28, 14, 22, 29, 7,  30, 15, 23, 31};
constexpr uint8_t columns_interlaced[32] = {0,  1,  2,  8,  16, 9,  24, 17, 10, 3,  32, 40, 48, 56, 25, 18,
                                            33, 26, 41, 34, 49, 57, 11, 42, 19, 50, 27, 58, 35, 43, 51, 59};
constexpr uint8_t quarters_interlaced[16] = {0, 8, 16, 24, 1, 9, 17, 2, 25, 10, 18, 3, 26, 11, 19, 27};
constexpr uint8_t quarters[16] = {0, 8, 16, 1, 9, 24, 17, 2, 10, 18, 25, 3, 11, 26, 19, 27};

/// What the codes of TTBLK stand for, by the class of the quantizer (8.3.6.2.1).
constexpr TransformCode block_transform_codes[3][8] = {
    {TransformCode::rows, TransformCode::columns, TransformCode::whole, TransformCode::quarters, TransformCode::top, TransformCode::bottom,
     TransformCode::right, TransformCode::left},
    {TransformCode::whole, TransformCode::right, TransformCode::left, TransformCode::quarters, TransformCode::rows, TransformCode::columns,
     TransformCode::bottom, TransformCode::top},
    {TransformCode::whole, TransformCode::columns, TransformCode::quarters, TransformCode::bottom, TransformCode::right,
     TransformCode::left, TransformCode::rows, TransformCode::top}};

/// Of a part of an inter block.
const uint8_t* scan_of(const PictureParams& picture, TransformCode kind) {
  const bool interlaced = picture.coding != Coding::progressive;
  switch (kind) {
    case TransformCode::whole: return scans[static_cast<size_t>(interlaced ? Scan::interlaced : Scan::inter)].data();
    case TransformCode::quarters: return interlaced ? quarters_interlaced : quarters;
    case TransformCode::rows: return interlaced ? rows_interlaced : picture.advanced ? rows_advanced : rows_main;
    default: return interlaced ? columns_interlaced : picture.advanced ? columns_advanced : columns_main;
  }
}

unsigned coding_set(unsigned index, bool low_index) {
  return index == 1 ? high_motion_set : index == 2 ? mid_rate_set : low_index ? high_rate_set : low_motion_set;
}

}  // namespace

unsigned read_three(BitReader& bits) { return bits.flag() ? 1 + bits.take(1) : 0; }

CoefficientReader::CoefficientReader(BitReader& bits, const PictureParams& picture)
    : bits_(bits),
      picture_(picture),
      luma_(tables().coefficients[coding_set(picture.tables.luma, picture.quantizer.low_index)]),
      other_(tables().coefficients[coding_set(picture.tables.chroma, picture.quantizer.low_index) + 1]),
      rate_((picture.quantizer.step > 4) + (picture.quantizer.step > 12)) {}

bool CoefficientReader::read_dc(bool is_chroma, unsigned step, int& differential) {
  const auto& codes = is_chroma ? tables().dc_chroma : tables().dc_luma;
  const int code = codes[picture_.tables.dc].take(bits_);
  if (code < 0) return false;
  differential = code;
  if (!code) return true;
  // Small quantizers have bits of their own (8.1.3.2).
  const unsigned more = step == 1 || step == 2 ? 3 - step : 0;
  if (code == dc_escape) differential = static_cast<int>(bits_.take(8 + more));
  else if (more) differential = (code << more) + static_cast<int>(bits_.take(more)) - (1 << more) + 1;
  if (bits_.flag()) differential = -differential;
  return true;
}

bool CoefficientReader::read(const CoefficientTable& table, RunLevel& next) {
  const int index = table.take(bits_);
  if (index < 0) return false;
  if (index == table.escape()) return read_escape(table, next);
  const auto& entry = table.entry(index);
  next = {entry.run, bits_.flag() ? -entry.level : entry.level, entry.last};
  return true;
}

// 8.1.3.4: a level or a run beyond the table's, or both as they are.
bool CoefficientReader::read_escape(const CoefficientTable& table, RunLevel& next) {
  const bool adds_level = bits_.flag();
  if (adds_level || bits_.flag()) {
    const int index = table.take(bits_);
    if (index < 0 || index == table.escape()) return false;
    const auto& entry = table.entry(index);
    unsigned run = entry.run, level = entry.level;
    if (adds_level) level += table.max_level(entry.last, run);
    else run += table.max_run(entry.last, level) + 1;
    next = {run, static_cast<int>(level), entry.last};
    if (bits_.flag()) next.level = -next.level;
    return true;
  }
  next.last = bits_.flag();
  if (!level_bits_) {
    if (picture_.quantizer.step < 8 || picture_.quantizer.use != AlternativeUse::none) {
      level_bits_ = bits_.take(3);
      if (!level_bits_) level_bits_ = bits_.take(2) + 8;
    } else {
      level_bits_ = 2;
      while (level_bits_ < 8 && !bits_.flag()) ++level_bits_;
    }
    run_bits_ = 3 + bits_.take(2);
  }
  next.run = bits_.take(run_bits_);
  const bool is_negative = bits_.flag();
  const int level = static_cast<int>(bits_.take(level_bits_));
  next.level = is_negative ? -level : level;
  return true;
}

bool CoefficientReader::read_intra(bool is_chroma, Scan scan, int16_t* block) {
  const auto& places = scans[static_cast<size_t>(scan)];
  unsigned at = 1;
  for (RunLevel next{};;) {
    if (!read(is_chroma ? other_ : luma_, next)) return false;
    at += next.run;
    if (at > 63) return false;
    block[places[at++]] = static_cast<int16_t>(next.level);
    if (next.last) return true;
  }
}

int16_t CoefficientReader::dequantise(int level, Quantizer quantizer) const {
  if (!level) return 0;
  const int scale = 2 * quantizer.step + (!quantizer.alternative && picture_.quantizer.half_step);
  const int more = picture_.quantizer.uniform ? 0 : quantizer.step;
  return static_cast<int16_t>(level * scale + (level < 0 ? -more : more));
}

bool CoefficientReader::read_part(Quantizer quantizer, const uint8_t* scan, unsigned places, int16_t* block) {
  unsigned at = 0;
  for (RunLevel next{};;) {
    if (!read(other_, next)) return false;
    at += next.run;
    if (at >= places) return false;
    block[scan[at++]] = dequantise(next.level, quantizer);
    if (next.last) return true;
  }
}

// SUBBLKPAT, 8.3.6.2.3. The first block's code has it, when the macroblock or the block states the transform.
bool CoefficientReader::read_skipped(BlockTransform& transform, TransformCode& kind, unsigned& skipped) {
  if (transform.is_read) {
    const int code = tables().block_transform[rate_].take(bits_);
    if (code < 0) return false;
    transform.code = block_transform_codes[rate_][code];
  }
  const TransformCode code = transform.code;
  skipped = 0;
  kind = code;
  if (code == TransformCode::whole) return true;
  if (code == TransformCode::quarters) {
    const int pattern = tables().subblock_pattern[rate_].take(bits_);
    if (pattern < 0) return false;
    skipped = ~static_cast<unsigned>(pattern + 1) & 15;
    return true;
  }
  kind = code <= TransformCode::rows ? TransformCode::rows : TransformCode::columns;
  if (transform.is_shared) {
    const unsigned value = read_three(bits_);
    skipped = value ? value ^ 3 : 0;
  } else if (code == TransformCode::top || code == TransformCode::left) {
    skipped = 1;
  } else if (code == TransformCode::bottom || code == TransformCode::right) {
    skipped = 2;
  }
  return true;
}

bool CoefficientReader::read_inter(Quantizer quantizer, BlockTransform& transform, int16_t* block, TransformCode& kind,
                                   uint8_t& subblocks) {
  unsigned skipped;
  if (!read_skipped(transform, kind, skipped)) return false;
  std::fill_n(block, 64, int16_t{0});
  const unsigned columns = kind == TransformCode::columns || kind == TransformCode::quarters ? 2 : 1;
  const unsigned rows = kind == TransformCode::rows || kind == TransformCode::quarters ? 2 : 1;
  const unsigned parts = rows * columns, places = 64 / parts;
  const uint8_t* const scan = scan_of(picture_, kind);
  // The subblocks of the first part.
  const unsigned first = kind == TransformCode::whole ? 15 : kind == TransformCode::rows ? 12 : kind == TransformCode::columns ? 10 : 8;
  subblocks = 0;
  for (unsigned part = 0; part < parts; ++part) {
    if (skipped >> (parts - 1 - part) & 1) continue;
    const unsigned x = part % columns, y = part / columns;
    int16_t* const to = block + 32 * y + 4 * x;
    if (!read_part(quantizer, scan, places, to)) return false;
    inverse_transform(to, 8 / columns, 8 / rows);
    subblocks = static_cast<uint8_t>(subblocks | first >> (2 * y + x));
  }
  return true;
}

}  // namespace softgen::media::vc1
