// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/jpeg/jpeg_encode_codec.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/memory/view.h"

namespace softgen::media::jpeg {
namespace {

constexpr uint8_t end_of_image = 0xd9;
constexpr uint64_t line_bytes = 64;

}  // namespace

ExecResult JpegEncoder::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) {
    open_ = true, is_cut_ = lacks_code_ = false;
    size_ = bits_ = 0;
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
  const Indirect target = packets_->target(state);
  const uint64_t at = target.address + size_;
  const uint64_t room = target.bound ? target.bound - std::min(at, target.bound) : ~uint64_t{0};
  const uint64_t written = std::min<uint64_t>(bytes.size(), room);
  is_cut_ |= written < bytes.size();
  env.view.write(at, bytes.data(), written);
  size_ += written;
}

ExecResult JpegEncoder::encode(const PacketStore& state, EngineEnv& env) {
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

// i965-va-driver finds a picture's end by the first EOI in the buffer, so old bytes must not follow directly.
ExecResult JpegEncoder::close(const PacketStore& state, EngineEnv& env) {
  if (waiting_) {
    guest_error("MFC_JPEG_SCAN_OBJECT", "its headers did not come");
    if (const ExecResult result = encode(state, env); result != ExecResult::done) return result;
  }
  open_ = false;
  const uint64_t size = size_;
  const std::array<uint8_t, line_bytes> zeros{};
  append(state, env, std::span(zeros).first((line_bytes - size % line_bytes) % line_bytes));
  packets_->report(env, static_cast<uint32_t>(size), static_cast<uint32_t>(bits_), lacks_code_, is_cut_);
  return ExecResult::done;
}

}  // namespace softgen::media::jpeg
