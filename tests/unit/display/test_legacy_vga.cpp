// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "hw/display/legacy_vga.h"
#include "hw/iface/quiet_host.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::defs::vga;
using display::LegacyVga;

namespace {

/// Indexed standard registers as plain storage, like QEMU's VGA core, and a record of the calls.
class VgaCore final : public QuietHost {
 public:
  int64_t clock_ns() override { return 0; }
  uint8_t vga_read(uint16_t port) override {
    if (port == status) return status_bits ^= st01_blank | st01_vertical_retrace;
    if (port == crtc_data_mono - 1 || port == crtc_data_mono) return 0xff;  // MSR decodes the pair of colour adapters
    return is_data(port) ? data[{port, plain[port - 1]}] : plain[port];
  }
  void vga_write(uint16_t port, uint8_t value) override {
    ++writes;
    (is_data(port) ? data[{port, plain[port - 1]}] : plain[port]) = value;
  }
  uint8_t vga_latch() override { return 0xa7; }
  void vga_color(uint8_t index, uint8_t red, uint8_t green, uint8_t blue) override { shown[index] = {red, green, blue}; }
  void vga_page(uint32_t number) override { page = number; }

  std::map<uint16_t, uint8_t> plain;
  std::map<std::pair<uint16_t, uint8_t>, uint8_t> data;
  std::map<unsigned, std::tuple<unsigned, unsigned, unsigned>> shown;
  uint8_t status_bits = 0;
  uint32_t page = 99;
  unsigned writes = 0;

 private:
  static bool is_data(uint16_t port) { return port == sequencer_data || port == graphics_data || port == crtc_data; }
};

struct Chip {
  void set(uint16_t index_port, uint8_t index, uint8_t value) {
    vga.write(index_port, index);
    vga.write(static_cast<uint16_t>(index_port + 1), value);
  }
  uint8_t get(uint16_t index_port, uint8_t index) {
    vga.write(index_port, index);
    return vga.read(static_cast<uint16_t>(index_port + 1));
  }
  void color(uint8_t index, uint8_t red, uint8_t green, uint8_t blue) {
    vga.write(dac_write_index, index);
    for (uint8_t component : {red, green, blue}) vga.write(dac_data, component);
  }
  VgaCore core;
  LegacyVga vga{core};
};

}  // namespace

TEST_CASE_METHOD(Chip, "DACMASK selects the palette's colours and leaves the palette alone") {
  CHECK(vga.read(dac_mask) == 0xff);
  color(0x02, 1, 2, 3);
  color(0x12, 4, 5, 6);
  vga.write(dac_mask, 0x0f);
  CHECK(core.shown[0x12] == std::tuple(1u, 2u, 3u));
  CHECK(core.shown[0xf2] == std::tuple(1u, 2u, 3u));
  color(0x02, 7, 8, 9);
  CHECK(core.shown[0x12] == std::tuple(7u, 8u, 9u));
  color(0x22, 10, 11, 12);
  CHECK(core.shown[0x22] == std::tuple(7u, 8u, 9u));
  vga.write(dac_mask, 0xff);
  CHECK(core.shown[0x12] == std::tuple(4u, 5u, 6u));
  CHECK(core.shown[0x22] == std::tuple(10u, 11u, 12u));
}

TEST_CASE_METHOD(Chip, "DACDATA advances to the next colour, and a colour changes with its third component") {
  vga.write(dac_write_index, 0xff);
  CHECK(vga.read(dac_state) == 0);
  for (uint8_t value = 1; value <= 5; ++value) vga.write(dac_data, value);
  CHECK(core.shown[0xff] == std::tuple(1u, 2u, 3u));
  CHECK(core.shown.count(0) == 0);
  CHECK(vga.read(dac_write_index) == 0);
  vga.write(dac_data, 6);
  CHECK(core.shown[0] == std::tuple(4u, 5u, 6u));
  vga.write(dac_read_index, 0xff);
  CHECK(vga.read(dac_state) == 3);
  for (uint8_t value = 1; value <= 6; ++value) CHECK(vga.read(dac_data) == value);
}

TEST_CASE_METHOD(Chip, "GR10, GR11 and GR18 are not GR00, GR01 and GR08") {
  for (uint8_t index : {0x00, 0x01, 0x08}) set(graphics_index, index, static_cast<uint8_t>(0x50 + index));
  set(graphics_index, gr10_address_mapping, 0xf4);
  set(graphics_index, gr11_page_selector, 0x34);
  set(graphics_index, gr18_software_flags, 0x56);
  CHECK(vga.read(graphics_index) == 0x18);
  CHECK(get(graphics_index, 0x00) == 0x50);
  CHECK(get(graphics_index, 0x01) == 0x51);
  CHECK(get(graphics_index, 0x08) == 0x58);
  CHECK(get(graphics_index, gr10_address_mapping) == 0xf4);
  CHECK(get(graphics_index, gr11_page_selector) == 0x34);
  CHECK(get(graphics_index, gr18_software_flags) == 0x56);
  set(graphics_index, 0x12, 0xff);
  CHECK(get(graphics_index, 0x12) == 0);
  CHECK(get(graphics_index, 0xe8) == 0x58);  // three bits that the index does not have
}

TEST_CASE_METHOD(Chip, "GR10 and GR11 map a page of twelve bits while GR10 enables it") {
  set(graphics_index, gr11_page_selector, 0x34);
  CHECK(core.page == 0);
  set(graphics_index, gr10_address_mapping, 0x21);
  CHECK(core.page == 0x234);
  set(graphics_index, gr11_page_selector, 0x35);
  CHECK(core.page == 0x235);
  set(graphics_index, gr10_address_mapping, 0x20);
  CHECK(core.page == 0);
}

TEST_CASE_METHOD(Chip, "CR22 is the read latch and cannot be written") {
  set(crtc_data - 1, cr22_memory_read_latch, 0x11);
  CHECK(vga.read(crtc_data) == 0xa7);
  CHECK(core.data.count({crtc_data, cr22_memory_read_latch}) == 0);
  CHECK(vga.read(crtc_data_mono) == 0xff);
  set(crtc_data - 1, 0x0e, 0x11);
  CHECK(vga.read(crtc_data) == 0x11);
}

TEST_CASE_METHOD(Chip, "SR07 holds the character counter until another sequencer register is written") {
  constexpr unsigned both = st01_blank | st01_vertical_retrace;
  CHECK((vga.read(status) & both) == both);
  CHECK((vga.read(status) & both) == 0);
  set(sequencer_index, sr07_character_counter_reset, 0);
  for (int i = 0; i < 4; ++i) CHECK((vga.read(status) & both) == st01_blank);
  vga.write(sequencer_index, 1);
  CHECK((vga.read(status) & both) == st01_blank);
  vga.write(sequencer_data, 0);
  CHECK((vga.read(status) & both) == 0);
  CHECK((vga.read(status) & both) == both);
}

// TGL PRM vol 13, "VGA and Extended VGA I/O and Memory Register Map": 3D6h and 3D7h; it names no index behind them.
TEST_CASE_METHOD(Chip, "XRX keeps its index, and has no registers") {
  set(extension_index, 0x9a, 0xff);
  CHECK(vga.read(extension_index) == 0x9a);
  CHECK(vga.read(extension_data) == 0);
  CHECK(core.writes == 0);
}

TEST_CASE_METHOD(Chip, "the memory-mapped form accesses bytes, the lowest first, and has no reserved ones") {
  vga.write_mapped(crtc_data - 1, 0x5a0e, 2);
  CHECK(core.data[{crtc_data, 0x0e}] == 0x5a);
  CHECK(vga.read_mapped(crtc_data - 1, 4) == 0x5a0e);
  vga.write_mapped(0x3b8, ~uint64_t{0}, 8);
  CHECK(core.plain.count(status_mono) == 1);
  CHECK(core.plain.size() == 2);  // with the index
  CHECK_FALSE(LegacyVga::covers(0x3af));
  CHECK_FALSE(LegacyVga::covers(0x3e0));
  CHECK_FALSE(LegacyVga::covers(0));
  vga.write_mapped(0x3dc, ~uint64_t{0}, 8);
  CHECK(core.plain.count(0x3e0) == 0);
}

// TGL PRM vol 13, "VGA and Extended VGA I/O and Memory Register Map"; KBL PRM vol 3 has the same.
TEST_CASE_METHOD(Chip, "reserved addresses of the map read 0 and ignore writes, as ports and in BAR0") {
  constexpr std::pair<uint16_t, uint16_t> reserved[] = {{0x3b0, 0x3b3}, {0x3b6, 0x3b9}, {0x3bb, 0x3bf}, {0x3c3, 0x3c3}, {0x3cb, 0x3cb},
                                                        {0x3cd, 0x3cd}, {0x3d0, 0x3d1}, {0x3d8, 0x3d9}, {0x3db, 0x3df}};
  std::set<uint16_t> all;
  for (const auto& [first, last] : reserved)
    for (uint16_t port = first; port <= last; ++port) all.insert(port);
  for (uint16_t port = first_port; port < first_port + port_count; ++port) {
    CAPTURE(port);
    CHECK(is_reserved(port) == all.contains(port));
    if (!all.contains(port)) continue;
    core.plain[port] = 0xa5;  // what the host may have there
    vga.write(port, 0x5a);
    vga.write_mapped(port, 0x5a, 1);
    CHECK(core.plain[port] == 0xa5);
    CHECK(vga.read(port) == 0);
    CHECK(vga.read_mapped(port, 1) == 0);
  }
  CHECK(core.writes == 0);
}

// TGL PRM vol 13, "Indirect VGA and Extended VGA Register Indices".
TEST_CASE_METHOD(Chip, "each index of the map has a register of its own behind its index port") {
  const struct {
    uint16_t index_port;
    std::vector<uint8_t> indices;
  } rows[] = {
      {sequencer_index, {0, 1, 2, 3, 4, 7}},
      {graphics_index, {0, 1, 2, 3, 4, 5, 6, 7, 8, 0x10, 0x11, 0x18}},
      {crtc_data - 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18}}};
  for (const auto& row : rows) {
    for (const uint8_t index : row.indices) set(row.index_port, index, static_cast<uint8_t>(0x40 + index));
    for (const uint8_t index : row.indices) {
      CAPTURE(row.index_port, index);
      CHECK(get(row.index_port, index) == 0x40 + index);
      CHECK(vga.read(row.index_port) == index);
    }
  }
}

TEST_CASE_METHOD(Chip, "the state is restored, with what the host's core derives from it") {
  color(0x02, 1, 2, 3);
  vga.write(dac_mask, 0x0f);
  set(graphics_index, gr11_page_selector, 5);
  set(graphics_index, gr10_address_mapping, 1);
  set(graphics_index, gr18_software_flags, 0x77);
  vga.write(extension_index, 0x12);
  set(sequencer_index, sr07_character_counter_reset, 0);
  vga.write(dac_read_index, 2);
  vga.read(dac_data);
  Archive saved;
  vga.state(saved);

  VgaCore other;
  LegacyVga loaded(other);
  Archive reader(saved.output());
  loaded.state(reader);
  REQUIRE_FALSE(reader.failed());
  CHECK(other.page == 5);
  CHECK(other.shown[0xf2] == std::tuple(1u, 2u, 3u));
  CHECK(loaded.read(graphics_data) == 0x77);
  CHECK(loaded.read(extension_index) == 0x12);
  CHECK(loaded.read(dac_data) == 2);
  CHECK((loaded.read(status) & st01_vertical_retrace) == 0);

  loaded.reset();
  CHECK(other.page == 0);
  CHECK(other.shown[0xf2] == std::tuple(0u, 0u, 0u));
  CHECK(loaded.read(dac_mask) == 0xff);
  CHECK(loaded.read(graphics_data) == 0);
}

TEST_CASE_METHOD(Chip, "a saved state with a fourth colour component is refused") {
  for (int i = 0; i < 2; ++i) vga.write(dac_data, 0x3f);
  Archive first, second;
  vga.state(first);
  vga.write(dac_write_index, 0);
  vga.state(second);
  // The component is the only byte that is 2 before and 0 after, the pending ones do not change.
  std::vector<std::byte> bytes = first.output();
  unsigned changed = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != second.output()[i]) {
      bytes[i] = std::byte{3};
      ++changed;
    }
  REQUIRE(changed == 1);
  Archive reader(bytes);
  vga.state(reader);
  CHECK(reader.failed());
}
