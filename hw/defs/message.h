// SPDX-License-Identifier: GPL-2.0-or-later
// Messages to the shared functions, as the tables made of messages.def describe them. Neutral: what a generation calls by which number is known to its
// eu::Isa alone; all others read MessageOp (hw/iface/message_op.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "hw/defs/messages/ids.h"

namespace softgen::defs {

/// Parameters of a sampler message, by the letters that messages.def explains.
inline constexpr std::string_view parameter_letters = "cbluvraxXyYzZopsmnM";
inline constexpr uint8_t no_parameter = 0xff;

/// Where each parameter of a sampler message type stands in its payload, counted in parameters.
struct SamplerType {
  MessageKind kind;
  bool zero_lod = false;  ///< LOD is 0 without a parameter that says so
  std::array<uint8_t, parameter_letters.size()> positions{};

  constexpr SamplerType(MessageKind of, bool zero, std::string_view parameters) : kind(of), zero_lod(zero) {
    for (size_t i = 0; i < positions.size(); ++i) {
      const size_t at = parameters.find(parameter_letters[i]);
      positions[i] = at == std::string_view::npos ? no_parameter : static_cast<uint8_t>(at);
    }
  }
};

/// One type of message of a function. `fields`: the generation's enumeration of field structs.
template <typename Fields>
struct MessageType {
  std::string_view text;  ///< as disassemblers print it; empty: reserved
  MessageKind kind = MessageKind::unimplemented;
  Fields fields{};
  uint8_t code = 0;  ///< the first that means this type
  bool simd4x2 = false;
  const SamplerType* sampler = nullptr;
  MessageKind media_kind = MessageKind::unimplemented;  ///< of the sampler's code in mode SIMD32/64, which has other messages
};

/// One shared function. `types` by code; empty: it has no types.
template <typename Fields>
struct MessageFunction {
  Sfid sfid = Sfid::null;
  std::string_view text;      ///< empty: the SFID is reserved
  uint8_t high = 0, low = 0;  ///< the descriptor's type field
  std::span<const MessageType<Fields>> types;

  constexpr uint32_t code_of(uint32_t descriptor) const { return descriptor >> low & ((2u << (high - low)) - 1); }
  /// Null: a reserved code, or the function has no types.
  constexpr const MessageType<Fields>* type_of(uint32_t code) const {
    return code < types.size() && !types[code].text.empty() ? &types[code] : nullptr;
  }
};

}  // namespace softgen::defs
