// SPDX-License-Identifier: GPL-2.0-or-later
// macroblock_layer (H.264 7.3.5) without 8x8 transforms: MacroblockReader's counterpart. A template over the two entropy coders.
#pragma once

#include "hw/media/avc/context.h"
#include "hw/media/avc/levels.h"
#include "hw/media/avc/neighbours.h"
#include "hw/media/avc/tables.h"
#include "hw/media/avc_encode/coded_macroblock.h"

namespace softgen::media::avc {

template <class Syntax>
class MacroblockWriter {
 public:
  MacroblockWriter(const Context& context, Syntax& syntax) : c_(context), syntax_(syntax) {}

  /// The context's macroblock, all of whose members are set.
  void write(const CodedMacroblock& coded) {
    const Macroblock& mb = *c_.mb;
    const bool is_p = c_.slice.type == SliceType::p;
    if (is_p) syntax_.skip(mb.skip);
    if (mb.skip) return;
    if (mb.intra()) intra(coded, is_p ? 5 : 0);
    else inter(coded);
    if (!mb.cbp && mb.kind != Kind::intra16) return;
    syntax_.qp_delta(0);
    if (mb.kind == Kind::intra16) luma16(coded);
    else luma(coded);
    if (mb.cbp >> 4) chroma(coded);
  }

 private:
  void intra(const CodedMacroblock& coded, unsigned first_type) {
    const Macroblock& mb = *c_.mb;
    if (mb.kind == Kind::intra16) {
      syntax_.mb_type(first_type + 1 + coded.mode16 + (mb.cbp >> 4) * 4u + (mb.cbp & 15 ? 12 : 0));
    } else {
      syntax_.mb_type(first_type);
      if (c_.picture.params.transform_8x8) syntax_.transform8(false);
      for (unsigned i = 0; i < 16; ++i) {
        const unsigned at = block_y[i] * 4u + block_x[i], predicted = predicted_intra_mode(c_, at), mode = mb.intra_mode[at];
        syntax_.intra_mode(mode == predicted ? -1 : static_cast<int>(mode - (mode > predicted)));
      }
    }
    if (!c_.picture.params.monochrome) syntax_.chroma_mode(mb.chroma_mode);
    if (mb.kind != Kind::intra16) syntax_.cbp(mb.cbp, true);
  }

  void inter(const CodedMacroblock& coded) {
    const Macroblock& mb = *c_.mb;
    const auto parts = partitions(coded.shape);
    const unsigned count = partition_count(coded.shape);
    syntax_.mb_type(static_cast<unsigned>(coded.shape));
    for (unsigned i = 0; i < 4 && coded.shape == Shape::quarters; ++i) syntax_.sub_type(0);
    for (unsigned i = 0; i < count && c_.active(0) > 1; ++i) {
      const unsigned quarter = parts[i].y / 8u * 2 + parts[i].x / 8u;
      syntax_.ref_idx(quarter, static_cast<unsigned>(mb.ref[0][quarter]));
    }
    for (unsigned i = 0; i < count; ++i) {
      const unsigned block = parts[i].y / 4u * 4 + parts[i].x / 4u;
      syntax_.mvd(block, 0, coded.difference[i].x);
      syntax_.mvd(block, 1, coded.difference[i].y);
    }
    syntax_.cbp(mb.cbp, false);
    if (mb.cbp & 15 && c_.picture.params.transform_8x8) syntax_.transform8(false);
  }

  void luma16(const CodedMacroblock& coded) {
    syntax_.residual(Cat::luma_dc16, 0, 0, coded.luma_dc);
    if (!(c_.mb->cbp & 15)) return;
    for (unsigned block = 0; block < 16; ++block)
      syntax_.residual(Cat::luma_ac16, 0, block_y[block] * 4u + block_x[block], std::span(coded.luma[block]).first(15));
  }

  void luma(const CodedMacroblock& coded) {
    const Macroblock& mb = *c_.mb;
    for (unsigned block = 0; block < 16; ++block) {
      if (!(mb.cbp >> block / 4 & 1)) continue;
      const unsigned at = block_y[block] * 4u + block_x[block];
      syntax_.residual(Cat::luma4, 0, at, coded.luma[block]);
    }
  }

  void chroma(const CodedMacroblock& coded) {
    for (unsigned plane = 0; plane < 2; ++plane) syntax_.residual(Cat::chroma_dc, plane + 1, 0, coded.chroma_dc[plane]);
    if (c_.mb->cbp >> 4 != 2) return;
    for (unsigned plane = 0; plane < 2; ++plane)
      for (unsigned block = 0; block < 4; ++block) syntax_.residual(Cat::chroma_ac, plane + 1, block, coded.chroma_ac[plane][block]);
  }

  const Context& c_;
  Syntax& syntax_;
};

}  // namespace softgen::media::avc
