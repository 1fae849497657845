// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/firmware.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hw/base/log.h"
#include "hw/guc/register_list.h"

namespace softgen::guc {

using namespace defs::guc;

namespace {

/// The versions whose interface this is.
constexpr uint32_t first_major = 69, last_major = 70, major_v69 = 69;

uint32_t engines_of(const EnginePort& port) {
  uint32_t engines = 0;
  for (unsigned i = 0; i < engine_count; ++i)
    if (port.has(static_cast<EngineId>(i))) engines |= 1u << i;
  return engines;
}

/// Of any message: an answer's is the low half of its value.
uint32_t action_of(std::span<const uint32_t> hxg) { return hxg.empty() ? 0 : request_action.of(hxg[0]); }

}  // namespace

Firmware::Firmware(const Environment& environment)
    : environment_(environment),
      ggtt_(environment.memory, nullptr),
      scheduler_(engines_of(environment.engines), {.ggtt = ggtt_, .range = memory_, .images = environment.layout.contexts}, listener()),
      slpc_(environment.registers) {
  MutexLock lock(mutex_);
  ggtt_.set_space(memory::AddressSpace::ggtt(environment.ggtt));
}

// The scheduler calls these with the mutex held, which the analysis cannot see.
Scheduler::Listener Firmware::listener() {
  return {.host = [this](uint32_t action, Arguments arguments) SG_NO_THREAD_SAFETY_ANALYSIS { send_event(action, arguments); },
          .engine_has =
              [this](EngineId engine, std::optional<uint32_t> context) SG_NO_THREAD_SAFETY_ANALYSIS {
                const auto now = static_cast<uint32_t>(environment_.clock.ticks(environment_.host.clock_ns()));
                usage_.switched(engine, Scheduler::class_number(engine), scheduler_.logical_instance(engine), context, now, ggtt_);
                activity_.switched(place_of(engine), context.has_value(), now, ggtt_);
              },
          .now_ns = [this] { return environment_.host.clock_ns(); }};
}

ActivityRecords::Place Firmware::place_of(EngineId engine) const {
  return {engine, Scheduler::class_number(engine), scheduler_.logical_instance(engine)};
}

template <typename F>
void Firmware::serve_locked(F&& act) {
  bool interrupts_host = false;
  int64_t deadline = -1;
  std::vector<Scheduler::Command> commands;
  {
    MutexLock lock(mutex_);
    if (!runs_) return;
    act();
    interrupts_host = std::exchange(interrupts_host_, false);
    commands = scheduler_.take_commands();
    deadline = scheduler_.deadline();
  }
  if (interrupts_host) environment_.interrupts.raise_guc();
  if (deadline >= 0) environment_.engines.wake_at(deadline);
  carry_out(commands);
}

// An engine gets no second list before it has reported the first: the order among threads does not matter.
void Firmware::carry_out(std::span<const Scheduler::Command> commands) {
  for (const Scheduler::Command& command : commands) {
    if (command.kind == Scheduler::Command::submit) {
      environment_.engines.submit(command.engine, command.list);
    } else {
      reset_engine(command);
    }
  }
}

// The engine's registers are reported to the host; those that it has set up outlive the reset. Both by lists in the ADS (i915 gt/uc/intel_guc_ads.c,
// guc_mmio_regset_init(); intel_guc_capture.c).
void Firmware::reset_engine(const Scheduler::Command& command) {
  const EngineId engine = command.engine;
  bool begins = false;
  std::vector<ListedRow> kept;
  serve_locked([&]() SG_NO_THREAD_SAFETY_ANALYSIS {
    begins = scheduler_.begin_reset(command);
    if (!begins) return;
    const ListedEngine listed{.cls = Scheduler::class_number(engine),
                              .instance = environment_.registers.set().engine(engine)->instance,
                              .lrca = scheduler_.running_image(engine),
                              .context = scheduler_.running(engine).value_or(capture_no_context)};
    RegisterLists lists(ads_, memory_, ggtt_, environment_.registers);
    kept = lists.kept(listed);
    const bool captured = capture_log_.append(lists.capture(listed), ggtt_);
    send_event(state_capture_notification, std::array{captured ? 0 : capture_no_space});
  });
  if (!begins) return;
  environment_.engines.reset(engine);
  for (const ListedRow& row : kept) environment_.registers.write(row[listed_offset], row[listed_value], mmio::Initiator::streamer);
  serve_locked([&]() SG_NO_THREAD_SAFETY_ANALYSIS { scheduler_.was_reset(engine); });
}

void Firmware::switched(EngineId engine, const cs::ContextSwitch& event) {
  serve_locked([&]() SG_NO_THREAD_SAFETY_ANALYSIS { scheduler_.switched(engine, event); });
}

void Firmware::look() {
  serve_locked([&]() SG_NO_THREAD_SAFETY_ANALYSIS { scheduler_.look(); });
}

bool Firmware::is_for(const FirmwareFile& file) { return file.version.major >= first_major && file.version.major <= last_major; }

uint32_t Firmware::start(const Start& start) {
  MutexLock lock(mutex_);
  const FirmwareVersion& version = start.file.version;
  if (!is_for(start.file)) {
    unimplemented("GuC firmware of this version", "{}.{}.{}", version.major, version.minor, version.patch);
    return kernel_device_mismatch;
  }
  if (device_id.of(start.parameters[param_device]) != environment_.pci_device_id) return kernel_device_mismatch;
  const uint64_t ads = uint64_t{ads_page.of(start.parameters[param_ads])} * memory::View::page_size;
  const AddressRange memory{start.memory_bottom};
  if (!memory.has(ads, 1)) return kernel_bad_init_data;
  memory_ = memory;
  ads_ = ads;
  capture_log_.start(start.parameters[param_log], memory, ggtt_);
  features_ = start.parameters[param_features];
  huc_loaded_ = start.huc_loaded;
  scheduler_.start(version.major == major_v69);
  if (memory.has(ads, ads_policies + sizeof(uint32_t))) read_policies(ggtt_.load<uint32_t>(ads + ads_policies));
  runs_ = true;
  note("GuC firmware", "{}.{}.{}", version.major, version.minor, version.patch);
  return kernel_ready;
}

void Firmware::stop() {
  MutexLock lock(mutex_);
  runs_ = false;
  to_guc_.close();
  to_host_.close();
  to_guc_place_ = to_host_place_ = {};
  features_ = 0;
  interrupts_host_ = false;
  scheduler_.stop();
  slpc_.stop();
  usage_.stop();
  activity_.stop();
  capture_log_.stop();
  huc_loaded_ = false;
}

void Firmware::notify() {
  serve_locked([&]() SG_NO_THREAD_SAFETY_ANALYSIS {
    serve_mailbox();
    serve_buffer();
  });
}

// A message is there while its first register says that the host has written it; the answer takes its place.
void Firmware::serve_mailbox() {
  std::array<uint32_t, mailbox_dwords> message;
  for (uint32_t i = 0; i < mailbox_dwords; ++i) message[i] = environment_.registers.peek(environment_.layout.mailbox + 4 * i);
  if (!message[0] || hxg_origin.of(message[0]) != from_host) return;
  const Answer given = answer(message, true);
  for (uint32_t i = 1; i < mailbox_dwords; ++i) environment_.registers.poke(environment_.layout.mailbox + 4 * i, 0);
  environment_.registers.poke(environment_.layout.mailbox, header_from_guc(given.type, given.value));
}

// At most what waits now, less than a buffer's worth.
void Firmware::serve_buffer() {
  CtbMessage message;
  for (uint32_t available = to_guc_.available(ggtt_); to_guc_.next(ggtt_, available, message);) serve_as_planned(message);
}

void Firmware::serve_as_planned(CtbMessage& message) {
  const FaultAnswer answer = ask(environment_.registers.faults(), {.point = FaultPoint::guc_receive, .what = action_of(message.hxg())});
  if (answer.action == FaultAction::drop) return;
  if (answer.action == FaultAction::twice) serve(message);
  if (answer.action == FaultAction::flip) flip_bits(answer, std::as_writable_bytes(std::span(message.dwords).first(message.count)));
  serve(message);
}

// Requests are answered, fast requests only when they fail, events never (xe/abi/guc_messages_abi.h).
void Firmware::serve(const CtbMessage& message) {
  const uint32_t type = hxg_type.of(message.dwords[0]);
  const Answer given = answer(message.hxg(), false);
  const bool is_answered = type == request || (type == fast_request && given.type == failure);
  if (is_answered) send(message.fence, std::array{header_from_guc(given.type, given.value)});
}

void Firmware::send(uint32_t fence, std::span<const uint32_t> hxg) {
  const FaultAnswer answer = ask(environment_.registers.faults(), {.point = FaultPoint::guc_send, .what = action_of(hxg)});
  if (answer.action == FaultAction::drop) return;
  if (answer.action == FaultAction::flip) {
    std::vector<uint32_t> spoilt(hxg.begin(), hxg.end());
    flip_bits(answer, std::as_writable_bytes(std::span(spoilt)));
    return put(fence, spoilt);
  }
  if (answer.action == FaultAction::twice) put(fence, hxg);
  put(fence, hxg);
}

void Firmware::put(uint32_t fence, std::span<const uint32_t> hxg) {
  if (to_host_.send(ggtt_, fence, hxg)) interrupts_host_ = true;
}

void Firmware::send_event(uint32_t action, Arguments arguments) {
  std::array<uint32_t, 4> message = {header_from_guc(event, action)};
  std::ranges::copy(arguments, message.begin() + 1);
  send(0, std::span(message).first(1 + arguments.size()));
}

void Firmware::state(Archive& archive) {
  int64_t deadline = -1;
  {
    MutexLock lock(mutex_);
    archive.value(runs_);
    archive.value(huc_loaded_);
    archive.value(memory_.bottom);
    archive.value(ads_);
    archive.value(features_);
    to_guc_place_.state(archive);
    to_host_place_.state(archive);
    to_guc_.state(archive);
    to_host_.state(archive);
    scheduler_.state(archive);
    slpc_.state(archive);
    usage_.state(archive);
    capture_log_.state(archive);
    if (archive.reading() && !archive.failed()) deadline = scheduler_.deadline();
  }
  if (deadline >= 0) environment_.engines.wake_at(deadline);
}

void Firmware::groups_state(Archive& archive) {
  MutexLock lock(mutex_);
  scheduler_.groups_state(archive);
}

void Firmware::activity_state(Archive& archive) {
  MutexLock lock(mutex_);
  activity_.state(archive);
}

void Firmware::policies_state(Archive& archive) {
  MutexLock lock(mutex_);
  scheduler_.policies_state(archive);
}

}  // namespace softgen::guc
