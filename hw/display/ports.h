// SPDX-License-Identifier: GPL-2.0-or-later
// What connects to monitors: DDC (GMBUS and GPIO), AUX channels, hot plug, panel power. SKL PRM vol 12, "Digital Display Interface".
#pragma once

#include <array>
#include <cstdint>

#include "hw/base/archive.h"
#include "hw/base/mutex.h"
#include "hw/display/gmbus.h"
#include "hw/iface/host.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/register_file.h"

namespace softgen::display {

/// Pins of DDC by hand.
struct GpioRow {
  uint32_t offset;
  unsigned pin;  ///< of GMBUS, and of the host's I2C buses
};

/// A connector's detection.
struct HotPlugRow {
  uint32_t offset;
  reg::Bits enable, status;
};

struct PortModel {
  static constexpr unsigned count = 3;
  std::array<GpioRow, count> gpio;          ///< by offset
  std::array<HotPlugRow, count> hot_plugs;  ///< of HDMI on DDI B, C, D
  reg::Bits gmbus_pin;                      ///< of GMBUS0
  unsigned aux_channels;
};

class Ports {
 public:
  /// Bit i of `connected`: a monitor on connector i. `model` outlives it.
  Ports(mmio::RegisterFile& registers, mmio::Interrupts& interrupts, Host& host, const PortModel& model, uint32_t connected);

  /// A monitor is plugged or unplugged: live state at once, a long pulse where detection is enabled. connector < PortModel::count.
  void plug(unsigned connector, bool connected);
  /// A long pulse without a change, where detection is enabled.
  void pulse(unsigned connector);
  bool connected(unsigned connector) const { return connected_ >> connector & 1; }

  /// After the register file and the interrupt tree; monitors stay plugged.
  void reset();
  void state(Archive& ar);

 private:
  void attach_gmbus();
  void write_gmbus(unsigned index, uint32_t value) SG_REQUIRES(mutex_);
  void attach_gpio();
  void attach_aux();
  void attach_panel();
  void show_live();

  mmio::RegisterFile& registers_;
  mmio::Interrupts& interrupts_;
  const PortModel& model_;
  Mutex mutex_;
  Gmbus gmbus_ SG_GUARDED_BY(mutex_);
  std::array<GpioPair, PortModel::count> gpio_ SG_GUARDED_BY(mutex_);
  uint32_t connected_;  // one word, also read without the mutex
};

}  // namespace softgen::display
