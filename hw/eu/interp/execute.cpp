// SPDX-License-Identifier: GPL-2.0-or-later
// Channel masks, flags, and the instructions that are one kernel between loads and a store.
#include "hw/eu/interp/execute.h"

#include <cfenv>
#include <cmath>
#include <cstring>

#include "hw/base/log.h"
#include "hw/eu/interp/access.h"
#include "hw/eu/interp/float_math.h"

namespace softgen::eu {

namespace {

uint64_t flags_of(const Registers& regs) { return regs.flag[0] | static_cast<uint64_t>(regs.flag[1]) << 32; }

/// For each channel, whether any (all) of its aligned group of `size` flag bits is set.
uint32_t grouped(uint32_t flags, unsigned size, bool all) {
  uint32_t result = 0;
  const uint32_t ones = size == 32 ? 0xffffffffu : (1u << size) - 1;
  for (unsigned first = 0; first < 32; first += size) {
    const uint32_t group = flags >> first & ones;
    if (all ? group == ones : group != 0) result |= ones << first;
  }
  return result;
}

/// Align16 .x .y .z .w: each group of four channels uses one of its flag bits.
uint32_t replicated(uint32_t flags, unsigned component) {
  const uint32_t picked = flags >> component & 0x11111111u;
  return picked * 15;
}

}  // namespace

FloatMode float_mode(const Registers& regs) {
  const uint32_t c = regs.control[0];
  return {!(c & cr0::denorm_f16), !(c & cr0::denorm_f32), !(c & cr0::denorm_f64), (c & cr0::alt_mode) != 0,
          static_cast<Rounding>((c & cr0::rounding_mask) >> cr0::rounding_shift)};
}

uint32_t enabled_mask(const Thread& thread, const Op& op) { return op.no_mask ? op.lanes_mask : thread.active >> op.shift & op.lanes_mask; }

uint32_t predicate_mask(const Thread& thread, const Op& op) {
  if (!op.pred) return 0xffffffffu;
  const uint64_t flags = flags_of(thread.regs);
  const auto word = static_cast<uint32_t>(flags >> op.flag_bit);
  uint32_t mask = word;
  if (op.align16) {
    if (op.pred >= 2 && op.pred <= 5) mask = replicated(word, op.pred - 2u);
    if (op.pred == 6 || op.pred == 7) mask = grouped(word, 4, op.pred == 7);
  } else if (op.pred == 2 || op.pred == 3) {
    // anyv, allv: the same channel of f0 and f1.
    const uint32_t* const flag = thread.regs.flag;
    const uint32_t a = op.flag_halves ? flag[0] & 0xffff : flag[0] >> (op.flag_bit & 16);
    const uint32_t b = op.flag_halves ? flag[0] >> 16 : flag[1] >> (op.flag_bit & 16);
    mask = op.pred == 2 ? a | b : a & b;
  } else if (op.pred >= 4 && op.pred <= 13) {
    mask = grouped(word, 2u << (op.pred - 4) / 2, op.pred & 1);
  }
  if (op.pred_invert) mask = ~mask;
  return mask >> op.shift;
}

uint32_t execution_mask(const Thread& thread, const Op& op) { return enabled_mask(thread, op) & predicate_mask(thread, op); }

void write_flags(Thread& thread, const Op& op, uint32_t mask, uint32_t values) {
  const unsigned first = op.flag_bit + op.shift;
  uint64_t flags = flags_of(thread.regs);
  const uint64_t where = first < 64 ? static_cast<uint64_t>(mask) << first : 0;
  flags = (flags & ~where) | (first < 64 ? static_cast<uint64_t>(values & mask) << first : 0);
  thread.regs.flag[0] = static_cast<uint32_t>(flags);
  thread.regs.flag[1] = static_cast<uint32_t>(flags >> 32);
}

void load_source(const Thread& thread, const Op& op, unsigned n, const FloatMode& mode, Lanes& lanes) {
  const Source& s = op.src[n];
  const unsigned count = op.groups * 8u;
  s.load(thread.regs, s, count, lanes);
  if (s.negate || s.abs || s.bit_not) apply_modifiers(lanes, s, op.kind, count);
  if (op.flush) flush_sources(lanes, s.type, op.kind, mode, count);
}

const void* operand(const Thread& thread, const Op& op, unsigned n, const FloatMode& mode, Lanes& lanes) {
  const Source& s = op.src[n];
  const void* at;
  if (s.in_place) {
    at = thread.regs.bytes() + s.base;
  } else if (s.lanes) {
    at = s.lanes;
  } else if (s.splat) {
    uint32_t value;
    std::memcpy(&value, thread.regs.bytes() + s.base, 4);
    for (unsigned k = 0; k < op.groups * 8u; k++) lanes.u[k] = value;
    at = &lanes;
  } else {
    load_source(thread, op, n, mode, lanes);
    return &lanes;
  }
  if (!op.flush || !(mode.alt || flushes(s.type, mode))) return at;
  if (op.kind == LaneKind::f32 && !mode.alt && s.type == RegType::f) {
    kernels().flush_f32(&lanes, at, op.groups);
  } else {
    if (at != &lanes) std::memcpy(&lanes, at, op.groups * 8u * (op.kind == LaneKind::f64 || op.kind == LaneKind::i64 ? 8 : 4));
    flush_sources(lanes, s.type, op.kind, mode, op.groups * 8u);
  }
  return &lanes;
}

namespace {

const Lanes zero_lanes{};

uint32_t condition_bits(const Op& op, const void* lanes, uint32_t overflow) {
  const auto compare = [&](CompareOp c) { return op.flag_compare[static_cast<unsigned>(c)](lanes, &zero_lanes, op.groups); };
  switch (static_cast<CondMod>(op.cond)) {
    case CondMod::z: return compare(CompareOp::eq);
    case CondMod::nz: return compare(CompareOp::ne);
    case CondMod::g: return compare(CompareOp::gt);
    case CondMod::ge: return compare(CompareOp::ge);
    case CondMod::l: return compare(CompareOp::lt);
    case CondMod::le: return compare(CompareOp::le);
    case CondMod::u: return compare(CompareOp::unordered);
    case CondMod::o: return overflow | compare(CompareOp::overflow);
    case CondMod::r:
    case CondMod::none: break;
  }
  return 0;
}

/// AccWrEn: the result goes to the accumulator too, in the destination's type. Floats of the upper channels of eight use acc1; the
/// integer accumulator has one set (Mesa brw_fs.cpp, lower_mulh_inst, on quarter control and implicit accumulators).
void write_accumulator(Thread& thread, const Op& op, uint32_t mask, const Lanes& lanes) {
  Destination acc;
  acc.type = op.dst.type;
  acc.place = Place::contiguous;
  const unsigned first = is_float(op.instruction->dst.type) ? op.shift & 15u : 0;
  acc.base = static_cast<uint16_t>(offsetof(Registers, acc) + first * size_of(acc.type));
  op.dst.store(thread.regs, acc, op.exec_size, mask, lanes);
  thread.acc_size = 0;
}

}  // namespace

void retire_to(Thread& thread, const Op& op, const Destination& dst, const FloatMode& mode, uint32_t mask, Lanes& result, unsigned parts) {
  uint32_t overflow = 0;
  if (op.finish_f32 && !mode.alt) kernels().finish_f32(&result, op.saturate, op.flush && mode.flush_f32, op.groups);
  else if (op.finish) op.finish(result, op, mode, &overflow);
  if (op.cond && (parts & retire_flags)) write_flags(thread, op, mask, condition_bits(op, &result, overflow));
  if (op.acc_write && (parts & retire_accumulator)) write_accumulator(thread, op, mask, result);
  if (dst.place == Place::none) return;
  if (op.store_32) kernels().store_32(thread.regs.bytes() + dst.base, &result, mask & dst.channels, op.groups);
  else op.dst.store(thread.regs, dst, op.exec_size, mask & dst.channels, result);
  if (op.to_accumulator && !(parts & retire_keep_wide)) thread.acc_size = 0;
}

void retire(Thread& thread, const Op& op, const FloatMode& mode, uint32_t mask, Lanes& result, unsigned parts) {
  retire_to(thread, op, op.dst, mode, mask, result, parts);
}

Next execute_kernel(Thread& thread, const Op& op, RunState& state) {
  const uint32_t mask = execution_mask(thread, op);
  if (!mask) return Next::advance;
  Lanes lanes[3], result;
  const void* in[3] = {&zero_lanes, &zero_lanes, &zero_lanes};
  for (unsigned n = 0; n < op.sources; n++) in[n] = operand(thread, op, n, state.mode, lanes[n]);
  if (op.shift_mask) {
    for (unsigned n = 0; n < op.groups * 8u; n++) {
      if (op.kind == LaneKind::i32) lanes[1].u[n] = static_cast<const uint32_t*>(in[1])[n] & op.shift_mask;
      else lanes[1].uq[n] = static_cast<const uint64_t*>(in[1])[n] & op.shift_mask;
    }
    in[1] = &lanes[1];
  }
  if (op.straight && mask == op.lanes_mask && !state.mode.alt) {
    // All channels, dword for dword: the registers are the result's place.
    void* place = thread.regs.bytes() + op.dst.base;
    op.kernel(place, in[0], in[1], in[2], op.groups);
    if (op.finish_f32) state.table.finish_f32(place, op.saturate, op.flush && state.mode.flush_f32, op.groups);
    if (op.cond) write_flags(thread, op, mask, condition_bits(op, place, 0));
    return Next::advance;
  }
  op.kernel(&result, in[0], in[1], in[2], op.groups);
  retire(thread, op, state.mode, mask, result);
  return Next::advance;
}

Next execute_two_step_rounding(Thread& thread, const Op& op, RunState& state) {
  const uint32_t mask = execution_mask(thread, op);
  if (!mask) return Next::advance;
  Lanes lanes, down, whole;
  const void* const in = operand(thread, op, 0, state.mode, lanes);
  state.table.f32[static_cast<unsigned>(KernelOp::rndd)](&down, in, &zero_lanes, &zero_lanes, op.groups);
  if (static_cast<CondMod>(op.cond) == CondMod::r) {
    op.kernel(&whole, in, &zero_lanes, &zero_lanes, op.groups);
    write_flags(thread, op, mask, state.table.compare_f32[static_cast<unsigned>(CompareOp::gt)](&whole, &down, op.groups));
    retire(thread, op, state.mode, mask, down, retire_accumulator);
    return Next::advance;
  }
  retire(thread, op, state.mode, mask, down);
  return Next::advance;
}

namespace {

uint32_t compare_exact(const void* first, const void* second, CondMod cond, unsigned count) {
  const auto& a = *static_cast<const Lanes*>(first);
  const auto& b = *static_cast<const Lanes*>(second);
  uint32_t bits = 0;
  for (unsigned n = 0; n < count; n++) {
    const Int128 x = a.x[n], y = b.x[n];
    bool holds = false;
    switch (cond) {
      case CondMod::z: holds = x == y; break;
      case CondMod::nz: holds = x != y; break;
      case CondMod::g: holds = x > y; break;
      case CondMod::ge: holds = x >= y; break;
      case CondMod::l: holds = x < y; break;
      case CondMod::le: holds = x <= y; break;
      default: break;
    }
    bits |= static_cast<uint32_t>(holds) << n;
  }
  return bits;
}

uint32_t compare(const Op& op, const void* a, const void* b, CondMod cond) {
  if (op.kind == LaneKind::exact) return compare_exact(a, b, cond, op.groups * 8u);
  switch (cond) {
    case CondMod::z: return op.compare[static_cast<unsigned>(CompareOp::eq)](a, b, op.groups);
    case CondMod::nz: return op.compare[static_cast<unsigned>(CompareOp::ne)](a, b, op.groups);
    case CondMod::g: return op.compare[static_cast<unsigned>(CompareOp::gt)](a, b, op.groups);
    case CondMod::ge: return op.compare[static_cast<unsigned>(CompareOp::ge)](a, b, op.groups);
    case CondMod::l: return op.compare[static_cast<unsigned>(CompareOp::lt)](a, b, op.groups);
    case CondMod::le: return op.compare[static_cast<unsigned>(CompareOp::le)](a, b, op.groups);
    case CondMod::u: return op.compare[static_cast<unsigned>(CompareOp::unordered)](a, b, op.groups);
    default: return 0;
  }
}

uint32_t nan_bits(const Op& op, const void* lanes) {
  if (op.kind != LaneKind::f32 && op.kind != LaneKind::f64) return 0;
  return op.compare[static_cast<unsigned>(CompareOp::unordered)](lanes, lanes, op.groups);
}

template <typename T>
void pick_as(const Op& op, Lanes& r, const void* a, const void* b, uint32_t take_a) {
  const auto *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  auto* to = reinterpret_cast<T*>(&r);
  for (unsigned n = 0; n < op.groups * 8u; n++) to[n] = take_a >> n & 1 ? x[n] : y[n];
}

void pick(const Op& op, Lanes& r, const void* a, const void* b, uint32_t take_a) {
  switch (op.kind) {
    case LaneKind::i32:
    case LaneKind::f32: std::memcpy(&r, b, op.groups * 32u); return kernels().store_32(&r, a, take_a, op.groups);
    case LaneKind::i64:
    case LaneKind::f64: return pick_as<uint64_t>(op, r, a, b, take_a);
    case LaneKind::exact: return pick_as<Int128>(op, r, a, b, take_a);
  }
}

/// Of cmpn, .l and .ge: a NaN gives way to a number (SKL PRM vol 7, "Compare NaN").
uint32_t choice(const Op& op, const void* a, const void* b) {
  const auto cond = static_cast<CondMod>(op.cond);
  uint32_t take = compare(op, a, b, cond);
  if (cond == CondMod::l || cond == CondMod::ge) take |= nan_bits(op, b);
  return take;
}

template <typename T>
uint32_t sign_bits(const void* lanes, unsigned count) {
  const auto* values = static_cast<const T*>(lanes);
  uint32_t bits = 0;
  for (unsigned n = 0; n < count; n++) bits |= uint32_t{values[n] < 0} << n;
  return bits;
}

/// Minimum (.l) and maximum (.ge) of sel: as cmpn, and of two zeros -0 is the less. Mesa needs that for signed zeros: it turns fmin and
/// fmax into sel and does not lower them (nir_shader_compiler_options, lower_fminmax_signed_zero).
uint32_t extreme(const Op& op, const void* a, const void* b, CondMod cond) {
  const bool wide = op.kind == LaneKind::f64;
  if (op.kind != LaneKind::f32 && !wide) return choice(op, a, b);
  const unsigned lanes = op.groups * 8u;
  const uint32_t negative = wide ? sign_bits<int64_t>(a, lanes) : sign_bits<int32_t>(a, lanes);
  const bool least = cond == CondMod::l;
  return compare(op, a, b, least ? CondMod::l : CondMod::g) | (compare(op, a, b, CondMod::z) & (least ? negative : ~negative)) |
         nan_bits(op, b);
}

}  // namespace

Next execute_select(Thread& thread, const Op& op, RunState& state) {
  // The predicate of sel chooses; it does not mask.
  const bool by_predicate = op.opcode == Opcode::sel && !op.cond;
  const uint32_t mask = by_predicate ? enabled_mask(thread, op) : execution_mask(thread, op);
  if (!mask) return Next::advance;
  Lanes lanes[3], result;
  const void* in[3] = {};
  for (unsigned n = 0; n < op.sources; n++) in[n] = operand(thread, op, n, state.mode, lanes[n]);
  uint32_t take;
  if (op.opcode == Opcode::csel) {
    Lanes tested;
    std::memcpy(&tested, in[2], op.groups * 8u * (op.kind == LaneKind::exact ? sizeof tested.x[0] : sizeof tested.i[0]));
    flush_sources(tested, op.src[2].type, op.kind, state.mode, op.groups * 8u);
    take = compare(op, &tested, &zero_lanes, static_cast<CondMod>(op.cond));
  } else {
    const auto cond = static_cast<CondMod>(op.cond);
    take = by_predicate                                ? predicate_mask(thread, op)
           : cond == CondMod::l || cond == CondMod::ge ? extreme(op, in[0], in[1], cond)
                                                       : choice(op, in[0], in[1]);
  }
  pick(op, result, in[0], in[1], take);
  // The condition was used up: it writes no flag.
  retire(thread, op, state.mode, mask, result, retire_accumulator);
  return Next::advance;
}

Next execute_compare(Thread& thread, const Op& op, RunState& state) {
  const uint32_t mask = execution_mask(thread, op);
  if (!mask) return Next::advance;
  Lanes lanes[2], result;
  const void* a = operand(thread, op, 0, state.mode, lanes[0]);
  const void* b = operand(thread, op, 1, state.mode, lanes[1]);
  const uint32_t bits = op.opcode == Opcode::cmpn ? choice(op, a, b) : compare(op, a, b, static_cast<CondMod>(op.cond));
  if (op.cond) write_flags(thread, op, mask, bits);
  if (op.dst.place == Place::none) return Next::advance;
  // All ones or zero, in the width of the destination.
  const unsigned size = size_of(op.dst.type);
  if (size == 4 && op.dst.place == Place::contiguous) {
    for (unsigned n = 0; n < op.groups * 8u; n++) result.u[n] = 0u - (bits >> n & 1);
    state.table.store_32(thread.regs.bytes() + op.dst.base, &result, mask & op.dst.channels, op.groups);
    return Next::advance;
  }
  for (unsigned n = 0; n < op.exec_size; n++) {
    const bool holds = bits >> n & 1;
    if (size == 8) result.q[n] = holds ? -1 : 0;
    else result.i[n] = holds ? -1 : 0;
  }
  const RegType as = size == 8 ? RegType::q : size == 4 ? RegType::d : size == 2 ? RegType::w : RegType::b;
  store_for(as)(thread.regs, op.dst, op.exec_size, mask & op.dst.channels, result);
  return Next::advance;
}

namespace {
void set_host(Rounding rounding) {
  constexpr int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  std::fesetround(modes[static_cast<unsigned>(rounding) & 3]);
}
Rounding host() {
  switch (std::fegetround()) {
    case FE_UPWARD: return Rounding::up;
    case FE_DOWNWARD: return Rounding::down;
    case FE_TOWARDZERO: return Rounding::to_zero;
    default: return Rounding::nearest_even;
  }
}
}  // namespace

HostRounding::HostRounding(Rounding rounding) : outer_(host()), current_(outer_) { set(rounding); }
HostRounding::~HostRounding() { set(outer_); }
void HostRounding::set(Rounding rounding) {
  if (rounding != current_) set_host(rounding);
  current_ = rounding;
}

Next execute_nop(Thread&, const Op&, RunState&) { return Next::advance; }

Next execute_illegal(Thread& thread, const Op& op, RunState&) {
  const bool moves_masks =
      op.opcode == Opcode::msave || op.opcode == Opcode::mrest || op.opcode == Opcode::push || op.opcode == Opcode::pop;
  if (op.opcode == Opcode::smov) unimplemented("EU smov");
  else if (moves_masks) unimplemented("EU mask stack instruction", "{} at byte {} of the kernel", op.instruction->info()->name, op.offset);
  else
    guest_error("EU illegal instruction", "{} at byte {} of the kernel",
                op.instruction->info() ? op.instruction->info()->name : "a reserved opcode", op.offset);
  return fail(thread, "illegal instruction");
}

Next fail(Thread& thread, const char* why) {
  thread.failure = why;
  return Next::failed;
}

}  // namespace softgen::eu
