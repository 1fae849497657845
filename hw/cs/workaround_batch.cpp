// SPDX-License-Identifier: GPL-2.0-or-later
// Context workaround batches, which run on each restore: INDIRECT_CTX bounded by its length, BB_PER_CTX_PTR by its MI_BATCH_BUFFER_END
// (SKL PRM vol 2c; i915 gt/intel_lrc.c).
#include "hw/cs/workaround_batch.h"
#include "hw/base/log.h"
#include "hw/cs/streamer.h"
#include "hw/defs/ids.h"

namespace softgen::cs {
namespace {

constexpr uint64_t workaround_commands = 65536;
// i915's batches for Gen9 have about fifteen (gt/intel_lrc.c, gen9_init_indirectctx_bb); a few microseconds on the thread that submits.
constexpr uint64_t short_batch_commands = 64;

/// Looks through a workaround batch without running it.
class ShortBatch {
 public:
  bool ends() const { return ends_; }

  bool before(const Cursor&) { return ends_ && (ends_ = left_-- > 0); }
  Flow command(const Packet& packet, const Cursor&) {
    using defs::CommandId;
    switch (packet.command->id) {
      case CommandId::MI_BATCH_BUFFER_END: return Flow::end();
      case CommandId::MI_BATCH_BUFFER_START:
      case CommandId::MI_CONDITIONAL_BATCH_BUFFER_END:
      case CommandId::MI_SEMAPHORE_WAIT:
      case CommandId::MI_SET_CONTEXT:
      case CommandId::MI_UPDATE_GTT: return stop();
      case CommandId::PIPE_CONTROL: return Flow::next();
      default: return packet.dwords[0] >> 29 == 0 ? Flow::next() : stop();
    }
  }
  Flow unknown(const Packet&, const Cursor&) { return stop(); }
  Flow no_memory(uint64_t, const Cursor&) { return stop(); }

 private:
  Flow stop() {
    ends_ = false;
    return Flow::repeat();
  }
  uint64_t left_ = short_batch_commands;
  bool ends_ = true;
};

}  // namespace

bool Streamer::is_short(const WorkaroundBatch& batch) {
  Cursor cursor;
  cursor.batch[0] = batch.start();
  ShortBatch visitor;
  parse(cursor, ParseMemory{core_.ggtt(), core_.ppgtt(), packet_}, config().commands, config().engine_class, visitor);
  return visitor.ends();
}

// The guest may change image and batches before they are restored: run_workaround_batch() counts again.
bool Streamer::restores_shortly() {
  const std::optional<Execlist> list = core_.links().submission.pending();
  if (!list) return false;
  for (const Descriptor& element : list->element) {
    if (!element.valid()) continue;
    for (const WorkaroundBatch& batch : contexts_->batches_of(element))
      if (batch.named && !is_short(batch)) return false;
  }
  return true;
}

void Streamer::run_workaround_batch(const WorkaroundBatch& batch) {
  Execution& execution = executor_->execution();
  const Cursor context = cursor_;
  const Execution before = execution;
  cursor_ = {};
  cursor_.batch[0] = batch.start();
  execution.budget = execution.leave_to_thread ? short_batch_commands : workaround_commands;
  execution.predicate_mode = 0;
  execution.in_workaround = true;
  arbiter_.set_arbitration(false);
  // Pauses wait for its end, since the restore has no boundary of its own, and abandon it.
  const ParseEnd end = walk();
  cursor_ = context;
  execution.in_workaround = false;
  execution.budget = before.budget;
  execution.predicate_mode = before.predicate_mode;
  if (end == ParseEnd::drained || stop().resetting() || core_.halted()) return;
  if (stop().aborting()) return core_.hang_abandoned();
  guest_error("context workaround batch does not end", "at {:#x}", batch.address);
  core_.error(reg::error_instruction, EngineCore::Error::fatal);
}

}  // namespace softgen::cs
