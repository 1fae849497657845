// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/program/program.h"

#include <algorithm>
#include <cstring>

#include "hw/base/hash.h"
#include "hw/eu/program/handlers.h"
#include "hw/eu/program/op.h"
#include "hw/iface/engine.h"
#include "hw/iface/message_target.h"

namespace softgen::eu {

Program::Program(const Isa& isa) : isa_(isa) {}
Program::~Program() = default;

std::span<const Op> Program::ops() const { return ops_; }

std::shared_ptr<const Program> Program::decode(const Isa& isa, std::span<const std::byte> code, uint64_t start, FastPaths* fast_paths,
                                               const StopFlag* stop) {
  std::shared_ptr<Program> program(new Program(isa));
  program->start_ = start;
  if (!program->build(code.first(std::min(code.size(), max_bytes)), stop)) return nullptr;
  if (fast_paths) program->fast_path_ = fast_paths->attach(*program);
  return program;
}

/// False: `stop` said so.
bool Program::build(std::span<const std::byte> code, const StopFlag* stop) {
  const auto stopped = [&] { return stop && stop->aborting(); };
  KernelWalker walker(isa_, code);
  while (const auto line = walker.next()) {
    lines_.push_back(*line);
    if (stopped()) return false;
  }
  // A program without an EOT ends with an illegal instruction.
  uint32_t end = lines_.empty() ? 0 : lines_.back().offset + lines_.back().instruction.size();
  bytes_.assign(code.begin(), code.begin() + end);
  decoded_from_ = code.size();
  complete_ = walker.ended_properly() || end + isa_.limits().native_bytes <= code.size();
  lines_.push_back({end, Instruction{}});
  index_.assign(end / 8 + 1, -1);
  for (size_t n = 0; n < lines_.size(); n++) index_[lines_[n].offset / 8] = static_cast<int32_t>(n);
  ops_.reserve(lines_.size());
  const bool accumulates = !isa_.limits().accumulates_always || reads_accumulator();
  for (const Line& line : lines_) {
    ops_.push_back(OpBuilder(isa_.limits(), line.instruction, accumulates, offsets_, constants_).build(line.offset));
    if (stopped()) return false;
  }
  skip_padding();
  mark_targets();
  for (Op& op : ops_) decode_message_of(op);
  count_instructions();
  return true;
}

bool Program::reads_accumulator() const {
  return std::any_of(lines_.begin(), lines_.end(), [](const Line& line) {
    const Instruction& i = line.instruction;
    const OpcodeInfo* const row = i.info();
    if (!row) return false;
    // Code that is called may read it.
    if (i.dst.is_arf(Arf::ip) && row->form == Form::basic && !i.src[0].is_arf(Arf::ip)) return true;
    return row->has('a') || std::any_of(i.src, i.src + row->sources, [](const Operand& o) { return o.is_arf(Arf::accumulator); });
  });
}

/// An illegal opcode has no effect where its exception is off, as in iHD's composition kernels, which run through theirs. One that no other opcode follows
/// ends the thread: code is missing.
void Program::skip_padding() {
  const auto is_illegal = [](const Op& op) { return op.opcode == Opcode::illegal; };
  const auto last = std::find_if_not(ops_.rbegin(), ops_.rend(), is_illegal);
  for (auto op = last; op != ops_.rend(); ++op)
    if (is_illegal(*op)) op->execute = execute_nop;
}

void Program::count_instructions() {
  for (const Op& op : ops_) {
    const OpcodeInfo* const row = op.instruction->info();
    if (!row || row->opcode == Opcode::illegal || op.instruction->is_wait()) continue;
    if (row->form == Form::math) ++math_instructions_;
    else if (op.message && op.message->kind == MessageKind::math) ++math_instructions_;
    else if (row->form == Form::basic || row->form == Form::ternary) ++alu_instructions_;
  }
}

namespace {
/// Of messages to the render cache's port, other than to render targets; Gen9's media block writes are not counted here.
bool writes_memory(MessageKind kind) {
  return kind == MessageKind::oword_block_write || kind == MessageKind::oword_dual_block_write ||
         kind == MessageKind::dword_scattered_write;
}
}  // namespace

void Program::decode_message_of(Op& op) {
  const Instruction& i = *op.instruction;
  const OpcodeInfo* row = i.info();
  if (!row || !is_send(*row)) return;
  if (row->form == Form::split_send) op.second_length = static_cast<uint8_t>(isa_.extended_message_length(i.ex_descriptor));
  if (!i.descriptor_in_register) {
    const uint32_t extended = row->form == Form::split_send ? i.ex_descriptor : 0;
    op.message =
        &messages_.emplace_back(isa_.message(i.sfid(), i.descriptor, isa_.sent_extended_descriptor(extended, i.sfid(), i.end_of_thread)));
  }
  const auto sfid = static_cast<Sfid>(i.sfid());
  if (sfid == Sfid::dp_data0 || sfid == Sfid::dp_data1 || (op.message && writes_memory(op.message->kind))) uses_data_port_ = true;
  if (sfid != Sfid::dp_render) return;
  if (!op.message) render_targets_ = 0xff;
  else if (op.message->binding.index < 8 && !op.message->null_target)
    render_targets_ |= static_cast<uint8_t>(1u << op.message->binding.index);
}

void Program::mark(int64_t offset) {
  if (const int32_t n = index_at(offset); n >= 0) targets_[static_cast<size_t>(n)] = true;
}

void Program::mark_targets() {
  targets_.assign(lines_.size(), false);
  bool any_target = false;  // some offset is known only when the kernel runs
  for (size_t n = 0; n < lines_.size(); n++) {
    const Instruction& i = lines_[n].instruction;
    const OpcodeInfo* row = i.info();
    Op& op = ops_[n];
    if (!row) continue;
    const bool by_register = i.src[0].file == RegFile::grf;
    switch (row->form) {
      case Form::branch:
        // Channels wait after a while or goto, or at one of the offsets.
        if (!isa_.limits().mask_stacks) mark(op.next_offset);
        if (by_register) {
          any_target = !isa_.limits().mask_stacks;
          break;
        }
        op.jip_offset = int64_t{op.offset} + i.jip;
        op.uip_offset = row->has('u') ? int64_t{op.offset} + i.uip : op.jip_offset;
        if (isa_.limits().mask_stacks) break;
        if (i.opcode == Opcode::break_) {
          // Mesa and the PRM let UIP name the while; channels that broke out continue after it.
          const int32_t end = index_at(op.uip_offset);
          if (end >= 0 && lines_[static_cast<size_t>(end)].instruction.opcode == Opcode::while_)
            op.uip_offset = ops_[static_cast<size_t>(end)].next_offset;
        }
        mark(op.jip_offset);
        mark(op.uip_offset);
        break;
      case Form::call:
        op.jip_offset =
            i.opcode == Opcode::calla ? static_cast<uint32_t>(i.jip) - static_cast<int64_t>(start_) : int64_t{op.offset} + i.jip;
        mark(op.next_offset);
        mark(op.jip_offset);
        break;
      default: break;
    }
  }
  if (any_target) targets_.assign(lines_.size(), true);
  for (size_t n = 0; n < ops_.size(); n++) ops_[n].joins = targets_[n];
}

namespace {
/// Contexts have kernels of their own at like offsets: the first bytes distinguish most of them.
uint64_t cache_key(const Isa& isa, std::span<const std::byte> code, uint64_t start) {
  return hash64(code.first(std::min<size_t>(code.size(), 256)), isa.cache_id() ^ start);
}
}  // namespace

std::shared_ptr<const Program> ProgramCache::find(const Isa& isa, std::span<const std::byte> code, uint64_t start, const StopFlag* stop) {
  const uint64_t key = cache_key(isa, code, start);
  {
    MutexLock lock(mutex_);
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      const auto& program = found->second->program;
      const auto known = program->bytes();
      // What was cut off is decoded again when there is more of it.
      const bool same_place = program->isa().cache_id() == isa.cache_id() && program->start() == start;
      if (same_place && (program->complete() || code.size() <= program->decoded_from()) && known.size() <= code.size() &&
          std::memcmp(known.data(), code.data(), known.size()) == 0) {
        program->note_use();
        return program;
      }
    }
  }
  auto program = Program::decode(isa, code, start, fast_paths_, stop);
  if (!program) return nullptr;
  Entries evicted;
  MutexLock lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) remove(found->second, evicted);
  evict(program->lines().size(), evicted);
  by_key_[key] = entries_.insert(entries_.end(), {key, program});
  instructions_ += program->lines().size();
  return program;
}

void ProgramCache::remove(Entries::iterator entry, Entries& evicted) {
  instructions_ -= entry->program->lines().size();
  by_key_.erase(entry->key);
  evicted.splice(evicted.end(), entries_, entry);
}

void ProgramCache::evict(size_t needed, Entries& evicted) {
  while (!entries_.empty() && instructions_ + needed > limit_) {
    if (entries_.front().program->take_use()) entries_.splice(entries_.end(), entries_, entries_.begin());
    else remove(entries_.begin(), evicted);
  }
}

}  // namespace softgen::eu
