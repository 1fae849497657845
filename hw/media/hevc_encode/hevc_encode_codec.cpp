// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc_encode/hevc_encode_codec.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/memory/view.h"

namespace softgen::media::hevc {

void HevcEncoder::begin(const PacketStore& state, EngineEnv& env) {
  open_ = true, in_slice_ = false;
  report_ = {};
  status_ = {};
  picture_ = packets_->picture(state);
  if (!picture_) return;
  stream_.begin(packets_->target(state));
  references_.begin();
  info_.begin(picture_->parameters);
  const unsigned bytes = picture_->luma.element;
  std::unique_ptr<PictureSamples>& samples = samples_[bytes - 1];
  if (!samples) samples = make_picture_samples(bytes);
  samples->begin(info_, references_.maps());
  source_.open(env.view, env.stop, picture_->source, picture_->source_base, picture_->parameters.luma_bits);
  loaded_.assign(info_.ctb_rows(), false);
  slices_.set_input({.source = &source_, .quantizer = &picture_->quantizer, .samples = samples.get()});
}

ExecResult HevcEncoder::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) begin(state, env);
  if (!picture_) return ExecResult::done;
  if (packets_->is_insertion(packet)) {
    end_slice(env);
    insert(packets_->insertion(packet), env);
  } else {
    source_.refresh(env.view, env.stop);
    references_.refresh(env);
    code(packet, state, env);
  }
  return env.stop.aborting() ? ExecResult::aborted : ExecResult::done;
}

void HevcEncoder::insert(const HeaderBits& header, EngineEnv& env) {
  for (size_t i = 0; i < header.bytes.size(); ++i) stream_.bits().put(header.bytes[i] >> (8 - header.bits_of(i)), header.bits_of(i));
  const uint32_t written = stream_.flush(env.view, header.protect, header.skipped);
  if (header.is_counted) report_.bytes += written;
}

bool HevcEncoder::begin_slice(const PacketStore& state, EngineEnv& env) {
  slice_ = packets_->slice(state, *picture_);
  protects_ = packets_->protects_slice_data(state);
  references_.open(*picture_, slice_, env);
  if (avc::GolombWriter& bits = stream_.bits(); !bits.is_aligned()) {
    // byte_alignment() of 7.3.2.12: a header of whole bytes has it.
    bits.flag(true), bits.align(false);
    report_.bytes += stream_.flush(env.view, protects_);
  }
  const std::span<const StoredMotion> collocated = references_.collocated(*picture_, slice_, info_.stored_motions.size(), env);
  if (!slices_.begin(slice_, collocated, stream_.bits())) {
    guest_error("HCP_SLICE_STATE", "slice from CTB {} of {}", slice_.first_ctb, info_.ctb_count());
    return false;
  }
  if (slice_.sao_luma || slice_.sao_chroma) unimplemented("HCP_SLICE_STATE", "encode: sample adaptive offset");
  next_ctb_ = slice_.first_ctb;
  in_slice_ = true;
  return true;
}

void HevcEncoder::end_slice(EngineEnv& env) {
  if (!in_slice_) return;
  in_slice_ = false;
  slices_.end();
  report_.slice_bits += static_cast<uint32_t>(stream_.bits().bytes().size() * 8);
  const uint32_t written = stream_.flush(env.view, protects_);
  report_.bytes += written, report_.slice_bytes += written;
  report_.qp += slices_.qp_sum();
}

void HevcEncoder::code(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  TreeRecord tree = packets_->tree(packet);
  if (!in_slice_ && !begin_slice(state, env)) return;
  const uint32_t ctb =
      tree.x < info_.ctb_columns() && tree.y < info_.ctb_rows() ? tree.y * info_.ctb_columns() + tree.x : info_.ctb_count();
  if (ctb != next_ctb_ || ctb == info_.ctb_count())
    return guest_error("HCP_PAK_OBJECT", "CTB {}, {}, not CTB {} of {}", tree.x, tree.y, next_ctb_, info_.ctb_count());
  packets_->read_units(packet, state, picture_->parameters, env, tree);
  const unsigned log2 = picture_->parameters.log2_ctb;
  if (!loaded_[tree.y]) source_.load(tree.y << log2, 1u << log2);
  loaded_[tree.y] = true;
  if (!slices_.encode(ctb, tree)) guest_error("HCP_PAK_OBJECT", "CTB {}: {} coding units are too few", ctb, tree.units.size());
  next_ctb_ = info_.next_ctb(ctb);
  if (tree.is_last || next_ctb_ == info_.ctb_count()) end_slice(env);
}

ExecResult HevcEncoder::close(const PacketStore& /*state*/, EngineEnv& env) {
  if (!open_) return ExecResult::done;
  if (!picture_) {
    open_ = false;
    return ExecResult::done;
  }
  end_slice(env);
  PictureMap target;
  target.open(env.view, env.stop, {picture_->luma, picture_->chroma}, picture_->luma.base, Access::write);
  const std::optional<uint32_t> concealed = samples_[picture_->luma.element - 1u]->finish(&target, false, pool_, env.stop);
  if (!concealed) return ExecResult::aborted;
  status_.blocks = info_.ctb_count(), status_.concealed_blocks = *concealed;
  if (*concealed) guest_error("HCP_PAK_OBJECT", "{} of {} CTBs are missing", *concealed, info_.ctb_count());
  if (picture_->motion) env.view.write(picture_->motion, info_.stored_motions.data(), info_.stored_motions.size() * sizeof(StoredMotion));
  stream_.pad(env.view);
  report_.is_cut = stream_.is_cut();
  packets_->report(env, report_);
  open_ = false;
  return ExecResult::done;
}

}  // namespace softgen::media::hevc
