// SPDX-License-Identifier: GPL-2.0-or-later
// The PHYs of Tiger Lake's Type-C ports (Dekel), each with banks of registers behind an aperture of 4 KiB, with their PLLs. i915
// display/intel_dkl_phy.c, intel_dpll_mgr.c.
#pragma once

#include <vector>

#include "hw/base/mutex.h"
#include "hw/display/power.h"

namespace softgen::display {

class DekelPhys final : public TypeCPlls {
 public:
  static constexpr unsigned ports = 6;

  DekelPhys(mmio::RegisterFile& registers, std::function<void()> changed);

  uint64_t hz(unsigned type_c_port) const override;
  void reset() override;
  void state(Archive& ar) override;

 private:
  static constexpr unsigned banks = 4, bank_dwords = 1024;
  /// Where a register of BAR0 is kept that is in `bank`.
  static size_t index(uint32_t offset, unsigned bank);
  /// The bank that the aperture around it shows.
  unsigned bank_of(uint32_t offset) const;
  uint32_t get(uint32_t offset) const;

  const mmio::RegisterFile& registers_;
  std::function<void()> changed_;
  mutable Mutex mutex_;
  std::vector<uint32_t> values_ SG_GUARDED_BY(mutex_);
};

}  // namespace softgen::display
