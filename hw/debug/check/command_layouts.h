// SPDX-License-Identifier: GPL-2.0-or-later
// The declarations of hw/defs, prepared for checks of every command: which bits no field covers, which fields are enumerations and addresses.
// And PIPE_CONTROL as the rules see it, the same for all generations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hw/defs/command.h"

namespace softgen::debug::check {

/// A field that stands in every packet of its command, or that the command set lacks: then it reads 0.
class Place {
 public:
  Place() = default;
  Place(const defs::Structure* layout, std::string_view name);
  uint64_t of(std::span<const uint32_t> dwords) const { return field_ ? defs::field_value(*field_, dwords) : 0; }
  bool there() const { return field_; }
  const defs::Field* field() const { return field_; }

 private:
  const defs::Field* field_ = nullptr;
};

/// A field and where its container starts, in bits.
struct PlacedField {
  const defs::Field* field;
  uint32_t first_bit;
};

struct CommandLayout {
  const defs::Command* command = nullptr;
  /// Bits that a field, the opcode or the length covers. Dwords behind these are not judged.
  std::vector<uint32_t> covered;
  size_t needed = 1;  ///< dwords with fields
  std::vector<PlacedField> enumerations, addresses;
  std::vector<PlacedField> cache_controls;  ///< memory object control state
};

/// The bits that rules ask of a PIPE_CONTROL.
struct PipeControl {
  enum Bit : uint32_t {
    flush_llc = 1u << 0,
    store_index = 1u << 1,
    cs_stall = 1u << 2,
    snapshot_reset = 1u << 3,
    invalidate_tlb = 1u << 4,
    clear_media_state = 1u << 5,
    depth_stall = 1u << 6,
    flush_color = 1u << 7,
    invalidate_instructions = 1u << 8,
    invalidate_textures = 1u << 9,
    disable_pointers = 1u << 10,
    flush_data = 1u << 11,  ///< the data cache or, where it is a flush of its own, HDC
    invalidate_vertices = 1u << 12,
    invalidate_constants = 1u << 13,
    invalidate_state = 1u << 14,
    scoreboard_stall = 1u << 15,
    flush_depth = 1u << 16,
    load_register = 1u << 17,
  };
  enum class Write : uint8_t { none, immediate, depth_count, timestamp };
  uint32_t bits = 0;
  Write write = Write::none;
  bool global = false;  ///< the write goes to the GGTT
  bool null = false;    ///< it asks for nothing
  uint64_t address = 0, data = 0;

  bool has(uint32_t all) const { return (bits & all) == all; }
  bool any(uint32_t some) const { return bits & some; }
  bool post_sync() const { return write != Write::none; }
};

/// Fields that ContextTrack follows.
struct TrackedFields {
  Place pipeline, pipeline_mask;
  Place color_calc_valid;
  Place fast_clear, resolve;    ///< of 3DSTATE_PS
  std::array<Place, 4> clears;  ///< of 3DSTATE_WM_HZ_OP
  Place arbitration;
  Place context, restore_inhibit;  ///< of MI_SET_CONTEXT
  struct Urb {
    Place start, size, entries;
  };
  std::array<Urb, 4> urb;               ///< VS, HS, DS, GS
  std::array<Place, 5> constant_space;  ///< and PS
  Place flush_write, flush_global, flush_address, flush_data;
  Place store_address, store_global, store_data;
};

class CommandLayouts {
 public:
  explicit CommandLayouts(const defs::CommandSet& set);

  const defs::CommandSet& set() const { return set_; }
  const CommandLayout& of(const defs::Command& command) const { return layouts_[static_cast<size_t>(&command - set_.commands.data())]; }
  PipeControl pipe_control(std::span<const uint32_t> dwords) const;
  const TrackedFields& tracked() const { return tracked_; }
  /// A field of a command or structure of the set.
  Place place(std::string_view layout, std::string_view field) const;

 private:
  void track();
  struct Flag {
    Place place;
    uint32_t bit;
  };
  const defs::CommandSet& set_;
  std::vector<CommandLayout> layouts_;  ///< as the set's commands
  std::vector<Flag> flags_;
  Place write_, global_, address_, data_;
  TrackedFields tracked_;
};

}  // namespace softgen::debug::check
