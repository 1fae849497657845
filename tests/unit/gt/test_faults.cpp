// SPDX-License-Identifier: GPL-2.0-or-later
// Fault plans at the points of the whole device, through the C ABI.
#include <bit>
#include <nlohmann/json.hpp>
#include <string>

#include "hw/defs/registers/registers.h"
#include "tests/unit/gt/elsp_driver.h"

using namespace softgen;
using namespace softgen::test;

namespace {

constexpr uint64_t batch = 0xc0000;
constexpr int64_t ms = 1'000'000;
constexpr uint32_t mi_batch_buffer_start = 0x31u << 23 | 1, mi_batch_buffer_end = 0x0au << 23;

/// A device without threads, whose render engine has a driver.
struct Rig {
  FakeHost host;
  Driver driver{host, engines[0]};

  /// As i915 has it: a batch from the ring, a breadcrumb.
  void request(uint32_t value) {
    host.ram<uint32_t>(batch) = mi_batch_buffer_end;
    driver.emit({mi_batch_buffer_start, static_cast<uint32_t>(batch), 0, 0});
    driver.emit_breadcrumb(value);
    driver.submit();
  }
  bool done(uint32_t value) { return host.ram<uint32_t>(target) == value; }
  uint32_t status(unsigned dword) { return host.ram<uint32_t>(hwsp + 0x40 + dword * 4); }
  uint32_t last_status() { return host.ram<uint32_t>(hwsp + 0x7c); }
};

}  // namespace

TEST_CASE("cs.request: a hang that only a reset ends") {
  Rig rig;
  CHECK(rig.host.plan("on cs.request engine=bcs do hang").empty());
  CHECK(rig.host.plan("on cs.request engine=rcs nth=1 do hang").empty());
  rig.request(1);
  rig.host.advance(1000 * ms);
  CHECK(!rig.done(1));
  CHECK(rig.host.read(0x2000 + reg::RING_IPEHR) == mi_batch_buffer_start);
  CHECK(rig.host.faults() == std::vector<std::string>{"cs.request"});
  rig.host.write(reg::GDRST, reg::field::GDRST_FULL.mask());
  CHECK(rig.host.read(reg::GDRST) == 0);
  CHECK(rig.host.read(0x2000 + reg::RING_IPEHR) == 0);
}

TEST_CASE("cs.request: slow, and a spin that can be preempted") {
  Rig rig;
  rig.host.plan("on cs.request do slow 100ms");
  rig.request(2);
  rig.host.advance(99 * ms);
  CHECK(!rig.done(2));
  rig.host.advance(3 * ms);
  CHECK(rig.done(2));

  Rig spins;
  spins.host.plan("on cs.request do spin");
  spins.request(3);
  spins.host.advance(10'000 * ms);
  CHECK(!spins.done(3));
  sg_faults_clear(spins.host.device());
  spins.host.advance(100 * ms);
  CHECK(spins.done(3));  // without its line it goes on
}

TEST_CASE("cs.csb: entries lost, doubled, exchanged, changed, late") {
  SECTION("without a plan") {
    Rig rig;
    rig.request(1);
    CHECK((rig.status(0) == 1 && rig.status(2) == 0x18 && rig.last_status() == 1));
  }
  SECTION("drop") {
    Rig rig;
    rig.host.plan("on cs.csb engine=rcs nth=1 do drop");
    rig.request(1);
    CHECK((rig.status(0) == 0x18 && rig.last_status() == 0));
  }
  SECTION("dup") {
    Rig rig;
    rig.host.plan("on cs.csb nth=1 do dup");
    rig.request(1);
    CHECK((rig.status(0) == 1 && rig.status(2) == 1 && rig.status(4) == 0x18 && rig.last_status() == 2));
  }
  SECTION("swap") {
    Rig rig;
    rig.host.plan("on cs.csb nth=1 do swap");
    rig.request(1);
    CHECK((rig.status(0) == 0x18 && rig.status(2) == 1 && rig.last_status() == 1));
  }
  SECTION("value") {
    Rig rig;
    rig.host.plan("on cs.csb nth=2 do value 0xffffffffffffffff");
    rig.request(1);
    CHECK((rig.status(0) == 1 && rig.status(2) == ~0u && rig.status(3) == ~0u));
  }
  SECTION("index") {
    Rig rig;
    rig.host.plan("on cs.csb nth=2 do index 77");
    rig.request(1);
    CHECK(rig.last_status() == 77);
  }
  SECTION("late") {
    Rig rig;
    rig.host.plan("on cs.csb nth=2 do late 5ms");
    rig.request(1);
    CHECK((rig.status(2) == ~0u && rig.last_status() == 1));
    rig.host.advance(5 * ms);
    CHECK(rig.status(2) == 0x18);
  }
}

TEST_CASE("cs.hwsp and cs.image: bits flip, a page is lost") {
  Rig rig;
  rig.host.plan("on cs.hwsp nth=1 do flip bits=3");
  const std::vector<uint32_t> before(&rig.host.ram<uint32_t>(hwsp), &rig.host.ram<uint32_t>(hwsp) + 1024);
  rig.request(1);
  unsigned bits = 0;
  for (unsigned i = 32; i < 1024; ++i) bits += static_cast<unsigned>(std::popcount(before[i] ^ rig.host.ram<uint32_t>(hwsp + i * 4)));
  CHECK((bits >= 1 && bits <= 3));

  Rig lost;
  lost.host.plan("on cs.image do lose");
  lost.request(1);
  lost.host.advance(100 * ms);
  CHECK(!lost.done(1));  // no ring, no tail
}

TEST_CASE("mem.write: what commands write is dropped, or has flipped bits") {
  Rig rig;
  rig.host.plan("on mem.write engine=rcs domain=commands nth=1 do flip bits=1");
  rig.request(0x100);
  CHECK(std::popcount(rig.host.ram<uint32_t>(target) ^ 0x100u) == 1);
  Rig drops;
  drops.host.plan("on mem.write do drop");
  drops.request(0x100);
  CHECK(drops.host.ram<uint32_t>(target) == 0);
}

TEST_CASE("mmio.read and mmio.write: what software sees and writes") {
  FakeHost host;
  host.plan("on mmio.read RING_HEAD.rcs do stuck 0x123");
  host.plan("on mmio.read RING_TAIL.rcs do xor 0xff");
  host.plan("on mmio.write RING_START.rcs nth=1 do drop");
  host.plan("on mmio.write RING_IMR.bcs do and 0xf0");
  CHECK(host.read(0x2000 + reg::RING_HEAD) == 0x123);
  CHECK(host.read(0x22000 + reg::RING_HEAD) == 0);
  CHECK(host.read(0x2000 + reg::RING_TAIL) == 0xff);
  host.write(0x2000 + reg::RING_START, 0x5000);
  CHECK(host.read(0x2000 + reg::RING_START) == 0);
  host.write(0x2000 + reg::RING_START, 0x5000);
  CHECK(host.read(0x2000 + reg::RING_START) == 0x5000);
  host.write(0x22000 + reg::RING_IMR, 0xffff);
  CHECK(host.read(0x22000 + reg::RING_IMR) == 0xf0);
  sg_faults_clear(host.device());
  CHECK(host.read(0x2000 + reg::RING_HEAD) == 0);
}

TEST_CASE("gdrst: never, late, only at first; not ready") {
  FakeHost host;
  const uint32_t full = reg::field::GDRST_FULL.mask();
  host.write(0x2000 + reg::RING_START, 0x5000);
  host.plan("on gdrst nth=1 do never");
  host.plan("on gdrst nth=2 do late 2ms");
  host.write(reg::GDRST, full);
  host.advance(1000 * ms);
  CHECK(host.read(reg::GDRST) == full);
  CHECK(host.read(0x2000 + reg::RING_START) == 0x5000);
  host.write(reg::GDRST, full);
  CHECK(host.read(reg::GDRST) == full);
  host.advance(2 * ms);
  CHECK(host.read(reg::GDRST) == 0);
  CHECK(host.read(0x2000 + reg::RING_START) == 0);
  host.write(reg::GDRST, full);
  CHECK(host.read(reg::GDRST) == 0);

  const uint32_t request = reg::field::RING_RESET_CTL_REQUEST_RESET.mask(), ready = reg::field::RING_RESET_CTL_READY_FOR_RESET.mask();
  host.plan("on gdrst.ready engine=bcs do never");
  host.masked(0x2000 + reg::RING_RESET_CTL, request);
  host.masked(0x22000 + reg::RING_RESET_CTL, request);
  CHECK(host.read(0x2000 + reg::RING_RESET_CTL) & ready);
  CHECK(!(host.read(0x22000 + reg::RING_RESET_CTL) & ready));
}

TEST_CASE("forcewake, power.well, tlb: what software asks for does not follow") {
  FakeHost host;
  host.plan("on forcewake FORCEWAKE_RENDER do never");
  host.plan("on power.well PWR_WELL_CTL[1] do never");
  host.plan("on tlb RTCR do never");
  host.masked(reg::FORCEWAKE_RENDER, 1);
  host.masked(reg::FORCEWAKE_MEDIA, 1);
  CHECK(host.read(reg::FORCEWAKE_ACK_RENDER) == 0);
  CHECK(host.read(reg::FORCEWAKE_ACK_MEDIA) == 1);
  host.write(reg::PWR_WELL_CTL(1), 2u << 28);
  CHECK(host.read(reg::PWR_WELL_CTL(1)) == 2u << 28);
  host.write(reg::RTCR, 1);
  host.write(reg::BTCR, 1);
  CHECK(host.read(reg::RTCR) == 1);
  CHECK(host.read(reg::BTCR) == 0);
}

TEST_CASE("pcode: busy, an error, zeros") {
  FakeHost host;
  const uint32_t busy = 1u << 31, read_latencies = 6;
  const auto ask = [&] {
    host.write(reg::GEN6_PCODE_DATA, 0);
    host.write(reg::GEN6_PCODE_MAILBOX, busy | read_latencies);
    return host.read(reg::GEN6_PCODE_MAILBOX);
  };
  host.plan("on pcode command=6 nth=1 do busy");
  host.plan("on pcode command=6 nth=2 do error 4");
  host.plan("on pcode command=6 nth=3 do zero");
  CHECK(ask() == (busy | read_latencies));
  CHECK(ask() == 4);
  CHECK((ask() == 0 && host.read(reg::GEN6_PCODE_DATA) == 0));
  CHECK((ask() == 0 && host.read(reg::GEN6_PCODE_DATA) != 0));
}

TEST_CASE("gmbus: a command without an end, and one without an answer") {
  FakeHost host;
  const uint32_t ready = reg::field::GMBUS2_HARDWARE_READY.mask(), nak = reg::field::GMBUS2_NAK_INDICATOR.mask(),
                 active = reg::field::GMBUS2_GMBUS_ACTIVE.mask();
  const uint32_t read_edid = 1u << 30 | 3u << 25 | 128u << 16 | 0x50u << 1 | 1;
  host.plan("on gmbus connector=0 nth=1 do never");
  host.plan("on gmbus connector=0 nth=2 do nak");
  host.write(reg::GMBUS0, 5);
  host.write(reg::GMBUS1, read_edid);
  CHECK((host.read(reg::GMBUS2) & (ready | nak | active)) == active);
  host.write(reg::GMBUS1, 1u << 31);
  host.write(reg::GMBUS1, 0);
  CHECK((host.read(reg::GMBUS2) & active) == 0);
  host.write(reg::GMBUS1, read_edid);
  CHECK((host.read(reg::GMBUS2) & (ready | nak)) == nak);
}

TEST_CASE("hotplug and display.underrun: the plan raises them") {
  FakeHost host;
  host.write(reg::SDEIMR, 0);
  host.write(reg::SDEIER, ~0u);
  host.write(reg::SHOTPLUG_CTL, 1u << 4);
  host.write(reg::DE_PIPE_IMR(0), 0);
  host.plan("on hotplug connector=0 every=10ms times=1 do raise");
  host.plan("on display.underrun pipe=A every=10ms times=1 do raise");
  host.advance(100 * ms);
  CHECK((host.read(reg::SDEIIR) & 1u << 21) != 0);
  CHECK((host.read(reg::SHOTPLUG_CTL) & 3) == 2);
  CHECK((host.read(reg::DE_PIPE_IIR(0)) & 1u << 31) != 0);
  CHECK(host.faults() == std::vector<std::string>{"hotplug", "display.underrun"});
}

TEST_CASE("resume: all ones for a while, or the entries of the GGTT are gone") {
  FakeHost host;
  host.map(0x10000, 0x20000, 1);
  const uint64_t entry = FakeHost::gtt_window + 0x10 * 8;
  host.plan("on resume nth=1 do ones 10ms");
  host.plan("on resume nth=2 do lose");
  sg_reset(host.device(), SG_RESET_WAKEUP);
  CHECK(host.read(reg::FORCEWAKE_ACK_RENDER) == ~0u);
  CHECK(host.read(entry) != 0);
  host.advance(10 * ms);
  CHECK(host.read(reg::FORCEWAKE_ACK_RENDER) == 0);
  sg_reset(host.device(), SG_RESET_WAKEUP);
  CHECK(host.read(entry) == 0);
  sg_reset(host.device(), SG_RESET_POWER);  // is no resume
}

TEST_CASE("config.read: what a driver reads of PCI configuration space") {
  Rig rig;
  constexpr uint32_t ggc = 0x50, bdsm = 0x5c, there = 0x1234'5678;
  CHECK(rig.host.plan("on config.read offset=0x50 nth=2 do xor 0xff").empty());
  const auto read = [&](uint32_t offset) { return sg_faults_config_read(rig.host.device(), offset, there); };
  CHECK(read(ggc) == there);
  CHECK(read(bdsm) == there);
  CHECK(read(ggc) == (there ^ 0xff));
  CHECK(read(ggc) == there);
  rig.host.plan("on config.read do ones");
  CHECK(read(bdsm) == ~0u);
}

TEST_CASE("the report and the log have each line, and a wrong line has a sentence") {
  Rig rig;
  rig.host.plan("on mem.write do flip");
  rig.request(1);
  char* const text = sg_report(rig.host.device());
  const auto plan = nlohmann::json::parse(text).at("fault_plan");
  sg_free(text);
  REQUIRE(plan.size() == 1);
  CHECK(plan[0].at("fired") == 1);
  CHECK(plan[0].at("text") == "on mem.write do flip");
  char* const log = sg_faults_log(rig.host.device());
  CHECK(std::string(log).find("line 1, mem.write engine=rcs domain=commands, 1 times") != std::string::npos);
  sg_free(log);
  CHECK(rig.host.plan("on mem.write do hang") == "line 2, column 17: expected an action of mem.write (drop, flip), found 'hang'");
  char* error = nullptr;
  CHECK(!sg_faults_load(rig.host.device(), "/nowhere/plan", &error));
  CHECK(std::string(error) == "/nowhere/plan: cannot read '/nowhere/plan': No such file or directory");
  sg_free(error);
}

TEST_CASE("a random plan does not break the device") {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Rig rig;
    rig.host.plan("seed " + std::to_string(seed));
    for (const char* line : {"on cs.request p=0.3 do slow 1ms..20ms", "on cs.csb p=0.2 do flip bits=4", "on cs.csb p=0.1 do swap",
                             "on cs.hwsp p=0.5 do flip bits=9", "on cs.image p=0.5 do flip bits=20", "on mem.write p=0.3 do flip bits=8",
                             "on mmio.read * p=0.1 do flip bits=3", "on mmio.write * p=0.1 do flip bits=3", "on irq p=0.3 do delay 1ms",
                             "on gdrst p=0.5 do late 3ms", "on resume do ones 5ms", "on hotplug every=1ms do raise",
                             "on irq every=1ms do spurious", "on display.underrun every=1ms do raise"})
      REQUIRE(rig.host.plan(line).empty());
    for (uint32_t i = 0; i < 4; ++i) {
      rig.driver.new_context();
      rig.request(i);
      rig.host.advance(30 * ms);
      if (i == 2) rig.host.write(reg::GDRST, ~0u);
      if (i == 3) sg_reset(rig.host.device(), SG_RESET_WAKEUP);
    }
    sg_faults_clear(rig.host.device());
    sg_reset(rig.host.device(), SG_RESET_POWER);
    Driver again(rig.host, engines[0]);
    rig.host.ram<uint32_t>(target) = 0;
    again.emit_breadcrumb(0x77);
    again.submit();
    CHECK(rig.done(0x77));
  }
}
