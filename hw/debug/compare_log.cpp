// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/compare_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>

namespace softgen::debug {

namespace {

constexpr const char* names[] = {"cmp", "sub", "test"};

}  // namespace

std::vector<uint64_t> CompareLog::parse(std::string_view text) {
  std::vector<uint64_t> values;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
    if (error != std::errc() || end != word.data() + word.size())
      throw std::invalid_argument(fmt::format("coverage-compares: '{}' is no hexadecimal number of 64 bits", word));
    values.push_back(value);
    if (values.size() > max_values)
      throw std::invalid_argument(fmt::format("coverage-compares: there are more than {} values", max_values));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  std::ranges::sort(values);
  return values;
}

void CompareLog::begin(std::vector<uint64_t> values) {
  const MutexLock lock(mutex_);
  values_ = std::move(values);
  pairs_ = 0;
  for (Site& site : sites_) site.seen.clear();
}

std::vector<uint64_t> CompareLog::values() const {
  const MutexLock lock(mutex_);
  return values_;
}

CompareLog::Site* CompareLog::site(uint64_t address, std::span<const uint8_t> bytes) {
  const std::optional<CompareOperands> operands = compare_operands(bytes);
  if (!operands) return nullptr;
  const MutexLock lock(mutex_);
  const std::pair key(address, std::vector(bytes.begin(), bytes.end()));
  const auto found = by_code_.find(key);
  if (found != by_code_.end()) return found->second;
  if (sites_.size() >= max_sites) return nullptr;
  sites_.push_back({.address = address, .operands = *operands, .seen = {}});
  by_code_[key] = &sites_.back();
  return &sites_.back();
}

bool CompareLog::is_wanted(uint64_t operand, uint8_t bytes) const {
  const auto above = std::ranges::lower_bound(values_, operand);
  if (above != values_.end() && *above == operand) return true;
  if (bytes < 4) return false;
  if (above != values_.end() && *above >= near_from && *above - operand <= nearness) return true;
  return above != values_.begin() && *std::prev(above) >= near_from && operand - *std::prev(above) <= nearness;
}

void CompareLog::record(Site& site, uint64_t left, uint64_t right) {
  const CompareOperands& operands = site.operands;
  const uint64_t mask = operands.bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * operands.bytes) - 1;
  left &= mask;
  right = operands.right.kind == CompareOperands::Kind::immediate ? operands.right.value : right & mask;
  const MutexLock lock(mutex_);
  if (!is_wanted(left, operands.bytes) && !is_wanted(right, operands.bytes)) return;
  const std::pair pair(left, right);
  if (site.seen.size() >= max_pairs || pairs_ >= max_all_pairs || std::ranges::find(site.seen, pair) != site.seen.end()) return;
  site.seen.push_back(pair);
  ++pairs_;
}

std::string CompareLog::text() const {
  const MutexLock lock(mutex_);
  std::string text;
  for (const auto& [code, site] : by_code_)
    for (const auto& [left, right] : site->seen)
      fmt::format_to(std::back_inserter(text), "{:x} {} {} {:x} {:x}\n", site->address, site->operands.bytes,
                     names[static_cast<size_t>(site->operands.operation)], left, right);
  return text;
}

}  // namespace softgen::debug
