// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/coverage.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

#include "hw/debug/compare_operands.h"

namespace softgen::debug {

namespace {

uint64_t parse_address(std::string_view text, std::string_view whole) {
  const std::string_view digits = text.starts_with("0x") ? text.substr(2) : text;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size())
    throw std::invalid_argument(
        fmt::format("coverage: '{}' is no hexadecimal address of 64 bits (START-END+START-END is expected)", whole));
  return value;
}

Coverage::Range parse_range(std::string_view text) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos)
    throw std::invalid_argument(fmt::format("coverage: '{}' is no range (START-END+START-END is expected)", text));
  const Coverage::Range range{.start = parse_address(text.substr(0, dash), text), .end = parse_address(text.substr(dash + 1), text)};
  if (range.start >= range.end) throw std::invalid_argument(fmt::format("coverage: the range '{}' is empty", text));
  return range;
}

}  // namespace

std::vector<Coverage::Range> Coverage::parse(std::string_view text) {
  std::vector<Range> given;
  while (!text.empty()) {
    const size_t end = std::min(text.find('+'), text.size());
    given.push_back(parse_range(text.substr(0, end)));
    if (given.size() > max_ranges) throw std::invalid_argument(fmt::format("coverage: there are more than {} ranges", max_ranges));
    if (end + 1 == text.size()) throw std::invalid_argument("coverage: a range is missing after the last '+'");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::ranges::sort(given, {}, &Range::start);
  std::vector<Range> merged;
  for (const Range& range : given) {
    if (!merged.empty() && range.start <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, range.end);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

std::string Coverage::print(std::span<const Range> ranges) {
  std::string text;
  for (const Range& range : ranges)
    fmt::format_to(std::back_inserter(text), "{}{:x}-{:x}", text.empty() ? "" : "+", range.start, range.end);
  return text;
}

void Coverage::set_ranges(std::vector<Range> ranges) {
  const MutexLock lock(mutex_);
  ranges_ = std::move(ranges);
}

std::vector<Coverage::Range> Coverage::ranges() const {
  const MutexLock lock(mutex_);
  return ranges_;
}

bool Coverage::watched(uint64_t address) const {
  const auto after = std::ranges::upper_bound(ranges_, address, {}, &Range::start);
  return after != ranges_.begin() && address < std::prev(after)->end;
}

uint32_t Coverage::block(uint64_t start, uint32_t bytes) {
  const MutexLock lock(mutex_);
  translations_++;
  if (!watched(start)) return no_block;
  const auto found = indices_.find({start, bytes});
  if (found != indices_.end()) return found->second;
  if (indices_.size() >= max_blocks_) {
    dropped_++;
    return no_block;
  }
  const auto index = static_cast<uint32_t>(indices_.size());
  indices_.emplace(std::pair(start, bytes), index);
  return index;
}

uint32_t Coverage::count() const {
  const MutexLock lock(mutex_);
  return static_cast<uint32_t>(indices_.size());
}

void Coverage::instruction(std::span<const uint8_t> bytes) {
  const std::optional<uint32_t> constant = compared_constant(bytes);
  if (!constant) return;
  const MutexLock lock(mutex_);
  if (constants_.size() < max_constants) constants_.insert(*constant);
}

std::string Coverage::constants() const {
  const MutexLock lock(mutex_);
  std::string text;
  for (const uint32_t constant : constants_) fmt::format_to(std::back_inserter(text), "{:x}\n", constant);
  return text;
}

std::string Coverage::executed(std::span<const uint64_t> counts) const {
  const MutexLock lock(mutex_);
  std::string text;
  for (const auto& [place, index] : indices_) {
    if (index >= counts.size() || counts[index] == 0 || !watched(place.first)) continue;
    fmt::format_to(std::back_inserter(text), "{:x} {:x} {:x}\n", place.first, place.second, counts[index]);
  }
  return text;
}

std::string Coverage::state() const {
  const MutexLock lock(mutex_);
  return fmt::format(R"({{"ranges": "{}", "blocks": {}, "dropped": {}, "translations": {}}})", print(ranges_), indices_.size(), dropped_,
                     translations_);
}

}  // namespace softgen::debug
