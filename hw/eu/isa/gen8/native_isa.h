// SPDX-License-Identifier: GPL-2.0-or-later
// An Isa of Gen8 to Gen12.0, made of its functions: isa.h says what each does. A set that differs from another in some takes the others from it.
#pragma once

#include "hw/eu/isa/codec.h"
#include "hw/eu/isa/isa.h"

namespace softgen::eu {

struct IsaFunctions {
  Instruction (*decode)(const Native& bits);
  std::optional<Instruction> (*decode_code)(std::span<const std::byte> code);
  Native (*encode)(const Instruction& instruction);
  std::optional<uint64_t> (*compact)(const Native& bits);
  Native (*uncompact)(uint64_t compacted);
  std::string (*validate)(const Instruction& instruction);

  MessageOp (*message)(unsigned sfid, uint32_t descriptor, uint32_t extended);
  uint32_t (*sent_extended_descriptor)(uint32_t extended, unsigned sfid, bool end_of_thread);
  MessageFields (*message_fields)(uint32_t descriptor);
  unsigned (*extended_message_length)(uint32_t extended);
  BarrierFields (*barrier)(const uint32_t* header);
  std::string_view (*sfid_name)(unsigned sfid);
  std::string (*message_type_name)(unsigned sfid, unsigned type);
  std::string (*describe_message)(unsigned sfid, uint32_t descriptor);
  bool (*message_is_known)(unsigned sfid, uint32_t descriptor);
};

/// The same on all of them (SKL PRM vol 7, "Register Files", "Execution Size", "Instruction Formats", "send" (EOT: g112 to g127); Mesa brw_eu_validate.c).
inline constexpr IsaLimits native_limits{.registers = 128,
                                         .register_bytes = 32,
                                         .flag_registers = 2,
                                         .max_exec_size = 32,
                                         .native_bytes = 16,
                                         .compacted_bytes = 8,
                                         .eot_register = 112,
                                         .software_scoreboard = false};

class NativeIsa final : public Isa {
 public:
  constexpr NativeIsa(std::string_view name, uint64_t cache_id, const IsaFunctions& functions, const IsaLimits& limits = native_limits)
      : name_(name), cache_id_(cache_id), functions_(functions), limits_(limits) {}

  std::string_view name() const override { return name_; }
  const IsaLimits& limits() const override { return limits_; }
  uint64_t cache_id() const override { return cache_id_; }

  Instruction decode(const Native& bits) const override { return functions_.decode(bits); }
  std::optional<Instruction> decode(std::span<const std::byte> code) const override { return functions_.decode_code(code); }
  Native encode(const Instruction& instruction) const override { return functions_.encode(instruction); }
  std::optional<uint64_t> compact(const Native& bits) const override { return functions_.compact(bits); }
  Native uncompact(uint64_t compacted) const override { return functions_.uncompact(compacted); }
  bool is_compacted(uint64_t first_word) const override { return native_form::is_compacted(first_word); }
  std::string validate(const Instruction& instruction) const override { return functions_.validate(instruction); }

  MessageOp message(unsigned sfid, uint32_t descriptor, uint32_t extended) const override {
    return functions_.message(sfid, descriptor, extended);
  }
  uint32_t sent_extended_descriptor(uint32_t extended, unsigned sfid, bool end_of_thread) const override {
    return functions_.sent_extended_descriptor(extended, sfid, end_of_thread);
  }
  MessageFields message_fields(uint32_t descriptor) const override { return functions_.message_fields(descriptor); }
  unsigned extended_message_length(uint32_t extended) const override { return functions_.extended_message_length(extended); }
  BarrierFields barrier(const uint32_t* header) const override { return functions_.barrier(header); }
  std::string_view sfid_name(unsigned sfid) const override { return functions_.sfid_name(sfid); }
  std::string message_type_name(unsigned sfid, unsigned type) const override { return functions_.message_type_name(sfid, type); }
  std::string describe_message(unsigned sfid, uint32_t descriptor) const override { return functions_.describe_message(sfid, descriptor); }
  bool message_is_known(unsigned sfid, uint32_t descriptor) const override { return functions_.message_is_known(sfid, descriptor); }

 private:
  const std::string_view name_;
  const uint64_t cache_id_;
  const IsaFunctions functions_;
  const IsaLimits limits_;
};

}  // namespace softgen::eu
