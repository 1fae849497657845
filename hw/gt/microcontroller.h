// SPDX-License-Identifier: GPL-2.0-or-later
// The GuC of a device, with the engines that it schedules.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "hw/cs/command_streamers.h"
#include "hw/defs/platform.h"
#include "hw/guc/guc.h"

namespace softgen::gt {

class GucEngines final : public guc::EnginePort {
 public:
  /// `wake_at`: see EnginePort.
  GucEngines(const defs::Platform& platform, mmio::RegisterFile& registers, cs::CommandStreamers& streamers,
             std::function<void(int64_t ns)> wake_at)
      : platform_(platform), registers_(registers), streamers_(streamers), wake_at_(std::move(wake_at)) {}

  bool has(EngineId engine) const override { return platform_.has(engine) && takes_lists(engine); }
  void submit(EngineId engine, const cs::Execlist& list) override { streamers_.submit(engine, list); }
  void reset(EngineId engine) override { registers_.write(reg::GDRST, registers_.set().engine(engine)->reset, mmio::Initiator::streamer); }
  void wake_at(int64_t ns) override { wake_at_(ns); }

 private:
  const defs::Platform& platform_;
  mmio::RegisterFile& registers_;
  cs::CommandStreamers& streamers_;
  const std::function<void(int64_t ns)> wake_at_;
};

struct Microcontroller {
  struct Units {
    mmio::RegisterFile& registers;
    mmio::Interrupts& interrupts;
    HostMemory& memory;
    memory::Ggtt& ggtt;
    Host& host;
    memory::TlbGeneration& tlb;
    std::function<void()> wake_power;  ///< the GT leaves RC6
  };
  Microcontroller(const defs::Platform& platform, const guc::Layout& layout, cs::CommandStreamers& streamers, const Units& units,
                  std::function<void(int64_t ns)> wake_at)
      : engines(platform, units.registers, streamers, std::move(wake_at)),
        guc({.registers = units.registers,
             .interrupts = units.interrupts,
             .memory = units.memory,
             .ggtt = units.ggtt,
             .host = units.host,
             .engines = engines,
             .clock = mmio::TimestampClock(platform.timestamp_hz),
             .layout = layout,
             .pci_device_id = platform.pci_device_id,
             .tlb = units.tlb,
             .wake_power = units.wake_power}) {}
  GucEngines engines;
  guc::Guc guc;
};

}  // namespace softgen::gt
