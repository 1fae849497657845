// SPDX-License-Identifier: GPL-2.0-or-later
// Between Ironlake's pipes and their monitors: FDI links, the PCH's transcoders, and the infoframes they send. i915 display/intel_fdi.c,
// ilk_fdi_link_train; intel_pch_display.c; intel_hdmi.c, ibx_write_infoframe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "hw/base/mutex.h"
#include "hw/display/clocks.h"
#include "hw/mmio/register_file.h"

namespace softgen::display {

class IlkLink final : public Clocks {
 public:
  /// `changed` runs after a write that may change a pipe's clock.
  IlkLink(mmio::RegisterFile& registers, std::function<void()> changed);

  /// Symbol clock of the links, Hz, whichever port: pixels leave a pipe at this rate times LINK M / LINK N. What the PCH's PLLs are set to has no
  /// effect: a driver sets them to the pixels' clock.
  uint64_t port_clock(unsigned port) const override;
  void reset() override;
  void state(Archive& ar) override;

 private:
  static constexpr unsigned pipes = 2, infoframes = 4, infoframe_dwords = 16;
  using Infoframes = std::array<std::array<uint32_t, infoframe_dwords>, infoframes>;

  void attach_training(unsigned pipe);
  void attach_infoframes(unsigned pipe);
  void train(unsigned pipe);
  uint32_t* take_dword(unsigned pipe) SG_REQUIRES(mutex_);

  mmio::RegisterFile& registers_;
  Mutex mutex_;
  std::array<Infoframes, pipes> sent_ SG_GUARDED_BY(mutex_){};
};

/// ChipModel::clocks.
std::unique_ptr<Clocks> ilk_link(mmio::RegisterFile& registers, std::function<void()> changed);

}  // namespace softgen::display
