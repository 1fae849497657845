// SPDX-License-Identifier: GPL-2.0-or-later
// VGA and extended VGA registers of the chip, in front of the host's VGA core (QEMU's), which has the standard ones but neither the pixel
// mask, the registers that Intel added, nor the memory-mapped form. Every access goes through here; what the host's core models is passed on.
#pragma once

#include <array>
#include <cstdint>

#include "hw/base/archive.h"
#include "hw/defs/vga.h"
#include "hw/iface/host.h"

namespace softgen::display {

class LegacyVga {
 public:
  explicit LegacyVga(Host& host) : host_(host) {}

  /// Is this offset of BAR0 a VGA register (KBL PRM vol 3: "an offset from the base address programmed in the MMADR register").
  static constexpr bool covers(uint64_t offset) { return offset - defs::vga::first_port < defs::vga::port_count; }

  /// `port` in [first_port, first_port + port_count).
  uint8_t read(uint16_t port);
  void write(uint16_t port, uint8_t value);
  /// BAR0: bytes, the lowest first; those outside of the ports read 0 and are dropped. size 1, 2, 4 or 8.
  uint64_t read_mapped(uint16_t offset, unsigned size);
  void write_mapped(uint16_t offset, uint64_t value, unsigned size);

  void reset();
  /// The host saves its own core; what that core derives from here is given to it again after loading.
  void state(Archive& archive);

 private:
  using Color = std::array<uint8_t, 3>;  ///< red, green, blue as written

  uint8_t read_dac_data();
  void write_dac_data(uint8_t value);
  uint8_t read_graphics();
  void write_graphics(uint8_t value);
  void write_sequencer(uint8_t value);
  uint8_t read_status(uint16_t port);
  bool selects_latch(uint16_t crtc_data_port);
  void publish_color(uint8_t written);
  void publish_colors();
  void publish_page();

  struct Dac {
    uint8_t mask = 0xff;  ///< DACMASK, ANDed with each pixel before the palette
    uint8_t state = defs::vga::dac_state_write;
    uint8_t read_index = 0, write_index = 0;
    uint8_t component = 0;  ///< of the colour under way: 0..2
    Color pending{};        ///< components written so far; a colour changes with its last one
    std::array<Color, 256> palette{};
  };

  Host& host_;
  Dac dac_;
  uint8_t graphics_index_ = 0;                                            ///< GRX; from 10h on the host's core does not see it
  uint8_t address_mapping_ = 0, page_selector_ = 0, software_flags_ = 0;  ///< GR10, GR11, GR18
  uint8_t extension_index_ = 0;                                           ///< XRX
  bool characters_held_ = false;                                          ///< SR07 was written, and no other sequencer register since
};

}  // namespace softgen::display
