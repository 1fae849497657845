// SPDX-License-Identifier: GPL-2.0-or-later
// A saved state from a stranger: one unit's part of a valid state, changed, is loaded; what it accepts must then hold up: timers, pictures,
// registers, a submission, saving.
#include "hw/blitter/decode.h"
#include "hw/cs/command_streamers.h"
#include "hw/cs/context_image.h"
#include "hw/cs/submission/elsp.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/gen9/set.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/memory/aperture.h"
#include "hw/memory/fault.h"
#include "hw/render/render_engine.h"
#include "tests/engine_register.h"
#include "tests/fuzz/display_machine.h"

using namespace softgen;
using namespace softgen::fuzz;

namespace {

/// The units of a device that have state, without its threads.
class LoadTarget {
 public:
  LoadTarget() {
    cs::CommandStreamers::Environment environment{.commands = defs::gen9::commands,
                                                  .contexts = defs::gen9::context_images,
                                                  .memory = m_.memory,
                                                  .ggtt = m_.ggtt,
                                                  .faults = &faults_,
                                                  .tlb = tlb_,
                                                  .registers = m_.registers,
                                                  .interrupts = m_.interrupts,
                                                  .gate = gate_,
                                                  .submission = cs::elsp,
                                                  .commands_per_poll = 1u << 10};
    environment.engines[0] = &render_, environment.engines[1] = &blitter_;
    streamers_ = std::make_unique<cs::CommandStreamers>(environment, false);
    for (unsigned kind = 0; kind < 4; ++kind) {
      fresh();
      const uint8_t choices[] = {static_cast<uint8_t>(kind), 17, 3, 200, 5, 99};
      StateSource in(choices);
      if (kind >= 1) m_.set_mode(in, kind - 1);
      for (unsigned n = 0; kind == 2 && n < 40; ++n) m_.change_register(in);
      if (kind == 3) submit(), m_.host.now += 500'000'000, m_.run_timers();
      for (unsigned unit = 0; unit < units; ++unit) {
        Archive out;
        streamers_->pause();
        state(unit, out);
        streamers_->resume();
        saved_[kind][unit] = out.take();
      }
    }
  }

  void run(std::span<const uint8_t> bytes) {
    StateSource in(bytes);
    fresh();
    const auto& saved = saved_[in.below(4)];
    // Mostly one unit; now and then all of them.
    const unsigned only = in.one_in(32) ? units : in.below(units);
    streamers_->pause();
    bool accepted = true;
    for (unsigned unit = 0; unit < units && accepted; ++unit) {
      if (only != units && only != unit) continue;
      std::vector<std::byte>& data = changed_;
      data = saved[unit];
      change(in, data);
      Archive back(data);
      state(unit, back);
      accepted = !back.failed();
    }
    if (!accepted) reset_units();
    streamers_->resume();
    use(in);
  }

 private:
  static constexpr unsigned units = 7;
  void state(unsigned unit, Archive& archive) {
    switch (unit) {
      case 0: m_.registers.state(archive); break;
      case 1: m_.interrupts.state(archive); break;
      case 2: m_.display.state(archive); break;
      case 3: m_.ggtt.state(archive); break;
      case 4: aperture_.state(archive); break;
      case 5: faults_.state(archive); break;
      default: streamers_->state(archive); break;
    }
  }
  /// Numbers of any width, somewhere; the names of sections stay, most often.
  static void change(StateSource& in, std::vector<std::byte>& data) {
    for (unsigned n = 1 + in.below(6); n && data.size() > 32; --n) {
      const size_t at =
          in.one_in(32) ? in.below(static_cast<uint32_t>(data.size() - 8)) : 24 + in.below(static_cast<uint32_t>(data.size() - 32));
      const unsigned width = 1u << in.below(4);
      const uint64_t value = in.number(width * 8);
      std::memcpy(data.data() + (at & ~size_t{width - 1u}), &value, width);
    }
    if (in.one_in(16) && !data.empty()) data.resize(in.below(static_cast<uint32_t>(data.size())));
  }
  void use(StateSource& in) {
    for (unsigned n = 2; n; --n) {
      m_.host.now += static_cast<int64_t>(in.number(in.one_in(8) ? 36 : 24));
      m_.run_timers();
    }
    for (unsigned n = in.below(4); n; --n) m_.change_register(in);
    sg_pipe_mode mode;
    const unsigned pipe = in.below(KabyLake::pipes);
    m_.display.mode(pipe, &mode);
    const size_t row = size_t{mode.width} * 4;
    if (mode.width && row * mode.height <= pixels_.size() * 4) {
      sg_dirty_rect dirty;
      m_.display.draw(pipe, pixels_.data(), {mode.width, mode.height}, row, true, &dirty);
    }
    aperture_.read(in.number(28), 4);
    if (in.one_in(4)) submit();
    streamers_->poll();
    m_.memory.restore();
  }
  void reset_units() {
    streamers_->stop_engines(3);
    m_.reset();
    m_.ggtt.reset();
    for (uint32_t page = 0; page < DisplayMachine::memory_pages; ++page) m_.ggtt.set_pte(page, page * page_size | 1);
    aperture_.reset();
    faults_.reset();
    tlb_.bump();
    streamers_->restart_engines(3);
  }
  void fresh() { reset_units(); }
  /// A context whose ring stores a dword.
  void submit() {
    constexpr uint32_t image = 1 * 4096, ring = 40 * 4096;
    std::array<uint32_t, 1024> frame{};
    cs::write_image_frame(frame, defs::gen9::context_images.of(defs::EngineClass::render),
                          softgen::test::engine_register(EngineId::rcs, 0));
    frame[0x03] = 0x0009'0009, frame[0x07] = 16, frame[0x09] = ring, frame[0x0b] = 1;
    m_.memory.store(image + 4096, frame);
    const std::array<uint32_t, 4> store{0x1040'0002, 64, 0, 0x600d};
    m_.memory.store(ring, store);
    const auto write = [&](uint32_t relative, uint32_t value) { m_.write(softgen::test::engine_register(EngineId::rcs, relative), value); };
    write(reg::RING_MODE, 0x8000'8000);
    for (const uint32_t dword : {0u, 0u, 0x20u, image | 0x119u}) write(reg::RING_ELSP, dword);
  }

  GuardedNowhere nowhere_;
  DisplayMachine m_;
  memory::FaultRegisters faults_;
  memory::TlbGeneration tlb_;
  memory::Gate gate_;
  memory::Aperture aperture_{m_.ggtt, m_.memory, &faults_};
  render::RenderEngine render_{defs::gen9::commands, render::make_state_decoder<defs::Gen9>(), eu::gen9_isa()};
  blitter::Blitter blitter_{blitter::decode<defs::Gen9>};
  std::unique_ptr<cs::CommandStreamers> streamers_;
  std::array<std::array<std::vector<std::byte>, units>, 4> saved_;
  std::vector<std::byte> changed_;
  std::vector<uint32_t> pixels_ = std::vector<uint32_t>(64 * 1024);
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static LoadTarget target;
  target.run({data, size});
  return 0;
}
