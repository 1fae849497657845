// SPDX-License-Identifier: GPL-2.0-or-later
// A second instruction set for tests: gen9's under another name and id.
#pragma once

#include "hw/eu/isa/gen9/isa.h"

namespace softgen::eu::test {

class OtherIsa final : public Isa {
 public:
  std::string_view name() const override { return "other"; }
  const IsaLimits& limits() const override { return gen9_isa().limits(); }
  uint64_t cache_id() const override { return gen9_isa().cache_id() + 1; }

  Instruction decode(const Native& bits) const override { return gen9_isa().decode(bits); }
  std::optional<Instruction> decode(std::span<const std::byte> code) const override { return gen9_isa().decode(code); }
  Native encode(const Instruction& instruction) const override { return gen9_isa().encode(instruction); }
  std::optional<uint64_t> compact(const Native& bits) const override { return gen9_isa().compact(bits); }
  Native uncompact(uint64_t compacted) const override { return gen9_isa().uncompact(compacted); }
  bool is_compacted(uint64_t first_word) const override { return gen9_isa().is_compacted(first_word); }
  std::string validate(const Instruction& instruction) const override { return gen9_isa().validate(instruction); }
  MessageOp message(unsigned sfid, uint32_t descriptor, uint32_t extended) const override {
    return gen9_isa().message(sfid, descriptor, extended);
  }
  uint32_t sent_extended_descriptor(uint32_t extended, unsigned sfid, bool end_of_thread) const override {
    return gen9_isa().sent_extended_descriptor(extended, sfid, end_of_thread);
  }
  MessageFields message_fields(uint32_t descriptor) const override { return gen9_isa().message_fields(descriptor); }
  unsigned extended_message_length(uint32_t extended) const override { return gen9_isa().extended_message_length(extended); }
  BarrierFields barrier(const uint32_t* header) const override { return gen9_isa().barrier(header); }
  std::string_view sfid_name(unsigned sfid) const override { return gen9_isa().sfid_name(sfid); }
  std::string message_type_name(unsigned sfid, unsigned type) const override { return gen9_isa().message_type_name(sfid, type); }
  std::string describe_message(unsigned sfid, uint32_t descriptor) const override { return gen9_isa().describe_message(sfid, descriptor); }
  bool message_is_known(unsigned sfid, uint32_t descriptor) const override { return gen9_isa().message_is_known(sfid, descriptor); }
};

inline const OtherIsa other_isa;

}  // namespace softgen::eu::test
