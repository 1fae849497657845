// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/slice.h"

#include "hw/media/avc/cabac_syntax.h"
#include "hw/media/avc/cavlc_syntax.h"
#include "hw/media/avc/macroblock.h"

namespace softgen::media::avc {
namespace {

template <class Syntax>
class SliceReader {
 public:
  SliceReader(Picture& picture, const SliceInput& input, uint16_t id)
      : input_(input),
        context_(picture, input.params, id),
        syntax_(context_, input.data, input.params.bit_offset),
        motion_(context_, input.motion),
        inter_(context_, motion_, input.references),
        reader_(context_, syntax_, motion_, inter_, input.scale) {
    context_.qp = input.params.qp;
  }

  SliceEnd run() {
    const Picture& picture = context_.picture;
    const bool mbaff = picture.params.mbaff;
    const uint32_t count = picture.width * picture.height / (mbaff ? 2 : 1);
    for (uint32_t at = input_.params.first_mb / (mbaff ? 2 : 1); at < count; ++at) {
      const uint32_t x = at % picture.width, y = at / picture.width;
      if (x == 0 && input_.stop()) return SliceEnd::stopped;
      if (!(mbaff ? pair(x, y * 2) : single(x, y))) {
        context_.mb->slice = Macroblock::no_slice;
        return SliceEnd::broken;
      }
      if (ended()) return SliceEnd::good;
    }
    return SliceEnd::broken;
  }

 private:
  bool is_intra_slice() const { return input_.params.type == SliceType::i; }
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
  bool single(uint32_t x, uint32_t y) {
    context_.enter(x, y, false);
    if (!is_intra_slice() && read_skip()) {
      reader_.skip();
      return !syntax_.over();
    }
    return reader_.read();
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
  bool half(bool skipped) {
    if (!skipped) return reader_.read();
    reader_.skip();
    return !syntax_.over();
  }
  bool pair(uint32_t x, uint32_t y) {
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
    if (!half(skip_top)) return false;
    enter(x, y + 1, field);
    if (!skip_top && !is_intra_slice()) skip_bottom = read_skip();
    return half(skip_bottom);
  }

  const SliceInput& input_;
  Context context_;
  Syntax syntax_;
  Motion motion_;
  InterPredictor inter_;
  MacroblockReader<Syntax> reader_;
  int64_t run_ = -1;
};

}  // namespace

SliceEnd decode_slice(Picture& picture, const SliceInput& input) {
  if (picture.slices.size() >= Macroblock::no_slice) return SliceEnd::broken;
  const auto id = static_cast<uint16_t>(picture.slices.size());
  picture.slices.push_back({input.params.disable_deblocking, input.params.alpha_offset, input.params.beta_offset});
  if (picture.params.cabac) return SliceReader<CabacSyntax>(picture, input, id).run();
  return SliceReader<CavlcSyntax>(picture, input, id).run();
}

}  // namespace softgen::media::avc
