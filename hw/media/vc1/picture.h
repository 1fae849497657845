// SPDX-License-Identifier: GPL-2.0-or-later
// The parameters of a VC-1 picture (SMPTE 421M), and what its macroblocks leave for their neighbours and for the filters.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/media/frame/frame.h"

namespace softgen::media::vc1 {

enum class PictureType : uint8_t { i, p, b, bi };
/// FCM. A field picture is one of the two fields.
enum class Coding : uint8_t { progressive, frame, field };
/// In the order of TTMB's values: halves that have coefficients, for the first coded block of a macroblock.
enum class TransformCode : uint8_t { whole, bottom, top, rows, right, left, columns, quarters };
enum class Overlap : uint8_t { none, all, flagged };
enum class RangeChange : uint8_t { none, down, up };
/// Where ALTPQUANT counts (VOPDQUANT, 7.1.1.31).
enum class AlternativeUse : uint8_t { none, edges, difference, choice };

constexpr uint32_t max_blocks = 256;  ///< macroblocks a row or column
constexpr uint8_t left_edge = 1, top_edge = 2, right_edge = 4, bottom_edge = 8;

/// LUMSCALE and LUMSHIFT of intensity compensation.
struct Compensation {
  uint8_t scale = 0, shift = 0;
};

struct QuantizerParams {
  uint8_t step = 1;        ///< PQUANT, 1 to 31
  bool half_step = false;  ///< HALFQP
  bool uniform = true;     ///< PQUANTIZER
  bool low_index = false;  ///< PQINDEX is at most 8
  AlternativeUse use = AlternativeUse::none;
  uint8_t alternative = 0, edges = 0;
};

struct MotionParams {
  uint8_t range = 0;         ///< MVRANGE
  bool quarter = true;       ///< vectors count quarter samples in the stream, else half ones
  bool bilinear = false;     ///< of luma; else bicubic
  bool mixed = false;        ///< macroblocks may have four vectors
  bool fast_chroma = false;  ///< FASTUVMC
  bool rounding = false;     ///< RND
  uint8_t scale = 0;         ///< BFRACTION of 256
  bool has_stored = false;   ///< the backward reference's vectors are there for direct prediction
  RangeChange range_change = RangeChange::none;
  /// Of the references, as Picture has them; the second one applies to what the first one gives.
  std::array<std::array<std::optional<Compensation>, 2>, 4> compensation;
};

/// Of field pictures (9.1.1, 10.3.1).
struct FieldParams {
  bool bottom = false, second = false;                  ///< which field this is, and whether it is the second one of its frame
  bool two_references = false;                          ///< NUMREF; B pictures always have two
  bool bottom_reference = false;                        ///< P pictures with one: it is the bottom field
  uint8_t forward_distance = 0, backward_distance = 0;  ///< REFDIST; FRFD and BRFD of B pictures
  uint8_t wide_differentials = 0;                       ///< DMVRANGE: 1 horizontally, 2 vertically
};

struct TableParams {
  uint8_t vector = 0, pattern = 0, dc = 0, luma = 0, chroma = 0;
  uint8_t mode = 0, four_vectors = 0, two_vectors = 0;  ///< MBMODETAB, 4MVBPTAB, 2MVBPTAB of interlaced pictures
};

/// Flags that are in the macroblocks instead of in bitplanes.
struct RawFlags {
  bool vector_type = false, skip = false, direct = false, ac_prediction = false, overlap = false, forward = false, field_transform = false;
};

/// Names are the standard's (7.1.1).
struct PictureParams {
  uint32_t width = 1, height = 1;              ///< in macroblocks; of the field
  uint32_t edge_width = 16, edge_height = 16;  ///< samples: where references end
  PictureType type = PictureType::i;
  bool advanced = false;
  Coding coding = Coding::progressive;
  bool loop_filter = false, overlap = false;  ///< overlap: smoothing is on
  Overlap condition = Overlap::none;
  QuantizerParams quantizer;
  MotionParams motion;
  FieldParams field;
  TableParams tables;
  RawFlags raw;
  bool four_vectors = false;  ///< interlaced frames: macroblocks may have four vectors
  /// References whose fields continue beyond the picture each for itself; others continue as the frame does. Bits are Picture's indices.
  uint8_t interlaced_references = 0;
  bool block_transforms = false;                   ///< transforms are in the macroblocks
  TransformCode transform = TransformCode::whole;  ///< else that of all

  bool is_field() const { return coding == Coding::field; }
  bool is_interlaced_reference(size_t reference) const { return interlaced_references >> reference & 1; }
  bool is_intra() const { return type == PictureType::i || type == PictureType::bi; }
  /// P pictures with small quantizers are not smoothed (8.5.1), also where the packet asks for it: iHD writes OVERLAP as the sequence has it.
  bool smooths() const { return overlap && (is_intra() || (type == PictureType::p && quantizer.step >= 9)); }
  /// Intra samples are differences from 128. In Simple and Main profile's I pictures without smoothing, the DC's prediction contains it (8.1.3.1).
  bool is_centred() const { return advanced || !is_intra() || overlap; }
};

/// A macroblock's bits of the bitplanes.
constexpr uint8_t plane_direct = 1, plane_skip = 2, plane_vector_type = 4;                // P and B
constexpr uint8_t plane_forward = 4;                                                      // B fields
constexpr uint8_t plane_field_transform = 1, plane_ac_prediction = 2, plane_overlap = 4;  // I and BI

/// Quarter samples.
struct Vector {
  int16_t x = 0, y = 0;
  bool operator==(const Vector&) const = default;
};

struct Quantizer {
  uint8_t step = 0;
  bool alternative = false;  ///< HALFQP does not count
  bool operator==(const Quantizer&) const = default;
};

constexpr uint8_t all_luma = 15, all_blocks = 63;  ///< bits by block

/// By block: four of luma, Cb, Cr.
struct Macroblock {
  std::array<Vector, 4> forward;   ///< of luma blocks; progressive B pictures: all of them the same
  std::array<Vector, 4> backward;  ///< progressive pictures: the first one counts
  Vector chroma;                   ///< before FASTUVMC's rounding; zero when chroma is intra
  std::array<int16_t, 6> dc;
  std::array<std::array<std::array<int16_t, 8>, 2>, 6> ac;  ///< first row, first column; before dequantisation
  std::array<uint8_t, 6> subblocks;                         ///< those with coefficients, 8 top left, 4 top right, 2, 1
  std::array<TransformCode, 6> transform;                   ///< of blocks with coefficients: whole, rows, columns or quarters
  Quantizer quantizer;
  std::array<uint8_t, 2> opposite;  ///< field pictures, by direction: luma blocks that are predicted from the field of the other parity
  bool chroma_opposite;             ///< forward
  uint8_t intra;                    ///< by block
  uint8_t coded;                    ///< I pictures: luma blocks with AC coefficients
  bool smoothed;                    ///< OVERFLAGS
  bool field_transform;             ///< FIELDTX: luma blocks 0 and 1 are of the top field
  bool field_vectors;               ///< interlaced frames: vectors 0 and 1 are of the top field
  bool done;

  /// `direction` 0: forward, 1: backward.
  std::array<Vector, 4>& vectors(unsigned direction) { return direction ? backward : forward; }
  const std::array<Vector, 4>& vectors(unsigned direction) const { return direction ? backward : forward; }
};

/// What a picture leaves for direct prediction, by macroblock. In guest memory.
struct StoredMotion {
  Vector vector;         ///< the one that stands for all four, in interlaced frames the first one; 0 of intra macroblocks
  Vector second;         ///< interlaced frames: of the third block, the bottom field's or the lower half's
  uint8_t opposite = 0;  ///< field pictures: most of the four are predicted from the field of the other parity
  std::array<uint8_t, 3> unused{};
};

/// A picture that is being decoded.
struct Picture {
  PictureParams params;
  std::vector<uint8_t> flags;         ///< of the bitplanes, by macroblock
  std::vector<Macroblock> blocks;     ///< by macroblock
  std::vector<uint8_t> begins_slice;  ///< by row of macroblocks
  std::vector<StoredMotion> stored;   ///< by macroblock: of the backward reference
  /// Forward, backward; of field pictures forward and backward top fields, then bottom fields. Those that are not open read as grey.
  std::array<PictureMap, 4> references;
  Frame<uint8_t> frame;
  Frame<int16_t> differences;  ///< of intra blocks, where the picture smooths

  Macroblock& at(uint32_t x, uint32_t y) { return blocks[size_t{y} * params.width + x]; }
  const Macroblock& at(uint32_t x, uint32_t y) const { return blocks[size_t{y} * params.width + x]; }
  /// Zero vectors where the backward reference left none.
  StoredMotion stored_at(uint32_t x, uint32_t y) const {
    return params.motion.has_stored ? stored[size_t{y} * params.width + x] : StoredMotion{};
  }
};

}  // namespace softgen::media::vc1
