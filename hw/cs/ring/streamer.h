// SPDX-License-Identifier: GPL-2.0-or-later
// A streamer of Ironlake: it runs its ring, and there are no execlists.
#pragma once

#include "hw/cs/ring/contexts.h"
#include "hw/cs/ring/executor.h"
#include "hw/cs/streamer.h"

namespace softgen::cs {

class RingStreamer final : public Streamer {
 public:
  RingStreamer(const StreamerConfig& config, StreamerLinks links);

  void reset() override;
  void state(Archive& archive) override;
  std::span<const uint32_t> kicking_registers() const override;
  std::optional<WatchdogForm> watchdog() const override;

 private:
  Work next_work() override;
  void set_context(Executor::Dwords packet) override { ring_contexts_.set_context(packet); }
  void engine_state(Archive& archive) override { ring_contexts_.engine_state(archive); }
  void accept_engine_state() override { ring_contexts_.accept(); }
  RingExecutor& executor() { return static_cast<RingExecutor&>(*executor_); }

  RingContexts ring_contexts_;
};

}  // namespace softgen::cs
