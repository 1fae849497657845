// SPDX-License-Identifier: GPL-2.0-or-later
// Operands: slots to lanes and back. Regions have fixed patterns and become shuffles of at most a few slots.
#include <algorithm>

#include "hw/eu/interp/execute.h"
#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

bool Emitter::untouched(unsigned s) const { return place_.op < graph_.untouched_until[s]; }

/// The slot as eight dwords, which may be raw. `by`: the only channels that the reader uses.
Value Emitter::slot(unsigned s, const Channels& by) {
  Slot& here = slots_[s];
  if (here.held && !is_held(s, by)) merge_held(s);
  if (here.value) return here.value;
  const Type grf = ir_.vec(ir_.i32, 8);
  const bool as_started = untouched(s);
  here.in_memory = as_started && !variant_.of_series();
  if (!as_started && (is_first(s) || is_second(s))) {
    load_pair(is_first(s) ? s : s - 1);
    return here.value;
  }
  here.value = as_started ? at_start(s) : ir_.load(grf, here.alloca, 32);
  here.raw = as_started ? uint8_t{canonical} : here.stored;
  return here.value;
}

namespace {
constexpr auto low_half = std::span(both_halves).first(8), high_half = std::span(both_halves).last(8);
}  // namespace

/// Loads a pair's alloca into those of its slots whose values are not known yet.
void Emitter::load_pair(unsigned s) {
  const Value w = ir_.load(ir_.vec(ir_.i32, 16), slots_[s].alloca, 32);
  const Value halves[2] = {ir_.shuffle(w, nullptr, low_half), ir_.shuffle(w, nullptr, high_half)};
  for (unsigned n = 0; n < 2; n++) {
    Slot& here = slots_[s + n];
    if (here.value) continue;
    here.value = halves[n];
    here.in_memory = false;
    here.raw = here.stored;
  }
  if (slots_[s].value == halves[0] && slots_[s + 1].value == halves[1]) wide_[s] = {w, halves[0], halves[1]};
}

/// Slots s and s + 1 as sixteen dwords, which may be raw.
Value Emitter::pair(unsigned s, const Channels& by) {
  const Value low = slot(s, by), high = slot(s + 1, by);
  Wide& w = wide_[s];
  if (!w.value || w.low != low || w.high != high) w = {ir_.shuffle(low, high, both_halves), low, high};
  return w.value;
}

void Emitter::set_pair(unsigned s, Value v, uint8_t raw) {
  const Value low = ir_.shuffle(v, nullptr, low_half), high = ir_.shuffle(v, nullptr, high_half);
  // Both halves are replaced, so there is nothing to merge.
  if (slots_[s].held == s + 1 && slots_[s + 1].held == s + 1) slots_[s].held = slots_[s + 1].held = 0;
  set_slot(s, low, raw);
  set_slot(s + 1, high, raw);
  wide_[s] = {v, low, high};
}

void Emitter::set_slot(unsigned s, Value v, uint8_t raw) {
  // The other half of a pair becomes a value of its own.
  if (slots_[s].held && held_[slots_[s].held - 1].channels.lanes == 16) merge_held(s);
  slots_[s].held = 0;
  slots_[s].value = v;
  slots_[s].raw = raw;
  slots_[s].modified = true;
  slots_[s].in_memory = false;
  slots_[s].entered = false;
}

Value Emitter::flushed(Value floats) {
  const unsigned n = Ir::size(floats);
  const Value bits = ir_.as_ints(floats);
  const Value small = ir_.icmp(LLVMIntEQ, ir_.and_(bits, ir_.splat_int(ir_.i32, 0x7f800000, n)), ir_.splat_int(ir_.i32, 0, n));
  return ir_.as_floats(ir_.select(small, ir_.and_(bits, ir_.splat_int(ir_.i32, 0x80000000u, n)), bits));
}

Value Emitter::alternate(Value floats) {
  if (!variant_.alternate) return floats;
  const unsigned n = Ir::size(floats);
  const auto all = [&](uint32_t v) { return ir_.splat_int(ir_.i32, v, n); };
  const Value bits = ir_.as_ints(floats), magnitude = ir_.and_(bits, all(0x7fffffff));
  const Value largest = ir_.select(ir_.icmp(LLVMIntEQ, magnitude, all(0x7f800000)), ir_.sub(bits, all(1)), bits);
  return ir_.as_floats(ir_.select(ir_.icmp(LLVMIntUGT, magnitude, all(0x7f800000)), all(0), largest));
}

/// The value that the interpreter would have. `v`: floats or dwords.
Value Emitter::canonical_value(Value v, uint8_t raw) {
  if (raw & raw_denormal) v = flushed(ir_.as_floats(v));
  if (raw & raw_nan) {
    const unsigned n = Ir::size(v);
    const Value f = ir_.as_floats(v);
    v = ir_.select(ir_.fcmp(LLVMRealORD, f, f), ir_.as_ints(f), ir_.splat_int(ir_.i32, 0x7fc00000, n));
  }
  return v;
}

/// Call before an op observes the slot's bits.
void Emitter::canonicalize(unsigned s, uint8_t flags) {
  if (findings_) findings_->raw.wants(place_.op, s, flags);
  slots_[s].carried &= static_cast<uint8_t>(~flags);
  canonicalize_now(s, flags);
}

void Emitter::canonicalize_now(unsigned s, uint8_t flags) {
  Slot& here = slots_[s];
  flags &= here.raw;
  if (!here.value || !flags) return;
  for (const unsigned first : {s, s - 1}) {
    // Both halves of a pair by one operation.
    if (first >= slot_count - 1 || !wide_[first].value) continue;
    Slot &low = slots_[first], &high = slots_[first + 1];
    if (wide_[first].low != low.value || wide_[first].high != high.value || (low.raw & flags) != (high.raw & flags)) continue;
    const Value v = ir_.as_ints(canonical_value(wide_[first].value, flags));
    low.value = ir_.shuffle(v, nullptr, low_half), high.value = ir_.shuffle(v, nullptr, high_half);
    wide_[first] = {v, low.value, high.value};
    low.raw &= static_cast<uint8_t>(~flags), high.raw &= static_cast<uint8_t>(~flags);
    return;
  }
  here.value = ir_.as_ints(canonical_value(here.value, flags));
  here.raw &= static_cast<uint8_t>(~flags);
}

void Emitter::canonicalize_for(unsigned s, Want want) {
  if (want == Want::bits) canonicalize(s);
  if (want == Want::selected) canonicalize(s, raw_nan);
}

/// One element; loaded from memory if the slot was not written.
Value Emitter::scalar(unsigned offset, unsigned size, Want want, uint8_t* raw) {
  const unsigned s = offset / 32;
  const Type type = ir_.int_type(size * 8);
  if (!slots_[s].value && untouched(s) && !is_computed(s)) {
    if (raw) *raw = canonical;
    const Value from = start_address(offset);
    return from ? ir_.load(type, from, size) : ir_.constant(type, 0);
  }
  slot(s);
  canonicalize_for(s, want);
  if (raw) *raw = slots_[s].raw;
  const Value whole = ir_.bitcast(slots_[s].value, ir_.vec(type, 32 / size));
  return ir_.extract(whole, offset % 32 / size);
}

Value Emitter::elements(const std::array<unsigned, 16>& offsets, unsigned lanes, unsigned size, Want want, uint8_t* raw,
                        const Channels& by) {
  const Type type = ir_.int_type(size * 8);
  const auto begin = offsets.begin(), end = begin + lanes;
  if (std::all_of(begin, end, [&](unsigned o) { return o == offsets[0]; })) return ir_.splat(scalar(offsets[0], size, want, raw), lanes);
  if (lanes == 16 && size == 4 && offsets[0] % 32 == 0 &&
      std::all_of(begin, end, [&](const unsigned& o) { return o == offsets[0] + 4 * static_cast<unsigned>(&o - begin); })) {
    const unsigned s = offsets[0] / 32;
    if (findings_) findings_->pairs.use(s);
    // Whether exactly this pair is held, not one that overlaps it.
    const bool as_held = slots_[s].held == s + 1 && slots_[s + 1].held == s + 1;
    for (const unsigned half : {s, s + 1}) {
      slot(half, as_held ? by : Channels{});
      canonicalize_for(half, want);
    }
    if (raw) *raw = slots_[s].raw | slots_[s + 1].raw;
    return pair(s, as_held ? by : Channels{});
  }
  const unsigned per_slot = 32 / size;
  Value result = nullptr;
  uint8_t together = canonical;
  for (unsigned n = 0; n < lanes; n++) {
    const unsigned s = offsets[n] / 32;
    if (std::any_of(begin, begin + n, [&](unsigned o) { return o / 32 == s; })) continue;
    std::array<int, 16> picks;
    bool identity = lanes == per_slot;
    for (unsigned k = 0; k < lanes; k++) {
      picks[k] = offsets[k] / 32 == s ? static_cast<int>(offsets[k] % 32 / size) : -1;
      identity = identity && picks[k] == static_cast<int>(k);
    }
    slot(s, identity && size == 4 ? by : Channels{});
    canonicalize_for(s, want);
    together |= slots_[s].raw;
    const Value whole = ir_.bitcast(slots_[s].value, ir_.vec(type, per_slot));
    const Value part = identity ? whole : ir_.shuffle(whole, nullptr, std::span(picks).first(lanes));
    if (!result) {
      result = part;
      continue;
    }
    std::array<int, 16> merge;
    for (unsigned k = 0; k < lanes; k++) merge[k] = static_cast<int>(picks[k] >= 0 ? k + lanes : k);
    result = ir_.shuffle(result, part, std::span(merge).first(lanes));
  }
  if (raw) *raw = together;
  return result;
}

namespace {

/// Lanes of a constant operand; modifiers are already applied (OpBuilder::attach).
Value constant_lanes(Ir& ir, const Lanes& lanes, LaneKind kind, bool flush, unsigned first, unsigned count) {
  std::array<Value, 16> values;
  // Not all of LLVM's constant folding respects DAZ.
  const auto dword = [&](uint32_t v) { return flush && !(v & 0x7f800000) ? v & 0x80000000u : v; };
  for (unsigned n = 0; n < count; n++) values[n] = kind == LaneKind::i64 ? ir.c64(lanes.uq[first + n]) : ir.c32(dword(lanes.u[first + n]));
  const Value v = ir.vector(std::span(values).first(count));
  return kind == LaneKind::f32 ? ir.as_floats(v) : v;
}

bool holds_denormal(const Lanes& lanes, unsigned first, unsigned count) {
  return std::any_of(lanes.u + first, lanes.u + first + count, [](uint32_t v) { return !(v & 0x7f800000) && v & 0x7fffffff; });
}

}  // namespace

Value Emitter::modified(Value v, const Source& s, LaneKind kind) {
  const unsigned n = Ir::size(v);
  if (s.bit_not) return ir_.not_(v);
  if (kind == LaneKind::f32) {
    Value bits = ir_.as_ints(v);
    if (s.abs) bits = ir_.and_(bits, ir_.splat_int(ir_.i32, 0x7fffffff, n));
    if (s.negate) bits = ir_.xor_(bits, ir_.splat_int(ir_.i32, 0x80000000u, n));
    return ir_.as_floats(bits);
  }
  const Value zero = llvm::ConstNull(llvm::TypeOf(v));
  if (s.abs) v = ir_.select(ir_.icmp(LLVMIntSLT, v, zero), ir_.sub(zero, v), v);
  if (s.negate) v = ir_.sub(zero, v);
  return v;
}

Value Emitter::source(const Op& op, unsigned n, unsigned k, Want want, uint8_t* raw) {
  const Source& s = op.src[n];
  const unsigned lanes = lanes_of(op), size = size_of(s.type);
  if (raw) *raw = canonical;
  if (s.type != RegType::f || op.kind != LaneKind::f32) want = Want::bits;
  if (s.fetch == Fetch::immediate || s.fetch == Fetch::none) {
    // Exact operations take dwords here.
    const LaneKind kind = op.kind == LaneKind::exact ? LaneKind::i32 : op.kind;
    if (op.kind != LaneKind::exact) {
      const Value v = constant_lanes(ir_, *s.lanes, kind, op.kind == LaneKind::f32 && op.flush && variant_.flush_f32, lanes * k, lanes);
      // LLVM folds comparisons of floats, and sums with zero, as if DAZ were off. A denormal that is moved unchanged may be a float later.
      if (kind == LaneKind::f32 && op.flush && variant_.alternate) return alternate(v);
      const bool stays = (op.opcode == Opcode::mov || op.opcode == Opcode::sel) && kind != LaneKind::i64;
      return stays && holds_denormal(*s.lanes, lanes * k, lanes) ? ir_.opaque(v) : v;
    }
    std::array<Value, 16> values;
    for (unsigned i = 0; i < lanes; i++) values[i] = ir_.c32(static_cast<uint32_t>(s.lanes->x[lanes * k + i]));
    return ir_.vector(std::span(values).first(lanes));
  }
  Value v;
  if (in_flags(element_offset(s, 0))) {
    // One channel: native_source() ensures that.
    const unsigned bit = (element_offset(s, 0) - offsetof(Registers, flag)) * 8;
    v = ir_.splat(ir_.trunc(ir_.lshr(flags(), ir_.c64(bit)), ir_.int_type(size * 8)), lanes);
  } else {
    std::array<unsigned, 16> offsets{};
    for (unsigned i = 0; i < lanes; i++) offsets[i] = element_offset(s, lanes * k + i);
    // Dot products read components of other channels.
    v = elements(offsets, lanes, size, want, raw, op.execute == execute_dot ? Channels{} : running_channels(op, k));
  }
  const bool floats = is_float(s.type), with_sign = is_signed(s.type);
  switch (op.kind) {
    case LaneKind::f32: {
      const Type to = ir_.vec(ir_.f32, lanes);
      // Not all of LLVM's constant folding respects DAZ.
      if (floats && op.flush && variant_.flush_f32 && llvm::IsConstant(v)) v = flushed(ir_.as_floats(v));
      v = floats ? ir_.as_floats(v) : with_sign ? ir_.sitofp(v, to) : ir_.uitofp(v, to);
      v = modified(v, s, op.kind);
      return op.flush ? alternate(v) : v;
    }
    default: {
      const LaneKind kind = op.kind == LaneKind::i64 ? op.kind : LaneKind::i32;
      const Type to = ir_.vec(kind == LaneKind::i64 ? ir_.i64 : ir_.i32, lanes);
      const Value wide = with_sign ? ir_.sext(v, to) : ir_.zext(v, to);
      // LLVM 19 narrows dword operations whose results become bytes to byte operations. Its instruction selection fails on some of these:
      // it crashes, or aborts with "Cannot emit physreg copy instruction" (test_jit, "bytes stay dwords").
      return modified(size == 1 && lanes >= 8 ? ir_.fence(wide) : wide, s, kind);
    }
  }
}

void Emitter::store_flag_register(const Op& op, Value v, Value mask) {
  const unsigned size = size_of(op.dst.type), bit = (element_offset(op.dst, 0) - offsetof(Registers, flag)) * 8;
  const uint64_t ones = size == 4 ? 0xffffffffu : size == 2 ? 0xffff : 0xff;
  const Value bits = ir_.zext(ir_.bitcast(v, ir_.int_type(size * 8)), ir_.i64);
  const Value written = ir_.or_(ir_.and_(flags(), ir_.c64(~(ones << bit))), ir_.shl(bits, ir_.c64(bit)));
  if (full(op, mask)) return set_flags(written);
  set_flags(ir_.select(ir_.trunc(mask, ir_.i1), written, flags()));
}

bool Emitter::is_pair(const Destination& d, unsigned first_lane, unsigned lanes) const {
  if (lanes != 16 || size_of(d.type) != 4 || element_offset(d, first_lane) % 32) return false;
  for (unsigned i = 0; i < 16; i++)
    if (element_offset(d, first_lane + i) != element_offset(d, first_lane) + 4 * i || !is_slot(element_offset(d, first_lane + i)))
      return false;
  return true;
}

/// store() for slots s and s + 1 at once.
void Emitter::store_pair(unsigned s, Value v, Value lane_bits, uint8_t raw, const Channels& channels) {
  if (findings_) findings_->pairs.use(s);
  if (channels.active) return hold(s, ir_.as_ints(v), lane_bits, raw, channels);
  if (!lane_bits) {
    for (const unsigned half : {s, s + 1})
      if (findings_) findings_->raw.replaces(place_.op, half);
    return set_pair(s, ir_.as_ints(v), raw);
  }
  pair(s);
  const uint8_t common = raw & slots_[s].raw & slots_[s + 1].raw, live = live_after(s) | live_after(s + 1);
  bool entered[2];
  for (unsigned n = 0; n < 2; n++) {
    entered[n] = slots_[s + n].entered;
    slots_[s + n].carried &= raw;
    canonicalize_now(s + n, static_cast<uint8_t>(live & ~common));
  }
  if (const uint8_t surplus = raw & ~common & live) v = canonical_value(v, surplus);
  // As floats, so that LLVM folds the select into a masked operation.
  const Value merged = ir_.select(lane_bits, ir_.as_floats(v), ir_.as_floats(pair(s)));
  set_pair(s, ir_.as_ints(merged), common);
  for (unsigned n = 0; n < 2; n++) slots_[s + n].entered = entered[n];
}

/// The placement of group k's lanes in the slot that `lane` is stored to. None: an earlier lane is stored to the same slot, or it is the
/// sink.
std::optional<Emitter::Placement> Emitter::placement(const Op& op, unsigned k, unsigned lane) const {
  const Destination& d = op.dst;
  const unsigned lanes = lanes_of(op), size = size_of(d.type), s = element_offset(d, lanes * k + lane) / 32;
  if (!is_slot(s * 32)) return {};
  Placement p{.elements = 32 / size, .identity = lanes == 32 / size};
  p.from.fill(-1);
  for (unsigned i = 0; i < lanes; i++) {
    const unsigned offset = element_offset(d, lanes * k + i);
    if (offset / 32 != s) continue;
    if (i < lane) return {};
    p.from[offset % 32 / size] = static_cast<int>(i);
  }
  for (unsigned i = 0; i < p.elements; i++) p.identity = p.identity && p.from[i] == static_cast<int>(i);
  p.whole = std::all_of(p.from.begin(), p.from.begin() + p.elements, [](int i) { return i >= 0; });
  return p;
}

/// `fresh` (in the slot's order) in elements whose lane is in `lane_bits` (null: in all that have a lane), `old` elsewhere.
Value Emitter::merged(const Op& op, const Placement& p, Value old, Value fresh, Value lane_bits) {
  const unsigned lanes = lanes_of(op);
  const Type element = ir_.int_type(size_of(op.dst.type) * 8);
  std::array<int, 32> pick;
  if (!lane_bits) {
    for (unsigned i = 0; i < p.elements; i++) pick[i] = static_cast<int>(p.from[i] >= 0 ? i + p.elements : i);
    return ir_.shuffle(old, fresh, std::span(pick).first(p.elements));
  }
  for (unsigned i = 0; i < p.elements; i++) pick[i] = p.from[i] >= 0 ? p.from[i] : static_cast<int>(lanes);
  // Shuffled as integers: LLVM 19 miscompiles an i1 shuffle that takes eight of sixteen channels and widens them by zeros (test_eu_jit).
  const auto moved = [&] {
    const Value wide = ir_.sext(lane_bits, ir_.vec(element, lanes)), zero = llvm::ConstNull(ir_.vec(element, p.elements));
    const Value placed_bits = ir_.shuffle(wide, llvm::ConstNull(ir_.vec(element, lanes)), std::span(pick).first(p.elements));
    return ir_.icmp(LLVMIntNE, placed_bits, zero);
  };
  const Value where = p.identity ? lane_bits : moved();
  // As floats, so that LLVM folds the select into a masked operation.
  const bool floats = op.dst.type == RegType::f;
  return ir_.select(where, floats ? ir_.as_floats(fresh) : fresh, floats ? ir_.as_floats(old) : old);
}

void Emitter::store_slot(const Op& op, unsigned s, const Placement& p, Value v, Value lane_bits, uint8_t state, const Channels& channels) {
  const Type element = ir_.int_type(size_of(op.dst.type) * 8);
  const Value placed = p.identity ? v : ir_.shuffle(v, nullptr, std::span(p.from).first(p.elements));
  if (p.whole && !lane_bits) {
    if (findings_) findings_->raw.replaces(place_.op, s);
    return set_slot(s, ir_.bitcast(placed, ir_.vec(ir_.i32, 8)), state);
  }
  if (p.whole && p.identity && p.elements == 8 && channels.active)
    return hold(s, ir_.bitcast(placed, ir_.vec(ir_.i32, 8)), lane_bits, state, channels);
  // The rest of the slot keeps its value. A slot has one raw state, so both parts get the same one, as far as it is observable.
  slot(s);
  const bool entered = slots_[s].entered;
  const uint8_t common = state & slots_[s].raw, live = live_after(s);
  slots_[s].carried &= state;
  canonicalize_now(s, static_cast<uint8_t>(live & ~common));
  Value fresh = placed;
  if (const uint8_t surplus = state & ~common & live) fresh = canonical_value(placed, surplus);
  const Type type = ir_.vec(element, p.elements);
  const Value result = merged(op, p, ir_.bitcast(slots_[s].value, type), ir_.bitcast(fresh, type), lane_bits);
  set_slot(s, ir_.bitcast(result, ir_.vec(ir_.i32, 8)), common);
  slots_[s].entered = entered;
}

void Emitter::store(const Op& op, unsigned k, Value v, Value mask, uint8_t raw) {
  const Destination& d = op.dst;
  const unsigned lanes = lanes_of(op), size = size_of(d.type);
  v = ir_.bitcast(v, ir_.vec(ir_.int_type(size * 8), lanes));
  if (in_flags(element_offset(d, 0))) return store_flag_register(op, v, mask);
  if (d.channels != 0xffffffffu) mask = ir_.and_(mask, ir_.c32(d.channels));
  const Value lane_bits = lane_mask(op, mask, k);
  const Channels channels = lane_bits && d.channels == 0xffffffffu ? running_channels(op, k) : Channels{};
  if (is_pair(d, lanes * k, lanes)) return store_pair(element_offset(d, lanes * k) / 32, v, lane_bits, raw, channels);
  const uint8_t state = size == 4 ? raw : uint8_t{canonical};
  for (unsigned n = 0; n < lanes; n++)
    if (const auto p = placement(op, k, n)) store_slot(op, element_offset(d, lanes * k + n) / 32, *p, v, lane_bits, state, channels);
}

}  // namespace softgen::eu::jit
