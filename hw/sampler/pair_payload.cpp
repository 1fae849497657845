// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sampler/pair_payload.h"

#include <algorithm>

#include "hw/defs/messages/headers.h"

namespace softgen::sampler {

PairPayload::PairPayload(const Message& message) : pairs_(message), op_(message.op) {
  op_.simd = 8;
  const size_t header = message.header_present() && !message.payload.empty() ? 1 : 0;
  if (header) {
    registers_[0] = message.payload[0];
    disabled_ = message_header::Sampler{registers_[0].dw}.write_channel_mask();
  }
  const size_t parameters = std::min<size_t>((message.registers() - header) * components, max_parameters);
  for (size_t p = 0; p < parameters; ++p)
    for (unsigned lane = 0; lane < vertices * quad; ++lane)
      registers_[header + p].dw[lane] = message.reg(header + p / components).dw[lane / quad * components + p % components];
  count_ = header + parameters;
}

Message PairPayload::message() {
  uint32_t lanes = 0;  // the first of a vertex's quad
  for (unsigned v = 0; v < vertices; ++v)
    if (pairs_.exec_mask >> v * components & 0xf) lanes |= 1u << v * quad;
  return {.op = op_,
          .exec_size = vertices * quad,
          .exec_mask = lanes,
          .dispatch_mask = lanes,
          .payload = {registers_.data(), count_},
          .payload2 = {},
          .response = answer_,
          .end_of_thread = pairs_.end_of_thread};
}

void PairPayload::store() const {
  if (pairs_.response.empty()) return;
  size_t reg = 0;  // components that are left out have none in SIMD8, but keep their place here (chosen)
  for (unsigned c = 0; c < components; ++c) {
    if (disabled_ >> c & 1) continue;
    for (unsigned v = 0; v < vertices; ++v)
      if (const unsigned to = v * components + c; pairs_.exec_mask >> to & 1) pairs_.response[0].dw[to] = answer_[reg].dw[v * quad];
    ++reg;
  }
}

}  // namespace softgen::sampler
