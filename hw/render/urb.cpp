// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/urb.h"

#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::render {
namespace {

// Message descriptor, SKL PRM vol 7, "URB Message Descriptor".
enum UrbOpcode : uint32_t { simd8_write = 7, simd8_read = 8 };
constexpr unsigned channels = 8;

/// The registers of a message, whether split or not, by number.
class Payload {
 public:
  explicit Payload(const Message& m) : first_(m.payload), second_(m.payload2) {}
  size_t size() const { return first_.size() + second_.size(); }
  const Grf& operator[](size_t i) const { return i < first_.size() ? first_[i] : second_[i - first_.size()]; }

 private:
  std::span<const Grf> first_, second_;
};

}  // namespace

uint32_t Urb::allocate(uint32_t bytes) {
  const uint32_t units = std::max(1u, (bytes + unit - 1) / unit);
  if (units > room()) return 0;
  const uint32_t handle = next_;
  next_ += units;
  memory_.resize(size_t{next_} * unit / 4);
  return handle;
}

void Urb::clear() {
  memory_.clear();
  next_ = 1;
}

std::span<uint32_t> Urb::dwords(uint32_t handle, uint64_t offset, uint32_t count) {
  const uint64_t at = uint64_t{handle & 0xffff} * (unit / 4) + offset;
  if (at >= memory_.size()) return {};
  return std::span(memory_).subspan(at, std::min<uint64_t>(count, memory_.size() - at));
}

SendResult urb_message(const Message& message, Urb& urb) {
  const uint32_t opcode = bits(message.descriptor, 3u, 0u);
  if (opcode != simd8_write && opcode != simd8_read) {
    unimplemented("URB message", "opcode {}", opcode);
    return SendResult::done;
  }
  const uint32_t global_offset = bits(message.descriptor, 14u, 4u);
  const bool masked = bit(message.descriptor, 15), per_slot = bit(message.descriptor, 17);
  const Payload payload(message);
  const size_t headers = 1 + per_slot + (masked && opcode == simd8_write);
  if (payload.size() < headers) {
    guest_error("URB message", "{} registers, {} of header", payload.size(), headers);
    return SendResult::failed;
  }
  const size_t components = opcode == simd8_write ? payload.size() - headers : message.response.size();
  for (unsigned channel = 0; channel < channels; ++channel) {
    if (!(message.exec_mask >> channel & 1)) continue;
    const uint64_t owords = global_offset + uint64_t{per_slot ? payload[1].dw[channel] : 0};
    const std::span<uint32_t> cell = urb.dwords(payload[0].dw[channel], owords * 4, static_cast<uint32_t>(components));
    if (opcode == simd8_read) {
      for (size_t c = 0; c < components; ++c) message.response[c].dw[channel] = c < cell.size() ? cell[c] : 0;
      continue;
    }
    const uint32_t mask = masked ? payload[headers - 1].dw[channel] >> 16 : ~0u;  // Channel Mask: bits [23:16]
    for (size_t c = 0; c < cell.size(); ++c)
      if (mask >> c & 1) cell[c] = payload[headers + c].dw[channel];
  }
  return SendResult::done;
}

}  // namespace softgen::render
