// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/cs/machine.h"

#include "hw/cs/submission/elsp.h"
#include "hw/mmio/interrupts/gen8.h"

namespace softgen::cs::test {

Form gen9_form(const defs::CommandSet& commands) {
  return {&commands, &defs::gen9::registers, &defs::gen9::context_images, &elsp, mmio::gen8_interrupts, 1 | 2 | 4 | 16};
}

Machine::Machine(bool threaded, const Form& form)
    : MachineBase(*form.registers, form.interrupts, defs::gen8_ggtt_pages), contexts(*form.contexts) {
  for (uint32_t page = 0; page < 0x800'0000 / 4096; ++page) ggtt.set_pte(page, uint64_t{page} << 12 | 1);
  // One table per level; all entries are the same except those of the last.
  const uint64_t pdp = pml4 + 0x1000, pd = pml4 + 0x2000, pt = pml4 + 0x3000;
  const auto entry = [&](uint64_t table, uint64_t index, uint64_t value) {
    const uint64_t e = value | 3;
    memory.write(table + index * 8, &e, 8);
  };
  entry(pml4, bits(ppgtt_base, 47, 39), pdp);
  entry(pdp, bits(ppgtt_base, 38, 30), pd);
  entry(pd, bits(ppgtt_base, 29, 21), pt);
  for (uint64_t page = 0; page < 512; ++page) entry(pt, page, 0x0400'0000 + page * 4096);

  // 12 MHz, as Kaby Lake counts.
  const auto ticks = [this] { return static_cast<uint64_t>(host.now) * 3 / 250; };
  registers.on_engine_read(softgen::reg::RING_TIMESTAMP, [=](uint32_t) { return static_cast<uint32_t>(ticks()); });
  registers.on_engine_read(softgen::reg::RING_TIMESTAMP_UDW, [=](uint32_t) { return static_cast<uint32_t>(ticks() >> 32); });
  for (uint32_t block = 0; block < 4; ++block) {
    registers.write(0x44304 + 16 * block, 0);
    registers.write(0x4430c + 16 * block, ~0u);
  }
  registers.write(0x44200, 1u << 31);
  CommandStreamers::Environment environment{.commands = *form.commands,
                                            .contexts = *form.contexts,
                                            .memory = memory,
                                            .ggtt = ggtt,
                                            .faults = &faults,
                                            .tlb = tlb,
                                            .registers = registers,
                                            .interrupts = interrupts,
                                            .gate = gate,
                                            .submission = *form.submission,
                                            .watchdog_wake = [this](uint64_t ticks) { watchdog_wakes.push_back(ticks); },
                                            .commands_per_poll = 1u << 18,
                                            .preempt_commands = form.preempt_commands};
  for (unsigned i = 0; i < engine_count; ++i)
    if (form.engines >> i & 1) environment.engines[i] = &engines[i];
  cs = std::make_unique<CommandStreamers>(environment, threaded);
}

void Machine::enable_execlists(EngineId e) {
  set_reg(e, softgen::reg::RING_MODE, 0x8000'8000);
  set_reg(e, softgen::reg::RING_MI_MODE, 0x0100'0000);
  set_reg(e, softgen::reg::RING_HWS_PGA, hwsp(e));
  set_reg(e, softgen::reg::RING_IMR, 0);
  set_reg(e, softgen::reg::RING_EMR, ~0u);
  set_reg(e, softgen::reg::RING_EIR, ~0u);
  REQUIRE(reg(e, softgen::reg::RING_ESR) == 0);
  set_reg(e, softgen::reg::RING_EMR, ~1u);
  set_reg(e, softgen::reg::RING_CONTEXT_STATUS_PTR, 0xffff'0505);
  csb_head_[e] = 5;
  write(hwsp(e) + 0x7c, 5);
  for (uint32_t i = 0; i < 12; ++i) write(hwsp(e) + 0x40 + 4 * i, ~0u);
}

void Machine::submit(EngineId e, const Context& first, const Context* second, bool force) {
  const uint64_t d0 = first.descriptor(force), d1 = second ? second->descriptor() : 0;
  const_cast<Context&>(first).set_image(7, first.tail);
  if (second) const_cast<Context*>(second)->set_image(7, second->tail);
  for (const uint32_t dword : {uint32_t(d1 >> 32), uint32_t(d1), uint32_t(d0 >> 32), uint32_t(d0)})
    set_reg(e, softgen::reg::RING_ELSP, dword);
}

std::vector<Event> Machine::events(EngineId e) {
  std::vector<Event> found;
  uint32_t& head = csb_head_[e];
  const uint32_t tail = read(hwsp(e) + 0x7c);
  while (head != tail) {
    head = (head + 1) % 6;
    const uint32_t at = hwsp(e) + 0x40 + 8 * head;
    REQUIRE(read64(at) != ~uint64_t{0});  // i915 waits, then falls back to MMIO, when it sees this
    found.push_back({read(at), read(at + 4)});
    write(at, {~0u, ~0u});
  }
  return found;
}

uint32_t Machine::take_interrupts(EngineId e) {
  static constexpr uint32_t block[] = {0, 0, 1, 1, 3}, shift[] = {0, 16, 0, 16, 0};
  const size_t i = static_cast<size_t>(e);
  const uint32_t iir = registers.read(0x44308 + 16 * block[i]);
  registers.write(0x44308 + 16 * block[i], iir);
  registers.write(0x44308 + 16 * block[i], iir);
  return iir >> shift[i] & 0xffff;
}

void MachineBase::reset_engine(EngineId e) {
  cs->stop_engines(1u << static_cast<unsigned>(e));
  cs->restart_engines(1u << static_cast<unsigned>(e));
}

Context::Context(Machine& m, EngineId e, uint32_t context_id, bool inhibit) : machine(m), engine(e), id(context_id) {
  lrca = m.allocate(e == EngineId::rcs ? 22 : 2);
  ring = m.allocate(ring_bytes / 4096);
  std::vector<uint32_t> page(1024);
  write_image_frame(page, m.contexts.of(e), m.registers.engine_register(e, 0));
  m.write(lrca + 0x1000, page);
  set_image(0x03, inhibit ? 0x0009'0009 : 0x0009'0008);
  set_image(0x09, ring);
  set_image(0x0b, (ring_bytes - 4096) | 1);
  set_image(0x31, static_cast<uint32_t>(Machine::pml4 >> 32));
  set_image(0x33, static_cast<uint32_t>(Machine::pml4));
  set_image(0x55, 0x0100'0000);
}

Context& Context::emit(const Dwords& commands) {
  tail = machine.append(ring, ring_bytes, tail, commands);
  return *this;
}

uint32_t Context::image(uint32_t dword) const { return machine.read(lrca + 0x1000 + 4 * dword); }
void Context::set_image(uint32_t dword, uint32_t value) { machine.write(lrca + 0x1000 + 4 * dword, value); }

uint32_t MachineBase::append(uint32_t ring, uint32_t bytes, uint32_t tail, const Dwords& commands) {
  const auto put = [&](uint32_t dword) {
    write(ring + tail, dword);
    tail = (tail + 4) % bytes;
  };
  std::ranges::for_each(commands, put);
  if (tail % 8) put(noop);
  return tail;
}

void MachineBase::state(Archive& archive) {
  cs->pause();
  registers.state(archive);
  interrupts.state(archive);
  cs->state(archive);
  cs->resume();
}

std::vector<std::byte> MachineBase::save_state() {
  Archive archive;
  state(archive);
  return archive.take();
}

bool MachineBase::load_state(std::span<const std::byte> data) {
  Archive archive(data);
  state(archive);
  return !archive.failed();
}

void Machine::copy_memory(Machine& from) {
  std::vector<std::byte> page(4096);
  for (uint64_t at = hwsp_base; at < 0x0500'0000; at += page.size()) {
    from.memory.read(at, page.data(), page.size());
    memory.write(at, page.data(), page.size());
  }
}

}  // namespace softgen::cs::test
