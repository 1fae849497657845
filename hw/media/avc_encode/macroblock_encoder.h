// SPDX-License-Identifier: GPL-2.0-or-later
// Decides how a macroblock is coded, quantizes it, and reconstructs it with the decoder's own functions.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/avc/context.h"
#include "hw/media/avc/inter.h"
#include "hw/media/avc/intra.h"
#include "hw/media/avc/motion.h"
#include "hw/media/avc/transform.h"
#include "hw/media/avc_encode/coded_macroblock.h"
#include "hw/media/avc_encode/motion_search.h"
#include "hw/media/avc_encode/quantizer.h"

namespace softgen::media::avc {

/// What the macroblocks of a picture are encoded with.
struct EncodeInput {
  const Frame<uint8_t>& source;
  const LevelScale& scale;
  const Quantizer& quantizer;
  const References& references;
  const SearchPlanes& planes;  ///< of reference 0
  MvRange range;
};

class MacroblockEncoder {
 public:
  MacroblockEncoder(Context& context, const EncodeInput& input);
  /// The context's macroblock: sets all of it, `coded`, and its samples.
  void encode(CodedMacroblock& coded);

 private:
  void reset(Kind kind);
  bool usable(int x, int y) const;
  Block source(unsigned x, unsigned y) const;
  Block source_chroma(unsigned plane) const;
  Edges edges16() const;
  Edges edges4(unsigned block) const;
  bool skip();
  void inter(const MotionChoice& choice, CodedMacroblock& coded);
  uint32_t choose16(CodedMacroblock& coded);
  /// Codes the macroblock as it chooses; ends as soon as it is worse than `limit`.
  uint32_t code4(CodedMacroblock& coded, uint32_t limit);
  void code16(CodedMacroblock& coded);
  void intra_colors(CodedMacroblock& coded);
  /// Of a predicted block: levels, coefficients and samples. Returns how many levels there are.
  unsigned code_block(unsigned block, CodedMacroblock& coded);
  void code_inter_luma(CodedMacroblock& coded);
  void code_chroma(CodedMacroblock& coded);

  Context& c_;
  const EncodeInput& input_;
  const MotionBuffers no_motion_{};
  Motion motion_;
  InterPredictor inter_;
  MotionSearch search_;
  uint32_t lambda_;
};

}  // namespace softgen::media::avc
