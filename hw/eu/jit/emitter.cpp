// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

Emitter::Emitter(Ir& ir, const Program& program, const FlowGraph& graph, const Variant& variant, unsigned lanes, const Findings* known,
                 Findings* findings)
    : ir_(ir),
      program_(program),
      ops_(program.ops()),
      graph_(graph),
      variant_(variant),
      lanes_(lanes),
      known_(known),
      findings_(findings),
      numbers_(number_sends(program, graph)) {}

/// Emits the code before the kernel's first op, for one thread or two.
void Emitter::entry(Emitter* second) {
  const std::array<Emitter*, 2> both = {this, second};
  const auto threads = std::span(both).first(second ? 2 : 1);
  frame_ = ir_.parameter(0);
  regs_ = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, thread)), 8);
  if (variant_.of_series()) begin_series();
  for (Emitter* e : threads) {
    if (e != this) e->frame_ = frame_, e->regs_ = regs_;
    e->place_slots();
  }
  if (variant_.of_series()) next_of_series(second);
  else
    masks_.dispatched = variant_.channels ? ir_.c32(variant_.channels) : ir_.load(ir_.i32, ir_.address(frame_, offsetof(Frame, active)), 4);
  for (Emitter* e : threads) e->fill_slots();
  ir_.jump(blocks_[0]);
}

void Emitter::place_slots() {
  masks_.active_alloca = ir_.alloca(ir_.i32);
  masks_.flags_alloca = ir_.alloca(ir_.i64);
  for (Value& v : scratch_) v = ir_.alloca(ir_.vec(ir_.f32, 8));
  const Type grf = ir_.vec(ir_.i32, 8), wide = ir_.vec(ir_.i32, 16);
  for (unsigned s = 0; s < slot_count; s++)
    if (graph_.used[s]) slots_[s].alloca = is_second(s) ? slots_[s - 1].alloca : ir_.alloca(is_first(s) ? wide : grf);
  for (size_t n = 0; n < graph_.wait_places.size(); n++) masks_.wait_allocas.push_back(ir_.alloca(ir_.i32));
  place_masks();
  place_wide();
}

/// Loads registers from memory into the allocas when the code starts.
void Emitter::fill_slots() {
  const Type grf = ir_.vec(ir_.i32, 8), wide = ir_.vec(ir_.i32, 16);
  for (const Value v : masks_.wait_allocas) ir_.store(ir_.c32(0), v, 4);
  ir_.store(masks_.dispatched, masks_.active_alloca, 4);
  start_masks();
  ir_.store(variant_.of_series() ? ir_.c64(0) : ir_.load(ir_.i64, ir_.address(regs_, offsetof(Registers, flag)), 4), masks_.flags_alloca,
            8);
  for (unsigned s = 0; s < slot_count; s++) {
    if (!slots_[s].alloca || is_second(s)) continue;
    if (!variant_.of_series()) ir_.store(ir_.load(is_first(s) ? wide : grf, ir_.address(regs_, s * 32), 32), slots_[s].alloca, 32);
    else if (is_first(s)) ir_.store(ir_.shuffle(at_start(s), at_start(s + 1), both_halves), slots_[s].alloca, 32);
    else ir_.store(at_start(s), slots_[s].alloca, 32);
  }
}

/// The address of the initial value of byte `offset` of a thread's registers; null: the value is zero.
Value Emitter::start_address(unsigned offset) {
  if (!variant_.of_series()) return ir_.address(regs_, offset);
  const SeriesLayout& layout = variant_.series;
  const unsigned s = offset / 32;
  if (s < layout.constants) return ir_.address(series_.own, offset);
  if (s < layout.attributes) return ir_.address(series_.constants, offset - 32u * layout.constants);
  return s < layout.end ? ir_.address(series_.attributes, offset - 32u * layout.attributes) : nullptr;
}

Value Emitter::at_start(unsigned s) {
  const Type grf = ir_.vec(ir_.i32, 8);
  if (is_computed(s)) return series_.barycentrics[s - first_barycentric];
  const Value from = start_address(s * 32);
  return from ? ir_.load(grf, from, 32) : llvm::ConstNull(grf);
}

void Emitter::run(Emitter* second) {
  blocks_.assign(ops_.size(), nullptr);
  // The entry must be the first block; the others must exist before it can refer to them.
  const Block first = ir_.block("entry");
  for (size_t n = 0; n < ops_.size(); n++)
    if (graph_.leaders[n] && graph_.reached[n]) blocks_[n] = ir_.block();
  ir_.at(first);
  entry(second);
  for (place_.op = 0; place_.op < ops_.size(); place_.op++) {
    if (!graph_.reached[place_.op]) continue;
    if (blocks_[place_.op]) {
      if (place_.open) {
        flush(place_.op - 1);
        ir_.jump(blocks_[place_.op]);
      }
      block_starts(place_.op);
      if (second) second->blocks_ = blocks_, second->block_starts(place_.op);
    }
    op(place_.op);
    if (second) second->follow(place_.op);
  }
}

void Emitter::block_starts(size_t n) {
  ir_.at(blocks_[n]);
  place_.open = true;
  forget(n);
  // No channel can wait elsewhere: all are active.
  if (graph_.waits_before[n].none()) {
    masks_.active = masks_.dispatched;
    masks_.active_modified = true;
    return;
  }
  if (const int place = graph_.wait_at[n]; place >= 0 && graph_.waits_before[n][static_cast<size_t>(place)]) {
    Waits others = graph_.waits_before[n];
    others.reset(static_cast<size_t>(place));
    set_active(others.none() ? masks_.dispatched : ir_.or_(active(), wait_mask(place)));
    set_wait_mask(place, ir_.c32(0));
  }
}

void Emitter::forget(size_t leader) {
  for (unsigned s = 0; s < slot_count; s++) {
    Slot fresh;
    fresh.alloca = slots_[s].alloca;
    fresh.stored = known_ ? known_->raw.at_start(leader, s) : uint8_t{canonical};
    slots_[s] = fresh;
  }
  wide_.fill({});
  masks_.active = masks_.flags = nullptr;
  masks_.active_modified = masks_.flags_modified = false;
  place_.leader = leader;
  place_.reported = false;
}

void Emitter::report_block(size_t end) {
  if (!findings_ || place_.reported) return;
  place_.reported = true;
  RawSlots out;
  Slots kept;
  for (unsigned s = 0; s < slot_count; s++) {
    const Slot& here = slots_[s];
    kept[s] = here.entered;
    out.add(s, here.entered ? here.carried : here.raw);
  }
  findings_->raw.leaves(place_.leader, end, out, kept);
}

/// Whether the slot must be stored to its alloca; prepares its value for that.
bool Emitter::flush_slot(unsigned s, size_t end, const RawSlots& taken) {
  Slot& here = slots_[s];
  const uint8_t state = here.modified ? here.raw : here.stored, live = known_ ? known_->raw.live_after(end, s) : uint8_t{raw_both};
  const uint8_t surplus = state & ~taken[s] & live;
  if (!here.modified && !surplus) return false;
  slot(s);
  canonicalize_now(s, surplus);
  return true;
}

/// Stores to the allocas, in the form that the blocks after op `end` expect.
void Emitter::flush(size_t end) {
  merge_all_held(end);
  report_block(end);
  const RawSlots taken = known_ ? known_->raw.taken_after(end) : RawSlots{};
  for (unsigned s = 0; s < slot_count; s++) {
    if (!slots_[s].alloca || is_second(s)) continue;
    const unsigned count = is_first(s) ? 2 : 1;
    bool stale = false;
    for (unsigned n = s; n < s + count; n++) stale = flush_slot(n, end, taken) || stale;
    if (!stale) continue;
    ir_.store(count == 2 ? pair(s) : slots_[s].value, slots_[s].alloca, 32);
    for (unsigned n = s; n < s + count; n++) {
      slots_[n].modified = false;
      slots_[n].stored = slots_[n].raw;
    }
  }
  if (masks_.active_modified) ir_.store(masks_.active, masks_.active_alloca, 4);
  if (masks_.flags_modified) ir_.store(masks_.flags, masks_.flags_alloca, 8);
  masks_.active_modified = masks_.flags_modified = false;
}

void Emitter::op(size_t n) {
  switch (graph_.steps[n]) {
    case Step::work:
      if (ops_[n].execute == execute_nop || ops_[n].opcode == Opcode::sync || ops_[n].writes_control) return;  // see start_mode.h
      if (graph_.products.alone && !variant_.keep_registers && n + 1 < ops_.size() && graph_.products.mach[n + 1]) return;
      return native(ops_[n]) ? work(n) : step(n);
    case Step::send:
    case Step::end_of_thread: return send(n);
    case Step::wait: return wait(n);
    case Step::branch:
    case Step::jump: return branch(n);
    case Step::leave: return leave(n, Exit::interpret);
  }
}

/// Stores all registers to memory, for the interpreter to continue.
void Emitter::write_back() {
  for (unsigned s = 0; s < slot_count; s++) {
    if (!graph_.used[s] || untouched(s)) continue;
    slot(s);
    canonicalize(s);
    if (!slots_[s].in_memory) ir_.store(slots_[s].value, ir_.address(regs_, s * 32), 32);
    slots_[s].in_memory = true;
  }
  ir_.store(flags(), ir_.address(regs_, offsetof(Registers, flag)), 4);
}

void Emitter::leave(size_t n, Exit how) {
  write_back();
  for (size_t w = 0; w < graph_.wait_places.size(); w++)
    ir_.store(wait_mask(static_cast<int>(w)), ir_.address(frame_, offsetof(Frame, waiting) + 4 * w), 4);
  store_masks(n);
  ir_.store(active(), ir_.address(frame_, offsetof(Frame, active)), 4);
  ir_.store(ir_.c32(static_cast<uint32_t>(n)), ir_.address(frame_, offsetof(Frame, index)), 4);
  ir_.ret(ir_.c32(static_cast<uint32_t>(how)));
  place_.open = false;
}

}  // namespace softgen::eu::jit
