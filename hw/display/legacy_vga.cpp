// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/legacy_vga.h"

namespace softgen::display {

using namespace defs::vga;

uint8_t LegacyVga::read(uint16_t port) {
  if (is_reserved(port)) return 0;
  switch (port) {
    case dac_mask: return dac_.mask;
    case dac_state: return dac_.state;
    case dac_write_index: return dac_.write_index;
    case dac_data: return read_dac_data();
    case graphics_index: return graphics_index_;
    case graphics_data: return read_graphics();
    case extension_index: return extension_index_;
    // The manuals list no register after XRX.
    case extension_data: return 0;
    case status:
    case status_mono: return read_status(port);
    case crtc_data:
    case crtc_data_mono: return selects_latch(port) ? host_.vga_latch() : host_.vga_read(port);
    default: return host_.vga_read(port);
  }
}

void LegacyVga::write(uint16_t port, uint8_t value) {
  if (is_reserved(port)) return;
  switch (port) {
    case dac_mask: dac_.mask = value; return publish_colors();
    case dac_read_index:
      dac_.read_index = value;
      dac_.component = 0;
      dac_.state = dac_state_read;
      return;
    case dac_write_index:
      dac_.write_index = value;
      dac_.component = 0;
      dac_.state = dac_state_write;
      return;
    case dac_data: return write_dac_data(value);
    case graphics_index:
      graphics_index_ = value & graphics_index_mask;
      if (graphics_index_ < gr10_address_mapping) host_.vga_write(port, graphics_index_);
      return;
    case graphics_data: return write_graphics(value);
    case sequencer_data: return write_sequencer(value);
    case extension_index: extension_index_ = value; return;
    case extension_data: return;
    case crtc_data:
    case crtc_data_mono:
      if (!selects_latch(port)) host_.vga_write(port, value);
      return;
    default: host_.vga_write(port, value);
  }
}

uint64_t LegacyVga::read_mapped(uint16_t offset, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) {
    const auto port = static_cast<uint16_t>(offset + i);
    if (covers(port)) value |= uint64_t{read(port)} << 8 * i;
  }
  return value;
}

void LegacyVga::write_mapped(uint16_t offset, uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) {
    const auto port = static_cast<uint16_t>(offset + i);
    if (covers(port)) write(port, static_cast<uint8_t>(value >> 8 * i));
  }
}

uint8_t LegacyVga::read_dac_data() {
  const uint8_t value = dac_.palette[dac_.read_index][dac_.component];
  if (++dac_.component == 3) {
    dac_.component = 0;
    ++dac_.read_index;
  }
  return value;
}

void LegacyVga::write_dac_data(uint8_t value) {
  dac_.pending[dac_.component] = value;
  if (++dac_.component < 3) return;
  dac_.component = 0;
  dac_.palette[dac_.write_index] = dac_.pending;
  publish_color(dac_.write_index++);
}

uint8_t LegacyVga::read_graphics() {
  switch (graphics_index_) {
    case gr10_address_mapping: return address_mapping_;
    case gr11_page_selector: return page_selector_;
    case gr18_software_flags: return software_flags_;
    default: return graphics_index_ < gr10_address_mapping ? host_.vga_read(graphics_data) : 0;
  }
}

void LegacyVga::write_graphics(uint8_t value) {
  switch (graphics_index_) {
    case gr10_address_mapping: address_mapping_ = value; return publish_page();
    case gr11_page_selector: page_selector_ = value; return publish_page();
    case gr18_software_flags: software_flags_ = value; return;
    default:
      if (graphics_index_ < gr10_address_mapping) host_.vga_write(graphics_data, value);
  }
}

void LegacyVga::write_sequencer(uint8_t value) {
  characters_held_ = host_.vga_read(sequencer_index) == sr07_character_counter_reset;
  host_.vga_write(sequencer_data, value);
}

/// While SR07 holds the character counter at 0 no display enable comes, and neither the line counter nor vertical retrace moves on
/// (815 PRM, SR07). The host's core is still read: that makes 3C0 the index again.
uint8_t LegacyVga::read_status(uint16_t port) {
  const uint8_t value = host_.vga_read(port);
  if (!characters_held_) return value;
  return static_cast<uint8_t>((value & ~st01_vertical_retrace) | st01_blank);
}

/// CRX stands below its data port; the host reads it as 0xff where MSR does not decode that pair.
bool LegacyVga::selects_latch(uint16_t crtc_data_port) {
  return host_.vga_read(static_cast<uint16_t>(crtc_data_port - 1)) == cr22_memory_read_latch;
}

void LegacyVga::publish_color(uint8_t written) {
  const auto& [red, green, blue] = dac_.palette[written];
  for (unsigned index = 0; index < dac_.palette.size(); ++index)
    if ((index & dac_.mask) == written) host_.vga_color(static_cast<uint8_t>(index), red, green, blue);
}

void LegacyVga::publish_colors() {
  for (unsigned index = 0; index < dac_.palette.size(); ++index) {
    const auto& [red, green, blue] = dac_.palette[index & dac_.mask];
    host_.vga_color(static_cast<uint8_t>(index), red, green, blue);
  }
}

void LegacyVga::publish_page() {
  const uint32_t page = uint32_t{address_mapping_} >> 4 << 8 | page_selector_;
  host_.vga_page(address_mapping_ & gr10_page_mapping ? page : 0);
}

void LegacyVga::reset() {
  dac_ = {};
  graphics_index_ = address_mapping_ = page_selector_ = software_flags_ = extension_index_ = 0;
  characters_held_ = false;
  publish_colors();
  publish_page();
}

void LegacyVga::state(Archive& archive) {
  archive.section("legacy_vga", 1);
  archive.value(dac_.mask);
  archive.value(dac_.state);
  archive.value(dac_.read_index);
  archive.value(dac_.write_index);
  archive.value(dac_.component);
  archive.value(dac_.pending);
  archive.value(dac_.palette);
  archive.value(graphics_index_);
  archive.value(address_mapping_);
  archive.value(page_selector_);
  archive.value(software_flags_);
  archive.value(extension_index_);
  archive.value(characters_held_);
  if (!archive.reading() || archive.failed()) return;
  if (dac_.component > 2 || graphics_index_ > graphics_index_mask || (dac_.state != dac_state_read && dac_.state != dac_state_write))
    return archive.fail("a VGA register of the saved state has a value that it cannot have");
  publish_colors();
  publish_page();
}

}  // namespace softgen::display
