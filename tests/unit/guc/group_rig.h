// SPDX-License-Identifier: GPL-2.0-or-later
// A rig with a parent and its children, which it submits as i915 6.1 does (gt/uc/intel_guc_submission.c: prepare_context_registration_info_v70(),
// __guc_wq_item_append()). Offsets and bits are the driver's, written a second time on purpose.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

#include "tests/unit/guc/submit_rig.h"

namespace softgen::guc::test {

struct GroupRig : SubmitRig {
  static constexpr EngineId first = EngineId::vcs0, second = EngineId::vcs1;
  static constexpr uint32_t scratch = buffers_at + 0x70000, queue_bytes = 2048, images = buffers_at + 0x80000;
  /// Of a parent's scratch page: the queue's descriptor, and the queue.
  static constexpr uint32_t descriptor_of(uint32_t parent) { return scratch + parent % 8 * 4096; }
  static constexpr uint32_t queue_of(uint32_t parent) { return descriptor_of(parent) + 4096 - queue_bytes; }
  static constexpr uint32_t image_of(uint32_t id) { return images + id * 0x2000; }

  void prepare_queue(uint32_t parent) {
    for (uint32_t at = 0; at < 4096; at += 4) store(descriptor_of(parent) + at, 0);
    store(descriptor_of(parent) + 12, 1);
    queue_tail = 0;
  }
  /// __guc_action_register_multi_lrc_v70(), of a parent with one child: the answer.
  uint32_t register_group(uint32_t parent, uint32_t cls = video, uint32_t mask = 1) {
    prepare_queue(parent);
    do_request({0x4601, 1, parent, cls, mask, descriptor_of(parent), 0, queue_of(parent), 0, queue_bytes, 2, image_of(parent) | 0x119, 0,
                image_of(parent + 1) | 0x119, 0});
    return answers.at(0).at(1);
  }
  void add_group(uint32_t parent) { REQUIRE(register_group(parent) == success); }
  void put_item(uint32_t parent, std::initializer_list<uint32_t> item) {
    for (const uint32_t dword : item) store(queue_of(parent) + queue_tail, dword), queue_tail += 4;
    queue_tail %= queue_bytes;
    store(descriptor_of(parent) + 4, queue_tail);
  }
  /// __guc_wq_item_append(): tails in bytes.
  void append(uint32_t parent, uint32_t tail, uint32_t child_tail) {
    if (const uint32_t left = queue_bytes - queue_tail; left < 20) {
      store(queue_of(parent) + queue_tail, 4 | (left / 4 - 1) << 16);
      queue_tail = 0;
    }
    put_item(parent, {5 | 4 << 16, image_of(parent) | 0x119, parent | tail / 8 << 18, 0, child_tail / 8});
  }
  /// __guc_add_request().
  void schedule(uint32_t parent) { send(0, 1, {0x1000, parent}); }
  void submit(uint32_t parent, uint32_t tail) {
    append(parent, tail, tail + 8);
    schedule(parent);
  }
  /// The first request of a group.
  void start(uint32_t parent) {
    append(parent, 0x40, 0x48);
    set_mode(parent, 1);
    CHECK(mode_done(parent, 1));
    schedule(parent);
  }
  uint32_t tail_in_image(uint32_t id) { return load(image_of(id) + 0x1000 + 7 * 4); }  // gt/intel_lrc_reg.h, CTX_RING_TAIL

  /// The list in an engine's port.
  std::optional<uint32_t> listed(EngineId engine) {
    const auto found = std::ranges::find(engines.lists, engine, [](const auto& list) { return list.first; });
    return found == engines.lists.end() ? std::nullopt : std::optional(found->second.element[0].lrca());
  }
  bool both_listed(uint32_t parent) { return listed(first) == image_of(parent) && listed(second) == image_of(parent + 1); }
  bool none_listed() { return engines.lists.empty(); }
  /// The engine takes its list.
  void take_on(EngineId engine) {
    const auto found = std::ranges::find(engines.lists, engine, [](const auto& list) { return list.first; });
    REQUIRE(found != engines.lists.end());
    std::rotate(engines.lists.begin(), found, found + 1);
    take(engine);
  }
  void take_both() { take_on(first), take_on(second); }
  /// A group that runs.
  void run(uint32_t parent) {
    add_group(parent);
    start(parent);
    REQUIRE(both_listed(parent));
    take_both();
    REQUIRE(none_listed());
  }

  uint32_t queue_tail = 0;
};

}  // namespace softgen::guc::test
