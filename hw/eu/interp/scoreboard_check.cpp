// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/interp/scoreboard_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "hw/base/log.h"
#include "hw/eu/interp/execute.h"
#include "hw/eu/isa/print.h"
#include "hw/eu/isa/scoreboard.h"
#include "hw/eu/program/op.h"

namespace softgen::eu {

namespace {

/// In-order instructions after which a result is there without a wait (Mesa brw_lower_scoreboard.cpp, ordered_dependency_swsb).
constexpr uint32_t pipeline = 10;

bool sends(const Op& op) {
  const OpcodeInfo* row = op.instruction->info();
  return row && is_send(*row);
}

/// Neither kind: they only wait.
bool only_waits(const Op& op) { return op.opcode == Opcode::sync || op.opcode == Opcode::nop || op.opcode == Opcode::illegal; }

std::string text_at(const Program& program, uint32_t offset) {
  const int32_t index = program.index_at(offset);
  return index < 0 ? std::string("?") : print(program.isa(), program.lines()[static_cast<size_t>(index)].instruction, offset);
}

}  // namespace

void ScoreboardCheck::restart() {
  writers_.fill({}), readers_.fill({}), in_order_readers_.fill({});
  tokens_.fill({});
  number_ = 1;
  done_ = 0;
  next_ = 0;
}

bool ScoreboardCheck::in_order_done(const Use& use) const { return use.order <= done_ || use.order + pipeline < number_; }

bool ScoreboardCheck::written(const Use& use) const {
  switch (use.by) {
    case Use::By::none: return true;
    case Use::By::in_order: return in_order_done(use);
    case Use::By::token: return tokens_[use.id].written >= use.order;
    case Use::By::no_token: break;
  }
  return false;
}

bool ScoreboardCheck::read(const Use& use) const { return use.by == Use::By::token ? tokens_[use.id].read >= use.order : written(use); }

/// It and the message being checked are for the same shared function and the same channels.
bool ScoreboardCheck::read_before(const Use& use) const {
  const int32_t index = program_->index_at(use.offset);
  if (use.by == Use::By::in_order || index < 0 || !sends(*op_)) return false;
  const Instruction &older = program_->lines()[static_cast<size_t>(index)].instruction, &newer = *op_->instruction;
  return older.opcode == newer.opcode && older.sfid() == newer.sfid() && older.exec_size == newer.exec_size &&
         older.no_mask == newer.no_mask && older.qtr_control == newer.qtr_control && older.nib_control == newer.nib_control &&
         static_cast<const Predication&>(older) == static_cast<const Predication&>(newer);
}

void ScoreboardCheck::report(unsigned byte, const char* what, const Use& use) {
  if (reported_) return;
  reported_ = true;
  reports_++;
  // Each place in a kernel is a name of its own: it is printed once.
  guest_error(fmt::format("EU software scoreboard, kernel at 0x{:x}, byte 0x{:x}", program_->start(), op_->offset),
              "{}\n  {} g{} byte {} without a wait for the instruction at byte 0x{:x}: {}", text_at(*program_, op_->offset), what,
              byte / 32, byte % 32, use.offset, text_at(*program_, use.offset));
}

void ScoreboardCheck::check_read(Bytes bytes) {
  for (unsigned n = bytes.first; n < bytes.first + bytes.count && n < grf_bytes; n++)
    if (!written(writers_[n])) return report(n, "reads", writers_[n]);
}

void ScoreboardCheck::check_write(Bytes bytes) {
  for (unsigned n = bytes.first; n < bytes.first + bytes.count && n < grf_bytes; n++) {
    const bool ordered = !out_of_order_ && writers_[n].by == Use::By::in_order;
    if (!ordered && !written(writers_[n])) return report(n, "overwrites", writers_[n]);
    if (!read(readers_[n]) && !read_before(readers_[n])) return report(n, "overwrites, before it is read,", readers_[n]);
    if (out_of_order_ && !read(in_order_readers_[n])) return report(n, "overwrites, before it is read,", in_order_readers_[n]);
  }
}

void ScoreboardCheck::note_read(Bytes bytes) {
  auto& readers = out_of_order_ ? readers_ : in_order_readers_;
  for (unsigned n = bytes.first; n < bytes.first + bytes.count && n < grf_bytes; n++) readers[n] = use_;
}

void ScoreboardCheck::note_write(Bytes bytes) {
  for (unsigned n = bytes.first; n < bytes.first + bytes.count && n < grf_bytes; n++) writers_[n] = use_;
}

void ScoreboardCheck::sources(const Thread& thread, const Op& op, Visit visit) {
  if (sends(op)) {
    const SendForm form = send_form(thread, op);
    (this->*visit)({form.payload.first * 32, form.payload.count * 32});
    (this->*visit)({form.second.first * 32, form.second.count * 32});
    return;
  }
  for (unsigned n = 0; n < op.sources; n++) {
    const Source& s = op.src[n];
    const unsigned size = size_of(s.type);
    if (s.fetch == Fetch::scalar && s.base < grf_bytes) (this->*visit)({s.base, size});
    if (s.fetch == Fetch::contiguous && s.base < grf_bytes) (this->*visit)({s.base, op.exec_size * size});
    if (s.fetch != Fetch::offsets) continue;
    for (unsigned k = 0; k < op.exec_size; k++)
      if ((*s.offsets)[k] < grf_bytes) (this->*visit)({(*s.offsets)[k], size});
  }
}

void ScoreboardCheck::destinations(const Thread& thread, const Op& op, Visit visit) {
  if (sends(op)) {
    const SendForm form = send_form(thread, op);
    (this->*visit)({form.response.first * 32, form.response.count * 32});
    return;
  }
  const Destination& d = op.dst;
  const unsigned size = size_of(d.type);
  const bool both = op.opcode == Opcode::math && op.instruction->math_function() == MathFunction::int_div_both;
  if (d.place == Place::contiguous && d.base < grf_bytes) {
    (this->*visit)({d.base, op.exec_size * size});
    if (both) (this->*visit)({(d.base + op.groups * 32u) & (grf_bytes - 1), op.exec_size * size});
  }
  if (d.place != Place::offsets) return;
  for (unsigned k = 0; k < op.exec_size; k++)
    if ((*d.offsets)[k] < grf_bytes) (this->*visit)({(*d.offsets)[k], size});
}

/// What the instruction waits for, and the token that it sets.
void ScoreboardCheck::wait(const Op& op) {
  const Instruction& i = *op.instruction;
  const Scoreboard s = scoreboard(i);
  if (s.distance && number_ > s.distance) done_ = std::max(done_, number_ - s.distance);
  Token& token = tokens_[s.id];
  using Kind = Scoreboard::Token;
  if (s.token == Kind::wait_written || s.token == Kind::set) token.written = token.set;
  if (s.token != Kind::none) token.read = token.set;
  const bool all_written = i.opcode == Opcode::sync && i.sync_function() == SyncFunction::allwr;
  if (all_written || (i.opcode == Opcode::sync && i.sync_function() == SyncFunction::allrd)) {
    const uint32_t which = i.src[0].file == RegFile::imm ? static_cast<uint32_t>(i.imm) : 0xffff;
    for (unsigned n = 0; n < tokens; n++)
      if (which >> n & 1) {
        tokens_[n].read = tokens_[n].set;
        if (all_written) tokens_[n].written = tokens_[n].set;
      }
  }
  use_ = {Use::By::in_order, 0, number_, op.offset};
  if (!out_of_order_) return;
  if (s.token == Kind::set) use_ = {Use::By::token, s.id, ++token.set, op.offset};
  else use_.by = Use::By::no_token;
}

void ScoreboardCheck::before(const Thread& thread, const Op& op) {
  program_ = thread.program();
  op_ = &op;
  out_of_order_ = is_out_of_order(*op.instruction);
  reported_ = false;
  const int32_t index = program_->index_at(op.offset);
  if (index != next_) done_ = number_ - 1;
  next_ = index + 1;
  wait(op);
  if (only_waits(op)) return;
  sources(thread, op, &ScoreboardCheck::check_read);
  destinations(thread, op, &ScoreboardCheck::check_write);
  sources(thread, op, &ScoreboardCheck::note_read);
  destinations(thread, op, &ScoreboardCheck::note_write);
  if (!out_of_order_) number_++;
}

}  // namespace softgen::eu
