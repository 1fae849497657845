// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/command_streamers.h"

#include "hw/defs/register.h"

namespace softgen::cs {
namespace {

// threads=0: engines take turns after so many commands.
constexpr uint64_t slice_commands = 1u << 16;
// A pause is asked for with QEMU's lock held, and is to be answered within 100 ms (docs/cs.md): half of them for packets to come to an end or to
// where they can be preempted, the other half for those that are dropped.
constexpr std::chrono::milliseconds patience{50};

}  // namespace

CommandStreamers::CommandStreamers(const Environment& environment, bool threaded) : environment_(environment), threaded_(threaded) {
  for (size_t i = 0; i < engine_count; ++i) {
    if (!environment.engines[i]) continue;
    const auto id = static_cast<EngineId>(i);
    const uint32_t base = environment.registers.engine_register(id, 0);
    submissions_[i] = environment.submission.make(environment.registers, base);
    StreamerLinks links{.memory = environment.memory,
                        .ggtt = environment.ggtt,
                        .ppgtt_pages = environment.ppgtt_pages,
                        .faults = environment.faults,
                        .tlb = environment.tlb,
                        .registers = environment.registers,
                        .interrupts = environment.interrupts,
                        .submission = *submissions_[i],
                        .engine = *environment.engines[i],
                        .memory_written = [this, id] { memory_written(id); },
                        .signal =
                            [this](EngineId target) {
                              if (EngineCs* cs = engine(target)) cs->kick();
                            },
                        .perf_report = environment.perf_report,
                        .context_changed =
                            [this, id] {
                              if (id == EngineId::rcs && watchdog_) watchdog_->follow(engine(id)->streamer().has_context());
                            },
                        .gtt_written = environment.gtt_written,
                        .observer = environment.observer};
    const StreamerConfig config{.id = id,
                                .commands = environment.commands,
                                .context = environment.contexts.of(class_of(id)),
                                .engine_class = class_of(id),
                                .mmio_base = base};
    engines_[i] = std::make_unique<EngineCs>(config, std::move(links), environment.gate, threaded);
    submissions_[i]->attach([this, engine = engines_[i].get()] {
      if (environment_.work_arrives) environment_.work_arrives();
      engine->submitted();
      poll();
    });
    attach(*engines_[i]);
    attach_watchdog(*engines_[i]);
  }
}

// Each waits for its thread, which may still notify the others of its writes.
CommandStreamers::~CommandStreamers() {
  for (auto& engine : engines_)
    if (engine) engine->request_reset();
  for (auto& engine : engines_)
    if (engine) engine->wait_held();
}

// The fence pairs with the one of a streamer that begins to wait: either it sees the memory, or we see that it waits.
void CommandStreamers::memory_written(EngineId writer) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (auto& engine : engines_)
    if (engine && engine->config().id != writer) engine->kick_if_waiting();
}

void CommandStreamers::attach(EngineCs& engine) {
  mmio::RegisterFile& registers = environment_.registers;
  Streamer& streamer = engine.streamer();
  const uint32_t base = engine.config().mmio_base;

  registers.on_write(base + reg::tail, [this](uint32_t, uint32_t) {
    if (environment_.work_arrives) environment_.work_arrives();
  });
  for (const uint32_t r : {reg::tail, reg::head, reg::ctl, reg::mode, reg::uhptr}) {
    registers.on_write(base + r, [this, &engine](uint32_t, uint32_t) {
      engine.kick();
      poll();
    });
  }
  registers.on_write(base + reg::mi_mode, [this, &engine, &streamer](uint32_t, uint32_t) {
    streamer.stop_ring_changed();
    engine.kick();
    poll();
  });
  registers.on_read(base + reg::mi_mode, [&registers, &streamer](uint32_t offset) {
    return (registers.peek(offset) & ~reg::mode_idle) | (streamer.busy() ? 0 : reg::mode_idle);
  });
  for (const uint32_t r : {reg::emr, reg::eir}) {
    registers.on_write(base + r, [this, &engine, &streamer](uint32_t, uint32_t) {
      streamer.error_mask_changed();
      engine.kick();
      poll();
    });
  }
  // Ready For Reset answers at once: GDRST itself waits for the streamer.
  registers.on_write(base + reg::reset_ctl, [&registers](uint32_t offset, uint32_t) {
    if (registers.peek(offset) & reg::reset_request) registers.set_bits(offset, reg::reset_ready);
    else registers.clear_bits(offset, reg::reset_ready);
  });
  registers.on_read(base + reg::ctx_timestamp, [&streamer](uint32_t) { return streamer.context_timestamp(); });
}

void CommandStreamers::attach_watchdog(EngineCs& engine) {
  mmio::RegisterFile& registers = environment_.registers;
  const uint32_t base = engine.config().mmio_base;
  // The other engines' counters start by other values (ILK PRM vol 1 part 4, "VCS_CNTR": zero): theirs are not built, and their registers only stored.
  const bool render = engine.config().id == EngineId::rcs;
  if (render)
    watchdog_ = std::make_unique<Watchdog>(registers, environment_.interrupts, engine.config().id, base, environment_.watchdog_wake);
  for (const uint32_t r : {reg::pr_ctr_ctl, reg::pr_ctr_thrsh})
    registers.on_write(base + r, [this, &engine, render](uint32_t, uint32_t) {
      if (render) watchdog_->follow(engine.streamer().has_context());
    });
}

void CommandStreamers::look_at_watchdog() {
  if (watchdog_) watchdog_->look();
}

bool CommandStreamers::busy() const {
  for (const auto& engine : engines_)
    if (engine && engine->busy()) return true;
  return false;
}

void CommandStreamers::pause() {
  const auto until = EngineCs::Clock::now() + patience;
  for (auto& engine : engines_)
    if (engine) engine->request_pause();
  for (auto& engine : engines_)
    if (engine && !engine->wait_paused(until)) engine->abandon();
  for (auto& engine : engines_)
    if (engine) engine->wait_paused();
}

void CommandStreamers::resume() {
  for (auto& engine : engines_)
    if (engine) engine->resume();
  poll();
}

void CommandStreamers::stop_engines(uint32_t mask) {
  for (size_t i = 0; i < engine_count; ++i)
    if (engines_[i] && mask >> i & 1) engines_[i]->request_reset();
  for (size_t i = 0; i < engine_count; ++i)
    if (engines_[i] && mask >> i & 1) engines_[i]->wait_held();
}

void CommandStreamers::restart_engines(uint32_t mask) {
  for (size_t i = 0; i < engine_count; ++i)
    if (engines_[i] && mask >> i & 1) engines_[i]->restart();
  if (watchdog_) watchdog_->follow(engine(EngineId::rcs)->streamer().has_context());
}

void CommandStreamers::state(Archive& archive) {
  archive.section("command streamers", 1);
  for (auto& engine : engines_)
    if (engine) engine->state(archive);
  if (watchdog_) watchdog_->follow(engine(EngineId::rcs)->streamer().has_context());
}

void CommandStreamers::poll() {
  if (threaded_ || polling_) return;
  polling_ = true;
  bool more = true;
  for (uint64_t done = 0; more && done < environment_.commands_per_poll; done += slice_commands) {
    more = false;
    for (auto& engine : engines_)
      if (engine && engine->run_slice(slice_commands)) more = true;
    // One may have notified another, which had its turn before.
    for (auto& engine : engines_)
      if (engine && engine->due()) more = true;
  }
  polling_ = false;
}

}  // namespace softgen::cs
