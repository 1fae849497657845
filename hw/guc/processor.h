// SPDX-License-Identifier: GPL-2.0-or-later
// The processor with the firmware that was loaded: which interface it has is decided by its version, when it starts.
#pragma once

#include "hw/guc/doorbells.h"
#include "hw/guc/firmware.h"
#include "hw/guc/firmware_v9.h"

namespace softgen::guc {

class Processor final : public GucCore {
 public:
  Processor(const Firmware::Environment& environment, Doorbells& doorbells)
      : doorbells_(doorbells), firmware_(environment), old_(environment, doorbells) {}

  /// A firmware that is neither is for the newer to refuse.
  uint32_t start(const Start& start) override {
    const bool is_old = FirmwareV9::is_for(start.file) && !Firmware::is_for(start.file);
    return is_old ? old_.start(start) : firmware_.start(start);
  }
  void stop() override {
    firmware_.stop();
    old_.stop();
  }
  void notify() override {
    doorbells_.sample();
    firmware_.notify();
    old_.notify();
  }
  void rung() { old_.rung(); }
  void switched(EngineId engine, const cs::ContextSwitch& event) {
    doorbells_.sample();
    firmware_.switched(engine, event);
    old_.switched(engine, event);
  }
  void look() {
    firmware_.look();
    old_.look();
  }
  void state(Archive& archive) override { firmware_.state(archive); }
  /// What states of version 1 do not have: groups of contexts, and the older firmware.
  void later_state(Archive& archive) {
    firmware_.groups_state(archive);
    old_.state(archive);
  }
  void old_stop() { old_.stop(); }

 private:
  Doorbells& doorbells_;
  Firmware firmware_;
  FirmwareV9 old_;
};

}  // namespace softgen::guc
