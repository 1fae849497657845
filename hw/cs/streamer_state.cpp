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

}  // namespace

void Streamer::reset() {
  {
    std::scoped_lock lock(attention_mutex_);
    links_.submission.reset();
    attention_.store(0, std::memory_order_release);
    stop_.clear(StopFlag::preempt);
    arbitration_.store(true, std::memory_order_release);
  }
  cursor_ = {};
  list_ = {};
  current_ = {};
  element_ = 0;
  last_event_ = set_predicate = jumps = 0;
  switch_wanted_ = halted_ = waiting_ = resident_valid_ = false;
  can_switch_ = true;
  busy_.store(false, std::memory_order_release);
  status_due_.store(false, std::memory_order_release);
  timestamp_base_.store(0, std::memory_order_release);
  links_.engine.reset_context();
  ggtt_.invalidate();
  set_address_space(memory::AddressSpace::ggtt(links_.ggtt));

  std::scoped_lock lock(register_mutex_);
  abandoned_ = {.count = abandoned_.count};
  for (const uint32_t r :
       {reg::tail, reg::head, reg::start, reg::ctl, reg::acthd, reg::acthd_udw, reg::ipehr, reg::ipeir, reg::esr, reg::eir, reg::bb_addr,
        reg::bb_addr_udw, reg::bb_state, reg::sbb_addr, reg::sbb_addr_udw, reg::sbb_state, reg::mode, reg::ctx_control})
    set(r, 0);
  set(reg::instdone, ~0u);
  set(reg::emr, ~0u);
  set(reg::mi_mode, reg::mode_idle);
}

void Streamer::state(Archive& archive) {
  const uint32_t version = archive.section("cs", 2);
  std::optional<Execlist> waiting = links_.submission.pending();
  bool list_waits = waiting.has_value();
  Execlist mail = waiting.value_or(Execlist{});
  archive.value(list_waits);
  list_state(archive, mail);
  waiting = list_waits ? std::optional(mail) : std::nullopt;
  cursor_state(archive, cursor_);
  list_state(archive, list_);
  archive.value(current_);
  archive.value(element_);
  archive.value(switch_wanted_);
  archive.value(can_switch_);
  archive.value(halted_);
  archive.value(waiting_);
  archive.value(last_event_);
  archive.value(set_predicate);
  if (version >= 2) {
    archive.value(abandoned_.stands);
    archive.value(abandoned_.address);
    archive.value(abandoned_.header);
  }
  bool arbitrates = arbitration();
  archive.value(arbitrates);
  uint32_t ran = context_timestamp();
  bool counting = timestamp_base_.load() >> 32;
  archive.value(ran);
  archive.value(counting);
  if (!archive.reading()) links_.engine.save_context(engine_image_);
  archive.blob(engine_image_, state_room(config_.context));
  if (!archive.reading() || archive.failed()) return;
  accept_state(archive, waiting, arbitrates, counting, ran);
}

void Streamer::list_state(Archive& archive, Execlist& list) {
  for (unsigned i = 0; i < links_.submission.elements(); ++i) archive.value(list.element[i]);
}

// A saved state is not trusted: it may come from a stranger.
void Streamer::accept_state(Archive& archive, const std::optional<Execlist>& waiting, bool arbitrates, bool counting, uint32_t ran) {
  if (engine_image_.size() != resident_image_.size()) {
    engine_image_.resize(resident_image_.size());
    return archive.fail("the engine's state has a different size");
  }
  element_ %= links_.submission.elements();
  cursor_.ring.size &= 0x003f'f000;
  cursor_.ring.head = cursor_.ring.into(reg::head_offset.in_place(cursor_.ring.head));
  cursor_.ring.set_tail(cursor_.ring.tail);
  for (Cursor::Batch& batch : cursor_.batch) batch.address &= 0xffff'ffff'fffc, batch.limit = 0;
  cursor_.batch[1].active = cursor_.batch[1].active && cursor_.batch[0].active;
  arbitration_.store(arbitrates);
  links_.submission.put(waiting);
  attention_.store(waiting ? attention_list : 0);
  stop_.clear(StopFlag::preempt);
  if (waiting && arbitrates) stop_.request(StopFlag::preempt);
  busy_.store(current_.valid());
  status_due_.store(true);  // it may have been due; once more writes the same
  set(reg::ctx_timestamp, ran);
  if (counting) start_timestamp(ran);
  else timestamp_base_.store(0);
  resident_valid_ = false;
  links_.engine.restore_context(engine_image_);
  ggtt_.invalidate();
  ppgtt_.invalidate();
  set_address_space();
}

void Streamer::start_timestamp(uint32_t value) {
  const uint32_t now = links_.registers.read(config_.mmio_base + reg::timestamp);
  timestamp_base_.store(uint64_t{1} << 32 | (value - now), std::memory_order_release);
}

}  // namespace softgen::cs
