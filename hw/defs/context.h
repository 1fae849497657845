// SPDX-License-Identifier: GPL-2.0-or-later
// Layouts of logical ring context images: hw/defs/gen*/context.def (syntax: docs/defs.md), turned into rows by scripts/gen_context.py.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "hw/defs/engine.h"

namespace softgen::defs {

enum class CommandId : uint16_t;  // hw/defs/ids.h

constexpr uint32_t context_page = 0x1000;  ///< bytes; page 0 is the per-process hardware status page, page 1 has the registers

/// What a restore does with a slot's value, and a save writes to it.
enum class ContextLoad : uint8_t {
  value,    ///< as is
  masked,   ///< a masked write; saved with all mask bits set
  batch,    ///< as is: a batch's address, whose valid bit a restore clears in the image
  counter,  ///< the register runs on from the value
  never,    ///< saved only
};

struct ContextSlot {
  uint16_t dword;  ///< of the register's offset in page 1; its value is the next dword
  uint16_t reg;    ///< relative to the engine's base
  ContextLoad load;
};

/// One MI_LOAD_REGISTER_IMM.
struct ContextList {
  uint16_t header;  ///< dword
  uint16_t count;   ///< registers
  bool force_posted;
};

/// Where lists of the registers without a slot stand: first `named`, then those that have found no place yet, as far as there is room.
struct ContextSpace {
  uint16_t first, end;              ///< dwords; the first list's header is at `first`
  uint32_t below;                   ///< registers that are not named: only those below this offset
  std::span<const uint32_t> named;  ///< offsets in BAR0
};

/// Where a state packet stands: header first, and MI_NOOPs up to the next place. One that names its element has room for all elements.
struct ContextPacket {
  uint16_t first, dwords;
  CommandId command;
};

/// The images of one engine class: their size, and page 1.
struct ContextLayout {
  uint16_t pages;              ///< of the whole image
  uint16_t ring_dwords;        ///< of the ring context, which is loaded always; the rest is the engine context
  uint16_t documented_dwords;  ///< up to the end of the documented lists
  uint16_t list_dwords;        ///< that lists may take: all of the page, or up to where the engine's own state begins
  bool relative;               ///< saved lists say that their offsets are relative to the engine's base
  std::span<const ContextList> lists;
  std::span<const ContextSlot> slots;  ///< of all lists, sorted by dword
  std::span<const ContextSpace> spaces;
  std::span<const ContextPacket> packets = {};  ///< sorted by dword; none: all state is in the engine's own block

  /// The dword with the value of a register that has a slot (an offset from the engine's base: reg::RING_TAIL).
  constexpr uint32_t value_dword(uint32_t reg) const { return std::ranges::find(slots, reg, &ContextSlot::reg)->dword + 1u; }
  constexpr bool has_slot(uint32_t reg) const { return std::ranges::find(slots, reg, &ContextSlot::reg) != slots.end(); }
};

/// The context images of one generation.
struct ContextImages {
  std::span<const ContextLayout> layouts;  ///< by EngineClass; behind them that of the position-only streamer, where there is one
  const ContextLayout& of(EngineClass engine) const { return layouts[static_cast<size_t>(engine)]; }
  const ContextLayout& of(EngineId engine) const { return engine == EngineId::pocs ? layouts.back() : of(class_of(engine)); }
};

namespace gen5 {
/// Streamers run rings alone: there are no images of execlists, and the layouts have no registers.
inline constexpr std::array<ContextLayout, 4> no_layouts{};  // by EngineClass
inline constexpr ContextImages context_images{no_layouts};
}  // namespace gen5
namespace gen9 {
extern const ContextImages context_images;
}
namespace gen11 {
extern const ContextImages context_images;
}
namespace gen12 {
extern const ContextImages context_images;
}

}  // namespace softgen::defs
