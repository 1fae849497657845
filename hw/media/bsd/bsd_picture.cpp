// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/bsd/bsd_picture.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/media/avc/slice_reader.h"
#include "hw/media/bits/bit_reader.h"
#include "hw/memory/view.h"

namespace softgen::media::bsd {

using namespace avc;

namespace {

constexpr uint64_t record_bytes = BsdPackets::record_dwords * sizeof(uint32_t), slot_bytes = max_it_dwords * sizeof(uint32_t);

}  // namespace

void BsdPicture::begin(const PictureState& state, uint32_t next) {
  state_ = state;
  picture_.begin(state.params, false);
  scale_.set(state.params);
  motion_.begin(state.motion);
  residuals_.resize(size_t{picture_.width} * 2);
  first_ = next_ = std::min(next, total());  // a context image may say anything
  reference_ = -1;
  status_ = {.errors = 0, .blocks = total(), .concealed_blocks = 0};
}

uint64_t BsdPicture::slot(bool decoding_order, uint32_t x, uint32_t y) const {
  return decoding_order ? picture_.order(x, y) : uint64_t{y} * picture_.width + x;
}

void BsdPicture::write(const ItMacroblock& mb, Residual& residual, uint32_t x, uint32_t y, EngineEnv& env) {
  write_it_data(mb, residual, state_.residual_offset, packets_, data_);
  const uint64_t offset = slot(state_.data_in_decoding_order, x, y) * slot_bytes;
  const auto bytes = static_cast<uint32_t>(data_.size() * sizeof(uint32_t));
  if (bytes) env.view.write(state_.data + offset, data_.data(), bytes);
  const BsdPackets::Record record = packets_.command(mb, state_, bytes, static_cast<uint32_t>(offset));
  env.view.write(state_.commands + slot(state_.commands_in_decoding_order, x, y) * record_bytes, record.data(), record_bytes);
}

// Up to a macroblock in decoding order.
bool BsdPicture::conceal(uint32_t end, EngineEnv& env) {
  for (; next_ < end; ++next_) {
    if (next_ % picture_.width == 0 && env.stop.aborting()) return false;
    const auto [x, y] = picture_.place(next_);
    if (picture_.mb(x, y).slice != Macroblock::no_slice) continue;
    write(bsd::conceal(picture_, x, y, reference_), none_, x, y, env);
    ++status_.concealed_blocks;
  }
  return true;
}

template <class Syntax>
bool BsdPicture::parse(const SliceState& slice, std::span<const uint8_t> data, uint16_t id, EngineEnv& env) {
  const SliceParams& params = slice.params;
  SliceReader<Syntax> reader(picture_, params, data, scale_, motion_.buffers(), id);
  Context context(picture_, params, id);
  const Motion motion(context, motion_.buffers());
  const uint32_t halves = picture_.params.mbaff ? 2 : 1, count = total() / halves, width = picture_.width;
  bool more = true;
  for (uint32_t at = params.first_mb / halves; more && at < count;) {
    if (env.stop.aborting()) return false;
    Band band{at, std::min((at / width + 1) * width, count), &residuals_};
    more = reader.read(band);
    for (uint32_t i = at * halves; i < band.end * halves; ++i) {
      const auto [x, y] = picture_.place(i);
      context.visit(x, y);
      if (context.mb->slice != id) continue;
      Residual& residual = residuals_[i - at * halves];
      write(describe(context, motion, residual.coded, residual.mode16), residual, x, y, env);
      next_ = std::max(next_, i + 1);
    }
    at = band.end;
  }
  if (!reader.good()) guest_error("BSD slice", "from macroblock {} on: broken", params.first_mb);
  return true;
}

bool BsdPicture::slice(const SliceState& slice, EngineEnv& env) {
  const SliceParams& params = slice.params;
  const uint32_t first = std::min(params.first_mb, total());
  if (!conceal(first, env)) return false;
  if (slice.phantom) return true;
  reference_ = -1;
  if (const RefEntry& entry = params.list[0][0]; slice.inter_concealment && params.active[0] && entry.present)
    reference_ = entry.frame | (picture_.params.field() && entry.bottom ? bottom_reference : 0);
  if (first >= total() || picture_.slices.size() >= Macroblock::no_slice) {
    guest_error("BSD slice", "at macroblock {} of {}", params.first_mb, total());
    return true;
  }
  picture_.params.weighted_pred = slice.weighted, picture_.params.weighted_bipred = slice.weighted_bipred;
  if (params.type == SliceType::b && params.list[1][0].present) motion_.read(params.list[1][0].frame, picture_.params, env);
  const std::span<uint8_t> bytes = read_object(env, slice, bytes_);
  const std::span<const uint8_t> data = bytes.first(strip_emulation(bytes));
  const uint16_t id = picture_.add_slice(params);
  return picture_.params.cabac ? parse<CabacSyntax>(slice, data, id, env) : parse<CavlcSyntax>(slice, data, id, env);
}

bool BsdPicture::flush(EngineEnv& env) {
  std::vector<BsdPackets::Record> row;
  const uint32_t step = picture_.width * (picture_.params.mbaff ? 2 : 1);
  for (uint32_t first = first_, end = 0; state_.writes_edges && first < next_; first = end) {
    if (env.stop.aborting()) return false;
    row.clear();
    end = std::min((first / step + 1) * step, next_);
    for (uint32_t at = first; at < end; ++at) {
      const auto [x, y] = picture_.place(at);
      row.push_back(packets_.edges(describe_edges(picture_, x, y)));
    }
    env.view.write(state_.edges + first * record_bytes, row.data(), row.size() * record_bytes);
  }
  motion_.write(picture_, first_, nullptr, env);
  return true;
}

}  // namespace softgen::media::bsd
