// SPDX-License-Identifier: GPL-2.0-or-later
// Translates one kernel to one LLVM function. General registers are SSA values of eight dwords (or of sixteen, for two used together).
// Within a basic block a cache holds the value of each slot of the register block; between blocks values are in allocas, which mem2reg
// turns into phi nodes. The interpreter is the specification. It executes ops that have no code here, on registers written to memory for
// the call.
//
// Float results may stay "raw" in a slot: a NaN of any payload where the interpreter has the canonical one, a denormal where it has a zero.
// Arithmetic accepts raw inputs (MXCSR.DAZ reads denormals as zeros, and any NaN makes a NaN). Values are made canonical before an op
// observes their bits. RawFlow extends that over blocks; without it slots are canonical at the end of each block.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "hw/eu/jit/frame.h"
#include "hw/eu/jit/ir.h"
#include "hw/eu/jit/pairs.h"
#include "hw/eu/jit/raw_flow.h"
#include "hw/iface/untyped_row.h"

namespace softgen::eu::jit {

/// Results of one run of the emitter for the next.
struct Findings {
  RawFlow raw;
  Pairs pairs;
};

/// Two slots as one value of sixteen dwords.
constexpr std::array<int, 16> both_halves = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// Lanes of a vector that have meaning.
struct Channels {
  Value active = nullptr;  ///< mask of active channels; null: all
  unsigned first = 0, lanes = 0;
  bool operator==(const Channels&) const = default;
};

class Emitter {
 public:
  /// `lanes`: vector width, 8 or 16.
  /// `known`: findings of an earlier run, or null. `findings`: filled for a later run, or null. At most one of them is set.
  Emitter(Ir& ir, const Program& program, const FlowGraph& graph, const Variant& variant, unsigned lanes, const Findings* known,
          Findings* findings);
  /// `second`: another emitter of this kernel, whose code runs the next thread of the series interleaved with this one's
  /// (gains_from_pairing()). Null: threads run one at a time.
  void run(Emitter* second = nullptr);
  /// Number of ops that the interpreter executes.
  unsigned stepped() const { return place_.stepped; }

 private:
  struct Slot {
    Value value = nullptr;  ///< <8 x i32>; null: not known in this block
    Value alloca = nullptr;
    uint8_t raw = canonical;
    bool modified = false;       ///< the alloca is out of date
    bool in_memory = false;      ///< the register block has the same value
    uint8_t stored = canonical;  ///< raw flags of the value in the alloca
    bool entered = true;         ///< part of the value is from before the block
    uint8_t carried = raw_both;  ///< raw flags that the value has now if it had them at the block's start
    uint16_t held = 0;           ///< not 0: `value` belongs to held_[held - 1] and is valid in its channels only
  };

  // Blocks (emitter.cpp)
  void entry(Emitter* second);
  void place_slots();
  void fill_slots();
  Value at_start(unsigned s);
  Value start_address(unsigned offset);
  void block_starts(size_t n);
  void forget(size_t leader);
  void flush(size_t end);
  bool flush_slot(unsigned s, size_t end, const RawSlots& taken);
  void report_block(size_t end);
  void op(size_t n);
  void write_back();
  void leave(size_t n, Exit how);
  void leave_for(size_t n, Exit how);

  // Threads of a series (series.cpp)
  void begin_series();
  void start_thread(Value thread);
  void start_barycentrics();
  Value w_of(Value planes, Value sum);
  // Attributes of a series as doubles (series.cpp)
  bool reads_wide(size_t n) const;
  void place_wide();
  void start_wide();
  Value wide_element(unsigned offset) { return ir_.address(series_.wide[offset / 32], 2 * (offset % 32)); }
  bool is_computed(unsigned s) const { return variant_.of_planes() && s - first_barycentric < barycentric_registers; }
  void next_of_series(Emitter* second);
  void join(Emitter& first);
  void follow(size_t n);
  void finish_thread();

  // Control flow (emit_flow.cpp)
  void branch(size_t n);
  void jump(size_t n);
  void repeat(size_t n, Value again);
  void go_back(size_t n, Value taken);
  Block block_after(const Op& op) const { return blocks_[static_cast<size_t>(program_.index_at(op.next_offset))]; }
  void suspend(Value mask, int64_t offset);
  void go(size_t n, int64_t offset);
  void go_on_or_jump(size_t n);
  void stay_if_none(size_t n, Value leaving, int64_t offset);
  /// Jumps to `offset` if `condition`. The code that follows is for the other case.
  void go_if(size_t n, Value condition, int64_t offset);
  Value wait_mask(int place);
  void set_wait_mask(int place, Value mask);
  void step(size_t n);
  Value call_out(size_t n, Value mask);
  void send(size_t n);
  void send_out(size_t n, Value mask);
  void wait(size_t n);

  // Flow by mask stacks (emit_masks.cpp)
  bool mask_flow(size_t n);
  void mask_if(size_t n);
  void mask_iff(size_t n);
  void mask_else(size_t n);
  void mask_do(size_t n);
  void mask_while(size_t n);
  void mask_break(size_t n);
  void place_masks();
  void start_masks();
  void store_masks(size_t n);
  void load_masks();
  void take_running();
  Value mask_of(Value alloca) { return ir_.load(ir_.i32, alloca, 4); }
  void set_mask(Value alloca, Value mask) { ir_.store(mask, alloca, 4); }
  void clear_mask(Value alloca, Value channels);
  void push_branch(size_t n);
  void pop_branches(size_t n);
  void pop_loop(size_t n);
  Value taken(const Op& op);
  Value left_out(const Op& op);
  Value single_flow();
  void go_on_if_any(size_t n, Value stays);
  void go_on(size_t n);

  // Messages from registers of their own (message_registers.cpp)
  void move_to_message(const Op& op, Value mask);
  void math_message(size_t n, Value mask);
  void send_by_step(size_t n);

  // Messages whose memory the code reads or writes itself (rows.cpp)
  std::optional<UntypedRow> find_row(size_t n) const;
  unsigned lanes_of(const UntypedRow& row) const { return std::min(lanes_, 8 * row.each); }
  void move_row(size_t n, const UntypedRow& row, Value mask);
  Value row_is_open(size_t n, const UntypedRow& row, Value mask, Value* memory);
  std::vector<Value> row_values(unsigned first, unsigned each);
  void set_row_values(unsigned first, unsigned each, std::span<const Value> values);
  std::vector<Value> row_data(const UntypedRow& row);
  std::vector<Value> read_row(const UntypedRow& row, Value memory);
  std::vector<Value> data_of(const UntypedRow& row, const std::vector<Value>& memory);
  std::vector<Value> memory_of(const UntypedRow& row, const std::vector<Value>& data);
  void write_row(size_t n, const UntypedRow& row, const std::vector<Value>& data, Value memory);
  void end_silently(size_t n);
  Value answer_field(size_t n, uint64_t offset);
  void count_answer(size_t n);
  void count_left_out(size_t n, Value mask);
  Value window_agrees(size_t n);
  Value send_call(size_t n, Value mask);
  Value is_at(size_t clock, Value number);

  // Colours of whole rows (colors.cpp)
  using Components = std::array<unsigned, 4>;
  bool find_colors(size_t n, Components& first) const;
  void write_colors(size_t n, const Components& first, Value mask);
  Value saturated(Value floats);
  Value color_codes(Value floats);
  /// Sixteen pixels, quad by quad, in one or two vectors.
  using Square = std::vector<Value>;
  using Channels4 = std::array<std::vector<Value>, 4>;
  Value series_field(Type type, size_t offset);
  template <typename Whole, typename Row>
  void at_square(Whole&& whole, Row&& row);
  Square load_colors();
  void store_colors(const Square& words);
  Value blend_factor(Value codes, unsigned number, Value source_alpha, Value destination_alpha);
  Value blended(Value codes, const std::array<Value, 4>& colors, Value old);
  void store_coded(Value codes, const Channels4& channels);
  void store_blended(Value codes, const Channels4& channels);

  // Masks (masks.cpp)
  Value active();
  void set_active(Value v);
  Value flags();
  void set_flags(Value v);
  Value enabled_mask(const Op& op);
  /// Bit 0 is the instruction's first channel; null: all.
  Value predicate_mask(const Op& op);
  Value execution_mask(const Op& op);
  void write_flags(const Op& op, Value mask, Value values);
  bool full(const Op& op, Value mask) const;
  /// The part of `mask` for group k, as a vector; null: all lanes.
  Value lane_mask(const Op& op, Value mask, unsigned k);
  /// The part of `mask` for group k of `lanes` channels, as an integer of that many bits.
  Value lane_bits(Value mask, unsigned lanes, unsigned k);
  /// Channels per group: an operation is executed in groups.
  unsigned lanes_of(const Op& op) const;
  unsigned groups_of(const Op& op) const { return op.exec_size / lanes_of(op); }
  Value bits_of(const std::vector<Value>& compares, unsigned lanes);

  // Results that are not merged yet (held.cpp)
  struct Held {
    Value under = nullptr, where = nullptr;
    Channels channels;
    uint8_t raw = canonical;  ///< of `under`
  };
  Channels running_channels(const Op& op, unsigned k);
  bool is_held(unsigned s, const Channels& by) const;
  void hold(unsigned s, Value v, Value where, uint8_t raw, const Channels& channels);
  void merge_held(unsigned s, uint8_t live = raw_both);
  void merge_all_held(size_t end);

  // Operands (operands.cpp)
  enum class Want : uint8_t { bits, floats, selected };  ///< needs canonical values; accepts raw ones; accepts raw denormals
  Value slot(unsigned s, const Channels& by = {});
  void canonicalize(unsigned s, uint8_t flags = raw_both);
  void canonicalize_now(unsigned s, uint8_t flags);
  void canonicalize_for(unsigned s, Want want);
  bool is_first(unsigned s) const { return known_ && known_->pairs.is_first(s); }
  bool is_second(unsigned s) const { return known_ && known_->pairs.is_second(s); }
  uint8_t live_after(unsigned s) const { return known_ ? known_->raw.live_after(place_.op, s) : uint8_t{raw_both}; }
  Value canonical_value(Value v, uint8_t raw);
  void set_slot(unsigned s, Value v, uint8_t raw);
  bool untouched(unsigned s) const;
  Value pair(unsigned s, const Channels& by = {});
  void set_pair(unsigned s, Value v, uint8_t raw);
  void load_pair(unsigned s);
  bool is_pair(const Destination& d, unsigned first_lane, unsigned lanes) const;
  void store_pair(unsigned s, Value v, Value lane_bits, uint8_t raw, const Channels& channels);
  /// `by`: the channels of the result that are used.
  Value elements(const std::array<unsigned, 16>& offsets, unsigned lanes, unsigned size, Want want, uint8_t* raw, const Channels& by);
  Value scalar(unsigned offset, unsigned size, Want want, uint8_t* raw);
  /// The operand's lanes of group k, in the op's kind: <n x float>, <n x i32> or <n x i64>; modifiers applied.
  Value source(const Op& op, unsigned n, unsigned k, Want want, uint8_t* raw = nullptr);
  Value modified(Value v, const Source& s, LaneKind kind);
  Value flushed(Value floats);
  /// In ALT mode: 0 for a NaN, the largest number for infinity; else the same.
  Value alternate(Value floats);
  /// `v`: elements of the destination's size, as integers or floats.
  void store(const Op& op, unsigned k, Value v, Value mask, uint8_t raw);
  /// How the lanes of a stored value map to one slot.
  struct Placement {
    std::array<int, 32> from;  ///< by element of the slot: its lane, or -1
    unsigned elements = 0;     ///< elements of the slot
    bool identity = false;     ///< lane i is element i
    bool whole = false;        ///< every element has a lane
  };
  std::optional<Placement> placement(const Op& op, unsigned k, unsigned lane) const;
  void store_slot(const Op& op, unsigned s, const Placement& p, Value v, Value lane_bits, uint8_t state, const Channels& channels);
  Value merged(const Op& op, const Placement& p, Value old, Value fresh, Value lane_bits);
  void store_flag_register(const Op& op, Value v, Value mask);

  // Arithmetic (arithmetic.cpp, float_ops.cpp, integer_ops.cpp)
  bool native(const Op& op) const;
  bool native_source(const Op& op, unsigned n) const;
  bool native_destination(const Op& op) const;
  void work(size_t n);
  void retire(const Op& op, Value mask, std::vector<Value>& results, std::vector<uint8_t>& raws, bool with_flags);
  Value finish(const Op& op, Value v, uint8_t& raw);
  Value narrowed(const Op& op, Value v);
  Value compare(CondMod cond, Value a, Value b, bool is_float, bool with_sign);
  Value float_result(const Op& op, unsigned k, uint8_t& raw);
  Value integer_result(const Op& op, unsigned k);
  Value bit_field(const Op& op, const Value* in);
  Value clamped(const Op& op, Value v);
  void select(const Op& op, Value mask);
  Value extreme(CondMod cond, Value a, Value b);
  void compare_op(const Op& op, Value mask);
  void line(const Op& op, Value mask);
  void math(const Op& op, Value mask);
  Value math_value(MathFunction function, Value a, Value b, const Op& op, Value mask, unsigned k);
  void two_step_rounding(const Op& op, Value mask);
  void dot(const Op& op, Value mask);
  void accumulate(const Op& op, unsigned k, Value v, Value mask, uint8_t raw);
  Value inverse_root(Value x, Value counting);
  Value inverse_root_exactly(Value a);
  bool compares_signed(const Op& op) const;
  bool float_native(const Op& op) const;
  bool integer_native(const Op& op) const;

  Ir& ir_;
  const Program& program_;
  const std::span<const Op> ops_;
  const FlowGraph& graph_;
  const Variant variant_;
  const unsigned lanes_;
  const Findings* const known_;
  Findings* const findings_;

  struct {
    size_t op = 0;      ///< the op that is emitted now
    size_t leader = 0;  ///< first op of its block
    bool open = false;  ///< the block has no terminator yet
    bool reported = false;
    unsigned stepped = 0;  ///< ops so far that are calls of the interpreter
  } place_;
  std::vector<Block> blocks_;  ///< by op, for leaders
  Value regs_ = nullptr, frame_ = nullptr;
  /// For a series of threads. With two threads at a time, `after_first` is the block where the second thread's end begins, and `is_there`
  /// (of the second) whether there is a second thread.
  struct {
    Block block = nullptr;
    Value next = nullptr;  ///< alloca: where the next thread starts
    Value current = nullptr, own = nullptr, constants = nullptr, attributes = nullptr, running = nullptr;
    Block after_first = nullptr;
    Value is_there = nullptr;
    std::array<Value, barycentric_registers> barycentrics{};  ///< if they are computed
    /// Allocas: the attributes in this register as doubles, if some op reads them so; and where the attributes are from.
    std::array<Value, grf_count> wide{};
    Value wide_from = nullptr;
  } series_;
  /// Values of an inlined read: by dword, and as memory has them.
  struct ReadRow {
    std::vector<Value> data, memory;
  };
  struct {
    unsigned inlined = 0;
    std::vector<ReadRow> read;
  } rows_;
  std::array<Slot, slot_count> slots_;
  /// Slots s and s + 1 as one value; valid while they hold `low` and `high`.
  struct Wide {
    Value value = nullptr, low = nullptr, high = nullptr;
  };
  std::array<Wide, slot_count> wide_;
  std::array<Held, slot_count> held_;  ///< by first slot
  struct {
    Value dispatched = nullptr;
    Value active_alloca = nullptr, flags_alloca = nullptr;
    Value active = nullptr, flags = nullptr;  ///< null: not known in this block
    bool active_modified = false, flags_modified = false;
    std::vector<Value> wait_allocas;
    /// Allocas of what MaskStacks has, where the instruction set has it.
    struct {
      Value active = nullptr, branch = nullptr, loop = nullptr, continued = nullptr;
      std::array<Value, MaskStacks::max_depth> branches{};
      std::array<std::array<Value, 2>, MaskStacks::max_depth> loops{};
    } stacks;
  } masks_;
  Value scratch_[3] = {};          ///< eight floats each
  std::vector<unsigned> numbers_;  ///< by op: see number_sends()
};

}  // namespace softgen::eu::jit
