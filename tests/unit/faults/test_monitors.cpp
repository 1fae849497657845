// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "hw/faults/monitors.h"
#include "hw/faults/plan.h"
#include "hw/iface/quiet_host.h"
#include "tests/catch.h"

using namespace softgen;

namespace {

constexpr unsigned pin = 5;  // connector 0 of kbl

/// A monitor with two blocks of EDID whose checksums are right.
class OneMonitor final : public QuietHost {
 public:
  OneMonitor() {
    for (size_t i = 0; i < edid.size(); ++i) edid[i] = static_cast<uint8_t>(i * 3);
    edid[126] = 1;
    for (const size_t block : {0, 128}) {
      edid[block + 127] = 0;
      edid[block + 127] = static_cast<uint8_t>(-std::accumulate(edid.begin() + block, edid.begin() + block + 128, 0));
    }
  }
  int64_t clock_ns() override { return 0; }
  bool i2c_start(unsigned at, uint8_t address, bool) override { return at == pin && address == 0x50; }
  bool i2c_send(unsigned, uint8_t byte) override { return offset_ = byte, true; }
  uint8_t i2c_receive(unsigned) override { return edid[offset_++ % edid.size()]; }
  std::array<uint8_t, 256> edid{};

 private:
  size_t offset_ = 0;
};

struct Rig {
  std::optional<std::vector<uint8_t>> read(unsigned first, unsigned count) {
    std::vector<uint8_t> bytes;
    if (!monitors.i2c_start(pin, 0x50, false)) return {};
    monitors.i2c_send(pin, static_cast<uint8_t>(first));
    if (!monitors.i2c_start(pin, 0x50, true)) return {};
    for (unsigned i = 0; i < count; ++i) bytes.push_back(monitors.i2c_receive(pin));
    monitors.i2c_end(pin);
    return bytes;
  }
  std::vector<uint8_t> bytes(unsigned first = 0) const { return {monitor.edid.begin() + first, monitor.edid.begin() + first + 128}; }

  OneMonitor monitor;
  mmio::RegisterFile registers{*defs::find_platform("kbl")->registers};
  faults::Monitors monitors{monitor, registers};
  faults::Plan plan{{.platform = *defs::find_platform("kbl"),
                     .clock_ns = [] { return int64_t{0}; },
                     .wake_at = [](int64_t) {},
                     .pulse = [](const faults::Rule&, const FaultAnswer&) {},
                     .active = [this](bool on) { registers.set_faults(on ? &plan : nullptr); }}};
};

uint8_t sum(const std::vector<uint8_t>& block) { return static_cast<uint8_t>(std::accumulate(block.begin(), block.end(), 0)); }

}  // namespace

TEST_CASE("an EDID without a plan, and with a plan for another connector") {
  Rig rig;
  CHECK(rig.read(0, 128) == rig.bytes());
  rig.plan.add("on edid connector=1 do nak");
  CHECK(rig.read(0, 128) == rig.bytes());
  CHECK(rig.read(128, 128) == rig.bytes(128));
}

TEST_CASE("EDIDs that are wrong") {
  Rig rig;
  rig.plan.add("on edid connector=0 nth=2 do nak");
  CHECK(rig.read(0, 128));
  CHECK(!rig.read(0, 128));
  CHECK(rig.read(0, 128));

  rig.plan.load("on edid do short 100");
  const auto cut = *rig.read(0, 128);
  CHECK(cut[99] == rig.monitor.edid[99]);
  CHECK((cut[100] == 0xff && cut[127] == 0xff));

  rig.plan.load("on edid do checksum");
  CHECK(sum(*rig.read(0, 128)) != 0);
  CHECK(sum(*rig.read(128, 128)) != 0);

  rig.plan.load("on edid do endless");
  const auto endless = *rig.read(0, 128);
  CHECK(endless[126] == 255);
  CHECK(sum(endless) == 0);

  rig.plan.load("seed 4\non edid nth=1 do flip bits=1");
  const auto flipped = *rig.read(0, 128), right = rig.bytes();
  unsigned different = 0;
  for (size_t i = 0; i < 128; ++i) different += flipped[i] != right[i];
  CHECK(different == 1);
}
