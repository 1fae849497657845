// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/check/findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace softgen::debug::check {
namespace {

std::string text_of(const Finding& finding) {
  const Rule& rule = *finding.rule;
  std::string text = fmt::format("check {} {}: {}\n", rule.id, name_of(rule.severity), rule.text);
  text += fmt::format("  at     {}: {}\n", finding.site.context, finding.site.text);
  if (!finding.detail.empty()) text += fmt::format("  here   {}\n", finding.detail);
  text += fmt::format("  needs  {}   [{}; docs/rules.md#{}]", rule.needs, rule.source, rule.id);
  return text;
}

}  // namespace

nlohmann::ordered_json json_of(const Finding& finding) {
  const Rule& rule = *finding.rule;
  return {{"rule", rule.id},
          {"severity", name_of(rule.severity)},
          {"text", rule.text},
          {"needs", rule.needs},
          {"source", rule.source},
          {"engine", finding.site.engine},
          {"address", fmt::format("{:#x}", finding.site.address)},
          {"command", finding.site.command},
          {"fields", finding.site.text},
          {"context", finding.site.context},
          {"detail", finding.detail},
          {"count", finding.count}};
}

void print_finding(const std::string& text, const Finding&) { fmt::print(stderr, "softgen: {}\n", text); }

Findings::Findings(Options options, Sink sink)
    : options_(std::move(options)), sink_(std::move(sink)), used_(options_.suppressions.size()) {}

const Suppression* Findings::suppression_of(const Rule& rule, std::string_view engine, std::string_view command) {
  for (size_t i = 0; i < options_.suppressions.size(); ++i) {
    const Suppression& entry = options_.suppressions[i];
    if (entry.rule != rule.id || (!entry.command.empty() && entry.command != command) || (!entry.engine.empty() && entry.engine != engine))
      continue;
    ++used_[i];
    return &entry;
  }
  return nullptr;
}

void Findings::add(const Rule& rule, const char* engine, uint64_t address, std::string_view command, const std::function<Site()>& site,
                   std::string detail) {
  std::string text;
  Finding copy;
  {
    const MutexLock lock(mutex_);
    const Key key{&rule, engine, address, std::string(command)};
    const Suppression* const known = suppression_of(rule, engine, command);
    const auto fresh = [&] { return Finding{&rule, site(), std::move(detail), 1}; };
    if (known) {
      const auto at = suppressed_.find({known, key});
      if (at != suppressed_.end()) ++at->second.count;
      else if (suppressed_.size() < max_kept) suppressed_.emplace(std::pair{known, key}, fresh());
      return;
    }
    if (const auto at = found_.find(key); at != found_.end()) {
      ++at->second.count;
      return;
    }
    if (found_.size() >= max_kept) {
      ++not_kept_;
      return;
    }
    const Finding& finding = found_.emplace(key, fresh()).first->second;
    const size_t number = ++printed_[&rule];
    if (number <= max_printed) text = text_of(finding), copy = finding;
    if (number == max_printed) text += fmt::format("\n  (further places of {} are only counted)", rule.id);
  }
  if (!text.empty() && sink_) sink_(text, copy);
}

size_t Findings::count() const {
  const MutexLock lock(mutex_);
  return found_.size();
}

nlohmann::ordered_json Findings::json() const {
  const MutexLock lock(mutex_);
  nlohmann::ordered_json all = {{"findings", nlohmann::ordered_json::array()},
                                {"suppressed", nlohmann::ordered_json::array()},
                                {"unused_suppressions", nlohmann::ordered_json::array()},
                                {"not_kept", not_kept_}};
  for (const auto& entry : found_) all["findings"].push_back(json_of(entry.second));
  for (const auto& entry : suppressed_) {
    nlohmann::ordered_json node = json_of(entry.second);
    node["reason"] = entry.first.first->reason;
    all["suppressed"].push_back(node);
  }
  for (size_t i = 0; i < used_.size(); ++i)
    if (!used_[i]) all["unused_suppressions"].push_back(options_.suppressions[i].place);
  return all;
}

std::string Findings::summary() const {
  const MutexLock lock(mutex_);
  if (found_.empty()) return {};
  std::map<std::string, std::pair<size_t, uint64_t>> rules;
  for (const auto& entry : found_) {
    auto& [places, count] = rules[entry.second.rule->id];
    ++places, count += entry.second.count;
  }
  std::string text = fmt::format("check: {} finding{}:", found_.size(), found_.size() == 1 ? "" : "s");
  for (const auto& [rule, numbers] : rules) text += fmt::format(" {} at {} (seen {})", rule, numbers.first, numbers.second);
  return text;
}

}  // namespace softgen::debug::check
