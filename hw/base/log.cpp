// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/log.h"

#include <array>
#include <cstdio>
#include <map>

#include "hw/base/mutex.h"

namespace softgen {
namespace {

constexpr size_t max_names = 4096;
constexpr std::array<std::string_view, 4> names = {"guest error", "unsupported", "unimplemented", "note"};

struct Registry {
  Mutex mutex;
  std::array<std::map<std::string, uint64_t, std::less<>>, names.size()> counts SG_GUARDED_BY(mutex);
  LogSink sink SG_GUARDED_BY(mutex) = [](Failure, std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fputc('\n', stderr);
  };
};

// Never destroyed: worker threads may report while the process exits.
Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

}  // namespace

std::string_view failure_name(Failure kind) { return names[static_cast<size_t>(kind)]; }

void report(Failure kind, std::string_view what, std::string_view detail) {
  Registry& r = registry();
  MutexLock lock(r.mutex);
  auto& counts = r.counts[static_cast<size_t>(kind)];
  auto it = counts.find(what);
  if (it == counts.end() && counts.size() >= max_names) {
    what = "(others)";
    it = counts.find(what);
  }
  if (it != counts.end()) {
    ++it->second;
    return;
  }
  counts.emplace(what, 1);
  if (!r.sink) return;
  r.sink(kind, detail.empty() ? fmt::format("softgen: {}: {}", failure_name(kind), what)
                              : fmt::format("softgen: {}: {}: {}", failure_name(kind), what, detail));
}

std::vector<FailureCount> failure_counts() {
  Registry& r = registry();
  MutexLock lock(r.mutex);
  std::vector<FailureCount> result;
  for (size_t kind = 0; kind < names.size(); ++kind)
    for (const auto& [what, count] : r.counts[kind]) result.push_back({static_cast<Failure>(kind), what, count});
  return result;
}

uint64_t failure_count(Failure kind, std::string_view what) {
  Registry& r = registry();
  MutexLock lock(r.mutex);
  const auto& counts = r.counts[static_cast<size_t>(kind)];
  const auto it = counts.find(what);
  return it == counts.end() ? 0 : it->second;
}

void clear_failure_counts() {
  Registry& r = registry();
  MutexLock lock(r.mutex);
  for (auto& counts : r.counts) counts.clear();
}

void set_log_sink(LogSink sink) {
  Registry& r = registry();
  MutexLock lock(r.mutex);
  r.sink = std::move(sink);
}

}  // namespace softgen
