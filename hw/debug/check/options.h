// SPDX-License-Identifier: GPL-2.0-or-later
// What --check=… and the device's property ask for: "commands", "+RULE", "-RULE", "@FILE" (suppressions), separated by commas.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hw/debug/check/rule.h"

namespace softgen::debug::check {

/// One sentence.
struct BadOption : std::runtime_error {
  using runtime_error::runtime_error;
};

/// What a user knows of and does not want to see. Empty parts match all.
struct Suppression {
  std::string rule, command, engine;
  std::string reason;
  std::string place;  ///< "FILE:LINE", for messages
};

struct Options {
  std::vector<std::string> with, without;  ///< ids of rules, or letters of classes
  std::vector<Suppression> suppressions;

  bool wants(const Rule& rule) const;
};

/// Throws BadOption.
Options parse_options(std::string_view text);
/// `text` with absolute paths of suppressions, for a process that may change its directory.
std::string with_absolute_paths(std::string_view text);
/// Lines "RULE [command=NAME] [engine=NAME] # reason"; empty lines and those that begin with # count for nothing.
std::vector<Suppression> read_suppressions(const std::string& path);
/// All rules, one line each.
std::string list_of_rules();
/// docs/rules.md.
std::string rules_page();

}  // namespace softgen::debug::check
