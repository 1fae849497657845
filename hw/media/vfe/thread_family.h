// SPDX-License-Identifier: GPL-2.0-or-later
// A root thread and the threads that it and they start by messages to the thread spawner, all on the calling host thread. They take turns: a thread runs until
// it ends, waits (n0), has spawned a thread while the spawner is full, or has jumped backward max_jumps times. So roots that wait for their children, and those
// that look into their registers until a child has written there, get on (intel-vaapi-driver src/shaders/h264/ildb: AVC_ILDB_Root_Y.asm does both).
//
// Threads write each other's registers by the message gateway: the owner opens some of them with a key, others forward data there and may notify it.
#pragma once

#include <array>
#include <deque>
#include <optional>

#include "hw/media/vfe/kernels.h"

namespace softgen::media::vfe {

class ThreadFamily final : public MessageTarget {
 public:
  /// Threads of the chip that run at the same time (12 EUs of 6, as i965-va-driver counts them: i965_avc_ildb.c, max_concurrent_threads), and threads that the
  /// spawner holds beyond.
  static constexpr unsigned max_threads = 72, max_held = 8;
  static constexpr uint32_t max_jumps = 4096;

  ThreadFamily(ThreadUnits& units, Kernels& kernels, const VfeState& state, const render::ilk::MediaContext& context, EngineEnv& env);

  /// Runs the thread of slot 0, whose first `payload` registers are set, and all that it starts. `handle`: its entry, which its end gives back.
  /// fault: those that are left wait for notifications that no thread will send.
  ExecResult run(const Kernel& kernel, unsigned payload, uint32_t handle);

  SendResult send(const Message& message, ThreadEnv& env) override;

 private:
  struct Member {
    bool running = false;
    bool waiting = false, stalled = false;  ///< for a notification; for room in the spawner
    std::array<uint32_t, 4> seen{};         ///< its notifications when it began to wait
    std::optional<GatewayOpening> gateway;
    std::optional<ThreadEnv> env;
  };
  eu::Thread& thread(unsigned slot) { return *units_.threads[slot]; }
  /// The slot's first `payload` registers, r0 among them, are set.
  void begin(unsigned slot, const Kernel& kernel, unsigned payload);
  /// Held threads get free slots.
  void begin_held();
  /// The next slot in turn whose thread can go on; none: all are done or wait.
  std::optional<unsigned> next() const;
  bool can_run(unsigned slot) const;
  /// False: the stop flag says that the work is dropped.
  bool take_turn(unsigned slot);

  SendResult spawn(const Message& message);
  void open(const Message& message);
  void forward(const Message& message);

  ThreadUnits& units_;
  Kernels& kernels_;
  const VfeState& state_;
  const render::ilk::MediaContext& context_;
  EngineEnv& env_;
  std::vector<Member> members_;
  std::deque<SpawnedThread> held_;
  unsigned current_ = 0;
  uint32_t jumps_ = 0;
  bool keeps_entry_ = false;
};

}  // namespace softgen::media::vfe
