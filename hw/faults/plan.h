// SPDX-License-Identifier: GPL-2.0-or-later
// A fault plan: lines that say when which point of the device fails, and how (docs/faults.md). The same seed, lines and order of questions give the same
// answers: each line has a stream of pseudo-random numbers of its own, by the seed and its text.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/faults/rule.h"

namespace softgen::faults {

/// That a line has fired.
struct Firing {
  int64_t time_ns = 0;  ///< guest time
  unsigned line = 0;
  uint64_t count = 0;  ///< of this line's firings, this one included
  const char* point = "";
  std::string where, text;  ///< what was asked for; the line
};

/// A line and what became of it.
struct LineCount {
  unsigned line = 0;
  std::string text;
  uint64_t asked = 0, fired = 0;
};

/// How often a unit asked at one site.
struct SiteCount {
  std::string point, where;  ///< where: as a plan writes it; may be empty
  uint64_t count = 0;
};

class Plan final : public Faults {
 public:
  struct Links {
    const defs::Platform& platform;
    std::function<int64_t()> clock_ns;
    /// look() is to be called at this guest time, or earlier. Any thread.
    std::function<void(int64_t ns)> wake_at;
    /// A line with `every` fires. On the thread of look(), with no lock held.
    std::function<void(const Rule& rule, const FaultAnswer& answer)> pulse;
    /// A line has fired, and it is logged: each of the first 16 times, then the 32nd, 64th… On the thread that asked. May be empty.
    std::function<void(const Firing& firing)> fired{};
    /// There are lines now, or none any more. May be empty.
    std::function<void(bool active)> active{};
  };
  static constexpr size_t max_lines = 1024, max_text = 1 << 18, max_deferred = 256, log_length = 1000, max_sites = 1 << 14;

  explicit Plan(Links links) : links_(std::move(links)) {}

  /// Any thread. Both throw PlanError, and change nothing then.
  /// Replaces all lines.
  void load(std::string_view text);
  void add(std::string_view line);
  void clear();
  bool active() const;

  FaultAnswer ask(const FaultSite& site) override;
  bool later(int64_t delay_ns, std::function<void()> act) override;
  /// Registers read as all ones for so long, as of a device that has left its bus.
  void silence(int64_t length_ns);
  /// The time has come that wake_at() was given.
  void look();
  /// What was to happen later never does: the device is reset, or another state is loaded.
  void forget_deferred();

  std::vector<LineCount> counts() const;
  /// From now on counts what units ask for, besides what the plan does. Any thread, as for the next.
  void begin_census();
  /// Ends that; what was asked for, by point and site. Sites beyond max_sites are left out.
  std::vector<SiteCount> end_census();
  /// The last firings, one per line.
  std::string log() const;

 private:
  struct Entry {
    Rule rule;
    unsigned number = 0;
    uint64_t random = 0;
    int64_t added_ns = 0, pulse_ns = 0;
    uint64_t asked = 0, fired = 0;
    std::optional<uint64_t> kept{};  ///< freeze: the value that it shows
  };
  struct Deferred {
    int64_t ns;
    std::function<void()> act;
  };

  Entry entry_of(Rule rule, unsigned number, int64_t now, const std::vector<Entry>& before) const SG_REQUIRES(mutex_);
  void lines_changed() SG_REQUIRES(mutex_);
  static bool in_window(const Entry& entry, int64_t now);
  static uint64_t numbers_of(const Entry& entry);
  /// One more occurrence: does the line fire?
  static bool occurs(Entry& entry);
  FaultAnswer fire(Entry& entry, const FaultSite& site);
  /// Nothing: it is not logged.
  std::optional<Firing> record(const Entry& entry, const FaultSite& site, int64_t now) SG_REQUIRES(mutex_);
  void tell(const std::optional<Firing>& firing) const;
  int64_t deadline() const SG_REQUIRES(mutex_);

  const Links links_;
  mutable Mutex mutex_;
  uint64_t seed_ SG_GUARDED_BY(mutex_) = 0;
  unsigned next_number_ SG_GUARDED_BY(mutex_) = 1;
  std::vector<Entry> entries_ SG_GUARDED_BY(mutex_);
  std::vector<Deferred> deferred_ SG_GUARDED_BY(mutex_);
  std::deque<Firing> log_ SG_GUARDED_BY(mutex_);
  int64_t silent_until_ SG_GUARDED_BY(mutex_) = -1;
  using Site = std::tuple<FaultPoint, uint32_t, uint32_t>;
  std::optional<std::map<Site, uint64_t>> census_ SG_GUARDED_BY(mutex_);
};

}  // namespace softgen::faults
