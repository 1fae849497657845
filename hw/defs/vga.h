// SPDX-License-Identifier: GPL-2.0-or-later
// Registers of VGA and extended VGA: I/O ports, which are offsets in BAR0 as well, and indices behind them. KBL PRM vol 3
// and TGL PRM vol 13, "VGA and Extended VGA Register Map". Bits: Intel 815 PRM (298237-001) chapter 9, which still describes these registers one by one.
#pragma once

#include <cstdint>

namespace softgen::defs::vga {

inline constexpr uint16_t first_port = 0x3b0, port_count = 0x30;
/// "Reserved" in both manuals: they read 0, and writes are ignored. 3BC to 3BF are a printer's, and not claimed as ports.
constexpr bool is_reserved(uint16_t port) {
  return port <= 0x3b3 || (port >= 0x3b6 && port <= 0x3b9) || (port >= 0x3bb && port <= 0x3bf) || port == 0x3c3 || port == 0x3cb ||
         port == 0x3cd || port == 0x3d0 || port == 0x3d1 || port == 0x3d8 || port == 0x3d9 || port >= 0x3db;
}

enum Port : uint16_t {
  crtc_data_mono = 0x3b5,
  status_mono = 0x3ba,
  sequencer_index = 0x3c4,
  sequencer_data = 0x3c5,
  dac_mask = 0x3c6,
  dac_state = 0x3c7,       ///< read
  dac_read_index = 0x3c7,  ///< write
  dac_write_index = 0x3c8,
  dac_data = 0x3c9,
  graphics_index = 0x3ce,
  graphics_data = 0x3cf,
  crtc_data = 0x3d5,
  extension_index = 0x3d6,
  extension_data = 0x3d7,
  status = 0x3da,
};

enum SequencerIndex : uint8_t { sr07_character_counter_reset = 0x07 };
enum CrtcIndex : uint8_t { cr22_memory_read_latch = 0x22 };
enum GraphicsIndex : uint8_t {
  graphics_index_mask = 0x1f,
  gr08_bit_mask = 0x08,  ///< the last of the standard ones
  gr10_address_mapping = 0x10,
  gr11_page_selector = 0x11,
  gr18_software_flags = 0x18,
};

/// GR10: the page that GR11 and [7:4] select is mapped at A0000.
inline constexpr uint8_t gr10_page_mapping = 1 << 0;
/// ST01
inline constexpr uint8_t st01_blank = 1 << 0, st01_vertical_retrace = 1 << 3;
/// DACSTATE
inline constexpr uint8_t dac_state_write = 0, dac_state_read = 3;

}  // namespace softgen::defs::vga
