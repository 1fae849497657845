// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <charconv>
#include <tuple>
#include <vector>

#include "hw/debug/rules/rules.h"

namespace softgen::debug::check {
namespace {

/// A letter and a number, in this order; what follows the number is compared as text.
bool comes_before(const Rule* a, const Rule* b) {
  const auto parts = [](std::string_view id) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(id.data() + 1, id.data() + id.size(), number);
    const std::string_view rest(end, static_cast<size_t>(id.data() + id.size() - end));
    return std::tuple<char, unsigned, std::string_view>(id[0], number, rest);
  };
  return parts(a->id) < parts(b->id);
}

std::vector<const Rule*> collect() {
  std::vector<const Rule*> all;
  for (const auto& rules : {encoding_rules(), flush_rules(), order_rules(), submission_rules()})
    for (const Rule& rule : rules) all.push_back(&rule);
  std::ranges::sort(all, comes_before);
  return all;
}

}  // namespace

std::span<const Rule* const> all_rules() {
  static const std::vector<const Rule*> all = collect();
  return all;
}

const Rule* find_rule(std::string_view id) {
  const auto found = std::ranges::find_if(all_rules(), [&](const Rule* rule) { return id == rule->id; });
  return found == all_rules().end() ? nullptr : *found;
}

}  // namespace softgen::debug::check
