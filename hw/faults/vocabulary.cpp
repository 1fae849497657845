// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/faults/vocabulary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace softgen::faults {

namespace {

using Json = nlohmann::ordered_json;

const char* argument_name(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::alone: return "none";
    case ArgumentKind::number: return "number";
    case ArgumentKind::bits: return "bits";
    case ArgumentKind::duration: return "duration";
    case ArgumentKind::optional_duration: return "optional";
  }
  return "none";
}

Json sources(const defs::Platform& platform) {
  Json names = Json::array({"gmbus", "guc", "hotplug", "aux"});
  for (unsigned i = 0; i < engine_count; ++i) {
    if (!platform.has(static_cast<EngineId>(i))) continue;
    for (const EventRow& event : engine_events()) names.push_back(fmt::format("{}.{}", name_of(static_cast<EngineId>(i)), event.name));
  }
  for (unsigned pipe = 0; pipe < platform.pipes; ++pipe)
    for (const EventRow& event : pipe_events()) names.push_back(fmt::format("pipe-{}.{}", static_cast<char>('A' + pipe), event.name));
  return names;
}

/// An empty list: any number.
Json values_of(KeyKind kind, const defs::Platform& platform) {
  Json values = Json::array();
  switch (kind) {
    case KeyKind::engine:
      for (unsigned i = 0; i < engine_count; ++i)
        if (platform.has(static_cast<EngineId>(i))) values.push_back(name_of(static_cast<EngineId>(i)));
      break;
    case KeyKind::pipe:
      for (unsigned pipe = 0; pipe < platform.pipes; ++pipe) values.push_back(std::string(1, static_cast<char>('A' + pipe)));
      break;
    case KeyKind::connector:
      for (unsigned i = 0; i < platform.board.ddc.size(); ++i) values.push_back(fmt::format("{}", i));
      break;
    case KeyKind::source: return sources(platform);
    case KeyKind::domain: return {"commands", "status"};
    case KeyKind::number:
    case KeyKind::none: break;
  }
  return values;
}

Json point_of(const PointRow& row, const defs::Platform& platform) {
  Json keys = Json::object(), actions = Json::array();
  for (const KeyRow* key : {&row.unit, &row.what})
    if (key->name) keys[key->name] = values_of(key->kind, platform);
  for (const ActionRow& action : row.actions)
    actions.push_back({{"name", action.name}, {"argument", argument_name(action.argument)}, {"limit", action.limit}});
  return {{"name", row.name}, {"register", row.has_register}, {"pulses", row.pulses}, {"keys", keys}, {"actions", actions}};
}

}  // namespace

std::string vocabulary(const defs::Platform& platform) {
  Json all{{"points", Json::array()}, {"registers", Json::object()}};
  for (const PointRow& row : points()) all["points"].push_back(point_of(row, platform));
  const defs::RegisterSet& set = *platform.registers;
  for (const defs::RegisterPlace& place : set.singles) {
    Json fields = Json::array();
    for (const defs::RegisterField& field : set.rows[place.row].fields) fields.push_back({field.high, field.low});
    all["registers"][set.name_of(place.offset)] = std::move(fields);
  }
  return all.dump();
}

std::string census_text(const std::vector<SiteCount>& sites) {
  Json all = Json::array();
  for (const SiteCount& site : sites) all.push_back({{"point", site.point}, {"where", site.where}, {"count", site.count}});
  return all.dump();
}

}  // namespace softgen::faults
