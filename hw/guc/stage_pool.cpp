// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/stage_pool.h"

#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::guc {

using namespace defs::guc::v9;

namespace {

constexpr uint32_t tail_unit = 8;

}  // namespace

bool StagePool::start(uint32_t parameter, const AddressRange& memory) {
  memory_ = memory;
  base_ = uint64_t{stages_page.of(parameter)} * memory::View::page_size;
  count_ = std::min(stages_in_16.of(parameter) * 16, max_stages);
  return count_ && memory_.has(base_, uint64_t{count_} * stage_bytes);
}

std::optional<Stage> StagePool::read(uint32_t id, memory::View& ggtt) const {
  if (id >= count_) return std::nullopt;
  const uint64_t at = address(id);
  const auto attributes = uint32_t{ggtt.load<uint8_t>(at + stage_attributes)};
  const Stage stage{.id = ggtt.load<uint32_t>(at + stage_id),
                    .engines = ggtt.load<uint8_t>(at + stage_engines),
                    .priority = ggtt.load<uint32_t>(at + stage_priority),
                    .terminated = attribute_terminated.of(attributes) != 0,
                    .doorbell = ggtt.load<uint16_t>(at + stage_doorbell),
                    .doorbell_line = ggtt.load<uint64_t>(at + stage_doorbell_line),
                    .process = ggtt.load<uint32_t>(at + stage_process),
                    .queue = ggtt.load<uint32_t>(at + stage_queue),
                    .queue_bytes = ggtt.load<uint32_t>(at + stage_queue_bytes)};
  const bool fits = attribute_active.of(attributes) && stage.id == id && stage.priority < priorities && stage.queue_bytes &&
                    stage.queue_bytes <= max_queue_bytes && stage.queue_bytes % 4 == 0 && memory_.has(stage.process, process_bytes) &&
                    memory_.has(stage.queue, stage.queue_bytes);
  if (!fits) {
    guest_error("GuC: no client, or nonsense in its descriptor", "{}", id);
    return std::nullopt;
  }
  return stage;
}

void StagePool::terminate(uint32_t id, memory::View& ggtt) const {
  if (id >= count_) return;
  const uint64_t at = address(id) + stage_attributes;
  ggtt.store(at, static_cast<uint8_t>(ggtt.load<uint8_t>(at) | attribute_terminated.mask()));
}

/// A work queue: dwords in a ring.
class StagePool::Queue {
 public:
  Queue(const Stage& stage, memory::View& ggtt) : stage_(stage), ggtt_(ggtt) {
    head_ = ggtt.load_acquire<uint32_t>(stage.process + process_head);
    tail_ = ggtt.load_acquire<uint32_t>(stage.process + process_tail);
  }
  bool is_sane() const { return head_ < stage_.queue_bytes && tail_ < stage_.queue_bytes && head_ % 4 == 0 && tail_ % 4 == 0; }
  /// That wait.
  uint32_t dwords() const { return (tail_ + stage_.queue_bytes - head_) % stage_.queue_bytes / 4; }
  uint32_t dword(uint32_t index) { return ggtt_.load<uint32_t>(at(index)); }
  void replace(uint32_t index, uint32_t dword) { ggtt_.store(at(index), dword); }
  void skip(uint32_t count) { head_ = (head_ + 4 * count) % stage_.queue_bytes; }
  void show_head() { ggtt_.store_release(stage_.process + process_head, head_); }
  uint32_t head() const { return head_; }

 private:
  uint64_t at(uint32_t index) const { return stage_.queue + (head_ + 4 * uint64_t{index}) % stage_.queue_bytes; }

  const Stage& stage_;
  memory::View& ggtt_;
  uint32_t head_ = 0, tail_ = 0;
};

// At most what waits now.
bool StagePool::serve(const Stage& stage, memory::View& ggtt, uint32_t& budget, const Judge& judge) const {
  if (stage.terminated || ggtt.load<uint32_t>(stage.process + process_status) != queue_active) return true;
  Queue queue(stage, ggtt);
  const auto fail = [&](uint32_t status) {
    guest_error("GuC: bad item in a work queue", "client {}, offset 0x{:x}", stage.id, queue.head());
    ggtt.store(stage.process + process_error, queue.head());
    ggtt.store(stage.process + process_status, status);
    return true;
  };
  if (!queue.is_sane()) return fail(queue_command_error);
  bool head_follows = true;
  while (const uint32_t waiting = queue.dwords()) {
    if (!budget) return false;
    --budget;
    const uint32_t header = queue.dword(item_header), dwords = 1 + item_dwords.of(header), number = item_engine.of(header);
    if (dwords > waiting) return fail(queue_command_error);
    Verdict verdict = Verdict::taken;
    if (item_type.of(header) == item_in_order && dwords == in_order_dwords) {
      verdict = Verdict::no_engine;
      if (number < engines.size() && bit(stage.engines, number))
        verdict = judge({.engine = engines[number],
                         .context = queue.dword(item_context),
                         .tail = submission_tail.of(queue.dword(item_submission)) * tail_unit});
    } else if (item_type.of(header) != item_noop) {
      return fail(queue_command_error);
    }
    if (verdict == Verdict::no_engine) return fail(queue_engine_not_used);
    if (verdict == Verdict::stays) return false;
    if (verdict == Verdict::removed) queue.replace(item_header, item_type.with(header, item_noop));
    if (verdict == Verdict::kept) head_follows = false;
    queue.skip(dwords);
    if (head_follows) queue.show_head();
  }
  return true;
}

void StagePool::state(Archive& archive) {
  archive.value(memory_.bottom);
  archive.value(base_);
  archive.value(count_);
  if (archive.reading() && count_ && (count_ > max_stages || !memory_.has(base_, uint64_t{count_} * stage_bytes)))
    archive.fail("the GuC's clients in the saved state are outside its memory");
}

}  // namespace softgen::guc
