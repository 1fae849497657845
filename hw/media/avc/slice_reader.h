// SPDX-License-Identifier: GPL-2.0-or-later
// slice_data (H.264 7.3.4) up to the macroblocks and their coefficients. A template over the two entropy coders.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/media/avc/cabac_syntax.h"
#include "hw/media/avc/cavlc_syntax.h"
#include "hw/media/avc/macroblock.h"

namespace softgen::media::avc {

/// Macroblocks, or pairs, that were read together.
struct Band {
  uint32_t begin = 0, end = 0;
  std::vector<Residual>* residuals = nullptr;
};

template <class Syntax>
class SliceReader {
 public:
  /// `data`: from slice_data on, without emulation prevention. What is referred to outlives the reader.
  SliceReader(Picture& picture, const SliceParams& slice, std::span<const uint8_t> data, const LevelScale& scale,
              const MotionBuffers& motion, uint16_t id)
      : context_(picture, slice, id),
        syntax_(context_, data, slice.bit_offset),
        motion_(context_, motion),
        reader_(context_, syntax_, motion_, scale) {
    context_.qp = slice.qp;
  }

  /// Reads macroblocks from band.begin on up to band.end, and sets that to where it has ended. False: the slice ends there.
  bool read(Band& band) {
    const Picture& picture = context_.picture;
    const bool mbaff = picture.params.mbaff;
    Residual* residual = band.residuals->data();
    for (uint32_t at = band.begin; at < band.end; ++at, residual += mbaff ? 2 : 1) {
      const uint32_t x = at % picture.width, y = at / picture.width;
      if (!(mbaff ? pair(x, y * 2, residual) : single(x, y, *residual))) {
        context_.mb->slice = Macroblock::no_slice;
        residual[mbaff && context_.y % 2] = {};
        // The upper one of a pair may be whole.
        band.end = at + (mbaff && context_.y % 2);
        return false;
      }
      if (ended()) {
        band.end = at + 1;
        good_ = true;
        return false;
      }
    }
    return true;
  }
  /// All of the slice was there.
  bool good() const { return good_; }

 private:
  bool is_intra_slice() const { return context_.slice.type == SliceType::i; }
  bool read_skip() {
    if constexpr (Syntax::is_cabac) {
      return syntax_.skip();
    } else {
      if (run_ < 0) run_ = syntax_.skip_run();
      if (!run_) {
        run_ = -1;
        return false;
      }
      --run_;
      return true;
    }
  }
  bool ended() {
    if constexpr (Syntax::is_cabac) return syntax_.end_of_slice();
    else return run_ <= 0 && !syntax_.more();
  }
  bool single(uint32_t x, uint32_t y, Residual& residual) {
    context_.enter(x, y, false);
    return half(!is_intra_slice() && read_skip(), residual);
  }

  // 7.4.4: a pair whose field flag is not in the stream is as its left or upper neighbour.
  const Macroblock* neighbour_pair(uint32_t x, uint32_t y, bool left) const {
    if (left ? x == 0 : y == 0) return nullptr;
    const Macroblock& mb = left ? context_.picture.mb(x - 1, y) : context_.picture.mb(x, y - 2);
    return mb.slice == context_.id ? &mb : nullptr;
  }
  bool field_flag(const Macroblock* left, const Macroblock* above) {
    if constexpr (Syntax::is_cabac) return syntax_.field_flag(left && left->field, above && above->field);
    else return syntax_.flag();
  }
  void enter(uint32_t x, uint32_t y, bool field) {
    context_.picture.mb(x, y / 2 * 2).field = context_.picture.mb(x, y / 2 * 2 + 1).field = field;
    context_.enter(x, y, field);
  }
  bool half(bool skipped, Residual& residual) {
    if (!skipped) return reader_.read(residual);
    reader_.skip(residual);
    return !syntax_.over();
  }
  bool pair(uint32_t x, uint32_t y, Residual* residuals) {
    const Macroblock *const left = neighbour_pair(x, y, true), *const above = neighbour_pair(x, y, false);
    bool field = left ? left->field : above && above->field, skip_top = false, skip_bottom = false;
    // The bottom one is not there yet, for the top one's neighbours.
    context_.picture.mb(x, y + 1).slice = Macroblock::no_slice;
    enter(x, y, field);
    if (!is_intra_slice()) skip_top = read_skip();
    if (skip_top) {
      Macroblock& top = context_.picture.mb(x, y);
      top = Macroblock{};
      top.slice = context_.id, top.skip = true;
      enter(x, y + 1, field);
      skip_bottom = read_skip();
    }
    if (!(skip_top && skip_bottom)) field = field_flag(left, above);
    context_.picture.mb(x, y + 1).slice = Macroblock::no_slice;
    enter(x, y, field);
    if (!half(skip_top, residuals[0])) return false;
    enter(x, y + 1, field);
    if (!skip_top && !is_intra_slice()) skip_bottom = read_skip();
    return half(skip_bottom, residuals[1]);
  }

  Context context_;
  Syntax syntax_;
  const Motion motion_;
  MacroblockReader<Syntax> reader_;
  int64_t run_ = -1;
  bool good_ = false;
};

}  // namespace softgen::media::avc
