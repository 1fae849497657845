// SPDX-License-Identifier: GPL-2.0-or-later
// What BSD says of a macroblock's edges to the deblocking kernels (intel-vaapi-driver src/shaders/h264/ildb/AVC_ILDB.inc). No packets.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/avc/edge_filter.h"
#include "hw/media/avc/picture.h"

namespace softgen::media::bsd {

/// Which edges have thresholds of their own. Two left ones: of a pair whose macroblocks are frames where these are fields, or the other way; two top ones: of
/// a pair of fields above a frame macroblock.
enum Edge : uint8_t { internal_edges, left_edge0, left_edge1, top_edge0, top_edge1 };
constexpr unsigned edge_kinds = 5;

struct IldbMacroblock {
  uint8_t x = 0, y = 0;  ///< as ItMacroblock's
  bool mbaff = false, field = false, left_field = false, above_field = false;
  bool transform8 = false;  ///< internal edges are those of 8x8 blocks alone
  bool filter_left = false, filter_top = false;
  bool disabled = true;                      ///< none is filtered, and nothing else is set
  std::array<avc::Strengths, 6> internal{};  ///< left of columns 1 to 3 of blocks, then above rows 1 to 3
  std::array<avc::Strengths, 2> left{}, top{};
  /// Luma, Cb, Cr, by Edge.
  std::array<std::array<avc::ThresholdIndexes, edge_kinds>, 3> indexes{};
};

/// Where a macroblock no slice has, or whose slice has no filter, is disabled.
IldbMacroblock describe_edges(const avc::Picture& picture, uint32_t x, uint32_t y);

}  // namespace softgen::media::bsd
