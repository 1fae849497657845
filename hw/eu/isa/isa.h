// SPDX-License-Identifier: GPL-2.0-or-later
// An instruction set of the EUs: what its bits mean. Everything that decodes, encodes, checks or prints instructions or messages is given one by its
// owner; gt chooses it for a platform. What is decoded (Instruction, MessageOp) is the same for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hw/eu/isa/instruction.h"
#include "hw/iface/message_op.h"

namespace softgen::eu {

struct IsaLimits {
  unsigned registers;              ///< general registers per thread
  unsigned register_bytes;         ///< of one of them
  unsigned flag_registers;         ///< of 32 bits
  unsigned max_exec_size;          ///< channels of one instruction
  unsigned native_bytes;           ///< of the longer form of an instruction
  unsigned compacted_bytes;        ///< of the shorter form; all instructions are aligned to it
  unsigned eot_register;           ///< first register that a message which ends its thread may take its payload from
  bool software_scoreboard;        ///< instructions say what they wait for (scoreboard.h)
  unsigned message_registers = 0;  ///< that messages are sent from, as registers from `registers` on; 0: payloads are general registers
  /// Channels are switched by masks, which flow instructions push and pop (program/mask_stacks.h); else they wait where they join.
  bool mask_stacks = false;
  /// add and what follows it in opcodes.inc write their result to the accumulator, too.
  bool accumulates_always = false;
  /// dp2 to dph take integers, too (i965-va-driver's IDCT: dp4 of W and D to D).
  bool integer_dots = false;
  /// Integer and float sources may stand together, and are floats then.
  bool mixes_floats = false;
  /// rndu, rnde and rndz round down, and set a flag (condition .r) where 1 is to be added.
  bool rounds_in_two_steps = false;
  /// and, or, xor and not take their sources with sign and magnitude changed, as arithmetic does; else `negate` inverts their bits.
  bool logic_negates = false;
  /// Of products of dwords, mul takes src0's low word and mach its high one; else src1's.
  bool splits_first_factor = false;
  /// shr of a signed value fills with its sign, as asr does: i965-va-driver's IDCT (shaders/mpeg2/vld/idct.g4i) ends with it, and its residuals are signed.
  bool shr_keeps_sign = false;
  /// Drivers write whole kernels of vectors for it (align16): predicates by component and dot products are worth code of their own (hw/eu/jit).
  bool vector_kernels = false;
};

/// Whether operands of the opcode may have the type; `letters`: of the row, its destination's or sources'.
inline bool takes(const IsaLimits& limits, const OpcodeInfo& row, std::string_view letters, RegType type) {
  const bool dots = row.opcode >= Opcode::dp4 && row.opcode <= Opcode::dp2;
  return allows(letters, type) || (limits.integer_dots && dots && allows("BWD", type));
}

/// Fields that all message descriptors have; lengths in registers.
struct MessageFields {
  bool header;
  unsigned response_length, length;
};

/// What a barrier message's header says.
struct BarrierFields {
  unsigned id;     ///< below barrier_ids
  unsigned count;  ///< threads to wait for; 0: all of the group
};
constexpr unsigned barrier_ids = 16;

/// Immutable; there is one object for each, for as long as the process lives. Any thread.
class Isa {
 public:
  virtual std::string_view name() const = 0;
  virtual const IsaLimits& limits() const = 0;
  /// In the key of each cache of what was made from instructions. It tells instruction sets apart, and versions of decode(), message() and lowering
  /// where a cache outlives the build (the cache on disk also has the identity of our binary in its key).
  virtual uint64_t cache_id() const = 0;

  // -- instructions --------------------------------------------------------------------------------------------------------------
  /// Never fails: what the hardware reserves comes out as RegType::invalid or an opcode without a row; validate() names it.
  virtual Instruction decode(const Native& bits) const = 0;
  /// The instruction at the start of `code`, native or compacted; its size() says how far to go. Empty when `code` is too short.
  virtual std::optional<Instruction> decode(std::span<const std::byte> code) const = 0;
  /// The native form. Fields the instruction's form does not have are zero. decode(encode(i)) == i for every valid i.
  virtual Native encode(const Instruction& instruction) const = 0;
  /// The 64-bit form, when the instruction has one.
  virtual std::optional<uint64_t> compact(const Native& bits) const = 0;
  virtual Native uncompact(uint64_t compacted) const = 0;
  /// Whether the instruction that begins with this qword is compacted.
  virtual bool is_compacted(uint64_t first_word) const = 0;
  /// Empty when the hardware executes this; else the first rule it breaks, as one sentence.
  virtual std::string validate(const Instruction& instruction) const = 0;

  // -- messages ------------------------------------------------------------------------------------------------------------------
  /// What the descriptors ask; of a reserved code or SFID too, whose kind says so.
  virtual MessageOp message(unsigned sfid, uint32_t descriptor, uint32_t extended = 0) const = 0;
  /// The extended descriptor as the shared function gets it: `extended` of the instruction or a0, and what the instruction says elsewhere.
  virtual uint32_t sent_extended_descriptor(uint32_t extended, unsigned sfid, bool end_of_thread) const = 0;
  virtual MessageFields message_fields(uint32_t descriptor) const = 0;
  /// Registers of a split send's second payload.
  virtual unsigned extended_message_length(uint32_t extended) const = 0;
  /// `header`: the eight dwords of the message's first register.
  virtual BarrierFields barrier(const uint32_t* header) const = 0;
  /// "sampler", "render", …; empty: reserved.
  virtual std::string_view sfid_name(unsigned sfid) const = 0;
  /// The name of MessageOp::type, such as "sample_l", "RT write".
  virtual std::string message_type_name(unsigned sfid, unsigned type) const = 0;
  /// The function in words, such as "sample_l SIMD8 Surface = 1 Sampler = 0". Unknown codes are said to be unknown.
  virtual std::string describe_message(unsigned sfid, uint32_t descriptor) const = 0;
  /// False when describe_message() found a reserved code.
  virtual bool message_is_known(unsigned sfid, uint32_t descriptor) const = 0;

 protected:
  constexpr Isa() = default;
  ~Isa() = default;
};

/// All that this build knows.
std::span<const Isa* const> isas();
/// Null: none has that name, or that id.
const Isa* find_isa(std::string_view name);
const Isa* find_isa(uint64_t cache_id);

}  // namespace softgen::eu
