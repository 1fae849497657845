// SPDX-License-Identifier: GPL-2.0-or-later
// Dataflow analysis of raw floats: results of host arithmetic (NaNs of any payload, denormals) whose bits are not yet canonical. The
// emitter runs once to record what each op does to its slots, then again, knowing where bits are observed and where all predecessors leave
// a slot raw.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/eu/jit/flow.h"

namespace softgen::eu::jit {

enum Raw : uint8_t { canonical = 0, raw_nan = 1, raw_denormal = 2, raw_both = 3 };

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
  /// Op n observes the bits of slot s; raw values of the kinds in `flags` are not acceptable.
  void wants(size_t n, unsigned s, uint8_t flags) { ops_[n].wanted.add(s, flags); }
  /// Op n overwrites all of the slot.
  void replaces(size_t n, unsigned s) { ops_[n].replaced.set(s); }
  /// After the last op `end` of block `leader`, slots may be raw as in `out`; those of `kept` only if they were raw at the block's start.
  void leaves(size_t leader, size_t end, const RawSlots& out, const Slots& kept);
  void solve();

  // Queries of the second run.
  /// Raw flags of the slot that may be observed after op n, before all of the slot is overwritten.
  uint8_t live_after(size_t n, unsigned s) const { return live_[n][s]; }
  /// Raw flags at the start of block `leader`: raw at the end of all predecessors.
  uint8_t at_start(size_t leader, unsigned s) const { return starts_[leader][s]; }
  /// Raw flags that all successors of op n accept.
  RawSlots taken_after(size_t n) const;

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
