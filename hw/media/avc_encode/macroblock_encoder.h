// SPDX-License-Identifier: GPL-2.0-or-later
// VDEnc: decides how a macroblock is coded.
#pragma once

#include <cstdint>

#include "hw/media/avc_encode/macroblock_coder.h"
#include "hw/media/avc_encode/motion_search.h"

namespace softgen::media::avc {

/// What may be chosen, beside what each picture has.
struct EncodeTools {
  bool intra8 = false, inter_transform8 = false;
};

struct EncodeInput {
  CodeInput code;
  const SearchPlanes& planes;  ///< of reference 0
  MvRange range;
  EncodeTools tools;
};

class MacroblockEncoder {
 public:
  MacroblockEncoder(Context& context, const EncodeInput& input);
  /// The context's macroblock: sets all of it, `coded`, and its samples.
  void encode(CodedMacroblock& coded);

 private:
  void reset(Kind kind) { coder_.reset(kind, c_.slice.qp); }
  bool skip();
  void inter(const MotionChoice& choice, CodedMacroblock& coded);
  uint32_t choose16(CodedMacroblock& coded);
  /// Codes luma by blocks of 4x4 or 8x8, with the modes that it chooses; ends as soon as it is worse than `limit`.
  uint32_t code_blocks(bool by8, CodedMacroblock& coded, uint32_t limit);
  /// The better of both. False: none is better than `limit`, and luma is not coded.
  bool intra_blocks(CodedMacroblock& coded, uint32_t limit);
  void intra_colors(CodedMacroblock& coded);

  Context& c_;
  const EncodeInput& input_;
  MacroblockCoder coder_;
  MotionSearch search_;
  uint32_t lambda_;
};

}  // namespace softgen::media::avc
