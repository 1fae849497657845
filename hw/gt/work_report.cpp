// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/work_report.h"

#include <string>

namespace softgen::gt {
namespace {

// clang-format off
constexpr const char* work_names[] = {
    "draws", "walkers", "blits", "vertices", "primitives", "pixels", "threads", "objects_recorded", "objects_culled",
    "objects_skipped", "vs_threads", "hs_threads", "ds_threads", "cs_threads", "gs_threads", "ps_threads", "samples_rasterized",
    "samples_failed_early", "pixels_killed", "samples_failed_late", "samples_written", "samples_blended", "pixels_sampled",
    "slm_reads", "slm_writes", "memory_accesses", "atomics", "barriers", "typed_bytes_read", "typed_bytes_written",
    "untyped_bytes_read", "untyped_bytes_written", "vertex_bytes", "alu_instructions", "math_instructions",
    "video_pictures", "video_blocks", "video_concealed", "video_bytes"
};
// clang-format on
constexpr const char* path_names[] = {"pixels_filled",     "pixels_copied", "pixels_written_singly", "pixels_tested_singly",
                                      "threads_in_series", "threads_alone", "samples_singly"};
constexpr const char* stage_names[] = {"geometry", "setup", "pixels", "compute", "blit", "video"};
static_assert(std::size(work_names) == std::tuple_size_v<decltype(WorkCounts::done)>);
static_assert(std::size(path_names) == std::tuple_size_v<decltype(WorkCounts::taken)>);
static_assert(std::size(stage_names) == std::tuple_size_v<decltype(WorkCounts::nanoseconds)>);

nlohmann::ordered_json messages_json(const WorkCounts::Messages& messages, const eu::Isa& isa) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (unsigned sfid = 0; sfid < WorkCounts::sfids; sfid++)
    for (unsigned type = 0; type < WorkCounts::types; type++)
      if (const uint64_t n = messages[sfid][type]) json[std::string(isa.sfid_name(sfid))][isa.message_type_name(sfid, type)] = n;
  return json;
}

}  // namespace

nlohmann::ordered_json work_json(const WorkCounts& counts, const eu::Isa& isa) {
  using Json = nlohmann::ordered_json;
  Json json = Json::object(), paths = Json::object(), times = Json::object();
  for (size_t i = 0; i < counts.done.size(); i++) json[work_names[i]] = counts.done[i];
  for (size_t i = 0; i < counts.taken.size(); i++) paths[path_names[i]] = counts.taken[i];
  for (size_t i = 0; i < counts.nanoseconds.size(); i++) times[stage_names[i]] = static_cast<double>(counts.nanoseconds[i]) * 1e-6;
  json["messages"] = messages_json(counts.messages, isa);
  json["direct_messages"] = messages_json(counts.direct, isa);
  json["paths"] = paths;
  json["stage_milliseconds"] = times;
  return json;
}

nlohmann::ordered_json eu_json(const eu::EngineStats& eu) {
  return {{"compiler", eu.compiler},
          {"threads_interpreted", eu.interpreted_threads},
          {"threads_compiled", eu.compiled_threads},
          {"kernels_compiled", eu.compiled},
          {"kernels_refused", eu.refused},
          {"kernels_from_cache", eu.from_cache},
          {"compile_milliseconds", static_cast<double>(eu.compile_ns) * 1e-6},
          {"longest_compile_milliseconds", static_cast<double>(eu.longest_ns) * 1e-6}};
}

}  // namespace softgen::gt
