// SPDX-License-Identifier: GPL-2.0-or-later
// The words of fault plans: points, their keys, their actions. The language and docs/faults.md follow from these tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hw/iface/faults.h"

namespace softgen::faults {

/// What a key's value names.
enum class KeyKind : uint8_t { none, engine, pipe, connector, source, number, domain };

struct KeyRow {
  const char* name = nullptr;
  KeyKind kind = KeyKind::none;
};

/// What follows an action's name.
enum class ArgumentKind : uint8_t { alone, number, bits, duration, optional_duration };

struct ActionRow {
  const char* name;
  FaultAction action;
  ArgumentKind argument = ArgumentKind::alone;
  /// The most that a number may be.
  uint64_t limit = ~uint64_t{0};
};

struct PointRow {
  const char* name;
  FaultPoint point;
  bool has_register;  ///< a register's name follows the point's
  KeyRow unit, what;  ///< the keys for FaultSite::unit and what
  bool pulses;        ///< `every` is possible: the plan itself is the cause
  std::span<const ActionRow> actions;
};

/// By FaultPoint.
std::span<const PointRow> points();
const PointRow& row_of(FaultPoint point);

/// FaultSite::what of an interrupt: its kind and number. FaultSite::unit: the engine or pipe.
enum class Source : uint8_t { engine, pipe, aux, gmbus, guc, hot_plug };
constexpr unsigned source_shift = 24;
constexpr uint32_t source_events = (1u << source_shift) - 1;
constexpr uint32_t source(Source kind, uint32_t event = 0) { return static_cast<uint32_t>(kind) << source_shift | event; }

/// A name of an interrupt's event: the part behind the dot of `rcs.user` and `pipe-a.blank`.
struct EventRow {
  const char* name;
  uint32_t bit;  ///< of mmio::EngineEvents or PipeEvents
};
std::span<const EventRow> engine_events();
std::span<const EventRow> pipe_events();

/// FaultSite::what of a memory write.
enum class Domain : uint32_t { commands, status };

/// Limits of what a plan may ask for.
constexpr int64_t shortest_period_ns = 100'000, longest_ns = 3'600'000'000'000;
constexpr uint64_t max_bits = 64;

}  // namespace softgen::faults
