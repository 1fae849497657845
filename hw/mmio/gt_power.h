// SPDX-License-Identifier: GPL-2.0-or-later
// Frequency requests (RPS) and RC6 of the GT. There is one speed and no leakage here: a request is granted at once, and RC6 is where the
// clock stands in the residency counter while the GT is idle. Where a generation's power domains are declared, registers answer as they do without power:
// "force-wake of the domain is required" (TGL PRM vol 13, "Force Wake and Steering Table"). SKL PRM vol 2c; i915 gt/intel_rps.c, gt/intel_rc6.c.
#pragma once

#include <cstdint>
#include <functional>

#include "hw/base/archive.h"
#include "hw/base/mutex.h"
#include "hw/iface/host.h"
#include "hw/mmio/register_file.h"

namespace softgen::mmio {

class GtPower {
 public:
  GtPower(RegisterFile& registers, Host& host);
  /// All engines idle? Any thread. Until it is set: yes.
  void set_idle_query(std::function<bool()> idle) { idle_ = std::move(idle); }
  /// Looks again whether the GT is in RC6. Called where that may have changed.
  void evaluate();
  /// Work arrives: the GT is awake until the next evaluate().
  void wake();
  void reset();
  void state(Archive& archive);

 private:
  /// Nothing runs that needs power, and RC6 is enabled.
  bool may_gate() const;
  /// The GT is in RC6.
  bool may_sleep() const;
  /// `domain`: an index into RegisterSet::forcewake.
  bool is_off(unsigned domain) const;
  void account(int64_t now) SG_REQUIRES(mutex_);

  RegisterFile& registers_;
  Host& host_;
  std::function<bool()> idle_;
  Mutex mutex_;
  int64_t residency_ns_ SG_GUARDED_BY(mutex_) = 0;
  int64_t asleep_since_ SG_GUARDED_BY(mutex_) = -1;  ///< guest ns; < 0: awake
};

}  // namespace softgen::mmio
