// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/gen11/isa.h"

#include "hw/eu/isa/gen11/parts.h"
#include "hw/eu/isa/gen8/native_form.h"
#include "hw/eu/isa/gen9/parts.h"

namespace softgen::eu {

namespace {

/// As Gen9's (gen11-map: registers, flags and channels are the same).
constexpr IsaLimits gen11_limits{.registers = 128,
                                 .register_bytes = 32,
                                 .flag_registers = 2,
                                 .max_exec_size = 32,
                                 .native_bytes = 16,
                                 .compacted_bytes = 8,
                                 .eot_register = 112};

/// Raised when an instruction or message is decoded or lowered in another way.
constexpr uint64_t version = 1;

class Gen11Isa final : public Isa {
 public:
  std::string_view name() const override { return "gen11"; }
  const IsaLimits& limits() const override { return gen11_limits; }
  uint64_t cache_id() const override { return uint64_t{11} << 32 | version; }

  Instruction decode(const Native& bits) const override { return gen11::decode(bits); }
  std::optional<Instruction> decode(std::span<const std::byte> code) const override { return gen11::decode(code); }
  Native encode(const Instruction& instruction) const override { return gen11::encode(instruction); }
  std::optional<uint64_t> compact(const Native& bits) const override { return gen11::compact(bits); }
  Native uncompact(uint64_t compacted) const override { return gen11::uncompact(compacted); }
  bool is_compacted(uint64_t first_word) const override { return native_form::is_compacted(first_word); }
  std::string validate(const Instruction& instruction) const override { return gen11::validate(instruction); }

  MessageOp message(unsigned sfid, uint32_t descriptor, uint32_t extended) const override {
    return gen11::decode_message(sfid, descriptor, extended);
  }
  uint32_t sent_extended_descriptor(uint32_t extended, unsigned sfid, bool end_of_thread) const override {
    return gen9::sent_extended_descriptor(extended, sfid, end_of_thread);
  }
  MessageFields message_fields(uint32_t descriptor) const override { return gen9::message_fields(descriptor); }
  unsigned extended_message_length(uint32_t extended) const override { return gen9::extended_message_length(extended); }
  std::string_view sfid_name(unsigned sfid) const override { return gen9::sfid_name(sfid); }
  std::string message_type_name(unsigned sfid, unsigned type) const override { return gen9::message_type_name(sfid, type); }
  std::string describe_message(unsigned sfid, uint32_t descriptor) const override { return gen11::describe_message(sfid, descriptor); }
  bool message_is_known(unsigned sfid, uint32_t descriptor) const override { return gen11::message_is_known(sfid, descriptor); }
};

constinit const Gen11Isa instance;

}  // namespace

const Isa& gen11_isa() { return instance; }

}  // namespace softgen::eu
