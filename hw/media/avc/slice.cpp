// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/slice.h"

#include <algorithm>

#include "hw/media/avc/deblock.h"
#include "hw/media/avc/reconstruct.h"
#include "hw/media/avc/slice_reader.h"

namespace softgen::media::avc {
namespace {

/// In rows of macroblocks or pairs: what is read while the rows before are reconstructed.
constexpr uint32_t band_rows = 4;

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
  SliceReader<Syntax> reader(picture, input.params, input.data, input.scale, input.motion, id);
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
  const uint16_t id = picture.add_slice(input.params);
  if (picture.params.cabac) return decode<CabacSyntax>(picture, input, id);
  return decode<CavlcSyntax>(picture, input, id);
}

}  // namespace softgen::media::avc
