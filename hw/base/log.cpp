// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/log.h"

#include <fmt/format.h>

#include <cstdio>

#include "hw/base/failure_log.h"

namespace softgen {
namespace {

constexpr size_t max_names = 4096;
constexpr std::array<std::string_view, 4> names = {"guest error", "unsupported", "unimplemented", "note"};

// Initial exec: found without a call, also in a library that is loaded late.
[[gnu::tls_model("initial-exec")]] constinit thread_local Log* current = nullptr;

// Never destroyed: worker threads may report while the process exits.
Log& process_log() {
  static Log& instance = *new Log([](Failure, std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fputc('\n', stderr);
  });
  return instance;
}

}  // namespace

std::string_view failure_name(Failure kind) { return names[static_cast<size_t>(kind)]; }

Log& this_log() { return current ? *current : process_log(); }

void report(Failure kind, std::string_view what, std::string_view detail) { this_log().report(kind, what, detail); }
uint64_t failure_count(Failure kind, std::string_view what) { return this_log().count(kind, what); }
void clear_failure_counts() { this_log().clear(); }

LogScope::LogScope(Log& log) : before_(current) { current = &log; }
LogScope::~LogScope() { current = before_; }

void Log::report(Failure kind, std::string_view what, std::string_view detail) {
  MutexLock lock(mutex_);
  auto& counts = counts_[static_cast<size_t>(kind)];
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
  if (!sink_) return;
  sink_(kind, detail.empty() ? fmt::format("softgen: {}: {}", failure_name(kind), what)
                             : fmt::format("softgen: {}: {}: {}", failure_name(kind), what, detail));
}

std::vector<FailureCount> Log::counts() const {
  MutexLock lock(mutex_);
  std::vector<FailureCount> result;
  for (size_t kind = 0; kind < names.size(); ++kind)
    for (const auto& [what, count] : counts_[kind]) result.push_back({static_cast<Failure>(kind), what, count});
  return result;
}

uint64_t Log::count(Failure kind, std::string_view what) const {
  MutexLock lock(mutex_);
  const auto& counts = counts_[static_cast<size_t>(kind)];
  const auto it = counts.find(what);
  return it == counts.end() ? 0 : it->second;
}

void Log::clear() {
  MutexLock lock(mutex_);
  for (auto& counts : counts_) counts.clear();
}

}  // namespace softgen
