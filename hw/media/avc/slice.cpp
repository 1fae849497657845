// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/slice.h"

#include <algorithm>

#include "hw/media/avc/cabac_syntax.h"
#include "hw/media/avc/cavlc_syntax.h"
#include "hw/media/avc/deblock.h"
#include "hw/media/avc/macroblock.h"

namespace softgen::media::avc {
namespace {

/// In rows of macroblocks or pairs: what is read while the rows before are reconstructed.
constexpr uint32_t band_rows = 4;

/// Macroblocks, or pairs, that were read together.
struct Band {
  uint32_t begin = 0, end = 0;
  std::vector<Residual>* residuals = nullptr;
};

template <class Syntax>
class SliceReader {
 public:
  SliceReader(Picture& picture, const SliceInput& input, uint16_t id)
      : context_(picture, input.params, id),
        syntax_(context_, input.data, input.params.bit_offset),
        motion_(context_, input.motion),
        reader_(context_, syntax_, motion_, input.scale) {
    context_.qp = input.params.qp;
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

/// Samples of what was read.
class SliceWriter {
 public:
  SliceWriter(Picture& picture, const SliceInput& input, uint16_t id)
      : context_(picture, input.params, id),
        motion_(context_, input.motion),
        inter_(context_, motion_, input.references),
        reconstructor_(context_, inter_) {}

  void write(const Band& band) {
    const Picture& picture = context_.picture;
    const uint32_t halves = picture.params.mbaff ? 2 : 1;
    Residual* residual = band.residuals ? band.residuals->data() : nullptr;
    for (uint32_t at = band.begin; at < band.end; ++at)
      for (uint32_t half = 0; half < halves; ++half, ++residual) {
        context_.visit(at % picture.width, at / picture.width * halves + half);
        if (context_.mb->slice == context_.id) reconstructor_.run(*residual);
      }
  }

 private:
  Context context_;
  const Motion motion_;
  InterPredictor inter_;
  Reconstructor reconstructor_;
};

// A band is read while the one before is reconstructed, and rows before that are filtered: three pieces of work that touch different rows, so the pool may do
// them at the same time.
template <class Syntax>
SliceEnd decode(Picture& picture, const SliceInput& input, uint16_t id) {
  SliceReader<Syntax> reader(picture, input, id);
  SliceWriter writer(picture, input, id);
  const uint32_t halves = picture.params.mbaff ? 2 : 1, width = picture.width, count = width * picture.height / halves;
  const uint32_t rows = std::max(band_rows / halves, 1u);
  for (auto& residuals : picture.residuals) residuals.resize(size_t{rows} * halves * width);
  const uint32_t first = input.params.first_mb / halves;
  Progress& progress = picture.progress;
  progress.in_order &= first == progress.written;
  Band reading, writing;
  bool more = first < count;
  for (uint32_t at = first; more || writing.begin < writing.end;) {
    if (input.stop()) {
      for (auto& residuals : picture.residuals) residuals.clear();
      return SliceEnd::stopped;
    }
    reading = {at, at, &picture.residuals[writing.residuals == picture.residuals.data()]};
    if (more) reading.end = std::min((at / width + rows) * width, count);
    const uint32_t whole_rows = progress.in_order ? progress.written / width : 0;
    for_each(input.pool, 3, [&](size_t index, unsigned) {
      if (index == 0 && more) more = reader.read(reading) && reading.end < count;
      if (index == 1) writer.write(writing);
      // The last row's samples are those that the next one's prediction reads.
      for (; index == 2 && progress.filtered + 1 < whole_rows; ++progress.filtered) deblock_row(picture, progress.filtered);
    });
    progress.written = std::max(progress.written, writing.end);
    writing = reading;
    at = reading.end;
  }
  return reader.good() ? SliceEnd::good : SliceEnd::broken;
}

}  // namespace

SliceEnd decode_slice(Picture& picture, const SliceInput& input) {
  if (picture.slices.size() >= Macroblock::no_slice) return SliceEnd::broken;
  const auto id = static_cast<uint16_t>(picture.slices.size());
  picture.slices.push_back({input.params.disable_deblocking, input.params.alpha_offset, input.params.beta_offset});
  if (picture.params.cabac) return decode<CabacSyntax>(picture, input, id);
  return decode<CavlcSyntax>(picture, input, id);
}

}  // namespace softgen::media::avc
