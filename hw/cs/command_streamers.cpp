// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/command_streamers.h"

#include <algorithm>

#include "hw/cs/position/streamer.h"
#include "hw/defs/register.h"

namespace softgen::cs {
namespace {

// threads=0: engines take turns after so many commands.
constexpr uint64_t slice_commands = 1u << 16;
// A pause is asked for with QEMU's lock held, and is to be answered within 100 ms (docs/cs.md): half of them for packets to come to an end or to
// where they can be preempted, the other half for those that are dropped.
constexpr std::chrono::milliseconds patience{50};

/// Whether the engine has the register at `reg` from its base; POCS lacks some.
bool has_register(const mmio::RegisterFile& registers, const StreamerConfig& config, uint32_t reg) {
  const defs::Register* const row = registers.set().find(config.mmio_base + reg);
  return row && row->engine && row->is_of(config.id);
}

}  // namespace

CommandStreamers::CommandStreamers(const Environment& environment, bool threaded) : environment_(environment), threaded_(threaded) {
  const auto has = [&](EngineId id) { return environment.engines[static_cast<size_t>(id)] && environment.registers.set().engine(id); };
  if (has(EngineId::pocs) && has(EngineId::rcs)) position_ = std::make_unique<PositionLink>();
  for (size_t i = 0; i < engine_count; ++i) {
    const auto id = static_cast<EngineId>(i);
    if (!has(id) || (id == EngineId::pocs && !position_)) continue;
    const uint32_t base = environment.registers.engine_register(id, 0);
    if (id == EngineId::pocs) submissions_[i] = std::make_unique<PositionSubmission>(*position_);
    else submissions_[i] = environment.submission.make(environment.registers, base);
    const StreamerConfig config{.id = id,
                                .commands = environment.commands,
                                .context = environment.contexts.of(id),
                                .engine_class = class_of(id),
                                .mmio_base = base,
                                .position = id == EngineId::pocs,
                                .preempt_commands = id == EngineId::pocs ? 0 : environment.preempt_commands};
    engines_[i] = std::make_unique<EngineCs>(make_streamer(config, links_of(id)), environment.gate, threaded);
    submissions_[i]->attach([this, engine = engines_[i].get()] {
      tell_submitted(engine->config().id);
      submitted(*engine);
    });
    attach(*engines_[i]);
    attach_watchdog(*engines_[i]);
  }
  if (!position_) return;
  EngineCs *const leader = engine(EngineId::rcs), *const follower = engine(EngineId::pocs);
  position_->attach({.call_follower = [follower] { follower->submitted(); },
                     .kick_follower = [follower] { follower->kick(); },
                     .kick_leader = [leader] { leader->kick(); },
                     .follower_rests = [follower] { return follower->rests(); }});
}

StreamerLinks CommandStreamers::links_of(EngineId id) {
  StreamerLinks links{.memory = environment_.memory,
                      .ggtt = environment_.ggtt,
                      .ppgtt_pages = environment_.ppgtt_pages,
                      .faults = environment_.faults,
                      .tlb = environment_.tlb,
                      .registers = environment_.registers,
                      .interrupts = environment_.interrupts,
                      .submission = *submissions_[static_cast<size_t>(id)],
                      .engine = *environment_.engines[static_cast<size_t>(id)],
                      .memory_written = [this, id] { memory_written(id); },
                      .signal =
                          [this](EngineId target) {
                            if (EngineCs* cs = engine(target)) cs->kick();
                          },
                      .gtt_written = environment_.gtt_written,
                      .observer = environment_.observer,
                      .watch = id == EngineId::pocs ? nullptr : environment_.watch};
  if (environment_.switched && takes_lists(id))
    links.switched = [this, id](const ContextSwitch& event) { environment_.switched(id, event); };
  if (id == EngineId::rcs) {
    links.position = position_.get();
    links.context_changed = [this, id] { follow_watchdog(id); };
    links.observation = environment_.observation;
    links.display = environment_.display ? &*environment_.display : nullptr;
  }
  if (id == EngineId::pocs) links.came_back = [link = position_.get()](bool rests, bool hangs) { link->came_back(rests, hangs); };
  return links;
}

std::unique_ptr<Streamer> CommandStreamers::make_streamer(const StreamerConfig& config, StreamerLinks links) {
  if (!config.position) return environment_.submission.streamer(config, std::move(links));
  return std::make_unique<PositionStreamer>(config, std::move(links), *position_, environment_.registers.engine_register(EngineId::rcs, 0));
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
  const EngineId id = engine.config().id;

  registers.on_write(base + reg::tail, [this, id](uint32_t, uint32_t) {
    if (environment_.work_arrives) environment_.work_arrives();
    if (position_ && id == EngineId::rcs) position_->tail_moved();
  });
  const auto kicks = [this, &engine](uint32_t, uint32_t) {
    engine.kick();
    poll();
  };
  for (const uint32_t r : streamer.kicking_registers())
    if (has_register(registers, engine.config(), r)) registers.on_write(base + r, kicks);
  for (const uint32_t offset : streamer.other_kicking_registers()) registers.on_write(offset, kicks);
  registers.on_write(base + reg::mi_mode, [this, &engine, &streamer](uint32_t, uint32_t) {
    streamer.stop_ring_changed();
    engine.kick();
    poll();
  });
  registers.on_read(base + reg::mi_mode, [&registers, &streamer](uint32_t offset) {
    return (registers.peek(offset) & ~reg::mode_idle) | (streamer.busy() ? 0 : reg::mode_idle);
  });
  for (const uint32_t r : {reg::emr, reg::eir})
    if (has_register(registers, engine.config(), r)) registers.on_write(base + r, [this, id](uint32_t, uint32_t) { errors_changed(id); });
  // Ready For Reset answers at once: GDRST itself waits for the streamer.
  if (streamer.has(reg::reset_ctl))
    registers.on_write(base + reg::reset_ctl, [&registers, id](uint32_t offset, uint32_t) {
      const FaultSite site{.point = FaultPoint::reset_ready, .unit = static_cast<uint32_t>(id)};
      if (registers.peek(offset) & reg::reset_request && ask(registers.faults(), site)) return;  // never ready
      if (registers.peek(offset) & reg::reset_request) registers.set_bits(offset, reg::reset_ready);
      else registers.clear_bits(offset, reg::reset_ready);
    });
  if (streamer.has(reg::ctx_timestamp))
    registers.on_read(base + reg::ctx_timestamp, [&streamer](uint32_t) { return streamer.context_timestamp(); });
}

void CommandStreamers::attach_watchdog(EngineCs& engine) {
  const std::optional<WatchdogForm> form = engine.streamer().watchdog();
  mmio::RegisterFile& registers = environment_.registers;
  const uint32_t base = engine.config().mmio_base;
  const EngineId id = engine.config().id;
  if (!form) {
    for (const uint32_t r : {reg::pr_ctr_ctl, reg::pr_ctr_thrsh})
      if (has_register(registers, engine.config(), r)) registers.on_write(base + r, [](uint32_t, uint32_t) {});  // see Streamer::watchdog()
    return;
  }
  watchdogs_[static_cast<size_t>(id)] =
      std::make_unique<Watchdog>(*form, registers, environment_.interrupts, id, base, environment_.watchdog_wake);
  for (const uint32_t r : {form->control, form->threshold})
    registers.on_write(base + r, [this, id](uint32_t, uint32_t) { follow_watchdog(id); });
}

void CommandStreamers::follow_watchdog(EngineId id) {
  if (const auto& watchdog = watchdogs_[static_cast<size_t>(id)]) watchdog->follow(engine(id)->streamer().has_context());
}

void CommandStreamers::follow_watchdogs() {
  for (size_t i = 0; i < engine_count; ++i) follow_watchdog(static_cast<EngineId>(i));
}

void CommandStreamers::look() {
  for (const auto& watchdog : watchdogs_)
    if (watchdog) watchdog->look();
  if (EngineCs* const render = engine(EngineId::rcs); render && environment_.display) render->kick();
}

void CommandStreamers::submit(EngineId id, const Execlist& list) {
  submissions_[static_cast<size_t>(id)]->put(list);
  submitted(*engine(id));
}

void CommandStreamers::tell_submitted(EngineId id) const {
  Watch* const watch = environment_.watch ? environment_.watch->get() : nullptr;
  if (!watch || id == EngineId::pocs) return;
  const std::optional<Execlist> list = submissions_[static_cast<size_t>(id)]->pending();
  if (!list) return;
  std::array<WatchedContext, max_elements> elements;
  std::ranges::transform(list->element, elements.begin(), [](const Descriptor& d) { return WatchedContext{d.low, d.high}; });
  watch->submitted(id, elements);
}

void CommandStreamers::submitted(EngineCs& engine) {
  if (environment_.work_arrives) environment_.work_arrives();
  engine.submitted();
  poll();
}

void CommandStreamers::errors_changed(EngineId id) {
  EngineCs* const engine = this->engine(id);
  if (!engine) return;
  engine->streamer().error_mask_changed();
  engine->kick();
  poll();
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
  follow_watchdogs();
}

void CommandStreamers::state(Archive& archive) {
  // Version 1 is from before the position-only streamer.
  const uint32_t version = archive.section("command streamers", position_ ? 2 : 1);
  for (auto& engine : engines_) {
    if (!engine) continue;
    if (version >= 2 || !engine->config().position) engine->state(archive);
    else engine->streamer().reset();
  }
  follow_watchdogs();
}

void CommandStreamers::poll() {
  if (threaded_ || polling_) return;
  polling_ = true;
  bool more = true;
  const uint64_t slice = std::min(slice_commands, environment_.commands_per_poll);
  for (uint64_t done = 0; more && done < environment_.commands_per_poll; done += slice) {
    more = false;
    for (auto& engine : engines_)
      if (engine && engine->run_slice(slice)) more = true;
    // One may have notified another, which had its turn before.
    for (auto& engine : engines_)
      if (engine && engine->due()) more = true;
  }
  polling_ = false;
}

}  // namespace softgen::cs
