// SPDX-License-Identifier: GPL-2.0-or-later
// What firmware 9 does, by its interface (Linux 4.19's i915): messages through fifteen registers, clients that ring doorbells and queue work, engines by
// the clients' priorities. No firmware is executed.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/base/mutex.h"
#include "hw/guc/core.h"
#include "hw/guc/doorbells.h"
#include "hw/guc/firmware.h"
#include "hw/guc/stage_pool.h"
#include "hw/guc/submit_queues.h"

namespace softgen::guc {

class FirmwareV9 final : public GucCore {
 public:
  using Environment = Firmware::Environment;
  FirmwareV9(const Environment& environment, Doorbells& doorbells);

  static bool is_for(const FirmwareFile& file);

  uint32_t start(const Start& start) override;
  void stop() override;
  void notify() override;
  /// The doorbells' message.
  void rung();
  /// Time has passed.
  void look();
  /// A context status event of an engine.
  void switched(EngineId engine, const cs::ContextSwitch& event);
  void state(Archive& archive) override;

 private:
  using Arguments = std::span<const uint32_t>;
  struct Row;
  struct Answer {
    uint32_t status = defs::guc::v9::status_success;
    std::optional<EngineId> resets{};  ///< before the host gets the answer
  };

  /// Calls act() with the mutex held; then, without it, interrupts the host and passes the lists on to the engines. False: no firmware runs.
  template <typename F>
  bool serve_locked(F&& act);
  Answer answer(Arguments message) SG_REQUIRES(mutex_);
  void serve_doorbells() SG_REQUIRES(mutex_);
  void serve_bell(unsigned bell) SG_REQUIRES(mutex_);
  /// Goes on with the clients whose items had to stay.
  void resume_stalled() SG_REQUIRES(mutex_);
  /// Takes the items of a client's queue as far as there is room. `report`: the first preempts, and this is where its report goes. False: none was taken.
  bool take_items(const Stage& stage, uint32_t report, uint32_t affected) SG_REQUIRES(mutex_);
  uint32_t drop_items(const Stage& stage, EngineId engine) SG_REQUIRES(mutex_);
  std::optional<Stage> stage(uint32_t id) SG_REQUIRES(mutex_) { return stages_.read(id, ggtt_); }
  std::optional<EngineId> engine(uint32_t number) const SG_REQUIRES(mutex_);

  // One function per action.
  Answer preempt(Arguments arguments) SG_REQUIRES(mutex_);
  Answer reset_engine(Arguments arguments) SG_REQUIRES(mutex_);
  Answer allocate_doorbell(Arguments arguments) SG_REQUIRES(mutex_);
  Answer deallocate_doorbell(Arguments arguments) SG_REQUIRES(mutex_);
  Answer flush_log(Arguments arguments) SG_REQUIRES(mutex_);
  Answer enter_sleep(Arguments arguments) SG_REQUIRES(mutex_);
  Answer exit_sleep(Arguments arguments) SG_REQUIRES(mutex_);
  Answer authenticate_huc(Arguments arguments) SG_REQUIRES(mutex_);
  /// Succeeds without an effect.
  Answer accept(Arguments arguments) SG_REQUIRES(mutex_);

  static const Row* find(uint32_t action);
  SubmitQueues::Listener listener();

  const Environment environment_;
  Doorbells& doorbells_;
  Mutex mutex_;
  memory::View ggtt_ SG_GUARDED_BY(mutex_);
  bool runs_ SG_GUARDED_BY(mutex_) = false, schedules_ SG_GUARDED_BY(mutex_) = false, sleeps_ SG_GUARDED_BY(mutex_) = false;
  bool interrupts_host_ SG_GUARDED_BY(mutex_) = false;  ///< once the mutex is free
  bool huc_loaded_ SG_GUARDED_BY(mutex_) = false;
  AddressRange memory_ SG_GUARDED_BY(mutex_);
  uint64_t log_ SG_GUARDED_BY(mutex_) = 0;  ///< 0: there is none
  StagePool stages_ SG_GUARDED_BY(mutex_);
  static constexpr uint16_t no_owner = defs::guc::v9::max_stages;
  /// The clients of doorbells; no_owner: it has none.
  std::array<uint16_t, Doorbells::count> owners_ SG_GUARDED_BY(mutex_);
  std::bitset<defs::guc::v9::max_stages> stalled_ SG_GUARDED_BY(mutex_);  ///< clients with items for which there was no room, or no budget
  /// Items that may still be looked at in this event: a guest may fill 256 queues.
  uint32_t budget_ SG_GUARDED_BY(mutex_) = 0;
  SubmitQueues queues_ SG_GUARDED_BY(mutex_);
};

}  // namespace softgen::guc
