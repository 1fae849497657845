// SPDX-License-Identifier: GPL-2.0-or-later
// A streamer of Ironlake: it runs its ring, and there are no execlists.
#pragma once

#include <optional>

#include "hw/cs/ring/contexts.h"
#include "hw/cs/ring/executor.h"
#include "hw/cs/ring/fault_interface.h"
#include "hw/cs/ring/process_tables.h"
#include "hw/cs/ring/video_contexts.h"
#include "hw/cs/streamer.h"

namespace softgen::cs {

/// The sink of a streamer's views, which exists before them.
struct RingFaults {
  RingFaults(const StreamerConfig& config, StreamerLinks& links);
  std::optional<FaultInterface> interface{};  ///< of the render streamer
};

class RingStreamer final : private RingFaults, public Streamer {
 public:
  RingStreamer(const StreamerConfig& config, StreamerLinks links);

  void reset() override;
  void state(Archive& archive) override;
  std::span<const uint32_t> kicking_registers() const override;
  std::span<const uint32_t> other_kicking_registers() const override;
  std::optional<WatchdogForm> watchdog() const override;

 private:
  Work next_work() override;
  ParseEnd walk() override;
  void follow_tables() override;
  void set_context(Executor::Dwords packet) override { ring_contexts_.set_context(packet); }
  void engine_state(Archive& archive) override { ring_contexts_.engine_state(archive); }
  void accept_engine_state() override { ring_contexts_.accept(); }
  RingExecutor& executor() { return static_cast<RingExecutor&>(*executor_); }
  /// Software has ended its service of page faults.
  void end_service();
  void change_context();
  /// The registers of part 2, 1.3.4.
  void show_translations();

  ProcessTables tables_;
  RingContexts ring_contexts_;
  std::optional<VideoContexts> video_contexts_;
};

}  // namespace softgen::cs
