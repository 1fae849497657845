// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "hw/base/failure_log.h"
#include "hw/defs/registers/registers.h"
#include "hw/gt/work_report.h"

namespace softgen::replay {
namespace {

using Json = nlohmann::ordered_json;

/// Pipeline statistics of the render engine (SKL PRM vol 2c): 64-bit counters.
constexpr std::pair<const char*, uint32_t> statistics[] = {
    {"ia_vertices", reg::IA_VERTICES_COUNT(0)},      {"ia_primitives", reg::IA_PRIMITIVES_COUNT(0)},
    {"vs_invocations", reg::VS_INVOCATION_COUNT(0)}, {"hs_invocations", reg::HS_INVOCATION_COUNT(0)},
    {"ds_invocations", reg::DS_INVOCATION_COUNT(0)}, {"gs_invocations", reg::GS_INVOCATION_COUNT(0)},
    {"gs_primitives", reg::GS_PRIMITIVES_COUNT(0)},  {"cl_invocations", reg::CL_INVOCATION_COUNT(0)},
    {"cl_primitives", reg::CL_PRIMITIVES_COUNT(0)},  {"ps_invocations", reg::PS_INVOCATION_COUNT(0)},
    {"ps_depth_count", reg::PS_DEPTH_COUNT(0)},      {"cs_invocations", reg::GPGPU_THREADS_DISPATCHED(0)}};

}  // namespace

std::string stats_json(gt::Device& device, const PlayResult& result, const WorkCounts& work, const std::vector<int64_t>& runs) {
  Json stats{{"submissions", result.submissions}, {"commands", result.commands}};
  stats.update(gt::work_json(work, device.isa()));
  for (const auto& [name, offset] : statistics) stats["pipeline"][name] = device.registers().peek64(offset);
  Json times = Json::array();
  for (const int64_t run : runs) times.push_back(static_cast<double>(run) * 1e-6);
  stats["milliseconds"] = times;
  if (!runs.empty()) stats["fastest_milliseconds"] = static_cast<double>(*std::min_element(runs.begin(), runs.end())) * 1e-6;
  stats["eu"] = gt::eu_json(device.compiler().stats());
  for (const FailureCount& failure : failure_counts())
    stats["failures"][std::string(failure_name(failure.kind))][failure.what] = failure.count;
  if (result.compared) stats["compared"] = {{"pieces", result.compared}, {"different", result.different}};
  stats["complete"] = result.error.empty();
  return stats.dump(2, ' ', false, Json::error_handler_t::replace);
}

bool write_timeline(const std::string& path, const PlayResult& result) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return false;
  const int64_t origin = result.timeline.empty() ? 0 : result.timeline.front().start_ns;
  std::fputs("{\"traceEvents\": [", file);
  for (unsigned i = 0; i < engine_count; i++)
    fmt::print(file, "{}\n{{\"ph\": \"M\", \"pid\": 1, \"tid\": {}, \"name\": \"thread_name\", \"args\": {{\"name\": \"{}\"}}}}",
               i ? "," : "", i + 1, name_of(static_cast<EngineId>(i)));
  for (const TimelineEvent& event : result.timeline)
    fmt::print(
        file,
        ",\n{{\"ph\": \"X\", \"pid\": 1, \"tid\": {}, \"name\": \"{}\", \"ts\": {:.3f}, \"dur\": {:.3f}, \"args\": {{\"address\": \"0x{:x}\"}}}}",
        static_cast<unsigned>(event.engine) + 1, event.name, static_cast<double>(event.start_ns - origin) * 1e-3,
        static_cast<double>(event.end_ns - event.start_ns) * 1e-3, event.address);
  std::fputs("\n]}\n", file);
  return std::fclose(file) == 0;
}

}  // namespace softgen::replay
