// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of the register tables (hw/defs/gen9/registers_*.def; syntax in docs/mmio.md). Offsets count from the start of BAR0.
// Constants of the same names are in "hw/defs/registers/registers.h" (generated), namespace softgen::reg.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "hw/defs/engine.h"

namespace softgen::defs {

enum class RegisterFieldType : uint8_t { uint, sint, boolean, address };

struct RegisterField {
  const char* name;
  uint8_t high, low;
  RegisterFieldType type;
};

struct Register {
  const char* name;
  uint32_t offset;  ///< of the first instance; of an engine's register: from the engine's base
  uint32_t reset;
  uint32_t write_mask;  ///< bits that software writes
  uint32_t w1c_mask;    ///< bits that software clears by writing 1
  uint32_t read_mask;   ///< bits that read back (0: write-only)
  bool masked;          ///< [31:16] of a write select which of [15:0] change
  bool engine;          ///< one in each engine's block
  bool context;         ///< saved in the context image and loaded from it
  bool saved;           ///< part of the device's saved state (else: derived, or constant)
  bool user;            ///< a non-privileged batch may write it
  uint8_t lacking;      ///< of an engine's register: the engines without it (bit i: EngineId i)
  ResetDomain domain;
  const char* hook;  ///< the folder of hw/ whose behaviour it has; null: storage only
  uint32_t block;    ///< bytes of a row that stands for plain memory, but for the registers that other rows declare in it; else 0
  std::array<uint16_t, 2> count;   ///< instances, outer and inner dimension
  std::array<uint32_t, 2> stride;  ///< bytes
  std::span<const RegisterField> fields;
  const char* source;

  /// Of an engine's register.
  constexpr bool is_of(EngineId id) const { return !(lacking >> static_cast<unsigned>(id) & 1); }
};

/// An instance of a row.
struct RegisterPlace {
  uint32_t offset;  ///< in BAR0
  uint16_t row;     ///< index into RegisterSet::rows
};

/// A power domain that software holds awake.
struct WakeRow {
  uint32_t request, acknowledge;  ///< offsets in BAR0
};

/// The instances of a unit that have their registers at the same offsets.
struct ReplicationGroup {
  const char* name;
  uint8_t instances;  ///< of one slice: those that a steering register's subslice counts
  uint32_t fuse;      ///< the register with a bit for each; 0: all are there
  uint8_t fuse_bit;   ///< that of instance 0
  bool enables;       ///< a set bit: the instance is there; else it is not
};

/// Who answers at [first, last].
struct AccessRange {
  uint32_t first, last;
  uint32_t wake;  ///< the request that keeps its power domain awake (WakeRow::request); 0: it is always
  uint8_t group;  ///< 1 + index into RegisterSet::groups; 0: not replicated
};

/// Dwords from `first` to `last`.
struct RegisterSpan {
  uint32_t first, last;
};

/// The registers of one generation.
struct RegisterSet {
  const char* name;
  std::span<const Register> rows;                  ///< by declaration
  std::span<const RegisterPlace> singles, blocks;  ///< all instances of registers and of blocks, by offset
  std::span<const EngineRow> engines;              ///< by EngineId; a platform may lack some of them (Platform::engines)
  std::span<const WakeRow> forcewake;
  std::span<const ReplicationGroup> groups;
  std::span<const AccessRange> ranges;     ///< by offset; empty: the generation's are not declared
  std::span<const RegisterSpan> shadowed;  ///< the host's writes arrive there while the domain has no power

  /// Null: the generation has no such engine.
  const EngineRow* engine(EngineId id) const;
  /// The row that declares the dword at `offset` (engine blocks and arrays resolved); null: unknown.
  const Register* find(uint32_t offset) const;
  /// "RING_HEAD.bcs", "PLANE_CTL[1][0]", or "0x12345" when unknown.
  std::string name_of(uint32_t offset) const;
};

namespace gen5 {
extern const RegisterSet registers;
}
namespace gen9 {
extern const RegisterSet registers;
}
namespace gen11 {
extern const RegisterSet registers;
}
namespace gen12 {
extern const RegisterSet registers;
}

/// Calls visit(offset) for each instance of a row of `set`. A block counts as one.
template <typename F>
void for_each_instance(const RegisterSet& set, const Register& row, F&& visit) {
  for (uint32_t outer = 0; outer < row.count[0]; ++outer) {
    for (uint32_t inner = 0; inner < row.count[1]; ++inner) {
      const uint32_t offset = row.offset + outer * row.stride[0] + inner * row.stride[1];
      if (!row.engine) {
        visit(offset);
        continue;
      }
      for (const EngineRow& engine : set.engines)
        if (row.is_of(engine.id)) visit(engine.mmio_base + offset);
    }
  }
}

}  // namespace softgen::defs
