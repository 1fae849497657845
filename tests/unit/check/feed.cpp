// SPDX-License-Identifier: GPL-2.0-or-later
#include "feed.h"

#include <algorithm>

#include "tests/catch.h"

namespace softgen::debug::check {
namespace {

void set(std::vector<uint32_t>& dwords, const defs::Field& field, uint64_t value) {
  if (field.in_place()) value >>= field.start % 32;
  for (unsigned i = 0; i < field.width() && i < 64; ++i)
    if (value >> i & 1) dwords.at((field.start + i) / 32) |= 1u << (field.start + i) % 32;
}

}  // namespace

Feed::Feed(std::string_view platform, std::string_view options)
    : platform_(*defs::find_platform(platform)), checker_(platform_, parse_options(options), {}) {}

std::set<std::string> Feed::found() const {
  std::set<std::string> rules;
  const auto report = checker_.findings().json();
  for (const auto& finding : report["findings"]) rules.insert(finding["rule"].get<std::string>());
  return rules;
}

std::vector<uint32_t> Feed::dwords(std::string_view name, Values fields, size_t extra) const {
  const defs::Command* command = platform_.commands->find(name);
  INFO(name);
  REQUIRE(command);
  std::vector<uint32_t> dwords(std::max<size_t>(command->dwords, 1) + extra);
  dwords[0] = command->match;
  if (command->length_high && dwords.size() > 1) dwords[0] |= static_cast<uint32_t>(dwords.size() - 2) << command->length_low;
  for (const auto& [field_name, value] : fields) {
    bool known = false;
    for (const defs::Field& field : command->fields)
      if (field_name == field.name) set(dwords, field, value), known = true;
    INFO(field_name);
    REQUIRE(known);
  }
  return dwords;
}

Feed& Feed::words(std::string_view name, std::vector<uint32_t> dwords, unsigned level, WatchedPacket::Outcome outcome) {
  const Packet packet{address_, platform_.commands->find(name), dwords};
  address_ += dwords.size() * 4;
  checker_.packet({EngineId::rcs, packet, level, level == 0, outcome});
  return *this;
}

Feed& Feed::command(std::string_view name, Values fields) { return words(name, dwords(name, fields)); }
Feed& Feed::ring_command(std::string_view name, Values fields) { return words(name, dwords(name, fields), 0); }

WatchedEntry Feed::entry(uint32_t head, uint32_t tail) const {
  return {.engine = EngineId::rcs,
          .context = {0x1000 | reg::field::RING_ELSP_VALID.mask(), 1},
          .address = 0x1000,
          .head = head,
          .tail = tail,
          .ring_size = 0x4000,
          .blank = false,
          .raw_tail = tail};
}

Feed& Feed::begin(uint32_t head, uint32_t tail) {
  WatchedEntry fresh = entry(head, tail);
  fresh.blank = true;
  checker_.context_entered(fresh);
  return *this;
}

void check_case(const RuleCase& rule_case) {
  INFO(rule_case.rule << " on " << rule_case.platform);
  const std::string ask = std::string("+") + rule_case.rule;
  Feed broken(rule_case.platform, ask), kept(rule_case.platform, ask);
  rule_case.fires(broken);
  rule_case.quiet(kept);
  CHECK(broken.found().contains(rule_case.rule));
  CHECK_FALSE(kept.found().contains(rule_case.rule));
}

std::set<std::string> rules_with_cases() {
  std::set<std::string> rules;
  for (const auto& cases : {encoding_cases(), flush_cases(), order_cases(), submission_cases()})
    for (const RuleCase& rule_case : cases) rules.insert(rule_case.rule);
  return rules;
}

}  // namespace softgen::debug::check
