// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/firmware_v9.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::guc {

using namespace defs::guc::v9;
using defs::guc::kernel_bad_init_data, defs::guc::kernel_device_mismatch, defs::guc::kernel_ready, defs::guc::log_page,
    defs::guc::log_valid;

namespace {

/// Chosen: well below a millisecond's work. i915 has two items an engine.
constexpr uint32_t max_items_per_event = 4096;
/// Of a context's image: the register state is its second page.
constexpr uint64_t tail_at(uint64_t lrca, uint32_t dword) { return lrca + defs::context_page + 4 * uint64_t{dword}; }

uint32_t engines_of(const EnginePort& port) {
  uint32_t engines = 0;
  for (unsigned i = 0; i < engine_count; ++i)
    if (port.has(static_cast<EngineId>(i))) engines |= 1u << i;
  return engines;
}

}  // namespace

FirmwareV9::FirmwareV9(const Environment& environment, Doorbells& doorbells)
    : environment_(environment),
      doorbells_(doorbells),
      ggtt_(environment.memory, nullptr),
      queues_(engines_of(environment.engines), listener()) {
  MutexLock lock(mutex_);
  ggtt_.set_space(memory::AddressSpace::ggtt(environment.ggtt));
  owners_.fill(no_owner);
}

// The queues call these with the mutex held, which the analysis cannot see. The host's items bring the ring's tail along: its image gets it here.
SubmitQueues::Listener FirmwareV9::listener() {
  return {.submits =
              [this](EngineId engine, const SubmitQueues::Item& item) SG_NO_THREAD_SAFETY_ANALYSIS {
                const uint32_t dword = environment_.layout.contexts.of(engine).value_dword(reg::RING_TAIL);
                ggtt_.store_release(tail_at(item.context.lrca(), dword), item.tail);
              },
          .preempted =
              [this](const SubmitQueues::Item& item) SG_NO_THREAD_SAFETY_ANALYSIS {
                ggtt_.store(item.report + report_affected, item.affected);
                ggtt_.store_release(item.report + report_status, report_complete);
              }};
}

template <typename F>
bool FirmwareV9::serve_locked(F&& act) {
  bool interrupts_host = false;
  std::vector<SubmitQueues::Command> commands;
  {
    MutexLock lock(mutex_);
    if (!runs_) return false;
    budget_ = max_items_per_event;
    act();
    interrupts_host = std::exchange(interrupts_host_, false);
    commands = queues_.take_commands();
  }
  if (interrupts_host) environment_.interrupts.raise_guc();
  for (const SubmitQueues::Command& command : commands) environment_.engines.submit(command.engine, command.list);
  return true;
}

bool FirmwareV9::is_for(const FirmwareFile& file) { return file.version_v9.major == major; }

uint32_t FirmwareV9::start(const Start& start) {
  MutexLock lock(mutex_);
  const InterfaceV9* known = environment_.layout.v9;
  if (!known || device_core_family.of(start.parameters[param_device]) != known->core_family) return kernel_device_mismatch;
  const AddressRange memory{start.memory_bottom};
  const uint32_t debug = start.parameters[param_debug], log = start.parameters[param_log];
  const uint64_t ads = uint64_t{debug_ads_page.of(debug)} * memory::View::page_size;
  const bool schedules = !feature_no_scheduler.of(start.parameters[param_features]);
  if (schedules &&
      (!debug_ads_enabled.of(debug) || !memory.has(ads, memory::View::page_size) || !stages_.start(start.parameters[param_stages], memory)))
    return kernel_bad_init_data;
  const uint64_t log_address = uint64_t{log_page.of(log)} * memory::View::page_size;
  log_ = log_valid.of(log) && memory.has(log_address, memory::View::page_size) ? log_address : 0;
  memory_ = memory;
  schedules_ = schedules;
  sleeps_ = false;
  huc_loaded_ = start.huc_loaded;
  runs_ = true;
  doorbells_.route_to_guc(true);
  note("GuC firmware", "{}.{}", start.file.version_v9.major, start.file.version_v9.minor);
  return kernel_ready;
}

// The doorbells stay armed: the host frees them by their lines (i915 4.19 guc_clients_doorbell_fini()).
void FirmwareV9::stop() {
  MutexLock lock(mutex_);
  if (std::exchange(runs_, false)) doorbells_.route_to_guc(false);
  schedules_ = sleeps_ = interrupts_host_ = huc_loaded_ = false;
  log_ = 0;
  stages_.stop();
  owners_.fill(no_owner);
  stalled_.reset();
  queues_.stop();
}

// A message is there while its first register is no answer. It is answered when what it asks for is done (i915 4.19 intel_guc_send_mmio()).
void FirmwareV9::notify() {
  std::array<uint32_t, mailbox_dwords> message;
  for (uint32_t i = 0; i < mailbox_dwords; ++i) message[i] = environment_.registers.peek(reg::SOFT_SCRATCH(i));
  if (!message[0] || answer_mark.of(message[0])) return;
  Answer given;
  const bool served = serve_locked([&]() SG_NO_THREAD_SAFETY_ANALYSIS {
    serve_doorbells();
    given = answer(message);
  });
  if (!served) return;
  if (given.resets) {
    environment_.engines.reset(*given.resets);
    serve_locked([&]() SG_NO_THREAD_SAFETY_ANALYSIS { queues_.was_reset(*given.resets); });
  }
  environment_.registers.poke(reg::SOFT_SCRATCH(0), answer_mark.mask() | given.status);
}

void FirmwareV9::rung() {
  serve_locked([&]() SG_NO_THREAD_SAFETY_ANALYSIS { serve_doorbells(); });
}

void FirmwareV9::look() {
  serve_locked([&]() SG_NO_THREAD_SAFETY_ANALYSIS { resume_stalled(); });
}

void FirmwareV9::switched(EngineId engine, const cs::ContextSwitch& event) {
  serve_locked([&]() SG_NO_THREAD_SAFETY_ANALYSIS {
    queues_.switched(engine, event);
    resume_stalled();
  });
}

void FirmwareV9::resume_stalled() {
  if (sleeps_ || stalled_.none()) return;
  for (uint32_t id = 0; id < max_stages && budget_; ++id) {
    if (!stalled_[id]) continue;
    stalled_.reset(id);
    if (const std::optional<Stage> found = stage(id)) take_items(*found, 0, 0);
  }
}

// TGL PRM vol 13, "Doorbell Flows": the vector says which bells of a group have rung; reading it lets them ring again.
void FirmwareV9::serve_doorbells() {
  if (sleeps_) return;
  const uint32_t rung = doorbells_.rung_groups();
  for (unsigned group = 0; group < Doorbells::groups; ++group) {
    if (!bit(rung, group)) continue;
    const uint32_t bells = doorbells_.read_group(group);
    for (unsigned i = 0; i < Doorbells::group_size; ++i)
      if (bit(bells, i)) serve_bell(group * Doorbells::group_size + i);
    doorbells_.clear_interrupts(group, bells);
  }
}

void FirmwareV9::serve_bell(unsigned bell) {
  if (owners_[bell] == no_owner) return;
  if (const std::optional<Stage> owner = stage(owners_[bell])) take_items(*owner, 0, 0);
}

std::optional<EngineId> FirmwareV9::engine(uint32_t number) const {
  if (number >= engines.size() || !queues_.has(engines[number])) return std::nullopt;
  return engines[number];
}

// The GuC's id of a context is its page.
bool FirmwareV9::take_items(const Stage& stage, uint32_t report, uint32_t affected) {
  using enum StagePool::Verdict;
  bool any = false;
  const bool all = stages_.serve(stage, ggtt_, budget_, [&](const WorkItem& item) SG_NO_THREAD_SAFETY_ANALYSIS {
    if (!queues_.has(item.engine)) return no_engine;
    if (!queues_.has_room(item.engine)) return stays;
    cs::Descriptor context{cs::field::RING_ELSP_VALID.with(item.context, 1), 0};
    context.high = context.lrca() >> descriptor_page_shift;
    queues_.add(item.engine, {context, item.tail, stage.id, stage.priority, std::exchange(report, 0), affected, false});
    any = true;
    return taken;
  });
  stalled_[stage.id] = !all;
  return any;
}

uint32_t FirmwareV9::drop_items(const Stage& stage, EngineId engine) {
  using enum StagePool::Verdict;
  uint32_t dropped = 0, budget = StagePool::max_items;
  stages_.serve(stage, ggtt_, budget, [&](const WorkItem& item) {
    if (item.engine != engine) return kept;
    ++dropped;
    return removed;
  });
  return dropped;
}

void FirmwareV9::state(Archive& archive) {
  MutexLock lock(mutex_);
  for (bool* flag : {&runs_, &schedules_, &sleeps_, &huc_loaded_}) archive.value(*flag);
  archive.value(memory_.bottom);
  archive.value(log_);
  stages_.state(archive);
  for (uint16_t& owner : owners_) {
    archive.value(owner);
    owner = std::min(owner, no_owner);
  }
  for (uint32_t id = 0; id < max_stages; id += 8) {
    uint8_t stalled = 0;
    for (uint32_t i = 0; i < 8; ++i) stalled |= static_cast<uint8_t>(stalled_[id + i] << i);
    archive.value(stalled);
    for (uint32_t i = 0; i < 8; ++i) stalled_[id + i] = bit(stalled, i);
  }
  queues_.state(archive);
  if (archive.reading() && ((runs_ && !environment_.layout.v9) || (log_ && !memory_.has(log_, memory::View::page_size))))
    archive.fail("the GuC's firmware in the saved state is not for this device");
}

}  // namespace softgen::guc
