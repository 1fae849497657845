// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/ring/streamer.h"

#include <span>
#include <vector>

#include "hw/cs/ring_registers.h"

namespace softgen::cs {
namespace {

namespace all = softgen::reg;

std::unique_ptr<Executor> make_executor(EngineCore& core, Arbiter& arbiter, Executor::SetContext set_context) {
  return std::make_unique<RingExecutor>(core, arbiter, std::move(set_context));
}

/// A range of TLB registers (ILK PRM vol 1 part 2, 1.3.4.2 to 1.3.4.6).
struct TlbRange {
  uint32_t first, count;
};
constexpr TlbRange of_states{all::TLB_RD_ISC(0), 16}, of_vertices{all::TLB_RD_VF(0), 19}, of_commands{all::TLB_RD_CS(0), 6},
    of_render{all::TLB_RD_RC(0), 224};
constexpr uint32_t tlb_valid = 1, tlb_global = 2;

void show(mmio::RegisterFile& registers, const TlbRange& range, std::span<const uint32_t> entries) {
  for (uint32_t i = 0; i < range.count; ++i) registers.poke(range.first + 4 * i, i < entries.size() ? entries[i] : 0);
}

std::vector<uint32_t> entries_of(const memory::View* view, size_t max_entries, uint32_t flags = 0) {
  std::vector<uint32_t> entries;
  const bool global = view && view->space().kind == memory::AddressSpace::Kind::ggtt;
  if (view && (!global || flags & tlb_global))
    for (const uint64_t page : view->translated(max_entries)) entries.push_back(static_cast<uint32_t>(page) | flags | tlb_valid);
  return entries;
}

}  // namespace

RingFaults::RingFaults(const StreamerConfig& config, StreamerLinks& links) {
  if (config.id != EngineId::rcs) return;
  interface.emplace(links.registers, links.faults);
  links.faults = &*interface;
}

RingStreamer::RingStreamer(const StreamerConfig& config, StreamerLinks links)
    : RingFaults(config, links), Streamer(config, std::move(links), make_executor), tables_(core_), ring_contexts_(core_, tables_) {
  if (config.id == EngineId::vcs0) video_contexts_.emplace(core_, ring_contexts_, tables_);
  executor().plug({&tables_, interface ? &*interface : nullptr, video_contexts_ ? &*video_contexts_ : nullptr});
}

void RingStreamer::reset() {
  Streamer::reset();
  executor().forget_wait();
  core_.set(reg::ccid, 0);  // the state of the context that it names is lost
  if (video_contexts_) video_contexts_->reset();
  if (interface) interface->arm(false);
  tables_.reset();
}

void RingStreamer::state(Archive& archive) {
  Streamer::state(archive);
  archive.section("ring", 1);
  mmio::EngineEvents levels = core_.levels();
  archive.value(levels);
  tables_.state(archive);
  if (video_contexts_) video_contexts_->state(archive);
  if (!archive.reading()) return;
  core_.set_levels(levels & (mmio::engine_event::sync_status | (interface ? mmio::engine_event::page_fault : 0)));
  executor().forget_wait();
  if (!archive.failed()) follow_tables();
}

// A wait looks at EXCC and at the semaphores' registers, a sync flush begins by INSTPM.
std::span<const uint32_t> RingStreamer::kicking_registers() const {
  static constexpr uint32_t registers[] = {
      reg::tail, reg::head, reg::ctl, reg::uhptr, reg::excc, reg::instpm, softgen::reg::RING_SYNC_0, softgen::reg::RING_SYNC_1};
  return registers;
}

std::span<const uint32_t> RingStreamer::other_kicking_registers() const {
  static constexpr uint32_t of_render_engine[] = {all::PP_PFIC}, of_video[] = {all::VCS_RNCID(1)};
  return config().id == EngineId::rcs ? std::span<const uint32_t>(of_render_engine) : of_video;
}

// 4: 1.1.6: zero starts it, all ones stop it. The render streamer has none.
std::optional<WatchdogForm> RingStreamer::watchdog() const {
  if (config().engine_class != defs::EngineClass::video) return std::nullopt;
  return WatchdogForm{.control = softgen::reg::RING_CNTR, .threshold = softgen::reg::RING_THRSH, .stopped = ~0u};
}

Streamer::Work RingStreamer::next_work() {
  executor().sync_flush();  // also when there is no command to come
  end_service();
  change_context();
  return Streamer::next_work();
}

void RingStreamer::follow_tables() {
  tables_.follow();
  if (interface) interface->arm(tables_.form() == ProcessTables::Form::two_level);
}

ParseEnd RingStreamer::walk() {
  const ParseEnd end = Streamer::walk();
  if (interface && tables_.form() != ProcessTables::Form::off) show_translations();
  return end;
}

// "Any bits still set in the Page Fault Indication Register when this bit is cleared will trigger a new interrupt" (part 2, 1.3.3.2).
void RingStreamer::end_service() {
  constexpr mmio::EngineEvents fault = mmio::engine_event::page_fault;
  if (!(core_.levels() & fault) || interface->in_service()) return;
  core_.toggle(fault);
  if (interface->again()) core_.toggle(fault);
}

// Part 4, 1.1.4.2: "when arbitration is enabled or if the current context runs dry". In the ring only: batches are not left.
void RingStreamer::change_context() {
  if (!video_contexts_ || !video_contexts_->pending() || cursor_.level()) return;
  const bool enabled = core_.get(reg::ctl) & reg::ring_valid;
  load_ring(core_, cursor_.ring);
  const bool dry = !enabled || cursor_.ring.head == cursor_.ring.tail;
  const bool semaphore = executor().waits() && core_.get(reg::ctl) & reg::ring_wait_semaphore;
  if (!dry && video_contexts_->running() && !(can_switch_ && arbiter_.arbitration())) return;
  using Why = VideoContexts::Why;
  video_contexts_->change(dry ? Why::for_empty_ring : semaphore ? Why::for_semaphore : Why::for_arbitration);
  executor().forget_wait();
}

// What the sampler has read stands among the render cache's: both use one view.
void RingStreamer::show_translations() {
  mmio::RegisterFile& registers = core_.links().registers;
  const EngineEnv& env = core_.env();
  show(registers, of_states, entries_of(env.states, of_states.count));
  show(registers, of_vertices, entries_of(env.vertices, of_vertices.count));
  show(registers, of_render, entries_of(&core_.ppgtt(), of_render.count));
  std::vector<uint32_t> commands = entries_of(&core_.ggtt(), of_commands.count, tlb_global);
  show(registers, of_commands, commands);
}

}  // namespace softgen::cs
