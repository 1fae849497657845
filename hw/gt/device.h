// SPDX-License-Identifier: GPL-2.0-or-later
// The composition root: the units of a platform, built, plugged together, reset, saved. softgen.h is its C form (hw/gt/abi.cpp); offline
// front ends and tests may use it directly.
//
// Threads: as softgen.h says. What is marked "any thread" may also come from engine threads. There is no mutex here: units are made before their
// threads and gone after them, each guards what it shares, and the few values of the device itself change under the front end's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "hw/base/archive.h"
#include "hw/base/worker_pool.h"
#include "hw/cs/command_streamers.h"
#include "hw/defs/platform.h"
#include "hw/display/display.h"
#include "hw/display/legacy_vga.h"
#include "hw/eu/jit/engine.h"
#include "hw/gt/engines.h"
#include "hw/gt/fault_units.h"
#include "hw/gt/gt_units.h"
#include "hw/gt/microcontroller.h"
#include "hw/gt/parts.h"
#include "hw/iface/host.h"
#include "hw/iface/watch.h"
#include "hw/memory/aperture.h"
#include "hw/memory/fault.h"
#include "hw/memory/flat_memory.h"
#include "hw/memory/gate.h"
#include "hw/memory/ggtt.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/register_file.h"

namespace softgen::gt {

struct Config {
  const defs::Platform* platform = nullptr;
  unsigned threads = 0;        ///< worker threads; 0: everything on the calling thread, in submission order
  uint64_t poll_commands = 0;  ///< CommandStreamers::Environment::commands_per_poll; 0: its default
  uint64_t aperture_size = 256ull << 20;
  uint64_t stolen_base = 0, stolen_size = 0;
  uint32_t connected = 0;                            ///< bit i: a monitor on connector i
  unsigned preempt_commands = 0;                     ///< a check: cs::StreamerConfig::preempt_commands
  bool preempt_always = false;                       ///< a check: packets of the render engine stop wherever they can, and go on
  PacketObserver* observer = nullptr;                ///< of executed commands; may be null, outlives the device
  std::shared_ptr<eu::Compiler> compiler = nullptr;  ///< of the kernels that its EUs run; null: one of its own
};

/// Sees what the front end does to the device. Calls come on the front end's thread.
class DeviceObserver {
 public:
  virtual ~DeviceObserver() = default;
  /// A dword written to a register through BAR0, before it takes effect.
  virtual void register_write(uint32_t offset, uint32_t value) = 0;
  /// The same, after: an engine may be running by now.
  virtual void register_written(uint32_t offset) {}
};

/// threads=0: polls that follow each other come less and less often. A batch that spins until the driver's timeout has thousands.
constexpr int64_t min_poll_ns = 1'000'000, max_poll_ns = 16'000'000;

class Device {
 public:
  /// `memory`: guest memory of an offline front end; null: a FlatMemory, filled by add_memory().
  Device(const Config& config, Host& host, std::unique_ptr<HostMemory> memory = nullptr);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const defs::Platform& platform() const { return *config_.platform; }
  const eu::Isa& isa() const { return parts_.isa(); }
  eu::Compiler& compiler() { return *compiler_; }
  mmio::RegisterFile& registers() { return registers_; }
  mmio::Interrupts& interrupts() { return faults_.interrupts; }
  memory::Ggtt& ggtt() { return memory_.ggtt; }
  memory::FaultRegisters& faults() { return memory_.faults; }
  faults::Plan& fault_plan() { return faults_.plan; }
  cs::CommandStreamers& streamers() { return *streamers_; }
  HostMemory& memory() { return *guest_; }
  /// Engines::render_state().
  const StatePackets* render_state() const { return engines_->render_state(); }
  display::Display& display() { return *display_; }
  display::LegacyVga& vga() { return vga_; }

  // -- BAR0, BAR2 ----------------------------------------------------------------------------------------------------------------
  /// VGA's registers at their port numbers (for vCPUs only: an engine finds memory there), other registers below register_space, the GTT window
  /// in the upper half, unmapped between (reads 0). size 1, 2, 4 or 8.
  uint64_t bar0_read(uint64_t offset, unsigned size);
  void bar0_write(uint64_t offset, uint64_t value, unsigned size);
  uint64_t aperture_read(uint64_t offset, unsigned size) { return memory_.aperture.read(offset, size); }
  void aperture_write(uint64_t offset, uint64_t value, unsigned size) { memory_.aperture.write(offset, value, size); }
  std::byte* aperture_page(uint64_t offset) { return memory_.aperture.page(offset); }

  // -- guest memory, for a FlatMemory --------------------------------------------------------------------------------------------
  void memory_begin();
  void memory_add(uint64_t gpa, uint64_t size, void* host, bool readonly);
  void memory_remove(uint64_t gpa, uint64_t size);
  void memory_commit();
  void dirty_log(bool on);
  void dirty_sync(uint64_t gpa, uint64_t size, const std::function<void(uint64_t gpa, uint64_t size)>& dirty);
  void set_stolen(uint64_t base, uint64_t size);

  /// One at a time; null ends it.
  void set_observer(std::unique_ptr<DeviceObserver> observer) { observers_.recorder = std::move(observer); }

  /// Receives what the units do; null ends it. Waits for the engines to stand at a command boundary.
  void set_watch(std::unique_ptr<Watch> watch);
  Watch* watch() const { return observers_.watch.get(); }

  // -- life ----------------------------------------------------------------------------------------------------------------------
  /// The GGTT's entries at a reset.
  enum class Entries { cleared, kept };
  /// Power or function level reset, or wake-up. Waits for the engines.
  void reset(Entries entries = Entries::cleared);
  /// Engines are at a command boundary when it returns; counted.
  void pause();
  void resume();
  /// While paused. Reading: a state that does not fit leaves the device reset.
  void state(Archive& archive);
  void timer_expired(unsigned id);
  /// JSON: platform, failure counts, engines, faults, registers without their behaviour. Any thread.
  std::string report();

 private:
  void build_units();
  void unit_states(Archive& archive);
  void deadline_state(Archive& archive, bool saved);
  void poll_later();
  /// Tells the watch of an access that has no effect, since its power domain is off. Here and not in RegisterFile, which units use, too.
  void watch_power(uint32_t offset, bool write);
  // hw/gt/device_faults.cpp
  faults::Plan::Links plan_links();
  void pulse(const faults::Rule& rule, const FaultAnswer& answer);
  /// What is kept over a suspend to RAM.
  Entries planned_wakeup();
  /// Makes SG_TIMER_MISC expire at this guest time or earlier. Any thread.
  void wake_at(int64_t ns);

  /// How units see guest memory.
  struct MemoryUnits {
    MemoryUnits(const defs::Platform& platform, HostMemory& memory)
        : ggtt(*platform.ggtt), aperture(ggtt, memory, &faults, platform.board.swizzle) {}
    void reset(Entries entries);
    memory::Gate gate;
    memory::Ggtt ggtt;
    memory::FaultRegisters faults;
    memory::TlbGeneration tlb;
    memory::Aperture aperture;
  };
  const Config config_;
  const Parts& parts_;
  /// Those who look at the device. Under the front end's lock, as bar0_write() is; units find the watch at its point.
  struct Observers {
    std::unique_ptr<DeviceObserver> recorder;
    std::unique_ptr<Watch> watch;
    WatchPoint watch_point;
  } observers_;
  Host& host_;
  std::unique_ptr<HostMemory> guest_;
  memory::FlatMemory* flat_ = nullptr;  ///< guest_ when it is one
  struct {
    uint64_t base, size;
  } stolen_;  ///< under the front end's lock
  MemoryUnits memory_;
  mmio::RegisterFile registers_{*config_.platform->registers};
  std::unique_ptr<memory::FaultSink> page_faults_;  ///< Parts::page_faults
  FaultUnits faults_;
  GtUnits gt_;
  std::unique_ptr<display::Display> display_;
  display::LegacyVga vga_;
  WorkerPool pool_;
  std::shared_ptr<eu::Compiler> compiler_;
  std::unique_ptr<Engines> engines_;
  /// Of SG_TIMER_MISC, guest ns.
  struct {
    int64_t poll_ns = min_poll_ns;         ///< threads=0: until the next poll
    std::atomic<int64_t> deadline_ns{-1};  ///< -1: none
  } timer_;
  std::unique_ptr<Microcontroller> guc_;             ///< made after the streamers; null: the platform has none
  std::unique_ptr<cs::CommandStreamers> streamers_;  ///< last: its threads use all of the above
};

}  // namespace softgen::gt
