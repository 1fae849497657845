// SPDX-License-Identifier: GPL-2.0-or-later
// Predicts a macroblock whose mode is known, quantizes it, and reconstructs it with the decoder's own functions.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/avc/context.h"
#include "hw/media/avc/inter.h"
#include "hw/media/avc/intra.h"
#include "hw/media/avc/motion.h"
#include "hw/media/avc/transform.h"
#include "hw/media/avc_encode/coded_macroblock.h"
#include "hw/media/avc_encode/quantizer.h"

namespace softgen::media::avc {

/// What the macroblocks of a picture are coded with.
struct CodeInput {
  const Frame<uint8_t>& source;
  const LevelScale& scale;
  const Quantizer& quantizer;
  const References& references;
  const MotionBuffers& motion;
};

/// Which modes have their samples: of Intra_4x4 and Intra_8x8 (8.3.1.2), of Intra_16x16, of chroma.
bool has_samples(unsigned mode, const Edges& edges);
bool has_samples16(unsigned mode, const Edges& edges);
bool has_samples_chroma(unsigned mode, const Edges& edges);

class MacroblockCoder {
 public:
  MacroblockCoder(Context& context, const CodeInput& input)
      : c_(context), input_(input), motion_(context, input.motion), inter_(context, motion_, input.references) {}

  /// Begins the context's macroblock anew.
  void reset(Kind kind, int qp);
  const Motion& motion() const { return motion_; }
  /// Of the source: the block at (x, y) of the macroblock, and a plane of its chroma.
  Block source(unsigned x, unsigned y) const;
  Block source_chroma(unsigned plane) const;
  /// Of the macroblock, and of a luma block of 4x4 or 8x8 by its first block's number in decoding order.
  Edges edges() const;
  Edges edges(unsigned block, int size) const;

  /// An inter macroblock's samples, of its motion.
  void predict() { inter_.predict(); }
  /// Of predicted luma, and of predicted chroma: levels, pattern and samples.
  void inter_luma(CodedMacroblock& coded);
  void chroma(CodedMacroblock& coded);
  /// Predicts and codes luma of Intra_16x16 with coded.mode16, and of the others with their modes.
  void intra16(CodedMacroblock& coded);
  void intra_blocks(CodedMacroblock& coded);
  /// Of a predicted block of 4x4, or 8x8.
  void block4(unsigned block, CodedMacroblock& coded);
  void block8(unsigned quarter, CodedMacroblock& coded);
  /// Predicts and codes chroma with the macroblock's mode.
  void intra_chroma(CodedMacroblock& coded);
  void pcm(CodedMacroblock& coded);
  /// Sets the vectors of the partition `index`, with their differences from what is predicted.
  void set_vectors(unsigned list, unsigned index, const std::array<Mv, 16>& vectors, CodedMacroblock& coded);

 private:
  bool usable(int x, int y) const;

  Context& c_;
  const CodeInput& input_;
  Motion motion_;
  InterPredictor inter_;
};

}  // namespace softgen::media::avc
