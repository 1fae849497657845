// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/ring/streamer.h"

namespace softgen::cs {
namespace {

std::unique_ptr<Executor> make_executor(EngineCore& core, Arbiter& arbiter, Executor::SetContext set_context) {
  return std::make_unique<RingExecutor>(core, arbiter, std::move(set_context));
}

}  // namespace

RingStreamer::RingStreamer(const StreamerConfig& config, StreamerLinks links)
    : Streamer(config, std::move(links), make_executor), ring_contexts_(core_) {}

void RingStreamer::reset() {
  Streamer::reset();
  executor().forget_wait();
  core_.set(reg::ccid, 0);  // the state of the context that it names is lost
}

void RingStreamer::state(Archive& archive) {
  Streamer::state(archive);
  mmio::EngineEvents levels = core_.levels();
  archive.value(levels);
  if (!archive.reading()) return;
  core_.set_levels(levels & mmio::engine_event::sync_status);
  executor().forget_wait();
}

// A wait looks at EXCC and at the semaphores' registers, a sync flush begins by INSTPM.
std::span<const uint32_t> RingStreamer::kicking_registers() const {
  static constexpr uint32_t registers[] = {
      reg::tail, reg::head, reg::ctl, reg::uhptr, reg::excc, reg::instpm, softgen::reg::RING_SYNC_0, softgen::reg::RING_SYNC_1};
  return registers;
}

// 4: 1.1.6: zero starts it, all ones stop it. The render streamer has none.
std::optional<WatchdogForm> RingStreamer::watchdog() const {
  if (config().engine_class != defs::EngineClass::video) return std::nullopt;
  return WatchdogForm{.control = softgen::reg::RING_CNTR, .threshold = softgen::reg::RING_THRSH, .stopped = ~0u};
}

Streamer::Work RingStreamer::next_work() {
  executor().sync_flush();  // also when there is no command to come
  return Streamer::next_work();
}

}  // namespace softgen::cs
