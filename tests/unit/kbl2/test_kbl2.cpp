// SPDX-License-Identifier: GPL-2.0-or-later
// A device built from a second platform's tables behaves by them, without any code for that platform.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "hw/base/archive.h"
#include "hw/debug/printer.h"
#include "hw/defs/gen9/all.h"
#include "hw/gt/device.h"
#include "hw/iface/quiet_host.h"
#include "hw/render/state_store.h"
#include "tests/unit/cs/machine.h"
#include "tests/unit/kbl2/all.h"
#include "tests/unit/kbl2/platform.h"

using namespace softgen;
using namespace softgen::cs::test;
using defs::CommandId;
using defs::EngineClass;
using defs::Gen9;
using defs::Kbl2;

namespace {

constexpr uint32_t out = 0x0018'0000;
constexpr uint32_t store_opcode = 0x2d;  // of kbl2's MI_STORE_DATA_IMM

class SilentHost final : public QuietHost {
 public:
  int64_t clock_ns() override { return now_ += 1000; }

 private:
  int64_t now_ = 1'000'000;
};

gt::Config config_of(const defs::Platform& platform) {
  gt::Config config;
  config.platform = &platform;
  return config;
}

/// An example of code for several generations: one template, instantiated for each set of layouts.
template <class G>
uint64_t kernel_of(std::span<const uint32_t> packet) {
  return typename G::_3DSTATE_VS::View(packet).kernel_start_pointer();
}

std::vector<std::byte> saved(gt::Device& device) {
  Archive archive;
  device.state(archive);
  return archive.take();
}

}  // namespace

TEST_CASE("kbl2: an unchanged import is the same type; a changed one, or one that contains a changed one, is not") {
  STATIC_REQUIRE(std::is_same_v<Kbl2::_3DSTATE_PS, Gen9::_3DSTATE_PS>);
  STATIC_REQUIRE(std::is_same_v<Kbl2::RENDER_SURFACE_STATE, Gen9::RENDER_SURFACE_STATE>);
  STATIC_REQUIRE(std::is_same_v<Kbl2::SurfaceFormat, Gen9::SurfaceFormat>);
  STATIC_REQUIRE_FALSE(std::is_same_v<Kbl2::_3DSTATE_VS, Gen9::_3DSTATE_VS>);
  STATIC_REQUIRE_FALSE(std::is_same_v<Kbl2::_3DSTATE_CONSTANT_PS, Gen9::_3DSTATE_CONSTANT_PS>);
  STATIC_REQUIRE(Kbl2::_3DSTATE_VS::dwords == 10);
  const std::vector<uint32_t> vs = {0x7810'0008, 0x1234'5640, 1, 0, 0, 0, 0, 0, 0, 5};
  CHECK(kernel_of<Gen9>(vs) == 0x1'1234'5640);
  CHECK(kernel_of<Kbl2>(vs) == 0x1'1234'5640);
  CHECK(Kbl2::_3DSTATE_VS::View(vs).nine() == 5);
  CHECK(Kbl2::_3DSTATE_VS::unpack(vs).nine == 5);
}

TEST_CASE("kbl2: its command set finds its commands, and Gen9's set those of Gen9") {
  const uint32_t header = store_opcode << 23 | 2;
  const defs::CommandSet &ours = Kbl2::commands, &gen9 = Gen9::commands;
  CHECK(ours.find(EngineClass::render, header)->id == CommandId::MI_STORE_DATA_IMM);
  CHECK(gen9.find(EngineClass::render, header)->id == CommandId::MI_STORE_URB_MEM);
  CHECK_FALSE(ours.find(EngineClass::render, 0x20u << 23 | 2));
  CHECK_FALSE(ours.find("MI_STORE_URB_MEM"));
  CHECK(ours.find("3DSTATE_VS")->dwords == 10);
  CHECK(ours.find("3DSTATE_VS")->keeps_state);
  CHECK(gen9.find("3DSTATE_VS")->dwords == 9);
  CHECK(ours.commands.size() == gen9.commands.size() - 1);
  for (const defs::Command& command : ours.commands)
    for (unsigned engine = 0; engine < 4; ++engine)
      if (command.engines >> engine & 1) CHECK(ours.find(static_cast<EngineClass>(engine), command.match) == &command);
}

TEST_CASE("kbl2: a streamer executes a command by its opcode there, and not by Gen9's") {
  Rig rig(EngineId::bcs, false, Kbl2::commands);
  Context context(rig, rig.id, 0x20);
  context.emit({store_opcode << 23 | 2 | global, out, 0, 0x1234});
  rig.submit(context);
  CHECK(rig.read(out) == 0x1234);
  context.emit(store(out, 0x5678));
  rig.submit(context);
  CHECK(rig.read(out) == 0x1234);
  CHECK(rig.reg(rig.id, softgen::reg::RING_EIR) != 0);
}

TEST_CASE("kbl2: the render engine keeps state packets with their lengths on this platform") {
  render::StateStore store(Kbl2::commands), gen9(Gen9::commands);
  const std::vector<uint32_t> vs = {0x7810'0008, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  CHECK(store.accept({0, Kbl2::commands.find("3DSTATE_VS"), vs}));
  const auto kept = store.packet(CommandId::_3DSTATE_VS);
  CHECK(std::vector<uint32_t>(kept.begin(), kept.end()) == vs);
  CHECK(store.saved_size() == gen9.saved_size() + 4);
}

TEST_CASE("kbl2: the printer names its fields") {
  const std::vector<uint32_t> vs = {0x7810'0008, 0, 0, 0, 0, 0, 0, 0, 0, 5};
  const debug::Json node =
      debug::packet_json({0, debug::BatchLevel::first, true, Kbl2::commands.find(EngineClass::render, vs[0]), vs}, *test::kbl2.registers);
  CHECK(node["fields"]["Nine"] == 5);
  CHECK_FALSE(node["fields"].contains("Single Vertex Dispatch"));
}

TEST_CASE("kbl2: registers have the offsets and reset values of its table") {
  const defs::RegisterSet &ours = *test::kbl2.registers, &gen9 = defs::gen9::registers;
  CHECK(ours.name_of(0x7ffc) == "CACHE_MODE_1");
  CHECK(gen9.name_of(reg::CACHE_MODE_1) == "CACHE_MODE_1");
  CHECK(ours.name_of(reg::CACHE_MODE_1) != "CACHE_MODE_1");
  CHECK_FALSE(ours.find(reg::FBC_RECOMP_CTL));
  CHECK(ours.name_of(0x32034) == "RING_HEAD.bcs");
  CHECK(ours.name_of(0x22034) == "0x22034");
  CHECK(ours.rows.size() == gen9.rows.size());

  mmio::RegisterFile file(ours), kbl(gen9);
  CHECK(file.read(reg::FUSE2) == 0x1234'5678);
  CHECK(kbl.read(reg::FUSE2) != 0x1234'5678);
  CHECK(file.read(0x51f00) == 0x99);
  file.write(0x7ffc, 0x0003'0001);
  CHECK(file.read(0x7ffc) == 1);
  file.reset();
  CHECK(file.read(0x51f00) == 0x99);
  CHECK(file.is_nonpriv_writable(EngineId::rcs, 0x7ffc));
  CHECK_FALSE(kbl.is_nonpriv_writable(EngineId::rcs, 0x7ffc));
}

TEST_CASE("kbl2: the blitter has the registers, interrupts and reset bit of its table") {
  SilentHost host;
  gt::Device device(config_of(test::kbl2), host);
  mmio::RegisterFile& registers = device.registers();
  device.bar0_write(0x32000 + reg::RING_MI_MODE, 1u << 24 | 1u << 8, 4);
  CHECK(reg::field::RING_MI_MODE_RINGS_IDLE.of(device.bar0_read(0x32000 + reg::RING_MI_MODE, 4)) == 1);  // its streamer answers
  CHECK(device.bar0_read(0x22000 + reg::RING_MI_MODE, 4) == 0);

  registers.write(0x32000 + reg::RING_IMR, 0);
  registers.write(reg::GT_IMR(1), 0);
  device.interrupts().raise(EngineId::bcs, mmio::engine_event::user);
  CHECK(registers.read(reg::GT_IIR(1)) == 1u << 16);
  registers.write(0x32000 + reg::RING_HWS_PGA, 0x5000);
  registers.write(reg::GDRST, reg::gen9::field::GDRST_BLITTER.mask());
  CHECK(registers.read(0x32000 + reg::RING_HWS_PGA) == 0);
}

TEST_CASE("kbl2: a context image keeps the registers that its table marks") {
  const auto has = [](const defs::RegisterSet& set, uint32_t offset) {
    return std::ranges::count(cs::other_context_registers(set, test::kbl2.contexts->of(EngineClass::render), EngineId::rcs), offset,
                              &cs::OtherRegister::offset);
  };
  CHECK(has(*test::kbl2.registers, 0x7ffc) == 1);
  CHECK(has(*test::kbl2.registers, reg::CACHE_MODE_1) == 0);
  CHECK(has(defs::gen9::registers, reg::CACHE_MODE_1) == 1);
}

TEST_CASE("kbl2: a device has its engines and its identity, and refuses another chip's saved state") {
  SilentHost host;
  gt::Device device(config_of(test::kbl2), host), kbl(config_of(*defs::find_platform("kbl")), host);
  for (const EngineId id : {EngineId::rcs, EngineId::bcs}) CHECK(device.streamers().engine(id));
  for (const EngineId id : {EngineId::vcs0, EngineId::vcs1, EngineId::vecs}) CHECK_FALSE(device.streamers().engine(id));
  CHECK(kbl.streamers().engine(EngineId::vcs0));
  CHECK(device.bar0_read(reg::FUSE2, 4) == 0x1234'5678);
  device.pause(), kbl.pause();
  CHECK(device.report().find("\"kbl2\"") != std::string::npos);
  CHECK(defs::find_platform("kbl2") == nullptr);  // it is the tests' alone
  const std::vector<std::byte> state = saved(device);
  Archive own(state), other(state);
  device.state(own);
  CHECK_FALSE(own.failed());
  kbl.state(other);
  CHECK(other.failed());
  device.resume(), kbl.resume();
}

TEST_CASE("kbl2: its display has two pipes") {
  SilentHost host;
  gt::Device device(config_of(test::kbl2), host), kbl(config_of(*defs::find_platform("kbl")), host);
  CHECK(device.display().timer_expired(SG_TIMER_PIPE_A + 1));
  CHECK_FALSE(device.display().timer_expired(SG_TIMER_PIPE_A + 2));
  CHECK(kbl.display().timer_expired(SG_TIMER_PIPE_A + 2));
}

TEST_CASE("kbl2: its global table has entries of its own format") {
  SilentHost host;
  gt::Device device(config_of(test::kbl2), host);
  device.ggtt().set_pte(1, 0x5000 | 1);
  device.ggtt().set_pte(2, 0x6000 | test::kbl2_pages.present);
  const auto space = memory::AddressSpace::ggtt(device.ggtt());
  CHECK_FALSE(memory::translate(space, device.memory(), 0x1000).valid);
  CHECK(memory::translate(space, device.memory(), 0x2000).gpa == 0x6000);
}
