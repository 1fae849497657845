// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/clocks.h"

namespace softgen::display {

uint64_t hdmi_pixel_clock_hz(uint64_t port_clock, unsigned bits_per_channel) {
  switch (bits_per_channel) {
    case 10: return port_clock * 4 / 5;
    case 12: return port_clock * 2 / 3;
    default: return port_clock;
  }
}

uint64_t dp_pixel_clock_hz(uint64_t port_clock, uint32_t link_m, uint32_t link_n) {
  if (link_n == 0) return 0;
  return static_cast<uint64_t>(static_cast<unsigned __int128>(port_clock) * link_m / link_n);
}

}  // namespace softgen::display
