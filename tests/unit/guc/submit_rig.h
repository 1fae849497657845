// SPDX-License-Identifier: GPL-2.0-or-later
// A rig with submission by the GuC, and engines that do what the test says.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "tests/unit/guc/guc_rig.h"

namespace softgen::guc::test {

inline constexpr uint32_t slpc = 1 << 2;
inline constexpr int64_t ms = 1'000'000;
inline constexpr uint32_t render = 0, video = 1, copy = 3;

struct SubmitRig : BufferRig {
  explicit SubmitRig(const Chip& chip = tgl, uint32_t features = slpc) : BufferRig(chip, features) { host.now = 1000 * ms; }

  static constexpr uint32_t lrca_of(uint32_t id) { return 0x1000'0000 + id * 0x10000; }
  /// The answers are those to it alone.
  void do_request(std::initializer_list<uint32_t> action) {
    while (!receive().empty()) {}
    send(++fence, 0, action);
    answers.clear();
    for (Message message = receive(); !message.empty(); message = receive()) answers.push_back(message);
  }
  /// register_context_v70(), with the descriptor's flags as i915 has them.
  void add(uint32_t id, uint32_t cls = render, uint32_t mask = 1) {
    do_request({0x4502, 1, id, cls, mask, 0, 0, 0, 0, 0, lrca_of(id) | 0x119, 0});
    REQUIRE(answers == std::vector<Message>{{fence << 16 | 1, success}});
  }
  void set_policies(uint32_t id, uint32_t priority, uint32_t quantum_us = 1000, uint32_t timeout_us = 640'000) {
    do_request({0x100b, id, 0x2003 << 16 | 1, priority, 0x2001 << 16 | 1, quantum_us, 0x2002 << 16 | 1, timeout_us});
    REQUIRE(answers == std::vector<Message>{{fence << 16 | 1, success}});
  }
  /// MODE_SET as i915 sends it: an event, which MODE_DONE follows.
  void set_mode(uint32_t id, uint32_t enabled) { send(0, 1, {0x1001, id, enabled}); }
  bool got(std::initializer_list<uint32_t> hxg) {
    const Message message = receive();
    return !message.empty() && std::vector<uint32_t>(message.begin() + 1, message.end()) == std::vector<uint32_t>(hxg);
  }
  bool mode_done(uint32_t id, uint32_t enabled) { return got({0x9000'1002, id, enabled}); }

  /// The list that waits in the engine's port: an address, 0: to idle; nothing: none does.
  std::optional<uint32_t> in_port(EngineId engine = EngineId::rcs) {
    if (engines.lists.empty() || engines.lists.front().first != engine) return std::nullopt;
    return engines.lists.front().second.element[0].lrca();
  }
  /// The engine takes it.
  void take(EngineId engine = EngineId::rcs) {
    REQUIRE_FALSE(engines.lists.empty());
    const auto [at, list] = engines.lists.front();
    REQUIRE(at == engine);
    engines.lists.erase(engines.lists.begin());
    const cs::Descriptor left = on_engine[static_cast<size_t>(engine)], entered = list.element[0];
    on_engine[static_cast<size_t>(engine)] = entered;
    uint32_t event = left.valid() || !entered.valid() ? cs::event_preempted : cs::event_idle_to_active;
    if (!entered.valid()) event |= cs::event_active_to_idle;
    if (left.valid() && entered.same_context(left)) event |= cs::event_lite_restore;
    guc->switched(engine, {event, left, entered});
  }
  /// What it runs is done.
  void complete(EngineId engine = EngineId::rcs) {
    const cs::Descriptor left = std::exchange(on_engine[static_cast<size_t>(engine)], {});
    guc->switched(engine, {cs::event_active_to_idle | cs::event_complete, left, {}});
  }
  void advance(int64_t ns) {
    host.now += ns;
    guc->look();
  }

  uint32_t fence = 0;
  std::vector<Message> answers;
  std::array<cs::Descriptor, engine_count> on_engine{};
};

}  // namespace softgen::guc::test
