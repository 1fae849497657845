// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/jpeg/jpeg_encode_codec.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/memory/view.h"

namespace softgen::media::jpeg {
namespace {

constexpr uint8_t end_of_image = 0xd9;

}  // namespace

ExecResult JpegEncoder::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) {
    open_ = true, lacks_code_ = false;
    status_ = {}, bits_ = 0;
    coded_.begin();
    waiting_.reset();
  }
  if (packets_->is_insertion(packet)) {
    const Insertion insertion = packets_->insertion(packet);
    append(state, env, insertion.bytes);
    return waiting_ && insertion.last_header ? encode(state, env) : ExecResult::done;
  }
  start_ = packets_->start(packet);
  waiting_ = packets_->scan(packet, state);
  return waiting_ && !start_.after_header ? encode(state, env) : ExecResult::done;
}

void JpegEncoder::append(const PacketStore& state, EngineEnv& env, std::span<const uint8_t> bytes) {
  coded_.append(env.view, packets_->target(state), bytes);
}

ExecResult JpegEncoder::encode(const PacketStore& state, EngineEnv& env) {
  status_.blocks += waiting_->units;
  encoder_.begin(env.view, env.stop, *waiting_);
  waiting_.reset();
  ScanWriter& writer = encoder_.writer();
  while (encoder_.row()) {
    append(state, env, writer.bytes());
    writer.bytes().clear();
    if (env.stop.aborting()) return ExecResult::aborted;
  }
  writer.align();
  if (start_.last) writer.marker(end_of_image);
  append(state, env, writer.bytes());
  writer.bytes().clear();
  bits_ += encoder_.coefficient_bits();
  lacks_code_ |= encoder_.lacks_code();
  return ExecResult::done;
}

ExecResult JpegEncoder::close(const PacketStore& state, EngineEnv& env) {
  if (waiting_) {
    guest_error("MFC_JPEG_SCAN_OBJECT", "its headers did not come");
    if (const ExecResult result = encode(state, env); result != ExecResult::done) return result;
  }
  open_ = false;
  const uint32_t size = static_cast<uint32_t>(coded_.size());
  coded_.pad(env.view, packets_->target(state));
  packets_->report(env, size, static_cast<uint32_t>(bits_), lacks_code_, coded_.is_cut());
  return ExecResult::done;
}

}  // namespace softgen::media::jpeg
