// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/cs/ring_rig.h"

#include "hw/defs/gen5/set.h"

namespace softgen::cs::test {

RingMachine::RingMachine(bool threaded, Engine* video) : MachineBase(defs::gen5::registers, mmio::gen5_interrupts, defs::gen5_ggtt_pages) {
  quiet_log();
  clear_failure_counts();
  for (uint32_t page = 0; page < (64u << 20) / 4096; ++page) ggtt.set_pte(page, uint64_t{page} << 12 | 1);
  const auto ticks = [this](uint32_t) { return static_cast<uint32_t>(host.now / 80); };
  registers.on_engine_read(softgen::reg::RING_TIMESTAMP, ticks);
  registers.on_engine_read(softgen::reg::RING_TIMESTAMP_UDW, [](uint32_t) { return 0; });
  CommandStreamers::Environment environment{
      .commands = defs::gen5::commands,
      .contexts = defs::gen5::context_images,
      .memory = memory,
      .ggtt = ggtt,
      .faults = &page_faults,
      .tlb = tlb,
      .registers = registers,
      .interrupts = interrupts,
      .gate = gate,
      .submission = cs::ring,
      .display = DisplayLink{display, [this] { return host.now.load(); }, [this](int64_t ns) { wakes.push_back(ns); }},
      .gtt_written = [this] { ++gtt_writes; },
      .commands_per_poll = 1u << 18};
  for (const EngineId id : {EngineId::rcs, EngineId::vcs0}) environment.engines[static_cast<size_t>(id)] = &engine(id);
  if (video) environment.engines[static_cast<size_t>(EngineId::vcs0)] = video;
  cs = std::make_unique<CommandStreamers>(environment, threaded);
  registers.write(softgen::reg::GTIMR, 0);
  registers.write(softgen::reg::GTIER, ~0u);
  registers.write(softgen::reg::DEIER, 1u << 31);
}

uint32_t RingMachine::take_interrupts() {
  const uint32_t found = registers.read(softgen::reg::GTIIR);
  registers.write(softgen::reg::GTIIR, found);
  registers.write(softgen::reg::GTIIR, found);
  return found;
}

Ring::Ring(RingMachine& m, EngineId e, uint32_t size, uint32_t flags)
    : machine(m), id(e), start(RingMachine::ring_at + static_cast<uint32_t>(e) * 0x10'0000), bytes(size) {
  set(softgen::reg::RING_MI_MODE, 0x0100'0100);
  REQUIRE(get(softgen::reg::RING_MI_MODE) & 0x200);
  set(softgen::reg::RING_CTL, 0);
  set(softgen::reg::RING_HEAD, 0);
  set(softgen::reg::RING_TAIL, 0);
  REQUIRE(head() == 0);
  set(softgen::reg::RING_HWS_PGA, RingMachine::status_page(e));
  set(softgen::reg::RING_START, start);
  set(softgen::reg::RING_EMR, ~0x11u);
  set(softgen::reg::RING_CTL, (size - 4096) | flags | 1);
  REQUIRE(get(softgen::reg::RING_CTL) & 1);
  set(softgen::reg::RING_MI_MODE, 0x0100'0000);
}

Ring& Ring::emit(const Dwords& commands) {
  tail = machine.append(start, bytes, tail, commands);
  return *this;
}

}  // namespace softgen::cs::test
