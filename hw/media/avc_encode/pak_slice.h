// SPDX-License-Identifier: GPL-2.0-or-later
// A slice whose macroblocks come as PAK objects: a kernel has decided how each is coded.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/avc_encode/macroblock_coder.h"
#include "hw/media/avc_encode/slice_writer.h"

namespace softgen::media::avc {

struct PakMacroblock {
  uint32_t x = 0, y = 0;
  Kind kind = Kind::intra16;
  bool transform8 = false, last = false;
  bool may_skip = true;  ///< where P_Skip is the same motion, or all of a B macroblock is direct
  uint8_t direct = 0;    ///< quarters that may be direct, if that is the same motion
  uint8_t qp = 0;
  BlockMask mask;
  std::array<uint8_t, 16> intra_mode{};  ///< by block in decoding order; the first one counts for larger blocks
  uint8_t chroma_mode = 0;
  Shape shape = Shape::whole;
  std::array<uint8_t, 4> lists{list0, list0, list0, list0};  ///< by partition (b_types.h)
  std::array<uint8_t, 4> sub_shape{};
  std::array<std::array<uint8_t, 4>, 2> ref{};  ///< by list and quarter
  std::array<std::array<Mv, 16>, 2> vectors{};  ///< by list and block (row * 4 + column)
};

class PakSlice {
 public:
  /// `to` has the header's last bits. What `input` refers to outlives the slice.
  PakSlice(Picture& picture, const SliceParams& slice, const CodeInput& input, GolombWriter& to);

  SliceType type() const { return c_.slice.type; }
  /// The number of the macroblock that comes next.
  uint32_t next() const { return next_; }
  /// The next one. True: it is the slice's last.
  bool code(const PakMacroblock& object);
  /// Sums up to here: bits of slice_data and quantizers.
  uint64_t bits() const { return to_.bits() - first_bit_; }
  uint32_t qp_sum() const { return qp_sum_; }

 private:
  void intra(const PakMacroblock& object, CodedMacroblock& coded);
  /// False: there are no such references.
  bool inter(const PakMacroblock& object, CodedMacroblock& coded);
  bool set_references(const PakMacroblock& object, const CodedMacroblock& coded);
  unsigned direct_quarters() const;
  void set_direct(const PakMacroblock& object, CodedMacroblock& coded);
  bool is_p_skip(const CodedMacroblock& coded) const;

  const CodeInput input_;
  GolombWriter& to_;
  const uint64_t first_bit_;
  SliceWriter writer_;
  Context& c_;
  MacroblockCoder coder_;
  uint32_t next_, qp_sum_ = 0;
};

}  // namespace softgen::media::avc
