// SPDX-License-Identifier: GPL-2.0-or-later
// Which registers hold floats as arithmetic left them ("raw": NaNs of any payload, denormals), from one basic block to the next. The emitter
// runs once to record what each op does to its slots, then again, knowing where bits are observed and where all predecessors leave them raw.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/eu/jit/flow.h"

namespace softgen::eu::jit {

enum Raw : uint8_t { settled = 0, raw_nan = 1, raw_denormal = 2, raw_both = 3 };

/// Raw flags of each slot.
struct RawSlots {
  Slots nan, denormal;

  uint8_t operator[](unsigned s) const { return static_cast<uint8_t>((nan[s] ? raw_nan : 0) | (denormal[s] ? raw_denormal : 0)); }
  void add(unsigned s, uint8_t flags) {
    if (flags & raw_nan) nan.set(s);
    if (flags & raw_denormal) denormal.set(s);
  }
  bool operator==(const RawSlots&) const = default;
  RawSlots& operator|=(const RawSlots& o) { return nan |= o.nan, denormal |= o.denormal, *this; }
  RawSlots& operator&=(const RawSlots& o) { return nan &= o.nan, denormal &= o.denormal, *this; }
};

class RawFlow {
 public:
  RawFlow(const Program& program, const FlowGraph& graph);

  // Reported by the first run of the emitter.
  /// Op n looks at bits of slot s.
  void wants(size_t n, unsigned s, uint8_t flags) { ops_[n].wanted.add(s, flags); }
  /// Op n writes all of the slot.
  void replaces(size_t n, unsigned s) { ops_[n].replaced.set(s); }
  /// Behind its last op `end` the slots of block `leader` may be raw as `out` says; those of `kept` only where they came in raw.
  void leaves(size_t leader, size_t end, const RawSlots& out, const Slots& kept);
  void solve();

  // What the second run asks.
  /// Bits of the slot that may be observed before all of it is written again.
  uint8_t live_behind(size_t n, unsigned s) const { return live_[n][s]; }
  /// At the start of the block that op `leader` begins: raw on all ways there.
  uint8_t at_start(size_t leader, unsigned s) const { return starts_[leader][s]; }
  /// Behind op n: raw flags that all blocks it leads to take.
  RawSlots taken_behind(size_t n) const;

 private:
  struct OpEffect {
    RawSlots wanted;
    Slots replaced;
  };
  struct BlockEffect {
    size_t leader, end;
    RawSlots out;
    Slots kept;
  };
  void solve_live();
  void solve_starts();

  const Program& program_;
  const FlowGraph& graph_;
  std::vector<OpEffect> ops_;
  std::vector<BlockEffect> blocks_;
  std::vector<RawSlots> live_, starts_;
};

}  // namespace softgen::eu::jit
