// SPDX-License-Identifier: GPL-2.0-or-later
// Gives a checker commands by their names in hw/defs, as streamers would.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/debug/check/checker.h"

namespace softgen::debug::check {

class Feed {
 public:
  using Values = std::initializer_list<std::pair<std::string_view, uint64_t>>;

  explicit Feed(std::string_view platform = "kbl", std::string_view options = "");

  Checker& checker() { return checker_; }
  const defs::Platform& platform() const { return platform_; }
  /// Ids of the rules that have found something.
  std::set<std::string> found() const;

  /// The dwords of a command with these fields, in its defined length and `extra` dwords more. Of several fields of one name all are set.
  std::vector<uint32_t> dwords(std::string_view command, Values fields = {}, size_t extra = 0) const;
  /// The next command: by default in a user's batch of rcs.
  Feed& command(std::string_view name, Values fields = {});
  Feed& ring_command(std::string_view name, Values fields = {});
  Feed& words(std::string_view command, std::vector<uint32_t> dwords, unsigned level = 1,
              WatchedPacket::Outcome outcome = WatchedPacket::Outcome::executed);
  Feed& flush(Values fields) { return command("PIPE_CONTROL", fields); }
  Feed& draw() { return command("3DPRIMITIVE"); }
  Feed& walk() { return command("GPGPU_WALKER"); }
  Feed& select(uint64_t pipeline) { return command("PIPELINE_SELECT", {{"Mask Bits", 3}, {"Pipeline Selection", pipeline}}); }
  /// A context that was never saved begins to run.
  Feed& begin(uint32_t head = 0, uint32_t tail = 64);
  WatchedEntry entry(uint32_t head, uint32_t tail) const;

 private:
  const defs::Platform& platform_;
  Checker checker_;
  uint64_t address_ = 0x10000;
};

/// A rule, what it must report and what it must not.
struct RuleCase {
  const char* rule;
  void (*fires)(Feed& feed);
  void (*quiet)(Feed& feed);
  const char* platform = "kbl";
};
/// Runs both; the quiet one may not break the rule, the other one must.
void check_case(const RuleCase& rule_case);
/// All rules that have cases here.
std::set<std::string> rules_with_cases();

std::span<const RuleCase> encoding_cases();
std::span<const RuleCase> flush_cases();
std::span<const RuleCase> order_cases();
std::span<const RuleCase> submission_cases();

inline constexpr uint64_t gpgpu = 2, three_d = 0;

}  // namespace softgen::debug::check
