// SPDX-License-Identifier: GPL-2.0-or-later
// Run-time form of what hw/defs/<set>/*.def declare: commands, state structures and enumerations as tables that the streamers, the
// printer and the checker walk. A platform names its set (hw/defs/platform.h). The typed form (one struct per command) is generated next to
// it: hw/defs/gen9/<unit>.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hw/defs/engine.h"

namespace softgen::defs {

enum class FieldType : uint8_t {
  uint,
  sint,
  boolean,
  float32,
  fixed,        ///< fraction_bits; two's complement when is_signed
  enumeration,  ///< Field::enumeration
  address,      ///< byte address with its low bits left out of the field: the bits stand in place
  offset,       ///< as address, but from Field::base
  structure,    ///< Field::structure
  must_be_zero,
};

/// What an offset counts from: a base of STATE_BASE_ADDRESS, or the register file.
enum class Base : uint8_t { none, general, surface, dynamic, instruction, indirect, mmio };

/// What an address or offset leads to.
enum class Target : uint8_t { none, structure, kernel, batch, data };

struct EnumValue {
  uint32_t value;
  const char* name;
};

struct Enumeration {
  const char* name;
  std::span<const EnumValue> values;
  /// Null when the value has no name. Of several names the first declared.
  const char* name_of(uint64_t value) const;
};

struct Structure;

/// Bits [start, end] counted from bit 0 of the first dword of the container (command, structure, or one element of a group).
struct Field {
  const char* name;
  uint16_t start;
  uint16_t end;
  FieldType type;
  uint8_t fraction_bits = 0;
  bool is_signed = false;
  Base base = Base::none;
  Target target = Target::none;
  const Enumeration* enumeration = nullptr;
  const Structure* structure = nullptr;  ///< of FieldType::structure, or what Target::structure leads to

  constexpr unsigned width() const { return end - start + 1u; }
  /// Address and offset fields keep their bits where they stand in the dword.
  constexpr bool in_place() const { return type == FieldType::address || type == FieldType::offset; }
};

/// Fields that repeat. Element i starts at bit start + i * size; count 0: as many whole elements as the packet has room for.
struct Group {
  uint16_t start;
  uint16_t size;
  uint16_t count;
  std::span<const Field> fields;

  /// Elements in a container of `dwords`.
  uint32_t elements(size_t dwords) const;
};

struct Structure {
  const char* name;
  uint16_t dwords;  ///< without elements of a group that runs to the end
  bool variable;
  std::span<const Field> fields;
  std::span<const Group> groups;
};

enum class CommandId : uint16_t;  // hw/defs/ids.h: the commands of all sets

struct Command : Structure {
  CommandId id;
  uint32_t match;  ///< header bits that name it
  uint32_t mask;
  uint8_t engines;      ///< 1 << EngineClass
  uint8_t length_high;  ///< DWord Length is header bits [length_high:length_low], biased by 2; both 0: always a single dword
  uint8_t length_low;
  uint16_t min_dwords;  ///< a shorter packet is an error; in one that is as long, the missing dwords count as zero
  // What it does, for those who do not execute it.
  bool keeps_state;        ///< the render engine keeps its last packet, and contexts save it
  bool resource_streamer;  ///< state that only the resource streamer reads, which no client of Gen9 turns on
  bool draws;              ///< starts the 3D pipeline
  bool dispatches;         ///< starts threads of the GPGPU and media pipeline
  bool overlaps;           ///< neither looks at memory or registers nor reports progress: earlier draws may still be deferred when it runs
  bool position;           ///< the streamer of the position-only pipe executes it, too

  bool valid_on(EngineClass engine) const { return engines >> static_cast<unsigned>(engine) & 1; }
};

/// A command of the 2D client, whichever streamer takes it (SKL PRM vol 2a, "Command Header Format").
constexpr bool is_blit(uint32_t header) { return header >> 29 == 2; }

struct CommandIndex;  // hw/defs/tables.h

/// The commands and structures of one generation: gen9::commands (hw/defs/gen9/set.h).
struct CommandSet {
  const char* name;
  std::span<const Command> commands;
  std::span<const Structure> structures;
  const Enumeration& surface_formats;
  const CommandIndex& index;

  /// The command that `header` starts on `engine`, or null. Constant time.
  const Command* find(EngineClass engine, uint32_t header) const;
  /// By the PRM's name; null: none.
  const Command* find(std::string_view command) const;
  const Structure* find_structure(std::string_view structure) const;
};

/// Dwords of the packet that `header` starts, at least 1, at most 65537. The header is the guest's: the answer may exceed what the
/// command defines or what the buffer holds.
uint32_t command_length(const Command& command, uint32_t header);
/// The same for headers that no row of the table matches, by the rule of their type (SKL PRM vol 2a, "Command Header").
uint32_t generic_length(uint32_t header);
/// `command` may be null.
inline uint32_t command_length(const Command* command, uint32_t header) {
  return command ? command_length(*command, header) : generic_length(header);
}

/// The value of a field: unsigned, sign-extended (sint, signed fixed) or in place (address, offset). `first_bit` is where its container
/// starts in `dwords`. Dwords beyond the span read as zero. Not for structures.
uint64_t field_value(const Field& field, std::span<const uint32_t> dwords, uint32_t first_bit = 0);

}  // namespace softgen::defs
