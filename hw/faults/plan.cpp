// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/faults/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "hw/faults/names.h"

namespace softgen::faults {

namespace {

/// FNV-1a.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

bool is_logged(uint64_t count) { return count <= 16 || std::has_single_bit(count); }

}  // namespace

/// Of equal lines each has a stream of its own.
Plan::Entry Plan::entry_of(Rule rule, unsigned number, int64_t now, const std::vector<Entry>& before) const {
  const auto same = std::ranges::count(before, rule.text, [](const Entry& entry) { return entry.rule.text; });
  uint64_t state = seed_ ^ hash_of(rule.text);
  for (auto i = same; i >= 0; --i) next_random(state);
  const int64_t pulse = now + rule.from_ns;
  return {.rule = std::move(rule), .number = number, .random = next_random(state), .added_ns = now, .pulse_ns = pulse};
}

void Plan::load(std::string_view text) {
  if (text.size() > max_text) throw PlanError(fmt::format("a plan of {} bytes is longer than {}", text.size(), max_text));
  const int64_t now = links_.clock_ns();
  int64_t deadline = -1;
  {
    MutexLock lock(mutex_);
    std::vector<Entry> entries;
    const uint64_t seed_before = std::exchange(seed_, 0);
    unsigned number = 0;
    try {
      while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        Line line = parse_line(text.substr(0, end), ++number, links_.platform);
        if (line.seed) seed_ = *line.seed;
        if (line.rule) entries.push_back(entry_of(std::move(*line.rule), number, now, entries));
        if (entries.size() > max_lines) throw PlanError(fmt::format("a plan has at most {} lines", max_lines));
        text.remove_prefix(std::min(end + 1, text.size()));
      }
    } catch (...) {
      seed_ = seed_before;
      throw;
    }
    entries_ = std::move(entries);
    next_number_ = number + 1;
    lines_changed();
    deadline = this->deadline();
  }
  if (deadline >= 0) links_.wake_at(deadline);
}

void Plan::add(std::string_view text) {
  const int64_t now = links_.clock_ns();
  int64_t deadline = -1;
  {
    MutexLock lock(mutex_);
    Line line = parse_line(text, next_number_, links_.platform);
    if (entries_.size() >= max_lines) throw PlanError(fmt::format("a plan has at most {} lines", max_lines));
    if (line.seed) seed_ = *line.seed;
    if (!line.rule) return;
    entries_.push_back(entry_of(std::move(*line.rule), next_number_++, now, entries_));
    lines_changed();
    deadline = this->deadline();
  }
  if (deadline >= 0) links_.wake_at(deadline);
}

void Plan::clear() {
  MutexLock lock(mutex_);
  entries_.clear();
  silent_until_ = -1;
  next_number_ = 1;
  seed_ = 0;
  lines_changed();
}

bool Plan::active() const {
  MutexLock lock(mutex_);
  return !entries_.empty();
}

void Plan::begin_census() {
  MutexLock lock(mutex_);
  census_.emplace();
  lines_changed();
}

std::vector<SiteCount> Plan::end_census() {
  std::optional<std::map<Site, uint64_t>> census;
  {
    MutexLock lock(mutex_);
    census.swap(census_);
    lines_changed();
  }
  std::vector<SiteCount> sites;
  if (!census) return sites;
  for (const auto& [site, count] : *census) {
    const auto& [point, unit, what] = site;
    sites.push_back({row_of(point).name, describe({.point = point, .unit = unit, .what = what}, links_.platform), count});
  }
  return sites;
}

void Plan::lines_changed() {
  uint32_t wanted = census_ ? (1u << fault_points) - 1 : 0;
  for (const Entry& entry : entries_) wanted |= 1u << static_cast<unsigned>(entry.rule.point);
  if (silent_until_ >= 0) wanted |= 1u << static_cast<unsigned>(FaultPoint::register_read);
  points_.store(wanted, std::memory_order_release);
  if (links_.active) links_.active(census_ || !entries_.empty());
}

bool Plan::in_window(const Entry& entry, int64_t now) {
  const int64_t since = now - entry.added_ns - entry.rule.from_ns;
  return since >= 0 && (entry.rule.length_ns < 0 || since < entry.rule.length_ns);
}

/// Each occurrence has numbers of its own, whether the line fires or not.
uint64_t Plan::numbers_of(const Entry& entry) {
  uint64_t state = entry.random ^ entry.asked;
  return next_random(state);
}

bool Plan::occurs(Entry& entry) {
  const Rule& rule = entry.rule;
  if (++entry.asked < rule.first || (rule.times && entry.fired >= rule.times)) return false;
  constexpr unsigned unused_bits = 64 - 53;
  uint64_t state = numbers_of(entry);
  return !rule.chance || next_random(state) >> unused_bits < rule.chance;
}

FaultAnswer Plan::fire(Entry& entry, const FaultSite& site) {
  ++entry.fired;
  const Rule& rule = entry.rule;
  FaultAnswer answer{.action = rule.action, .value = rule.value, .time_ns = rule.shortest_ns};
  uint64_t state = ~numbers_of(entry);
  answer.time_ns += static_cast<int64_t>(next_random(state) % (static_cast<uint64_t>(rule.longest_ns - rule.shortest_ns) + 1));
  answer.random = next_random(state);
  if (rule.action == FaultAction::freeze) {
    if (!entry.kept) entry.kept = site.value;
    answer.value = *entry.kept;
  }
  return answer;
}

std::optional<Firing> Plan::record(const Entry& entry, const FaultSite& site, int64_t now) {
  if (!is_logged(entry.fired)) return {};
  Firing firing{.time_ns = now,
                .line = entry.number,
                .count = entry.fired,
                .point = row_of(site.point).name,
                .where = describe(site, links_.platform),
                .text = entry.rule.text};
  if (log_.size() == log_length) log_.pop_front();
  log_.push_back(firing);
  return firing;
}

void Plan::tell(const std::optional<Firing>& firing) const {
  if (firing && links_.fired) links_.fired(*firing);
}

// All lines count what happens, also behind the one that answers: so none depends on another.
FaultAnswer Plan::ask(const FaultSite& site) {
  const int64_t now = links_.clock_ns();
  FaultAnswer answer;
  std::optional<Firing> firing;
  {
    MutexLock lock(mutex_);
    if (census_ && census_->size() < max_sites) ++(*census_)[{site.point, site.unit, site.what}];
    if (site.point == FaultPoint::register_read && now < silent_until_) answer.action = FaultAction::ones;
    for (Entry& entry : entries_) {
      const Rule& rule = entry.rule;
      if (rule.point != site.point || rule.period_ns || !rule.unit(site.unit) || !rule.what(site.what) || !in_window(entry, now)) continue;
      if (!occurs(entry) || answer) continue;
      answer = fire(entry, site);
      firing = record(entry, site, now);
    }
  }
  tell(firing);
  return answer;
}

bool Plan::later(int64_t delay_ns, std::function<void()> act) {
  const int64_t ns = links_.clock_ns() + delay_ns;
  {
    MutexLock lock(mutex_);
    if (deferred_.size() >= max_deferred) return false;
    deferred_.push_back({ns, std::move(act)});
  }
  links_.wake_at(ns);
  return true;
}

void Plan::silence(int64_t length_ns) {
  const int64_t now = links_.clock_ns();
  MutexLock lock(mutex_);
  silent_until_ = now + length_ns;
  lines_changed();
}

int64_t Plan::deadline() const {
  int64_t earliest = -1;
  const auto take = [&](int64_t ns) { earliest = earliest < 0 ? ns : std::min(earliest, ns); };
  for (const Deferred& deferred : deferred_) take(deferred.ns);
  for (const Entry& entry : entries_) {
    const Rule& rule = entry.rule;
    const bool over = rule.length_ns >= 0 && entry.pulse_ns >= entry.added_ns + rule.from_ns + rule.length_ns;
    if (rule.period_ns && !over && !(rule.times && entry.fired >= rule.times)) take(entry.pulse_ns);
  }
  return earliest;
}

// Pulses that a late host has missed are left out.
void Plan::look() {
  const int64_t now = links_.clock_ns();
  std::vector<Deferred> due;
  std::vector<std::pair<Rule, FaultAnswer>> pulses;
  std::vector<std::optional<Firing>> firings;
  {
    MutexLock lock(mutex_);
    const auto first_due = std::stable_partition(deferred_.begin(), deferred_.end(), [&](const Deferred& d) { return d.ns > now; });
    due.assign(std::move_iterator(first_due), std::move_iterator(deferred_.end()));
    deferred_.erase(first_due, deferred_.end());
    for (Entry& entry : entries_) {
      if (!entry.rule.period_ns || entry.pulse_ns > now) continue;
      entry.pulse_ns = now + entry.rule.period_ns;
      if (!in_window(entry, now) || !occurs(entry)) continue;
      const FaultSite site{.point = entry.rule.point, .unit = entry.rule.unit.value, .what = entry.rule.what.value};
      const FaultAnswer answer = fire(entry, site);
      pulses.emplace_back(entry.rule, answer);
      firings.push_back(record(entry, site, now));
    }
  }
  std::ranges::stable_sort(due, {}, &Deferred::ns);
  for (const Deferred& deferred : due) deferred.act();
  for (const auto& [rule, answer] : pulses) links_.pulse(rule, answer);
  for (const std::optional<Firing>& firing : firings) tell(firing);
  int64_t next = -1;
  {
    MutexLock lock(mutex_);
    next = deadline();
  }
  if (next >= 0) links_.wake_at(next);
}

void Plan::forget_deferred() {
  MutexLock lock(mutex_);
  deferred_.clear();
}

std::vector<LineCount> Plan::counts() const {
  MutexLock lock(mutex_);
  std::vector<LineCount> all;
  for (const Entry& entry : entries_) all.push_back({entry.number, entry.rule.text, entry.asked, entry.fired});
  return all;
}

std::string Plan::log() const {
  MutexLock lock(mutex_);
  std::string text;
  for (const Firing& firing : log_)
    text += fmt::format("{}.{:09} s, line {}, {}{}{}, {} times: {}\n", firing.time_ns / 1'000'000'000, firing.time_ns % 1'000'000'000,
                        firing.line, firing.point, firing.where.empty() ? "" : " ", firing.where, firing.count, firing.text);
  return text;
}

}  // namespace softgen::faults
