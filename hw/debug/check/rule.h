// SPDX-License-Identifier: GPL-2.0-or-later
// What a rule of the checker is: a row with its words, and the small functions that look. hw/debug/rules has them, a file a class.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hw/debug/check/cache_controls.h"
#include "hw/debug/check/command_layouts.h"
#include "hw/debug/check/context_track.h"
#include "hw/debug/check/engine_track.h"
#include "hw/defs/platform.h"
#include "hw/defs/registers/registers.h"
#include "hw/iface/watch.h"

namespace softgen::debug::check {

enum class Severity : uint8_t {
  note,     ///< does nothing, or costs time
  warning,  ///< undefined by the manual
  error,    ///< hangs, or wrong results
};
const char* name_of(Severity severity);

/// What all rules may look at.
struct Chip {
  const defs::Platform& platform;
  const CommandLayouts& layouts;
  const CacheControls& cache_controls;
};

/// A command, before the tracks know of it.
struct PacketLook {
  const Chip& chip;
  const WatchedPacket& event;
  const EngineTrack& engine;
  const ContextTrack& context;
  const PipeControl* pipe_control;  ///< null: it is another command
  bool has_whitelist;               ///< the kernel has said which registers user batches may write

  std::span<const uint32_t> dwords() const { return event.packet.dwords; }
  defs::CommandId id() const { return event.packet.command->id; }
  const CommandLayout& layout() const { return chip.layouts.of(*event.packet.command); }
};

/// A list of contexts that software has written.
struct ListLook {
  const Chip& chip;
  EngineId engine;
  std::span<const WatchedContext> list;
  bool last_taken;  ///< the engine has taken the list before
};

/// A context that begins to run, or goes on with a new tail.
struct EntryLook {
  const Chip& chip;
  const WatchedEntry& entry;
  const ContextTrack& context;
  bool lite;          ///< it was running
  uint32_t old_tail;  ///< lite only
};

/// The running context has left its engine.
struct LeaveLook {
  const Chip& chip;
  EngineId engine;
  const ContextTrack& context;
  bool complete;
};

/// A register write through BAR0.
struct WriteLook {
  const Chip& chip;
  uint32_t offset, value;
  const HostTrack& host;
};

/// A register access through BAR0 that had no effect, since its power domain was off.
struct UnpoweredLook {
  const Chip& chip;
  uint32_t offset;
  bool write;
};

/// Takes what a rule finds. `detail` says what this case has of its own; it may be empty.
class Report {
 public:
  virtual void found(std::string detail = {}) = 0;

 protected:
  ~Report() = default;
};

/// Lists of parts of the platforms that submit lists of contexts.
inline constexpr const char* with_lists = "kbl icl tgl";

struct Rule {
  const char* id;
  Severity severity;
  const char* text;   ///< what is wrong, as a report's first line says
  const char* needs;  ///< what would be right
  const char* source;
  /// Names of platforms' lists of parts (defs::Platform::parts), each between spaces; null: all, so the rule also holds for commands in rings.
  const char* parts = with_lists;
  /// Why it must be asked for by name; null: it is on.
  const char* opt_in = nullptr;
  std::span<const defs::CommandId> commands = {};  ///< those that `packet` looks at; empty: all
  void (*packet)(const PacketLook& look, Report& report) = nullptr;
  void (*list)(const ListLook& look, Report& report) = nullptr;
  void (*entry)(const EntryLook& look, Report& report) = nullptr;
  void (*leave)(const LeaveLook& look, Report& report) = nullptr;
  void (*write)(const WriteLook& look, Report& report) = nullptr;
  void (*unpowered)(const UnpoweredLook& look, Report& report) = nullptr;
  bool stream = false;  ///< found by the checker itself: commands that are unknown or not there

  char class_letter() const { return id[0]; }
  bool applies_to(const defs::Platform& platform) const;
};

/// All rules, class by class.
std::span<const Rule* const> all_rules();
/// Null: none has this id.
const Rule* find_rule(std::string_view id);

}  // namespace softgen::debug::check
