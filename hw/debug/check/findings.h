// SPDX-License-Identifier: GPL-2.0-or-later
// What the checker has found: one entry for each rule and place, counted, printed once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/debug/check/options.h"

namespace softgen::debug::check {

/// Where something was found: an engine's command, or a register (command is its name).
struct Site {
  const char* engine = "";
  uint64_t address = 0;
  std::string command;  ///< name
  std::string text;     ///< the whole, with fields
  std::string context;  ///< which one, and where in it
};

struct Finding {
  const Rule* rule = nullptr;
  Site site;
  std::string detail;
  uint64_t count = 0;
};

/// {"rule", "severity", "text", "needs", "source", "engine", "address", "command", "fields", "context", "detail", "count"}
nlohmann::ordered_json json_of(const Finding& finding);

/// A sink: to standard error. Any thread.
void print_finding(const std::string& text, const Finding& finding);

/// Any thread.
class Findings {
 public:
  /// Distinct findings that are kept, and printed of one rule.
  static constexpr size_t max_kept = 4096, max_printed = 8;
  /// Gets a finding's text, of several lines, when it is new.
  using Sink = std::function<void(const std::string& text, const Finding& finding)>;

  Findings(Options options, Sink sink);

  /// `site` is asked for the first time only.
  void add(const Rule& rule, const char* engine, uint64_t address, std::string_view command, const std::function<Site()>& site,
           std::string detail);

  /// Distinct ones that no suppression covers.
  size_t count() const;
  /// {"findings": [of json_of()], "suppressed": [the same with "reason"], "unused_suppressions": [places], "not_kept": n}
  nlohmann::ordered_json json() const;
  /// Of several lines; empty when there is nothing to say.
  std::string summary() const;

 private:
  struct Key {
    const Rule* rule;
    std::string engine;
    uint64_t address;
    std::string command;
    auto operator<=>(const Key&) const = default;
  };
  const Suppression* suppression_of(const Rule& rule, std::string_view engine, std::string_view command) SG_REQUIRES(mutex_);

  const Options options_;
  const Sink sink_;
  mutable Mutex mutex_;
  std::map<Key, Finding> found_ SG_GUARDED_BY(mutex_);
  std::map<std::pair<const Suppression*, Key>, Finding> suppressed_ SG_GUARDED_BY(mutex_);
  std::map<const Rule*, size_t> printed_ SG_GUARDED_BY(mutex_);
  std::vector<uint64_t> used_ SG_GUARDED_BY(mutex_);  ///< by suppression
  uint64_t not_kept_ SG_GUARDED_BY(mutex_) = 0;
};

}  // namespace softgen::debug::check
