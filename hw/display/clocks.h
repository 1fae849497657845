// SPDX-License-Identifier: GPL-2.0-or-later
// From a port's clock to its pixels' clock. i915 display/intel_ddi.c, intel_crtc_dotclock().
#pragma once

#include <cstdint>

#include "hw/base/archive.h"

namespace softgen::display {

/// The clocks that a chip's PLLs give to its ports.
class Clocks {
 public:
  virtual ~Clocks() = default;
  /// Symbol clock of DDI `port` (0: DDI A), Hz: the TMDS character rate of HDMI, the link symbol rate of DisplayPort. 0: none.
  virtual uint64_t port_clock(unsigned port) const = 0;

  /// What is not in the register file; after it.
  virtual void reset() {}
  virtual void state(Archive& ar) {}
};

/// Pixel clock on an HDMI or DVI port. bits_per_channel 8, 10 or 12 (deep colour multiplies the TMDS clock).
uint64_t hdmi_pixel_clock_hz(uint64_t port_clock, unsigned bits_per_channel);
/// Pixel clock on a DisplayPort link, from LINK_M and LINK_N. 0 when N is 0.
uint64_t dp_pixel_clock_hz(uint64_t port_clock, uint32_t link_m, uint32_t link_n);

}  // namespace softgen::display
