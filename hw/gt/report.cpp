// SPDX-License-Identifier: GPL-2.0-or-later
#include <nlohmann/json.hpp>

#include "hw/base/bits.h"
#include "hw/base/failure_log.h"
#include "hw/gt/device.h"
#include "hw/gt/work_report.h"

namespace softgen::gt {

namespace {

using nlohmann::json;

std::string hex(uint64_t value) { return fmt::format("0x{:x}", value); }

/// Null: none.
json abandoned_json(const cs::Abandoned& abandoned) {
  if (!abandoned.count && !abandoned.stands) return nullptr;
  json all = {{"count", abandoned.count}, {"stands", abandoned.stands}};
  if (abandoned.stands) all["address"] = hex(abandoned.address), all["header"] = hex(abandoned.header);
  return all;
}

json engine_json(const mmio::RegisterFile& registers, EngineId engine) {
  const auto get = [&](uint32_t relative) { return hex(registers.peek(engine, relative)); };
  const auto get64 = [&](uint32_t low, uint32_t high) {
    return hex(registers.peek(engine, low) | uint64_t{registers.peek(engine, high)} << 32);
  };
  return {{"head", get(reg::RING_HEAD)},
          {"tail", get(reg::RING_TAIL)},
          {"start", get(reg::RING_START)},
          {"ctl", get(reg::RING_CTL)},
          {"acthd", get64(reg::RING_ACTHD, reg::RING_ACTHD_UDW)},
          {"batch", get64(reg::RING_BBADDR, reg::RING_BBADDR_UDW)},
          {"ipehr", get(reg::RING_IPEHR)},
          {"eir", get(reg::RING_EIR)},
          {"mi_mode", get(reg::RING_MI_MODE)},
          {"execlist_status", get64(reg::RING_EXECLIST_STATUS_LO, reg::RING_EXECLIST_STATUS_HI)}};
}

json plan_json(const faults::Plan& plan) {
  json lines = json::array();
  for (const faults::LineCount& line : plan.counts())
    lines.push_back({{"line", line.line}, {"text", line.text}, {"asked", line.asked}, {"fired", line.fired}});
  return lines;
}

/// Those of engines that the platform does not have are not missed.
json missing_hooks(const mmio::RegisterFile& registers, const defs::Platform& platform) {
  json names = json::array();
  for (const std::string& name : registers.missing_hooks()) {
    bool absent = false;
    for (const defs::EngineRow& engine : registers.set().engines)
      absent |= !platform.has(engine.id) && name.ends_with(std::string(".") + name_of(engine.id));
    if (!absent) names.push_back(name);
  }
  return names;
}

}  // namespace

std::string Device::report() {
  json failures = json::array();
  for (const FailureCount& count : failure_counts())
    failures.push_back({{"kind", std::string(failure_name(count.kind))}, {"what", count.what}, {"count", count.count}});
  json engines = json::object();
  for (unsigned i = 0; i < engine_count; ++i)
    if (const auto id = static_cast<EngineId>(i); cs::EngineCs* engine = streamers_->engine(id)) {
      json& one = engines[name_of(id)] = engine_json(registers_, id);
      one["preemptions"] = engine->streamer().preemptions();
      one["abandoned_packets"] = abandoned_json(engine->streamer().abandoned());
    }
  const json all = {{"platform", config_.platform->name},
                    {"failures", failures},
                    {"engines", engines},
                    {"work", work_json(work_counts(), isa())},
                    {"eu", eu_json(compiler_->stats())},
                    {"interrupt", faults_.interrupts.level()},
                    {"faults", {{"count", memory_.faults.count()}, {"ring_fault_reg", hex(memory_.faults.read(reg::RING_FAULT_REG))}}},
                    {"fault_plan", plan_json(faults_.plan)},
                    {"registers_without_behaviour", missing_hooks(registers_, *config_.platform)}};
  return all.dump(2);
}

}  // namespace softgen::gt
