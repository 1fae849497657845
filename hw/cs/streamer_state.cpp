// SPDX-License-Identifier: GPL-2.0-or-later
// A streamer's reset, and its saved state.
#include "hw/cs/streamer.h"

namespace softgen::cs {
namespace {

void cursor_state(Archive& archive, Cursor& cursor) {
  archive.value(cursor.ring);
  for (Cursor::Batch& batch : cursor.batch) {
    archive.value(batch.address);
    archive.value(batch.active);
    archive.value(batch.ppgtt);
  }
}

void check_cursor(Cursor& cursor) {
  cursor.ring.size &= 0x003f'f000;
  cursor.ring.head = cursor.ring.into(reg::head_offset.in_place(cursor.ring.head));
  cursor.ring.set_tail(cursor.ring.tail);
  for (Cursor::Batch& batch : cursor.batch) batch.address &= 0xffff'ffff'fffc, batch.limit = 0;
  cursor.batch[1].active = cursor.batch[1].active && cursor.batch[0].active;
}

}  // namespace

void Streamer::reset() {
  if (Watch* const watch = core_.watch()) watch->engine_reset(config().id);
  context_leaves();
  arbiter_.reset();
  cursor_ = {};
  list_ = {};
  element_ = 0;
  last_event_ = execution().predicate_mode = execution().jumps = 0;
  execution().held = {};
  can_switch_ = true;
  busy_.store(false, std::memory_order_release);
  position_ends();
  core_.reset();
}

void Streamer::list_state(Archive& archive, Execlist& list) {
  for (unsigned i = 0; i < core_.links().submission.elements(); ++i) archive.value(list.element[i]);
}

void Streamer::state(Archive& archive) {
  if (archive.reading()) execution().held = {};
  const uint32_t version = archive.section("cs", 2);
  Arbiter::Saved arbiter = arbiter_.saved();
  EngineCore::Saved core = core_.saved();
  bool list_waits = arbiter.waiting.has_value();
  Execlist waiting = arbiter.waiting.value_or(Execlist{});
  archive.value(list_waits);
  list_state(archive, waiting);
  cursor_state(archive, cursor_);
  list_state(archive, list_);
  archive.value(core.context);
  archive.value(element_);
  archive.value(arbiter.switch_wanted);
  archive.value(can_switch_);
  archive.value(core.halted);
  archive.value(core.waiting);
  archive.value(last_event_);
  archive.value(execution().predicate_mode);
  if (version >= 2) {
    archive.value(core.abandoned.stands);
    archive.value(core.abandoned.address);
    archive.value(core.abandoned.header);
  }
  archive.value(arbiter.arbitration);
  uint32_t ran = core_.context_timestamp();
  bool counting = core_.counts_time();
  archive.value(ran);
  archive.value(counting);
  engine_state(archive);
  if (!archive.reading() || archive.failed()) return;
  // A saved state is not trusted: it may come from a stranger.
  arbiter.waiting = list_waits ? std::optional(waiting) : std::nullopt;
  arbiter_.load(arbiter);
  core_.load(core);
  core_.set(reg::ctx_timestamp, ran);
  if (counting) core_.start_timestamp(ran);
  else core_.stop_timestamp();
  check_cursor(cursor_);
  element_ %= core_.links().submission.elements();
  busy_.store(core.context.valid());
  accept_engine_state();
  core_.invalidate();
  core_.set_address_space();
}

}  // namespace softgen::cs
