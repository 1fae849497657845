// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/faults/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "hw/faults/names.h"

namespace softgen::faults {

namespace {

constexpr std::string_view spaces = " \t\r";

struct Word {
  std::string_view text;
  size_t column;  ///< from 1
};

std::string_view without_comment(std::string_view text) { return text.substr(0, text.find('#')); }

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (size_t at = 0; (at = text.find_first_not_of(spaces, at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(spaces, at), text.size());
    words.push_back({text.substr(at, end - at), at + 1});
    at = end;
  }
  return words;
}

template <typename T>
std::string names_of(std::span<const T> rows) {
  std::string names;
  for (const T& row : rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

/// Reads the words of one line.
class Reader {
 public:
  Reader(std::string_view text, unsigned number, const defs::Platform& platform)
      : words_(words_of(text)), end_{{}, text.size() + 1}, number_(number), platform_(platform) {}

  Line line();

 private:
  struct Unit {
    std::string_view name;
    int64_t ns;
  };
  static constexpr Unit units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}};

  [[noreturn]] void refuse(size_t column, const std::string& what) const {
    throw PlanError(fmt::format("line {}, column {}: {}", number_, column, what));
  }
  [[noreturn]] void expected(const Word& at, const std::string& what) const {
    refuse(at.column, fmt::format("expected {}, found {}", what, at.text.empty() ? "the end of the line" : fmt::format("'{}'", at.text)));
  }
  const Word& peek() const { return next_ < words_.size() ? words_[next_] : end_; }
  Word take() {
    const Word word = peek();
    next_ += next_ < words_.size();
    return word;
  }
  bool done() const { return next_ == words_.size(); }
  void expect_end() const {
    if (!done()) expected(peek(), "the end of the line");
  }

  /// Calls `name`, whose std::invalid_argument is about `word`.
  template <typename F>
  auto at(const Word& word, F&& name) const {
    try {
      return std::forward<F>(name)();
    } catch (const std::invalid_argument& wrong) { refuse(word.column, wrong.what()); }
  }

  uint64_t number(const Word& word, uint64_t limit, const char* what = "a number") const;
  int64_t duration(const Word& word) const;
  uint64_t chance(const Word& word) const;
  Rule rule();
  void read_key(Rule& rule, const PointRow& point);
  void read_condition(Rule& rule, const PointRow& point, std::string_view key, const Word& key_word, const Word& value);
  void read_action(Rule& rule, const PointRow& point);
  void read_duration(Rule& rule);

  const std::vector<Word> words_;
  const Word end_;
  size_t next_ = 0;
  const unsigned number_;
  const defs::Platform& platform_;
};

uint64_t Reader::number(const Word& word, uint64_t limit, const char* what) const {
  const bool hex = word.text.starts_with("0x");
  const std::string_view digits = hex ? word.text.substr(2) : word.text;
  uint64_t value = 0;
  const auto [end, why] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (why == std::errc::result_out_of_range || (why == std::errc() && value > limit))
    refuse(word.column, fmt::format("expected at most {:#x}, found '{}'", limit, word.text));
  if (why != std::errc() || end != digits.data() + digits.size()) expected(word, what);
  return value;
}

int64_t Reader::duration(const Word& word) const {
  const size_t digits = std::min(word.text.find_first_not_of("0123456789"), word.text.size());
  const auto unit = std::ranges::find(units, word.text.substr(digits), &Unit::name);
  if (digits == 0 || unit == std::end(units)) expected(word, "a time with its unit (ns, us, ms, s, m)");
  const uint64_t count = number({word.text.substr(0, digits), word.column}, static_cast<uint64_t>(longest_ns / unit->ns));
  return static_cast<int64_t>(count) * unit->ns;
}

uint64_t Reader::chance(const Word& word) const {
  double p = 0;
  const auto [end, why] = std::from_chars(word.text.data(), word.text.data() + word.text.size(), p);
  if (why != std::errc() || end != word.text.data() + word.text.size() || !(p > 0 && p <= 1))
    expected(word, "a probability above 0, up to 1");
  return static_cast<uint64_t>(std::ldexp(p, 53));
}

Line Reader::line() {
  if (done()) return {};
  const Word word = take();
  if (word.text == "seed") {
    Line line{.seed = number(take(), ~uint64_t{0})};
    expect_end();
    return line;
  }
  if (word.text != "on") expected(word, "'on' or 'seed'");
  return {.rule = rule()};
}

Rule Reader::rule() {
  Rule rule;
  const Word name = take();
  const auto point = std::ranges::find(points(), name.text, &PointRow::name);
  if (point == points().end()) expected(name, fmt::format("a point ({})", names_of(points())));
  rule.point = point->point;
  if (point->has_register) {
    const Word place = take();
    if (place.text.empty()) expected(place, "a register");
    rule.what = at(place, [&] { return register_named(place.text, platform_); });
  }
  while (peek().text != "do") {
    if (done()) expected(peek(), "a key or 'do'");
    read_key(rule, *point);
  }
  take();
  read_action(rule, *point);
  expect_end();
  if (rule.action == FaultAction::raise && !rule.period_ns) refuse(name.column, "'raise' needs every=TIME: the plan is its cause");
  if (rule.period_ns && rule.action != FaultAction::raise && rule.action != FaultAction::spurious)
    refuse(name.column, "every=TIME is for 'raise' and 'spurious'");
  if (rule.point == FaultPoint::interrupt && rule.action == FaultAction::raise && (rule.what.mask == 0 || rule.unit.mask == 0) &&
      rule.what.value < source(Source::aux))
    refuse(name.column, "'raise' needs one source=");
  return rule;
}

void Reader::read_key(Rule& rule, const PointRow& point) {
  const Word word = take();
  const size_t equals = word.text.find('=');
  if (equals == std::string_view::npos) expected(word, "KEY=VALUE or 'do'");
  const std::string_view key = word.text.substr(0, equals);
  const Word value{word.text.substr(equals + 1), word.column + equals + 1};
  for (const auto& [row, match] : {std::pair(&point.unit, &rule.unit), std::pair(&point.what, &rule.what)}) {
    if (row->kind == KeyKind::none || key != row->name) continue;
    if (row->kind == KeyKind::source) {
      const SourceMatch found = at(value, [&] { return source_named(value.text, platform_); });
      rule.unit = found.unit, rule.what = found.what;
    } else if (row->kind == KeyKind::number) {
      *match = {static_cast<uint32_t>(number(value, 0xffff'ffff)), ~0u};
    } else {
      *match = {at(value, [&, kind = row->kind] { return unit_named(kind, value.text, platform_); }), ~0u};
    }
    return;
  }
  read_condition(rule, point, key, word, value);
}

void Reader::read_condition(Rule& rule, const PointRow& point, std::string_view key, const Word& key_word, const Word& value) {
  if (key == "nth") {
    rule.first = std::max<uint64_t>(number(value, ~uint64_t{0}), 1);
    if (!rule.times) rule.times = 1;
  } else if (key == "times") {
    rule.times = number(value, ~uint64_t{0});
  } else if (key == "p") {
    rule.chance = chance(value);
  } else if (key == "from") {
    rule.from_ns = duration(value);
  } else if (key == "for") {
    rule.length_ns = duration(value);
  } else if (key == "every" && point.pulses) {
    rule.period_ns = duration(value);
    if (rule.period_ns < shortest_period_ns) expected(value, fmt::format("at least {}us", shortest_period_ns / 1000));
  } else {
    std::string own;
    for (const KeyRow* row : {&point.unit, &point.what})
      if (row->kind != KeyKind::none) own += fmt::format("{}=, ", row->name);
    if (point.pulses) own += "every=, ";
    expected(key_word, fmt::format("a key of {} ({}nth=, times=, p=, from=, for=) or 'do'", point.name, own));
  }
}

void Reader::read_action(Rule& rule, const PointRow& point) {
  const Word word = take();
  // `value=0xff` is the same as `value 0xff`.
  const size_t equals = word.text.find('=');
  const auto row = std::ranges::find(point.actions, word.text.substr(0, equals), &ActionRow::name);
  const bool joined = equals != std::string_view::npos;
  if (row == point.actions.end() || (joined && row->argument != ArgumentKind::number))
    expected(word, fmt::format("an action of {} ({})", point.name, names_of(point.actions)));
  rule.action = row->action;
  switch (row->argument) {
    case ArgumentKind::alone: return;
    case ArgumentKind::number:
      rule.value = number(joined ? Word{word.text.substr(equals + 1), word.column + equals + 1} : take(), row->limit);
      return;
    case ArgumentKind::bits: {
      rule.value = 1;
      if (done()) return;
      const Word bits = take();
      if (!bits.text.starts_with("bits=")) expected(bits, "bits=COUNT");
      rule.value = number({bits.text.substr(5), bits.column + 5}, row->limit);
      return;
    }
    case ArgumentKind::optional_duration:
      rule.shortest_ns = rule.longest_ns = longest_ns;
      if (!done()) read_duration(rule);
      return;
    case ArgumentKind::duration: return read_duration(rule);
  }
}

// `5ms`, or `1ms..20ms`: each time another one between them.
void Reader::read_duration(Rule& rule) {
  const Word word = take();
  const size_t dots = word.text.find("..");
  if (dots == std::string_view::npos) {
    rule.shortest_ns = rule.longest_ns = duration(word);
    return;
  }
  rule.shortest_ns = duration({word.text.substr(0, dots), word.column});
  const Word longest{word.text.substr(dots + 2), word.column + dots + 2};
  rule.longest_ns = duration(longest);
  if (rule.longest_ns < rule.shortest_ns) expected(longest, "a time that is not shorter");
}

}  // namespace

Line parse_line(std::string_view text, unsigned number, const defs::Platform& platform) {
  text = without_comment(text);
  Line line = Reader(text, number, platform).line();
  if (!line.rule) return line;
  const size_t first = text.find_first_not_of(spaces), last = text.find_last_not_of(spaces);
  line.rule->text = text.substr(first, last + 1 - first);
  return line;
}

}  // namespace softgen::faults
