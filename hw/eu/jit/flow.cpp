// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/flow.h"

#include <algorithm>
#include <bit>

#include "hw/eu/interp/execute.h"
#include "hw/eu/jit/message_registers.h"
#include "hw/eu/jit/start_mode.h"

namespace softgen::eu::jit {

namespace {

// Bounds for hostile kernels: LLVM's time and memory grow with both.
constexpr size_t max_ops = 6000;
constexpr size_t max_write_backs = 400;  ///< ops that need all registers in memory

bool goes_back(const Op& op) { return op.opcode == Opcode::goto_ && op.instruction->acc_write; }

class Analysis {
 public:
  Analysis(const Program& program, FlowGraph& graph) : program_(program), ops_(program.ops()), g_(graph) {}

  const char* run() {
    const size_t n = ops_.size();
    if (n > max_ops) return "it is too long";
    g_.steps.resize(n);
    g_.leaders.assign(n, false);
    g_.reached.assign(n, false);
    g_.waits_before.assign(n, {});
    g_.wait_at.assign(n, -1);
    const size_t mode_op = start_mode(program_).op;
    for (size_t i = 0; i < n; i++) {
      if (const char* reason = i == mode_op ? nullptr : refused(ops_[i])) return reason;
      g_.steps[i] = step(ops_[i]);
    }
    if (has_stacks()) {
      if (const char* reason = find_mask_depths(program_, g_)) return reason;
    } else if (!collect_waits()) {
      return "too many places where channels wait";
    }
    mark_leaders();
    g_.products = find_products(program_, g_.leaders);
    if (!has_stacks()) propagate();
    return collect_slots() > max_write_backs ? "too many of its ops move all registers" : nullptr;
  }

 private:
  static const char* refused(const Op& op) {
    if (op.writes_control) return "cr0 is written";
    if (op.reads_dynamic)
      for (unsigned n = 0; n < op.sources; n++)
        if (op.instruction->src[n].is_arf(Arf::timestamp)) return "tm0 is read";
    return nullptr;
  }

  bool has_stacks() const { return program_.isa().limits().mask_stacks; }

  /// With mask stacks other code may follow the program's end (Thread::jump).
  bool inside(int64_t offset) const {
    const int32_t n = program_.index_at(offset);
    return n >= 0 && !(has_stacks() && static_cast<size_t>(n) + 1 == ops_.size());
  }
  /// mov and add to ip of what is known.
  bool jumps_to_constant(const Op& op) const {
    const Instruction& i = *op.instruction;
    for (unsigned n = 0; n < op.sources; n++)
      if (i.src[n].file != RegFile::imm && !i.src[n].is_arf(Arf::ip)) return false;
    return has_stacks() && inside(jump_target(program_, op));
  }

  Step step(const Op& op) const {
    const Instruction& i = *op.instruction;
    const OpcodeInfo* row = i.info();
    if (!row || op.execute == execute_illegal) return Step::leave;
    if (op.execute == execute_to_ip) return jumps_to_constant(op) ? Step::jump : Step::leave;
    if (op.message_registers && !message_is_compiled(op)) return Step::leave;
    const bool by_register = i.src[0].file == RegFile::grf;
    switch (row->form) {
      case Form::send:
      case Form::split_send: return i.end_of_thread ? Step::end_of_thread : Step::send;
      case Form::jump: return i.src[1].file == RegFile::imm && inside(jump_target(program_, op)) ? Step::jump : Step::leave;
      case Form::branch:
        if (!branches_away(op)) return Step::branch;
        return !by_register && inside(op.jip_offset) && (!goes_back(op) || inside(op.uip_offset)) ? Step::branch : Step::leave;
      case Form::call:
      case Form::ret: return Step::leave;
      default: return i.is_wait() ? Step::wait : Step::work;
    }
  }

  /// Offsets at which the op makes channels wait.
  std::vector<int64_t> suspends(const Op& op) const {
    switch (op.opcode) {
      case Opcode::if_: return {op.jip_offset};
      case Opcode::else_:
      case Opcode::break_:
      case Opcode::cont:
      case Opcode::halt: return {op.uip_offset};
      case Opcode::while_: return {op.next_offset};
      case Opcode::goto_: return {op.uip_offset, op.next_offset};
      case Opcode::brd: return {op.jip_offset};
      case Opcode::brc: return {op.uip_offset};
      default: return {};
    }
  }

  bool collect_waits() {
    for (size_t i = 0; i < ops_.size(); i++) {
      if (g_.steps[i] != Step::branch) continue;
      for (const int64_t offset : suspends(ops_[i])) {
        const int32_t place = program_.index_at(offset);
        if (std::find(g_.wait_places.begin(), g_.wait_places.end(), place) != g_.wait_places.end()) continue;
        if (g_.wait_places.size() == max_waits) return false;
        if (place >= 0) g_.wait_at[static_cast<size_t>(place)] = static_cast<int32_t>(g_.wait_places.size());
        g_.wait_places.push_back(place);
      }
    }
    return true;
  }

  std::vector<size_t> successors(size_t n) const { return g_.successors(program_, n); }

  void mark_leaders() {
    g_.leaders[0] = true;
    for (size_t n = 0; n < ops_.size(); n++) {
      if (program_.is_target(static_cast<int32_t>(n))) g_.leaders[n] = true;
      if (g_.steps[n] != Step::branch && g_.steps[n] != Step::jump) continue;
      for (const size_t s : successors(n)) g_.leaders[s] = true;
    }
  }

  void propagate() {
    std::vector<size_t> work{0};
    g_.reached[0] = true;
    while (!work.empty()) {
      const size_t n = work.back();
      work.pop_back();
      Waits after = g_.waits_before[n];
      if (g_.wait_at[n] >= 0) after.reset(static_cast<size_t>(g_.wait_at[n]));
      if (g_.steps[n] == Step::branch)
        for (const int64_t offset : suspends(ops_[n])) after.set(static_cast<size_t>(g_.wait_of(program_, offset)));
      for (const size_t s : successors(n)) {
        const Waits merged = g_.waits_before[s] | after;
        if (g_.reached[s] && merged == g_.waits_before[s]) continue;
        g_.reached[s] = true;
        g_.waits_before[s] = merged;
        work.push_back(s);
      }
    }
  }

  /// Returns how many ops need all registers in memory.
  size_t collect_slots() {
    size_t moves = 0;
    auto& limits = g_.untouched_until;
    limits.fill(SIZE_MAX);
    for (size_t n = ops_.size(); n-- > 0;) {
      if (!g_.reached[n]) continue;
      const Footprint f = footprint(ops_[n]);
      g_.used |= f.reads | f.writes;
      moves += f.all_reads || f.all_writes || g_.steps[n] == Step::leave || g_.steps[n] == Step::wait;
      // The writing op itself still reads the old value, but not of message registers that it has moved something to.
      for (unsigned s = 0; s < slot_count; s++)
        if (f.writes[s] || (f.all_writes && is_slot(s * 32))) limits[s] = f.moved[s] ? n : n + 1;
    }
    // Each level of nested loops takes a round. With too many, the conservative answer is used: no slot is untouched.
    unsigned round = 0;
    for (bool changed = true; changed; round++) {
      changed = false;
      if (round == 64) limits.fill(0);
      for (size_t n = 0; n < ops_.size(); n++) {
        if (!g_.reached[n]) continue;
        for (const size_t to : successors(n))
          if (to <= n)
            for (size_t& limit : limits)
              if (limit > to && limit <= n + 1) limit = to, changed = true;
      }
    }
    return moves;
  }

  const Program& program_;
  const std::span<const Op> ops_;
  FlowGraph& g_;
};

}  // namespace

std::vector<size_t> FlowGraph::successors(const Program& program, size_t n) const {
  const Op& op = program.ops()[n];
  std::vector<size_t> result;
  const auto to = [&](int64_t offset) {
    if (const int32_t i = program.index_at(offset); i >= 0) result.push_back(static_cast<size_t>(i));
  };
  switch (steps[n]) {
    case Step::leave:
    case Step::end_of_thread: return {};
    case Step::jump: to(jump_target(program, op)); break;
    case Step::branch:
      if (branches_away(op)) to(op.jip_offset);
      if (goes_back(op)) to(op.uip_offset);
      break;
    default: break;
  }
  to(op.next_offset);
  return result;
}

int64_t jump_target(const Program& program, const Op& op) {
  const Instruction& i = *op.instruction;
  if (op.execute != execute_to_ip) return int64_t{op.offset} + i.jump_base() + i.jip;
  const auto start = static_cast<uint32_t>(program.start());
  uint32_t target = 0;
  for (unsigned n = 0; n < op.sources; n++) target += i.src[n].file == RegFile::imm ? static_cast<uint32_t>(i.imm) : start + op.offset;
  return int64_t{target} - static_cast<int64_t>(program.start());
}

int FlowGraph::wait_of(const Program& program, int64_t offset) const {
  const int32_t place = program.index_at(offset);
  const auto it = std::find(wait_places.begin(), wait_places.end(), place);
  return it == wait_places.end() ? -1 : static_cast<int>(it - wait_places.begin());
}

namespace {

/// Whether the response of a message, sent for all its channels, fills all its registers.
bool answers_all(const Op& op) {
  const MessageOp& m = *op.message;
  if (m.header || m.simd != op.exec_size) return false;
  // Each group of eight channels gets four registers (other than with 16-bit returns or a header's write mask).
  if (m.sfid == Sfid::sampler) return !m.returns_half && m.response_length <= m.simd / 2;
  // One dword per unmasked component and channel.
  return m.kind == MessageKind::untyped_read && m.simd >= 8 &&
         m.response_length == static_cast<unsigned>(std::popcount(m.components)) * m.simd / 8;
}

}  // namespace

Slots written_whole(const Op& op, bool all_run, uint32_t channels) {
  Slots whole;
  const Instruction& i = *op.instruction;
  const uint32_t mask = op.no_mask ? op.lanes_mask : all_run ? channels >> op.shift & op.lanes_mask : 0;
  if (mask != op.lanes_mask || op.exec_size < 8) return whole;
  const bool predicated = op.pred && op.opcode != Opcode::sel;
  if (predicated) return whole;
  if (const OpcodeInfo* row = i.info(); row && is_send(*row)) {
    return has_fixed_form(op) && answers_all(op) ? footprint(op).writes : whole;
  }
  if (op.dst.place != Place::contiguous || op.dst.channels != 0xffffffffu || op.dst.base % 32) return whole;
  for (unsigned at = op.dst.base; at + 32 <= op.dst.base + op.exec_size * size_of(op.dst.type); at += 32)
    if (is_slot(at)) whole.set(at / 32);
  return whole;
}

namespace {
/// Message registers that a send gives whole values before it reads them, in any case.
Slots moved_whole(const Op& op, const Footprint& f, bool all_run) {
  const Instruction& i = *op.instruction;
  if (f.moved.none() || !moves_whole_registers(op)) return {};
  const bool sent = i.end_of_thread || (!op.pred && (op.no_mask || all_run));
  return sent ? f.moved : Slots{};
}
}  // namespace

Slots read_before_written(const Program& program, const FlowGraph& graph, uint32_t channels) {
  const auto ops = program.ops();
  Slots result, first_block, here;
  bool in_first = true;
  for (size_t n = 0; n < ops.size(); n++) {
    if (!graph.reached[n]) continue;
    if (graph.leaders[n] && n) {
      // The first block dominates all others, so its writes count there. Those of other blocks count within the block only.
      if (in_first) first_block = here;
      in_first = false;
      here = first_block;
    }
    const Footprint f = footprint(ops[n]);
    if (graph.steps[n] == Step::leave || f.all_reads) return ~Slots{};
    // A partial write preserves, and so reads, the rest of the slot.
    const bool all_run = channels && graph.waits_before[n].none();
    here |= moved_whole(ops[n], f, all_run && (channels >> ops[n].shift & ops[n].lanes_mask));
    const Slots whole = written_whole(ops[n], all_run, channels);
    result |= (f.reads | (f.writes & ~whole)) & ~here;
    here |= whole;
  }
  return result;
}

std::vector<unsigned> number_sends(const Program& program, const FlowGraph& graph) {
  std::vector<unsigned> numbers(program.ops().size(), ~0u);
  unsigned next = 0;
  for (size_t n = 0; n < numbers.size(); n++)
    if ((graph.steps[n] == Step::send || graph.steps[n] == Step::end_of_thread) && has_fixed_form(program.ops()[n])) numbers[n] = next++;
  return numbers;
}

const char* analyze(const Program& program, FlowGraph& graph) { return Analysis(program, graph).run(); }

}  // namespace softgen::eu::jit
