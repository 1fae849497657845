// SPDX-License-Identifier: GPL-2.0-or-later
#include <nlohmann/json.hpp>

#include "hw/defs/platform.h"
#include "hw/gt/parts.h"
#include "hw/mmio/register_file.h"
#include "tests/unit/gt/fake_host.h"

using namespace softgen;
using softgen::test::FakeHost;

namespace {

std::string refusal(sg_config config) {
  sg_host_ops ops = {};
  char* error = nullptr;
  CHECK(sg_device_new(&config, &ops, &error) == nullptr);
  std::string why = error ? error : "";
  sg_free(error);
  return why;
}

sg_config good() {
  sg_config config = {};
  config.platform = "kbl";
  config.aperture_size = 256ull << 20;
  return config;
}

}  // namespace

TEST_CASE("a bad configuration is refused with a message") {
  sg_config config = good();
  config.platform = "i740";
  CHECK(refusal(config) == "there is no platform 'i740'");
  config = good();
  config.aperture_size = 3 << 20;
  CHECK(refusal(config).find("aperture") != std::string::npos);
  config = good();
  config.connected = 8;
  CHECK(refusal(config).find("connectors") != std::string::npos);
  config = good();
  config.threads = 1u << 20;
  CHECK(refusal(config).find("threads") != std::string::npos);
}

TEST_CASE("the platform's identity is Kaby Lake GT2's") {
  const sg_platform_info* info = sg_platform("kbl");
  REQUIRE(info);
  CHECK(info->pci_device_id == 0x5912);
  CHECK(info->pci_revision == 4);
  CHECK(info->bar0_size == 16u << 20);
  CHECK(info->engines == 4);
  CHECK(sg_platform("nv50") == nullptr);
  CHECK(sg_platform(nullptr) == nullptr);
}

TEST_CASE("all platforms have an index and are found by name") {
  unsigned count = 0;
  for (; sg_platform_at(count); ++count) CHECK(sg_platform(sg_platform_at(count)->name) == sg_platform_at(count));
  CHECK(count == defs::platforms().size());
  CHECK(sg_platform_at(~0u) == nullptr);
}

TEST_CASE("all platforms have a list of parts; a row without one is refused with a message") {
  for (const defs::Platform& platform : defs::platforms()) CHECK(gt::parts_of(platform).name == std::string_view(platform.parts));
  defs::Platform platform = defs::platforms().front();
  platform.parts = "gen4";
  CHECK_THROWS_WITH(gt::parts_of(platform), "platform kbl: there is no list of parts 'gen4'");
}

TEST_CASE("an instruction set with more registers than a thread has is refused") {
  const eu::IsaLimits limits = gt::isa_of(defs::platforms().front()).limits();
  CHECK(gt::fits(limits));
  const auto fits_with = [&](unsigned eu::IsaLimits::* member, unsigned value) {
    eu::IsaLimits changed = limits;
    changed.*member = value;
    return gt::fits(changed);
  };
  CHECK(fits_with(&eu::IsaLimits::registers, 64));
  CHECK_FALSE(fits_with(&eu::IsaLimits::registers, 256));
  CHECK_FALSE(fits_with(&eu::IsaLimits::register_bytes, 64));
  CHECK_FALSE(fits_with(&eu::IsaLimits::flag_registers, 4));
  CHECK_FALSE(fits_with(&eu::IsaLimits::max_exec_size, 64));
  CHECK_FALSE(fits_with(&eu::IsaLimits::compacted_bytes, 4));
}

TEST_CASE("BAR0: registers below 2 MiB, the GTT window from 8 MiB, nothing between") {
  FakeHost host;
  host.write(0x1ffffc, 0x1234);
  CHECK(host.read(0x1ffffc) == 0x1234);
  host.write(0x200000, 0xffff'ffff);
  CHECK(host.read(0x200000) == 0);
  sg_bar0_write(host.device(), FakeHost::gtt_window + 8, 0x1234'5001, 8);
  CHECK(sg_bar0_read(host.device(), FakeHost::gtt_window + 8, 8) == 0x1234'5001);
  CHECK(host.read(FakeHost::gtt_window + 12) == 0);
  // An access across two entries is not possible on the bus.
  sg_bar0_write(host.device(), FakeHost::gtt_window + 12, ~0ull, 8);
  CHECK(sg_bar0_read(host.device(), FakeHost::gtt_window + 16, 8) == 0);
  sg_bar0_write(host.device(), (16 << 20) - 8, 0x7001, 8);
  CHECK(sg_bar0_read(host.device(), (16 << 20) - 8, 8) == 0x7001);
}

TEST_CASE("the aperture goes through the GTT and follows its changes") {
  FakeHost host;
  host.map(0x1000, 0x8000, 1);
  sg_aperture_write(host.device(), 0x1010, 0xaabb'ccdd, 4);
  CHECK(host.ram<uint32_t>(0x8010) == 0xaabb'ccdd);
  CHECK(sg_aperture_page(host.device(), 0x1000) == &host.ram<std::byte>(0x8000));
  host.map(0x1000, 0x9000, 1);
  host.write(reg::GFX_FLSH_CNTL, 1);
  CHECK(host.read(reg::GFX_FLSH_CNTL) == 0);
  CHECK(sg_aperture_read(host.device(), 0x1010, 4) == 0);
  host.ram<uint64_t>(0x9008) = 0x1122'3344'5566'7788;
  CHECK(sg_aperture_read(host.device(), 0x1008, 8) == 0x1122'3344'5566'7788);
}

TEST_CASE("fence registers affect the aperture") {
  FakeHost host;
  host.map(0, 0x10000, 16);
  // X tiles, 512 bytes pitch (4 * 128), 16 pages. i965_write_fence_reg writes 0, then the high half, then the low half.
  host.write(reg::FENCE(3, 0), 0);
  host.write(reg::FENCE(3, 1), 15u << 12 | 3);
  host.write(reg::FENCE(3, 0), 1);
  CHECK(host.read(reg::FENCE(3, 1)) == (15u << 12 | 3));
  for (uint32_t row = 0; row < 16; ++row) sg_aperture_write(host.device(), row * 512, row, 4);
  for (uint32_t row = 0; row < 16; ++row) CHECK(host.ram<uint32_t>(0x10000 + row * 512) == row);
  CHECK(sg_aperture_page(host.device(), 0) == nullptr);
}

TEST_CASE("every hook in the register tables is attached") {
  FakeHost host;
  char* text = sg_report(host.device());
  const auto report = nlohmann::json::parse(text);
  sg_free(text);
  CHECK(report["platform"] == "kbl");
  CHECK(report["engines"].size() == 4);
  std::vector<std::string> missing = report["registers_without_behaviour"];
  CHECK(missing == std::vector<std::string>{});
}

TEST_CASE("the render engine's watchdog is looked at by a timer of the host") {
  FakeHost host(GENERATE(0u, 1u));
  constexpr uint32_t expired = 1u << 6, iir = 0x44308;
  host.masked(0xa278, 1);
  host.write(0x44304, ~expired), host.write(0x4430c, expired), host.write(0x20a8, ~expired);
  host.write(0x203c, 1);  // the ring is enabled, and empty
  host.write(0x217c, 12'000);
  host.write(0x2178, 1);
  const auto taken = [&] {
    const uint32_t found = host.read(iir);
    host.write(iir, found), host.write(iir, found);
    return found & expired;
  };
  host.advance(999'000);
  CHECK_FALSE(taken());
  host.advance(1'500);
  CHECK(taken());
  host.advance(500'000);
  CHECK_FALSE(taken());
  host.advance(500'000);
  CHECK(taken());
  host.write(0x2178, 0);
  host.advance(100'000'000);
  CHECK_FALSE(taken());
}

TEST_CASE("a timer of the host looks for when the observation unit's buffer becomes half full, if that is to interrupt") {
  FakeHost host(GENERATE(0u, 1u));
  constexpr uint32_t half_full = 1u << 28, iir = 0x44338, buffer = 0x100000;
  host.map(buffer, buffer, 32);
  host.write(0x44334, ~half_full), host.write(0x4433c, half_full), host.write(0x44200, 0x8000'0000);
  host.write(0x2b0c, buffer), host.write(0x2b14, buffer | 1), host.write(0x2b10, buffer);
  host.write(0x2360, 3 | 5 << 2);  // a report every 64 ticks of 12 MHz
  host.write(0x2b00, 1 | 5 << 2);  // of 256 bytes: 128 KiB are half full after 1.37 ms
  host.advance(2'000'000);
  CHECK(host.read(iir) == 0);
  host.write(0x2b0c, host.read(0x2b10));
  host.write(0x2b20, ~half_full);
  host.advance(1'300'000);
  CHECK(host.read(iir) == 0);
  host.advance(100'000);
  CHECK(host.read(iir) == half_full);
  CHECK(host.level());
}
