// SPDX-License-Identifier: GPL-2.0-or-later
// What firmware 69 and 70 do, by their interface: no firmware is executed. Messages come through four registers or, once the host has set them up, through
// buffers in memory (i915 gt/uc/intel_guc.c, intel_guc_ct.c). Each is answered within the host's interrupt that announces it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "hw/base/mutex.h"
#include "hw/guc/activity_records.h"
#include "hw/guc/capture_log.h"
#include "hw/guc/core.h"
#include "hw/guc/ctb.h"
#include "hw/guc/engine_port.h"
#include "hw/guc/layout.h"
#include "hw/guc/scheduler.h"
#include "hw/guc/slpc.h"
#include "hw/guc/usage_records.h"
#include "hw/iface/host.h"
#include "hw/memory/address_space.h"
#include "hw/memory/ggtt.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/register_file.h"
#include "hw/mmio/timestamp.h"

namespace softgen::guc {

class Firmware final : public GucCore {
 public:
  struct Environment {
    mmio::RegisterFile& registers;
    mmio::Interrupts& interrupts;
    HostMemory& memory;
    memory::Ggtt& ggtt;
    Host& host;
    EnginePort& engines;
    mmio::TimestampClock clock;  ///< of RING_TIMESTAMP
    const Layout& layout;
    uint16_t pci_device_id;
    memory::TlbGeneration& tlb;          ///< of the engines' translations
    std::function<void()> wake_power{};  ///< the GT leaves RC6; may be empty
  };
  explicit Firmware(const Environment& environment);

  /// Its interface is this one.
  static bool is_for(const FirmwareFile& file);
  uint32_t start(const Start& start) override;
  void stop() override;
  void notify() override;
  /// A context status event of an engine.
  void switched(EngineId engine, const cs::ContextSwitch& event);
  /// The time has come that EnginePort::wake_at() was given.
  void look();
  void state(Archive& archive) override;
  /// After state(): what states have since there are groups.
  void groups_state(Archive& archive);
  /// After groups_state(): what states have since there are records of activity.
  void activity_state(Archive& archive);
  /// After activity_state(): what states have since global policies count.
  void policies_state(Archive& archive);

  /// An answer to a request: SUCCESS with a value, or FAILURE with an error.
  struct Answer {
    defs::guc::HxgType type = defs::guc::success;
    uint32_t value = 0;
  };

 private:
  using Arguments = std::span<const uint32_t>;
  struct Row;

  /// Calls act() with the mutex held; then, without it, interrupts the host and passes the commands on to the engines.
  template <typename F>
  void serve_locked(F&& act);
  void carry_out(std::span<const Scheduler::Command> commands);
  void reset_engine(const Scheduler::Command& command);
  void serve_mailbox() SG_REQUIRES(mutex_);
  void serve_buffer() SG_REQUIRES(mutex_);
  void serve_as_planned(CtbMessage& message) SG_REQUIRES(mutex_);
  void serve(const CtbMessage& message) SG_REQUIRES(mutex_);
  /// `by_registers`: not through a buffer.
  Answer answer(std::span<const uint32_t> hxg, bool by_registers) SG_REQUIRES(mutex_);
  /// To the host, with an interrupt.
  void send(uint32_t fence, std::span<const uint32_t> hxg) SG_REQUIRES(mutex_);
  /// As it is, whatever the fault plan says.
  void put(uint32_t fence, std::span<const uint32_t> hxg) SG_REQUIRES(mutex_);
  void send_event(uint32_t action, Arguments arguments) SG_REQUIRES(mutex_);

  // One function per action.
  Answer configure(Arguments arguments) SG_REQUIRES(mutex_);
  Answer control_buffers(Arguments arguments) SG_REQUIRES(mutex_);
  Answer forget_client(Arguments arguments) SG_REQUIRES(mutex_);
  Answer authenticate_huc(Arguments arguments) SG_REQUIRES(mutex_);
  Answer flush_log(Arguments arguments) SG_REQUIRES(mutex_);
  template <Scheduler::Error (Scheduler::*request)(Scheduler::Arguments)>
  Answer ask_scheduler(Arguments arguments) SG_REQUIRES(mutex_);
  /// One policy of a context, as version 69 has it.
  template <defs::guc::ContextPolicyKey key>
  Answer set_policy(Arguments arguments) SG_REQUIRES(mutex_);
  Answer invalidate_translations(Arguments arguments) SG_REQUIRES(mutex_);
  Answer control_power(Arguments arguments) SG_REQUIRES(mutex_);
  Answer set_usage_records(Arguments arguments) SG_REQUIRES(mutex_);
  Answer set_activity_records(Arguments arguments) SG_REQUIRES(mutex_);
  Answer opt_in(Arguments arguments) SG_REQUIRES(mutex_);
  Answer accept_policies(Arguments arguments) SG_REQUIRES(mutex_);
  Answer change_policies(Arguments arguments) SG_REQUIRES(mutex_);
  /// The global policies at `address`. False: they are not in memory of the GuC's.
  bool read_policies(uint64_t address) SG_REQUIRES(mutex_);
  /// Succeeds without an effect.
  Answer accept(Arguments arguments) SG_REQUIRES(mutex_);

  static const Row* find(uint32_t action);

  Scheduler::Listener listener();
  ActivityRecords::Place place_of(EngineId engine) const SG_REQUIRES(mutex_);

  const Environment environment_;
  Mutex mutex_;
  memory::View ggtt_ SG_GUARDED_BY(mutex_);
  bool runs_ SG_GUARDED_BY(mutex_) = false;
  bool interrupts_host_ SG_GUARDED_BY(mutex_) = false;  ///< once the mutex is free
  bool huc_loaded_ SG_GUARDED_BY(mutex_) = false;
  AddressRange memory_ SG_GUARDED_BY(mutex_);
  uint64_t ads_ SG_GUARDED_BY(mutex_) = 0;
  uint32_t features_ SG_GUARDED_BY(mutex_) = 0;  ///< of the start parameters
  CtbPlace to_guc_place_ SG_GUARDED_BY(mutex_), to_host_place_ SG_GUARDED_BY(mutex_);
  CtbReader to_guc_ SG_GUARDED_BY(mutex_);
  CtbWriter to_host_ SG_GUARDED_BY(mutex_);
  Scheduler scheduler_ SG_GUARDED_BY(mutex_);
  Slpc slpc_ SG_GUARDED_BY(mutex_);
  UsageRecords usage_ SG_GUARDED_BY(mutex_);
  ActivityRecords activity_ SG_GUARDED_BY(mutex_);
  CaptureLog capture_log_ SG_GUARDED_BY(mutex_);
};

}  // namespace softgen::guc
