// SPDX-License-Identifier: GPL-2.0-or-later
// The order of register writes is that of gen8_enable_metric_set() and gen12_enable_metric_set(). The wait for the signals to settle (noa_wait) is left
// out: here they need no time.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "hw/base/mutex.h"
#include "hw/run/perf_stream.h"
#include "hw/run/regs.h"

namespace softgen::run {
namespace {

constexpr uint32_t page = 4096;

constexpr uint32_t set_bits(uint32_t bits) { return bits << 16 | bits; }
constexpr uint32_t clear_bits(uint32_t bits) { return bits << 16; }

void add_lists(std::vector<uint32_t>& batch, std::span<const RegisterValue> registers) {
  while (!registers.empty()) {
    const auto some = registers.first(std::min<size_t>(registers.size(), regs::max_load_register_imm));
    batch.push_back(regs::load_register_imm(static_cast<uint32_t>(some.size())));
    for (const RegisterValue& entry : some) batch.insert(batch.end(), {entry.offset, entry.value});
    registers = registers.subspan(some.size());
  }
}

}  // namespace

OaProgrammer::OaProgrammer(Gpu& gpu, const PerfProperties& properties, std::shared_ptr<Context> context, unsigned slot,
                           std::shared_ptr<Context> kernel)
    : gpu_(gpu), unit_(*gpu.chip().oa), properties_(properties), context_(std::move(context)), kernel_(std::move(kernel)), slot_(slot) {}

/// Value for a timer register; 0: no timer reports.
uint32_t OaProgrammer::timer() const {
  return properties_.periodic ? properties_.period_exponent << oa::period_shift | oa::timer_enable : 0;
}

/// Up to Gen11 the counters belong to the chip, but each context enables them and sets the timer's period (lrc_configure_all_contexts).
std::vector<RegisterValue> OaProgrammer::of_all_contexts(const OaConfig* config) const {
  std::vector<RegisterValue> registers{{oa::context_timer, timer() | oa::counter_resume}};
  for (const uint32_t flex : oa::flex) registers.push_back({flex, config ? config->flex_value(flex) : 0});
  return registers;
}

/// Gen12's counters per context (gen12_configure_oar_context).
std::vector<RegisterValue> OaProgrammer::of_context(bool on) const {
  if (!context_ || !unit_.context_control) return {};
  return {{oa::context_timer, on ? oa::counter_resume : 0},
          {unit_.context_control, properties_.format->select << oa::context_format_shift | (on ? oa::enable : 0)},
          {oa::ctx_control, on ? set_bits(oa::ctx_oar_enable) : clear_bits(oa::ctx_oar_enable)}};
}

FencePtr OaProgrammer::submit(const std::shared_ptr<Context>& context, unsigned slot, std::vector<RegisterValue> registers,
                              uint32_t batch) {
  const auto request = std::make_shared<Request>();
  request->context = context;
  request->space = batch ? Request::Batch::ggtt : Request::Batch::none;
  request->batch = batch;
  request->registers = std::move(registers);
  request->fence = std::make_shared<Fence>();
  gpu_.submit(request, slot);
  return last_ = request->fence;
}

/// GGTT address of a batch with the register writes of `config`; batches in the GGTT may write all registers.
uint32_t OaProgrammer::batch_of(const OaConfigPtr& config) {
  const auto found = batches_.find(config);
  if (found != batches_.end()) return found->second.address;
  std::vector<uint32_t> batch;
  for (const auto* registers : {&config->mux, &config->boolean, &config->flex}) add_lists(batch, *registers);
  batch.push_back(regs::mi_batch_buffer_end);
  const GgttMemory memory = gpu_.ggtt_allocate(static_cast<uint32_t>((batch.size() * 4 + page - 1) / page));
  std::memcpy(gpu_.arena().host(memory.gpa), batch.data(), batch.size() * 4);
  return (batches_[config] = memory).address;
}

FencePtr OaProgrammer::write_config(const OaConfigPtr& config, std::vector<RegisterValue> registers) {
  return submit(context_ ? context_ : kernel_, context_ ? slot_ : 0, std::move(registers), batch_of(config));
}

FencePtr OaProgrammer::enable(const OaConfigPtr& config) {
  const Registers registers(gpu_.device());
  MutexLock lock(gpu_.lock());
  uint32_t debug = set_bits(oa::no_clock_reports | oa::include_clock);
  if (unit_.global_timer) debug |= properties_.sample_reports ? clear_bits(oa::no_switch_reports) : set_bits(oa::no_switch_reports);
  registers.write(unit_.debug, debug);
  if (unit_.global_timer) {
    registers.write(unit_.global_timer, properties_.periodic ? timer() | oa::counter_resume : 0);
  } else {
    gpu_.set_context_registers(of_all_contexts(config.get()));
    if (context_) submit(kernel_, 0, {}, 0);  // so that the timer runs while no context does
  }
  if (properties_.sample_reports) gpu_.set_idle_context(kernel_);
  return write_config(config, of_context(true));
}

FencePtr OaProgrammer::change(const OaConfigPtr& config) {
  MutexLock lock(gpu_.lock());
  return write_config(config, {});
}

void OaProgrammer::disable() {
  const Registers registers(gpu_.device());
  MutexLock lock(gpu_.lock());
  gpu_.set_idle_context(nullptr);
  if (!unit_.global_timer) gpu_.set_context_registers(of_all_contexts(nullptr));
  if (auto of_ours = of_context(false); !of_ours.empty()) submit(context_, slot_, std::move(of_ours), 0);
  const RegisterValue& noa = unit_.noa_enable;
  registers.write(noa.offset, registers.read(noa.offset) & ~noa.value);
}

uint32_t OaProgrammer::context_id() const {
  MutexLock lock(gpu_.lock());
  return gpu_.context_id(context_->logical.at(slot_));
}

std::pair<FencePtr, std::vector<GgttMemory>> OaProgrammer::take_batches() {
  std::vector<GgttMemory> batches;
  for (const auto& [config, batch] : std::exchange(batches_, {})) batches.push_back(batch);
  return {last_, std::move(batches)};
}

}  // namespace softgen::run
