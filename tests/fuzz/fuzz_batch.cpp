// SPDX-License-Identifier: GPL-2.0-or-later
// Command streamers with the engines of the device: the fuzzer writes guest RAM (rings, batches, context images) and register writes; the
// streamers run on this thread. Half of the inputs meet engines that answer anything at any time instead.
// Whatever they do must stay inside RAM, end within its budget, and leave engines that a reset brings back to work.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "hw/base/log.h"
#include "hw/blitter/decode.h"
#include "hw/cs/command_streamers.h"
#include "hw/cs/context_image.h"
#include "hw/cs/printer.h"
#include "hw/cs/submission/elsp.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/gen9/set.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/gpgpu/gpgpu.h"
#include "hw/gt/shared_functions.h"
#include "hw/iface/quiet_host.h"
#include "hw/memory/fault.h"
#include "hw/memory/ggtt.h"
#include "hw/mmio/interrupts/gen8.h"
#include "hw/render/render_engine.h"
#include "tests/engine_register.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/isolated_memory.h"
#include "tests/quiet_log.h"

using namespace softgen;
using fuzz::Input;

namespace {

constexpr size_t ram_pages = 64, ram_size = ram_pages * 4096;
// Pages: 0 status page, 1.. image (22), 24 ring, 28.. batches, 60..63 PPGTT tables that map all of RAM.
constexpr uint32_t image = 1 * 4096, ring = 24 * 4096, batches = 28 * 4096, tables = 60 * 4096;

struct Silent final : QuietHost {
  int64_t now = 0;
  int64_t clock_ns() override { return now += 100; }
};

/// Answers by what the packet's last dword says.
struct Echo final : Engine {
  ExecResult execute(const Packet& packet, EngineEnv& env) override {
    state ^= packet.dwords.back();
    env.view.load<uint32_t>(packet.dwords.back());
    switch (packet.dwords.back() & 0xff) {
      case 0xf0: return ExecResult::fault;
      case 0xf1: return (flip = !flip) ? ExecResult::preempted : ExecResult::done;
      default: return ExecResult::done;
    }
  }
  ExecResult flush(const FlushRequest&, EngineEnv&) override { return ExecResult::done; }
  size_t context_size() const override { return sizeof state; }
  void save_context(std::span<std::byte> to) override { std::memcpy(to.data(), &state, sizeof state); }
  void restore_context(std::span<const std::byte> from) override { std::memcpy(&state, from.data(), sizeof state); }
  void reset_context() override { state = 0; }
  uint32_t state = 0;
  bool flip = false;
};

struct Machine {
  fuzz::IsolatedMemory memory{ram_pages};
  std::byte* base = memory.for_write(0, ram_size);
  memory::Ggtt ggtt;
  memory::TlbGeneration tlb;
  memory::FaultRegisters faults;
  memory::Gate gate;
  mmio::RegisterFile registers{softgen::defs::gen9::registers};
  Silent host;
  mmio::Gen8Interrupts interrupts{registers, host};
  Echo engines[engine_count];
  gt::SharedFunctions functions{sampler::decode_state<defs::Gen9>};
  gpgpu::Gpgpu gpgpu{gpgpu::make_decoder<defs::Gen9>(), eu::gen9_isa(), nullptr, functions};
  render::RenderEngine render{defs::gen9::commands, render::make_state_decoder<defs::Gen9>(), eu::gen9_isa(), nullptr, &functions, &gpgpu};
  blitter::Blitter blitter{blitter::decode<defs::Gen9>};
  std::unique_ptr<cs::CommandStreamers> streamers;

  explicit Machine(bool real) {
    fill();
    cs::CommandStreamers::Environment environment{.commands = defs::gen9::commands,
                                                  .contexts = defs::gen9::context_images,
                                                  .memory = memory,
                                                  .ggtt = ggtt,
                                                  .faults = &faults,
                                                  .tlb = tlb,
                                                  .registers = registers,
                                                  .interrupts = interrupts,
                                                  .gate = gate,
                                                  .submission = cs::elsp,
                                                  .commands_per_poll = 1u << 12};
    for (size_t i = 0; i < engine_count; ++i) environment.engines[i] = &engines[i];
    if (real) environment.engines[0] = &render, environment.engines[1] = &blitter;
    streamers = std::make_unique<cs::CommandStreamers>(environment, false);
  }

  /// As new, but without the cost: tables of megabytes would make each input slow.
  void recycle() {
    streamers->stop_engines(31), streamers->restart_engines(31);
    registers.reset();
    interrupts.reset();
    faults.reset();
    for (Echo& engine : engines) engine = {};
    render.reset_context(), blitter.reset_context();
    host.now = 0;
    fill();
  }
  void fill() {
    std::memset(base, 0, ram_size);
    for (uint64_t page = 0; page < ram_pages; ++page) ggtt.set_pte(page, page << 12 | 1);
    const auto entry = [&](uint32_t table, uint32_t index, uint64_t value) {
      value |= 3;
      std::memcpy(base + table + index * 8, &value, 8);
    };
    entry(tables, 0, tables + 4096), entry(tables + 4096, 0, tables + 8192), entry(tables + 8192, 0, tables + 12288);
    for (uint32_t page = 0; page < ram_pages; ++page) entry(tables + 12288, page, page * 4096);
  }

  uint32_t& word(uint32_t at) { return *reinterpret_cast<uint32_t*>(base + at); }
  void write(EngineId e, uint32_t relative, uint32_t value) { registers.write(softgen::test::engine_register(e, relative), value); }
  void make_context(EngineId e, uint32_t tail) {
    cs::write_image_frame({&word(image + 4096), 1024}, defs::gen9::context_images.of(class_of(e)), softgen::test::engine_register(e, 0));
    const auto slot = [&](uint32_t dword) -> uint32_t& { return word(image + 4096 + dword * 4); };
    slot(0x03) = 0x0009'0009;
    slot(0x07) = tail & 0x3ff8;
    slot(0x09) = ring;
    slot(0x0b) = (3 << 12) | 1;
    slot(0x33) = tables;
  }
  void submit(EngineId e, bool force) {
    for (const uint32_t dword : {0u, 0u, 0x20u, image | 0x119u | (force ? 4u : 0u)}) write(e, reg::RING_ELSP, dword);
  }
};

void act(Machine& m, EngineId e, Input& in) {
  switch (in.take<uint8_t>() & 15) {
    case 0: m.write(e, in.take<uint16_t>() & 0x7fc, in.take<uint32_t>()); break;
    case 1: m.submit(e, in.take<uint8_t>() & 1); break;
    case 2: m.word(in.take<uint32_t>() % ram_size & ~3u) = in.take<uint32_t>(); break;
    case 3: m.streamers->poll(); break;
    case 4: {
      const uint32_t mask = in.take<uint8_t>() & 31;
      m.streamers->stop_engines(mask), m.streamers->restart_engines(mask);
      break;
    }
    case 5: {
      m.streamers->pause();
      Archive out;
      m.streamers->state(out);
      auto bytes = out.take();
      if (!bytes.empty()) bytes[in.take<uint16_t>() % bytes.size()] ^= static_cast<std::byte>(in.take<uint8_t>());
      Archive back(bytes);
      m.streamers->state(back);
      m.streamers->resume();
      break;
    }
    case 6: m.word(image + 4096 + 0x07 * 4) = in.take<uint16_t>() & 0x3ff8; break;
    case 7: m.tlb.bump(); break;
    default: m.submit(e, false); break;
  }
}

// After everything: a reset engine runs a fresh context.
void check_alive(Machine& m, EngineId e) {
  m.streamers->stop_engines(31), m.streamers->restart_engines(31);
  for (uint64_t page = 0; page < ram_pages; ++page) m.ggtt.set_pte(page, page << 12 | 1);
  m.write(e, reg::RING_MODE, 0xffff'8000);
  m.write(e, reg::RING_MI_MODE, 0x0100'0000);
  m.write(e, reg::RING_HWS_PGA, 0);
  std::memset(m.base + image, 0, 22 * 4096);
  m.make_context(e, 16);
  const uint32_t store[] = {0x1040'0002, 64, 0, 0x600d};
  std::memcpy(m.base + ring, store, sizeof store);
  m.word(64) = 0;
  m.submit(e, false);
  if (m.word(64) != 0x600d) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool quiet = [] { return quiet_log(), true; }();
  (void)quiet;
  static fuzz::GuardedNowhere nowhere;
  static Machine echoing(false), real(true);
  Input in({data, size});
  const uint8_t choice = in.take<uint8_t>();
  Machine& m = choice & 0x80 ? real : echoing;
  m.recycle();
  const auto& engines = defs::gen9::registers.engines;
  const EngineId e = engines[(choice & 0x7f) % engines.size()].id;
  const unsigned actions = in.take<uint8_t>() & 31;
  const uint16_t tail = in.take<uint16_t>(), split = in.take<uint16_t>() & 0xfff;
  m.make_context(e, tail);
  m.write(e, reg::RING_MODE, 0x8000'8000);
  m.write(e, reg::RING_HWS_PGA, 0);
  // The rest of the input is the ring's content, and from `split` on the first batch's.
  const auto rest = in.rest();
  std::memcpy(m.base + ring, rest.data(), std::min<size_t>(rest.size(), 4 * 4096));
  if (rest.size() > split) std::memcpy(m.base + batches, rest.data() + split, std::min<size_t>(rest.size() - split, 16 * 4096));
  m.submit(e, false);
  for (unsigned i = 0; i < actions && !in.empty(); ++i) act(m, e, in);

  memory::View view(m.memory, nullptr);
  view.set_space(memory::AddressSpace::ggtt(m.ggtt));
  std::vector<uint32_t> buffer;
  cs::Cursor cursor;
  cursor.batch[0] = {.address = batches, .active = true};
  cs::print_commands(cursor, {view, view, buffer}, defs::gen9::commands, defs::EngineClass::render, {.max_commands = 200});
  check_alive(m, e);
  return 0;
}
