// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/gen9/isa.h"

#include "hw/eu/isa/gen8/native_form.h"
#include "hw/eu/isa/gen9/parts.h"

namespace softgen::eu {

namespace {

/// SKL PRM vol 7, "Register Files", "Execution Size", "Instruction Formats", "send" (EOT: g112 to g127).
constexpr IsaLimits gen9_limits{.registers = 128,
                                .register_bytes = 32,
                                .flag_registers = 2,
                                .max_exec_size = 32,
                                .native_bytes = 16,
                                .compacted_bytes = 8,
                                .eot_register = 112};

/// Raised when an instruction or message is decoded or lowered in another way.
constexpr uint64_t version = 1;

class Gen9Isa final : public Isa {
 public:
  std::string_view name() const override { return "gen9"; }
  const IsaLimits& limits() const override { return gen9_limits; }
  uint64_t cache_id() const override { return uint64_t{9} << 32 | version; }

  Instruction decode(const Native& bits) const override { return gen9::decode(bits); }
  std::optional<Instruction> decode(std::span<const std::byte> code) const override { return gen9::decode(code); }
  Native encode(const Instruction& instruction) const override { return gen9::encode(instruction); }
  std::optional<uint64_t> compact(const Native& bits) const override { return gen9::compact(bits); }
  Native uncompact(uint64_t compacted) const override { return gen9::uncompact(compacted); }
  bool is_compacted(uint64_t first_word) const override { return native_form::is_compacted(first_word); }
  std::string validate(const Instruction& instruction) const override { return gen9::validate(instruction); }

  MessageOp message(unsigned sfid, uint32_t descriptor, uint32_t extended) const override {
    return gen9::decode_message(sfid, descriptor, extended);
  }
  uint32_t sent_extended_descriptor(uint32_t extended, unsigned sfid, bool end_of_thread) const override {
    return gen9::sent_extended_descriptor(extended, sfid, end_of_thread);
  }
  MessageFields message_fields(uint32_t descriptor) const override { return gen9::message_fields(descriptor); }
  unsigned extended_message_length(uint32_t extended) const override { return gen9::extended_message_length(extended); }
  std::string_view sfid_name(unsigned sfid) const override { return gen9::sfid_name(sfid); }
  std::string message_type_name(unsigned sfid, unsigned type) const override { return gen9::message_type_name(sfid, type); }
  std::string describe_message(unsigned sfid, uint32_t descriptor) const override { return gen9::describe_message(sfid, descriptor); }
  bool message_is_known(unsigned sfid, uint32_t descriptor) const override { return gen9::message_is_known(sfid, descriptor); }
};

constinit const Gen9Isa instance;

}  // namespace

const Isa& gen9_isa() { return instance; }

}  // namespace softgen::eu
