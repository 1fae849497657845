// SPDX-License-Identifier: GPL-2.0-or-later
// Context workaround batches, which run on each restore: INDIRECT_CTX bounded by its length, BB_PER_CTX_PTR by its MI_BATCH_BUFFER_END
// (SKL PRM vol 2c; i915 gt/intel_lrc.c).
#include "hw/cs/workaround_batch.h"
#include "hw/base/log.h"
#include "hw/cs/context_image.h"
#include "hw/cs/executor.h"
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

bool Streamer::is_short(uint64_t address, uint64_t bytes) {
  Cursor cursor;
  cursor.batch[0] = {.address = address, .active = true, .limit = bytes ? address + bytes : 0};
  ShortBatch visitor;
  parse(cursor, ParseMemory{ggtt_, ppgtt_, packet_}, config_.commands, config_.engine_class, visitor);
  return visitor.ends();
}

// The guest may change image and batches before they are restored: run_workaround_batch() counts again.
bool Streamer::restores_shortly() {
  const std::optional<Execlist> list = links_.submission.pending();
  if (!list) return false;
  for (const Descriptor& element : list->element) {
    if (!element.valid()) continue;
    const auto value = [&](uint32_t dword) { return ggtt_.load<uint32_t>(element.lrca() + uint64_t{image_page} + dword * 4); };
    for (const WorkaroundBatch batch : {per_context_batch(value(image_dwords_.per_context)), indirect_batch(value(image_dwords_.indirect))})
      if (batch.named && !is_short(batch.address, batch.bytes)) return false;
  }
  return true;
}

void Streamer::run_workaround_batch(uint64_t address, uint64_t bytes) {
  const Cursor context = cursor_;
  const uint64_t left = budget;
  const uint32_t predicate_mode = set_predicate;
  cursor_ = {};
  cursor_.batch[0] = {.address = address, .active = true, .limit = bytes ? address + bytes : 0};
  budget = leave_to_thread ? short_batch_commands : workaround_commands;
  set_predicate = 0;
  in_workaround_ = true;
  set_arbitration(false);
  Executor executor(*this);
  // Pauses wait for its end, since the restore has no boundary of its own, and abandon it.
  const ParseEnd end = parse(cursor_, ParseMemory{ggtt_, ppgtt_, packet_}, config_.commands, config_.engine_class, executor);
  finish();
  in_workaround_ = false;
  cursor_ = context;
  budget = left;
  set_predicate = predicate_mode;
  if (end == ParseEnd::drained || stop_.resetting() || halted_) return;
  if (stop_.aborting()) return hang_abandoned();
  guest_error("context workaround batch does not end", "at {:#x}", address);
  error(reg::error_instruction, true);
}

}  // namespace softgen::cs
