// SPDX-License-Identifier: GPL-2.0-or-later
// The interpreter's form of an instruction: what can be known before the thread runs is worked out once.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory_resource>

#include "hw/eu/isa/isa.h"
#include "hw/eu/program/lanes.h"
#include "hw/eu/program/registers.h"
#include "hw/iface/message_op.h"

namespace softgen::eu {

class Thread;
struct Op;

/// Elements stay where they are.
using OffsetPool = std::pmr::deque<Offsets>;
using LanesPool = std::pmr::deque<Lanes>;

enum class Fetch : uint8_t {
  none,         ///< null: reads zero
  immediate,    ///< lanes in Source::constant
  contiguous,   ///< elements follow one another
  scalar,       ///< all channels read one element
  offsets,      ///< any fixed pattern: strides, align16 swizzles, ARFs
  indirect,     ///< one address, then a fixed pattern
  indirect_vx,  ///< an address for each row (Vx1, VxH)
};

struct Source {
  Fetch fetch = Fetch::none;
  RegType type = RegType::ud;
  bool negate = false, abs = false, bit_not = false;
  uint16_t base = 0;  ///< contiguous, scalar
  const Offsets* offsets = nullptr;
  uint8_t addr_subreg = 0, row = 1;
  int16_t addr_imm = 0;
  uint64_t constant = 0;         ///< immediate bits
  uint8_t step = 1;              ///< packed integer vectors: elements from channel to channel
  bool in_place = false;         ///< lanes of the kind lie in the registers as they are
  bool splat = false;            ///< scalar of four bytes, same kind
  const Lanes* lanes = nullptr;  ///< immediates: all lanes, made once
  void (*load)(const Registers&, const Source&, unsigned count, Lanes&) = nullptr;
};

enum class Place : uint8_t { none, contiguous, offsets, indirect };

struct Destination {
  Place place = Place::none;
  RegType type = RegType::ud;
  uint16_t base = 0;
  const Offsets* offsets = nullptr;
  uint8_t addr_subreg = 0, row = 32;  ///< channels of one address; those that follow have the next one
  int16_t addr_imm = 0;
  uint32_t channels = 0xffffffff;  ///< align16 write mask, by channel
  void (*store)(Registers&, const Destination&, unsigned count, uint32_t mask, const Lanes&) = nullptr;
};

/// cr0.0 in the form that the operations use.
struct FloatMode {
  bool flush_f16 = true, flush_f32 = true, flush_f64 = true, alt = false;
  Rounding rounding = Rounding::nearest_even;
};

/// Turns result lanes into what the destination holds: saturates, rounds, wraps. `overflow`: channels whose value did not fit.
using Finish = void (*)(Lanes& lanes, const Op& op, const FloatMode& mode, uint32_t* overflow);

enum class Next : uint8_t { advance, jumped, finished, blocked, failed, paused };

struct RunState;
using Execute = Next (*)(Thread& thread, const Op& op, RunState& state);

/// What the instruction's control fields say: its channels, its predicate, its effects other than the result.
struct OpControls {
  uint8_t exec_size = 1, groups = 1;  ///< channels; of eight at a time
  uint8_t shift = 0;                  ///< first channel
  uint8_t cond = 0;                   ///< CondMod
  uint8_t pred = 0;                   ///< predicate control
  bool align16 = false, pred_invert = false, no_mask = false, saturate = false, acc_write = false;
  uint8_t flag_bit = 0;     ///< of channel 0 of the dispatch
  uint32_t lanes_mask = 1;  ///< exec_size ones
};

/// What follows from the instruction and its place in the kernel.
struct OpTraits {
  bool reads_dynamic = false;   ///< a source is ip, tm0 or ce0
  bool writes_control = false;  ///< the destination is cr0
  bool to_accumulator = false;  ///< the destination is acc0 or acc1
  bool flush = false;           ///< float arithmetic: denormal sources are flushed where the mode says
  bool joins = false;           ///< some branch leads here
  bool store_32 = false;        ///< result lanes are the destination's dwords
  bool finish_f32 = false;      ///< finish is flushing or saturating F
  bool straight = false;        ///< the kernel may write into the registers
  bool splits_first = false;    ///< mul: src0's low word alone takes part; mach: its high one joins
  bool flag_halves = false;     ///< predicates anyv and allv take both halves of one flag register
  bool writes_masks = false;    ///< the destination is a channel mask (mask_stacks.h)
  bool of_vectors = false;      ///< see IsaLimits::vector_kernels
};

struct Op : OpControls, OpTraits {
  Execute execute = nullptr;
  Opcode opcode = Opcode::illegal;
  uint8_t sources = 0;
  uint8_t second_length = 0;      ///< split sends: registers of the second payload, as the instruction says
  uint8_t message_registers = 0;  ///< sends: that the payload is in, after the general ones; 0: it is in those
  uint8_t shift_mask = 0;         ///< shifts: bits of the count that count
  LaneKind kind = LaneKind::i32;
  LaneKind result = LaneKind::i32;           ///< after finish
  uint32_t offset = 0, next_offset = 0;      ///< bytes from the program's start
  int64_t jip_offset = -1, uip_offset = -1;  ///< where branches lead, from the program's start
  Kernel kernel = nullptr;
  const CompareKernel* compare = nullptr;  ///< row of comparisons for `kind` (cmp, sel) or of `result` (cond mods)
  const CompareKernel* flag_compare = nullptr;
  Finish finish = nullptr;
  Source src[3];
  Destination dst;
  const Instruction* instruction = nullptr;
  const MessageOp* message = nullptr;  ///< sends: what the instruction says of it; null: the descriptor is in a register
};

/// Fills in everything but the branch indices. `pool` keeps the offset tables.
class OpBuilder {
 public:
  /// `accumulates`: what the result's copy in the accumulator, which some sets' instructions always make, may be read for.
  OpBuilder(const IsaLimits& limits, const Instruction& instruction, bool accumulates, OffsetPool& pool, LanesPool& constants)
      : limits_(limits), i_(instruction), accumulates_(accumulates), pool_(pool), constants_(constants) {}
  Op build(uint32_t offset);

 private:
  void controls(uint32_t offset);
  void source(unsigned n);
  void region(Source& s, const Operand& o);
  void destination();
  void choose();
  void choose_special();
  void choose_mov();
  void choose_sel();
  bool is_align1_macro() const;
  void choose_csel();
  void choose_cmp();
  void choose_logic(KernelOp op);
  void choose_shift();
  void choose_arithmetic(KernelOp op);
  void choose_exact();
  void choose_float(KernelOp op);
  void choose_rounding(KernelOp op);
  LaneKind wrapping_kind() const;
  void use(KernelOp op);
  void raw_types(bool with_destination);
  void attach();
  const Offsets* keep(const Offsets& offsets);
  bool float_sources() const;
  bool any_source(RegType type) const;
  bool touches_accumulator() const;
  bool modified() const;

  void message_operands();
  void choose_to_ip();
  bool choose_mask_flow();

  const IsaLimits& limits_;
  const Instruction& i_;
  const bool accumulates_;
  OffsetPool& pool_;
  LanesPool& constants_;
  Op op_;
};

}  // namespace softgen::eu
