// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/position/streamer.h"

namespace softgen::cs {

PositionStreamer::PositionStreamer(const StreamerConfig& config, StreamerLinks links, PositionLink& link, uint32_t leader_base)
    : Streamer(config, std::move(links)), link_(link), leader_base_(leader_base), walk_(*executor_, arbiter_, config.commands) {}

Streamer::Work PositionStreamer::next_work() {
  if (arbiter_.has_list()) arbiter_.take();  // RCS has called: the answer is below
  if (core_.context().valid() && link_.must_leave()) {
    contexts_->save();
    core_.set_context({});
    link_.release();
  }
  if (!core_.context().valid())
    if (const Descriptor context = link_.claim(); context.valid()) begin(context);
  if (!core_.context().valid()) return Work::none;
  // "POCS will sample the tail pointer from RCS."
  core_.set(reg::tail, core_.links().registers.peek(leader_base_ + reg::tail));
  cursor_.ring.set_tail(core_.get(reg::tail));
  return cursor_.level() == 0 && cursor_.ring.head == cursor_.ring.tail ? Work::none : Work::ready;
}

// The page tables are RCS's; all else is in POCS's own image.
void PositionStreamer::begin(const Descriptor& context) {
  core_.set_context(context);
  for (uint32_t i = 0; i < 8; ++i) core_.set(reg::pdp + 4 * i, core_.links().registers.peek(leader_base_ + reg::pdp + 4 * i));
  core_.set_waiting(false);
  execution().jumps = 0;
  contexts_->restore();
  core_.start_timestamp(core_.get(reg::ctx_timestamp));
}

ParseEnd PositionStreamer::walk() {
  executor_->begin();
  const ParseEnd end = parse(cursor_, ParseMemory{core_.ggtt(), core_.ppgtt(), packet_}, config().commands, config().engine_class, walk_);
  core_.finish_deferred();
  return end;
}

void PositionStreamer::reset() {
  Streamer::reset();
  link_.reset();
}

void PositionStreamer::state(Archive& archive) {
  Streamer::state(archive);
  for (Cursor::Batch& batch : cursor_.batch) {
    archive.value(batch.mode);
    if (batch.mode > BatchMode::executed)
      return batch.mode = BatchMode::plain, archive.fail("a batch of the saved state is walked in no known way");
  }
}

}  // namespace softgen::cs
