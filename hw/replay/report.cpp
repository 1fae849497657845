// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "hw/base/log.h"
#include "hw/gt/work_report.h"

namespace softgen::replay {
namespace {

using Json = nlohmann::ordered_json;

/// Pipeline statistics of the render engine (SKL PRM vol 2c): 64-bit counters.
constexpr std::pair<const char*, uint32_t> statistics[] = {
    {"ia_vertices", 0x2310},    {"ia_primitives", 0x2318}, {"vs_invocations", 0x2320}, {"hs_invocations", 0x2300}, {"ds_invocations", 0x2308},
    {"gs_invocations", 0x2328}, {"gs_primitives", 0x2330}, {"cl_invocations", 0x2338}, {"cl_primitives", 0x2340},  {"ps_invocations", 0x2348},
    {"ps_depth_count", 0x2350}, {"cs_invocations", 0x2290}};

}  // namespace

std::string stats_json(gt::Device& device, const PlayResult& result, const WorkCounts& work, const std::vector<int64_t>& runs) {
  Json stats{{"submissions", result.submissions}, {"commands", result.commands}};
  stats.update(gt::work_json(work));
  for (const auto& [name, offset] : statistics) stats["pipeline"][name] = device.registers().peek64(offset);
  Json times = Json::array();
  for (const int64_t run : runs) times.push_back(static_cast<double>(run) * 1e-6);
  stats["milliseconds"] = times;
  if (!runs.empty()) stats["fastest_milliseconds"] = static_cast<double>(*std::min_element(runs.begin(), runs.end())) * 1e-6;
  stats["eu"] = gt::eu_json();
  for (const FailureCount& failure : failure_counts()) stats["failures"][std::string(failure_name(failure.kind))][failure.what] = failure.count;
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
    fmt::print(file, "{}\n{{\"ph\": \"M\", \"pid\": 1, \"tid\": {}, \"name\": \"thread_name\", \"args\": {{\"name\": \"{}\"}}}}", i ? "," : "", i + 1,
               name_of(static_cast<EngineId>(i)));
  for (const TimelineEvent& event : result.timeline)
    fmt::print(file, ",\n{{\"ph\": \"X\", \"pid\": 1, \"tid\": {}, \"name\": \"{}\", \"ts\": {:.3f}, \"dur\": {:.3f}, \"args\": {{\"address\": \"0x{:x}\"}}}}",
               static_cast<unsigned>(event.engine) + 1, event.name, static_cast<double>(event.start_ns - origin) * 1e-3,
               static_cast<double>(event.end_ns - event.start_ns) * 1e-3, event.address);
  std::fputs("\n]}\n", file);
  return std::fclose(file) == 0;
}

}  // namespace softgen::replay
