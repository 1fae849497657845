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
      : doorbells_(doorbells), firmware_(environment), v9_(environment, doorbells) {}

  /// `firmware_` refuses a firmware that is neither.
  uint32_t start(const Start& start) override {
    const bool is_v9 = FirmwareV9::is_for(start.file) && !Firmware::is_for(start.file);
    return is_v9 ? v9_.start(start) : firmware_.start(start);
  }
  void stop() override {
    firmware_.stop();
    v9_.stop();
  }
  void notify() override {
    doorbells_.sample();
    firmware_.notify();
    v9_.notify();
  }
  void rung() { v9_.rung(); }
  void switched(EngineId engine, const cs::ContextSwitch& event) {
    doorbells_.sample();
    firmware_.switched(engine, event);
    v9_.switched(engine, event);
  }
  void look() {
    firmware_.look();
    v9_.look();
  }
  void state(Archive& archive) override { firmware_.state(archive); }
  /// What states of version 1 do not have: groups of contexts, records of activity, and firmware 9.
  void later_state(Archive& archive) {
    firmware_.groups_state(archive);
    firmware_.activity_state(archive);
    v9_.state(archive);
  }
  /// What states of versions 1 and 2 do not have.
  void policies_state(Archive& archive) { firmware_.policies_state(archive); }
  void v9_stop() { v9_.stop(); }

 private:
  Doorbells& doorbells_;
  Firmware firmware_;
  FirmwareV9 v9_;
};

}  // namespace softgen::guc
