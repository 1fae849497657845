// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/faults/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace softgen::faults {

namespace {

constexpr uint32_t everything = ~0u;
constexpr std::string_view pipe_letters = "abcd";

[[noreturn]] void refuse(const std::string& sentence) { throw std::invalid_argument(sentence); }

std::string engine_names(const defs::Platform& platform) {
  std::string names;
  for (unsigned i = 0; i < engine_count; ++i)
    if (const auto id = static_cast<EngineId>(i); platform.has(id)) names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(id));
  return names;
}

uint32_t engine_named(std::string_view name, const defs::Platform& platform) {
  for (unsigned i = 0; i < engine_count; ++i)
    if (const auto id = static_cast<EngineId>(i); platform.has(id) && name == name_of(id)) return i;
  refuse(fmt::format("expected an engine ({}), found '{}'", engine_names(platform), name));
}

uint32_t pipe_named(std::string_view name, const defs::Platform& platform) {
  const size_t index = name.size() == 1 ? pipe_letters.find(static_cast<char>(name[0] | 0x20)) : std::string_view::npos;
  if (index < platform.pipes) return static_cast<uint32_t>(index);
  refuse(fmt::format("expected a pipe (A to {}), found '{}'", static_cast<char>('A' + platform.pipes - 1), name));
}

/// FaultSite::unit is a connector's GMBUS pin pair.
uint32_t connector_named(std::string_view name, const defs::Platform& platform) {
  unsigned index = 0;
  const auto [end, why] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (why == std::errc() && end == name.data() + name.size() && index < platform.board.ddc.size()) return platform.board.ddc[index].pin;
  refuse(fmt::format("expected a connector (0 to {}), found '{}'", platform.board.ddc.size() - 1, name));
}

std::string event_names(std::span<const EventRow> events) {
  std::string names;
  for (const EventRow& row : events) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

uint32_t event_named(std::span<const EventRow> events, std::string_view name) {
  const auto found = std::ranges::find(events, name, &EventRow::name);
  if (found == events.end()) refuse(fmt::format("expected an event ({}), found '{}'", event_names(events), name));
  return found->bit;
}

size_t common_prefix(std::string_view a, std::string_view b) { return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin()); }

}  // namespace

Match register_named(std::string_view name, const defs::Platform& platform) {
  if (name == "*") return {};
  const defs::RegisterSet& set = *platform.registers;
  if (name.starts_with("0x")) {
    uint32_t offset = 0;
    const auto [end, why] = std::from_chars(name.data() + 2, name.data() + name.size(), offset, 16);
    if (why == std::errc() && end == name.data() + name.size() && offset < platform.bar0_size / 2 && offset % 4 == 0)
      return {offset, everything};
    refuse(fmt::format("expected the offset of a dword below {:#x}, found '{}'", platform.bar0_size / 2, name));
  }
  std::string nearest;
  size_t near = 0;
  for (const defs::RegisterPlace& place : set.singles) {
    const std::string known = set.name_of(place.offset);
    if (known == name) return {place.offset, everything};
    if (const size_t same = common_prefix(known, name); same > near) near = same, nearest = known;
  }
  for (const defs::RegisterPlace& place : set.blocks) {
    const defs::Register& row = set.rows[place.row];
    if (!name.starts_with(row.name)) continue;
    for (uint32_t offset = place.offset; offset < place.offset + row.block; offset += 4)
      if (set.name_of(offset) == name) return {offset, everything};
  }
  refuse(fmt::format("expected a register, found '{}'{}", name, nearest.empty() ? "" : fmt::format(" (there is {})", nearest)));
}

SourceMatch source_named(std::string_view name, const defs::Platform& platform) {
  const auto alone = [](Source kind) { return SourceMatch{{}, {source(kind), everything}}; };
  if (name == "gmbus") return alone(Source::gmbus);
  if (name == "guc") return alone(Source::guc);
  if (name == "hotplug") return alone(Source::hot_plug);
  if (name == "aux") return alone(Source::aux);
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos)
    refuse(fmt::format("expected an interrupt (ENGINE.EVENT, pipe-A.EVENT, gmbus, guc, hotplug, aux), found '{}'", name));
  const std::string_view unit = name.substr(0, dot), event = name.substr(dot + 1);
  if (unit.starts_with("pipe-"))
    return {{pipe_named(unit.substr(5), platform), everything}, {source(Source::pipe, event_named(pipe_events(), event)), everything}};
  const Match engine = unit == "*" ? Match{} : Match{engine_named(unit, platform), everything};
  return {engine, {source(Source::engine, event_named(engine_events(), event)), everything}};
}

uint32_t unit_named(KeyKind kind, std::string_view name, const defs::Platform& platform) {
  switch (kind) {
    case KeyKind::engine: return engine_named(name, platform);
    case KeyKind::pipe: return pipe_named(name, platform);
    case KeyKind::connector: return connector_named(name, platform);
    case KeyKind::domain:
      if (name == "commands") return static_cast<uint32_t>(Domain::commands);
      if (name == "status") return static_cast<uint32_t>(Domain::status);
      refuse(fmt::format("expected a domain (commands, status), found '{}'", name));
    default: refuse(fmt::format("'{}' names no unit", name));
  }
}

namespace {

std::string event_text(std::span<const EventRow> events, uint32_t bit) {
  for (const EventRow& row : events)
    if (row.bit == bit) return row.name;
  return fmt::format("{:#x}", bit);
}

std::string source_text(const FaultSite& site) {
  const uint32_t event = site.what & source(Source::engine, source_events);
  switch (static_cast<Source>(site.what >> source_shift)) {
    case Source::engine:
      return fmt::format("source={}.{}", site.unit < engine_count ? name_of(static_cast<EngineId>(site.unit)) : "?",
                         event_text(engine_events(), event));
    case Source::pipe: return fmt::format("source=pipe-{}.{}", static_cast<char>('a' + site.unit % 26), event_text(pipe_events(), event));
    case Source::aux: return "source=aux";
    case Source::gmbus: return "source=gmbus";
    case Source::guc: return "source=guc";
    case Source::hot_plug: return "source=hotplug";
  }
  return {};
}

std::string key_text(const KeyRow& key, uint32_t value, const FaultSite& site, const defs::Platform& platform) {
  switch (key.kind) {
    case KeyKind::none: return {};
    case KeyKind::source: return source_text(site);
    case KeyKind::engine:
      return value < engine_count ? fmt::format("engine={}", name_of(static_cast<EngineId>(value))) : std::string("engine=?");
    case KeyKind::pipe: return fmt::format("pipe={}", static_cast<char>('A' + value % 26));
    case KeyKind::domain: return value == static_cast<uint32_t>(Domain::status) ? "domain=status" : "domain=commands";
    case KeyKind::number: return fmt::format("{}={:#x}", key.name, value);
    case KeyKind::connector: break;
  }
  for (size_t i = 0; i < platform.board.ddc.size(); ++i)
    if (platform.board.ddc[i].pin == value) return fmt::format("connector={}", i);
  return fmt::format("pin {}", value);
}

}  // namespace

std::string describe(const FaultSite& site, const defs::Platform& platform) {
  const PointRow& row = row_of(site.point);
  if (row.has_register) return platform.registers->name_of(site.what);
  const std::string unit = key_text(row.unit, site.unit, site, platform), what = key_text(row.what, site.what, site, platform);
  return unit + (unit.empty() || what.empty() ? "" : " ") + what;
}

}  // namespace softgen::faults
