// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/vme/vme.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/vme/messages.h"

namespace softgen::vme {
namespace {

constexpr unsigned min_response = 7;

/// Registers of the payload: M0 to M3, and what the message has besides.
unsigned payload_size(const Message& message) {
  constexpr unsigned common = 4, path = 2, record = 2, dual = 7;
  if (message.op.kind != MessageKind::vme_integer) return common + 4;
  const unsigned records = message.op.streams & 2 ? (Request(message).search_control == dual ? 2 : 1) : 0;
  return common + path + records * record;
}

}  // namespace

void answer(const Message& message, ThreadEnv& env) {
  std::fill(message.response.begin(), message.response.end(), Grf{});
  const MessageKind kind = message.op.kind;
  if (kind != MessageKind::vme_integer && kind != MessageKind::vme_fraction && kind != MessageKind::vme_skip_intra)
    return unimplemented("VME message", "SFID {}, type {}", static_cast<unsigned>(message.op.sfid), message.op.type);
  if (message.registers() < payload_size(message) || message.response.size() < min_response)
    return guest_error("VME message", "{} registers, answer of {}", message.registers(), message.response.size());
  const Request request(message);
  if (request.missing) return unimplemented(request.missing);
  Pictures pictures(message, request, env);
  if (!pictures.source().is_there()) return guest_error("VME message", "no source at binding table index {}", message.op.binding.index);
  Block source;
  pictures.source().fetch(env.view, request.source_x, request.source_y, block_size, block_size, source.data(), block_size);
  Reply reply;
  if (kind == MessageKind::vme_integer) search(message, request, pictures, source, env, reply);
  else if (kind == MessageKind::vme_fraction) refine(message, request, pictures, source, env, reply);
  else check(message, request, pictures, source, env, reply);
  reply.write(message.response);
}

}  // namespace softgen::vme
