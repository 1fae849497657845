// SPDX-License-Identifier: GPL-2.0-or-later
// Mesa brw_lower_logical_sends.cpp (lower_sampler_logical_send): each parameter begins a register, of eight channels, too. Coordinates and levels of
// loads are signed, sample numbers, MCS codes and resinfo's level are not.
#include "hw/sampler/wide_payload.h"

#include <algorithm>
#include <bit>

#include "hw/sampler/message_types.h"
#include "hw/surface/format.h"

namespace softgen::sampler {
namespace {

enum class Widening : uint8_t { floating, sign, zero };

Widening widening(MessageKind kind, char letter) {
  switch (letter) {
    case 'o':
    case 'p': return Widening::sign;
    case 's':
    case 'm':
    case 'n': return Widening::zero;
    default: break;
  }
  switch (kind) {
    case MessageKind::load:
    case MessageKind::load_sample:
    case MessageKind::load_mcs: return Widening::sign;
    case MessageKind::resinfo: return Widening::zero;
    default: return Widening::floating;
  }
}

uint32_t widened(Widening how, uint16_t value) {
  switch (how) {
    case Widening::sign: return static_cast<uint32_t>(int32_t{static_cast<int16_t>(value)});
    case Widening::zero: return value;
    default: return std::bit_cast<uint32_t>(surface::half_to_float(value));
  }
}

bool has(const defs::SamplerType& type, char letter) { return type.positions[index_of_letter[static_cast<size_t>(letter)]] != absent; }

}  // namespace

const char* WidePayload::reason(const MessageOp& op) {
  // From Gen12 on the two dwords of an MCS code are four parameters; what Gen11 does is in no source at hand.
  return has(*op.sampled, 'n') ? "MCS codes in parameters of 16 bits" : nullptr;
}

WidePayload::WidePayload(const Message& message) : narrow_(message), op_(message.op) {
  op_.half_parameters = false;
  const size_t header = message.header_present() && !message.payload.empty() ? 1 : 0;
  if (header) registers_[count_++] = message.payload[0];
  const unsigned wide = op_.simd / 8u;
  for (size_t letter = 0; letter < defs::parameter_letters.size(); ++letter) {
    const uint8_t position = op_.sampled->positions[letter];
    if (position == absent || header + position >= message.registers()) continue;
    const Widening how = widening(op_.sampled->kind, defs::parameter_letters[letter]);
    const auto from = std::bit_cast<std::array<uint16_t, 16>>(message.reg(header + position));
    for (unsigned lane = 0; lane < op_.simd; ++lane)
      registers_[header + position * wide + lane / 8].dw[lane % 8] = widened(how, from[lane]);
    count_ = std::max(count_, header + (position + 1u) * wide);
  }
}

Message WidePayload::message() const {
  Message wide{.op = op_,
               .exec_size = narrow_.exec_size,
               .exec_mask = narrow_.exec_mask,
               .dispatch_mask = narrow_.dispatch_mask,
               .payload = {registers_.data(), count_},
               .payload2 = {},
               .response = narrow_.response,
               .end_of_thread = narrow_.end_of_thread};
  return wide;
}

}  // namespace softgen::sampler
