// SPDX-License-Identifier: GPL-2.0-or-later
// macroblock_layer (H.264 7.3.5): MacroblockReader's counterpart. A template over the two entropy coders.
#pragma once

#include <algorithm>
#include <iterator>

#include "hw/media/avc/b_types.h"
#include "hw/media/avc/context.h"
#include "hw/media/avc/levels.h"
#include "hw/media/avc/neighbours.h"
#include "hw/media/avc/tables.h"
#include "hw/media/avc_encode/coded_macroblock.h"

namespace softgen::media::avc {

/// Of a macroblock or quarter in a B slice.
constexpr uint8_t all_direct = 31;

/// Whether an inter macroblock's transforms may be of 8x8 (7.3.5): all of its parts have at least that size.
inline bool may_transform8(const Context& c, const CodedMacroblock& coded) {
  const PictureParams& params = c.picture.params;
  if (!params.transform_8x8) return false;
  if (c.mb->direct && !params.direct_8x8_inference) return false;
  return coded.shape != Shape::quarters || std::ranges::all_of(coded.sub_shape, [](uint8_t shape) { return shape == 0; });
}

template <class Syntax>
class MacroblockWriter {
 public:
  MacroblockWriter(const Context& context, Syntax& syntax) : c_(context), syntax_(syntax) {}

  /// The context's macroblock, all of whose members are set.
  void write(const CodedMacroblock& coded) {
    const Macroblock& mb = *c_.mb;
    const SliceType slice = c_.slice.type;
    if (slice != SliceType::i) syntax_.skip(mb.skip);
    if (mb.skip) return;
    if (mb.intra()) intra(coded, slice == SliceType::p ? 5 : slice == SliceType::b ? 23 : 0);
    else inter(coded);
    if (mb.kind == Kind::pcm || (!mb.cbp && mb.kind != Kind::intra16)) return;
    syntax_.qp_delta(coded.qp_delta);
    if (mb.kind == Kind::intra16) luma16(coded);
    else luma(coded);
    if (mb.cbp >> 4) chroma(coded);
  }

 private:
  void intra(const CodedMacroblock& coded, unsigned first_type) {
    const Macroblock& mb = *c_.mb;
    if (mb.kind == Kind::pcm) {
      syntax_.mb_type(first_type + 25);
      return syntax_.pcm(coded.pcm);
    }
    if (mb.kind == Kind::intra16) {
      syntax_.mb_type(first_type + intra16_type(mb.cbp, coded.mode16));
    } else {
      syntax_.mb_type(first_type);
      if (c_.picture.params.transform_8x8) syntax_.transform8(mb.transform8);
      for (unsigned i = 0; i < 16; i += mb.transform8 ? 4 : 1) {
        const unsigned at = block_y[i] * 4u + block_x[i], predicted = predicted_intra_mode(c_, at), mode = mb.intra_mode[at];
        syntax_.intra_mode(mode == predicted ? -1 : static_cast<int>(mode - (mode > predicted)));
      }
    }
    if (!c_.picture.params.monochrome) syntax_.chroma_mode(mb.chroma_mode);
    if (mb.kind != Kind::intra16) syntax_.cbp(mb.cbp, true);
  }

  unsigned b_type(const CodedMacroblock& coded) const {
    if (c_.mb->direct == all_direct) return 0;
    if (coded.shape == Shape::whole) return coded.lists[0];
    if (coded.shape == Shape::quarters) return b_quarters;
    const auto found =
        std::ranges::find_if(b_lists, [&](const auto& lists) { return lists[0] == coded.lists[0] && lists[1] == coded.lists[1]; });
    return b_first_divided + static_cast<unsigned>(found - std::begin(b_lists)) + (coded.shape == Shape::columns);
  }
  static unsigned b_sub_type(uint8_t lists, uint8_t shape) {
    if (!lists) return 0;
    const auto found = std::ranges::find_if(b_sub, [&](const SubType& type) { return type.lists == lists && type.shape == shape; });
    return 1 + static_cast<unsigned>(found - std::begin(b_sub));
  }

  void inter(const CodedMacroblock& coded) {
    const Macroblock& mb = *c_.mb;
    const bool is_b = c_.slice.type == SliceType::b;
    syntax_.mb_type(is_b ? b_type(coded) : static_cast<unsigned>(coded.shape));
    if (mb.direct != all_direct) motion(coded, is_b);
    syntax_.cbp(mb.cbp, false);
    if (mb.cbp & 15 && may_transform8(c_, coded)) syntax_.transform8(mb.transform8);
  }

  void motion(const CodedMacroblock& coded, bool is_b) {
    const Macroblock& mb = *c_.mb;
    const auto parts = partitions(coded.shape);
    const unsigned count = partition_count(coded.shape);
    for (unsigned i = 0; i < 4 && coded.shape == Shape::quarters; ++i)
      syntax_.sub_type(is_b ? b_sub_type(coded.lists[i], coded.sub_shape[i]) : coded.sub_shape[i]);
    for (unsigned list = 0; list < 2; ++list)
      for (unsigned i = 0; i < count && c_.active(list) > 1; ++i) {
        const unsigned quarter = first_quarter(parts[i]);
        if (coded.lists[i] >> list & 1) syntax_.ref_idx(list, quarter, static_cast<unsigned>(mb.ref[list][quarter]));
      }
    for (unsigned list = 0; list < 2; ++list)
      for (unsigned i = 0; i < count; ++i) {
        if (!(coded.lists[i] >> list & 1)) continue;
        for_each_part(coded, i, [&](const Partition& part) {
          const unsigned block = first_block(part);
          syntax_.mvd(list, block, 0, coded.difference[list][block].x);
          syntax_.mvd(list, block, 1, coded.difference[list][block].y);
        });
      }
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
      if (!mb.transform8) {
        syntax_.residual(Cat::luma4, 0, at, coded.luma[block]);
      } else if constexpr (Syntax::is_cabac) {
        if (block % 4 == 0) syntax_.residual(Cat::luma8, 0, at, coded.luma8[block / 4]);
      } else {
        std::array<int16_t, 16> part;
        for (unsigned i = 0; i < 16; ++i) part[i] = coded.luma8[block / 4][i * 4 + block % 4];
        syntax_.residual(Cat::luma4, 0, at, part);
      }
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
