// SPDX-License-Identifier: GPL-2.0-or-later
// The machine as Ice Lake has it, with RCS and POCS, and contexts that are POSH enabled.
#pragma once

#include <thread>

#include "tests/unit/cs/machine.h"

namespace softgen::cs::test {

// Header bits of MI_BATCH_BUFFER_START (hw/defs/gen11/mi.def).
constexpr uint32_t posh_start = 1u << 21, posh_enable = 1u << 20, predicated = 1u << 15, second_level = 1u << 22;
inline Dwords batch_start(uint64_t at, uint32_t flags = 0) { return {mi(0x31, 1 | flags), uint32_t(at), uint32_t(at >> 32)}; }
/// A packet of the position-only pipe, one that it does not have, and a draw.
inline Dwords state_vs(uint32_t word) { return {0x7810'0007, 0, 0, 0, 0, 0, 0, 0, word}; }
inline Dwords state_ps(uint32_t word) { return {0x7820'000a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, word}; }
inline Dwords draw(bool records) { return {0x7b00'0005 | (records ? 1u << 13 : 0), 0, 3, 0, 1, 0, 0}; }
constexpr uint32_t vs_header = 0x7810'0007, ps_header = 0x7820'000a, recording_draw_header = 0x7b00'2005;

class PositionRig;

/// RCS's image, the ring, and POCS's image.
struct PositionContext : Context {
  uint32_t position_lrca;

  PositionContext(PositionRig& rig, uint32_t id, bool enabled = true);
  uint32_t position_image(uint32_t dword) const;
  void set_position_image(uint32_t dword, uint32_t value);
};

class PositionRig : public Machine {
 public:
  explicit PositionRig(bool threaded = false);
  ~PositionRig();

  void enable();
  void submit(const Context& context);
  /// Since the last call.
  std::vector<Event> events();
  /// Writes GDRST's bit of the render domain.
  void reset_render();
  FakeEngine& pocs() { return engine(EngineId::pocs); }
  FakeEngine& rcs() { return engine(EngineId::rcs); }

  /// As a CPU sees memory while streamers run.
  uint32_t load(uint32_t at);
  void release(uint32_t at, uint32_t value);
  /// Goes on until `done`; without threads all that can be done has been by then.
  template <typename F>
  void until(F&& done) {
    cs->poll();
    if (!threaded_) REQUIRE(done());
    while (!done()) std::this_thread::yield();
  }
  void until_idle() {
    until([&] { return !cs->busy(); });
  }

  const bool threaded_;
  uint32_t csb_head_ = 11;
};

}  // namespace softgen::cs::test
