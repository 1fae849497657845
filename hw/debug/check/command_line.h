// SPDX-License-Identifier: GPL-2.0-or-later
// --check and its companions, the same for softgen-replay and softgen-run. Included by their main files only.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "hw/debug/check/options.h"

namespace softgen::debug::check {

struct CommandLine {
  std::string what;  ///< as parse_options() takes it; empty: no checker
  std::string json;  ///< file for the findings
  int status = 99;   ///< exit status where there are findings

  void add_to(CLI::App& app) {
    app.add_option("--check", what,
                   "report what the manual forbids or leaves undefined: [=commands,+RULE,-RULE,@SUPPRESSIONS], or =list (docs/rules.md)")
        ->type_name("[=WHAT]")
        ->check([](const std::string& text) -> std::string {
          try {
            parse_options(text);
            return {};
          } catch (const BadOption& bad) { return bad.what(); }
        });
    app.add_option("--check-json", json, "findings as JSON")->type_name("FILE");
    app.add_option("--check-exit", status, "exit status when there are findings")->capture_default_str()->check(CLI::Range(0, 255));
  }
};

/// Prints what `word` lists and exits, if it lists something.
inline void list_and_exit(const std::string& word) {
  if (word == "--check=list") std::fputs(list_of_rules().c_str(), stdout);
  else if (word == "--check=page") std::fputs(rules_page().c_str(), stdout);
  else return;
  std::exit(0);
}

/// `argv` with --check as --check=commands, so that it does not take the next word. Prints and exits for --check=list, and for --check=page, which
/// scripts/gen_rules.py reads.
inline std::vector<std::string> check_words(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto end = std::ranges::find(words, "--");
  std::replace(words.begin(), end, std::string("--check"), std::string("--check=commands"));
  std::for_each(words.begin(), end, list_and_exit);
  std::ranges::reverse(words);  // as CLI::App::parse() takes them
  return words;
}

}  // namespace softgen::debug::check
