// SPDX-License-Identifier: GPL-2.0-or-later
// The 2 MiB register space of BAR0: storage with the access rules of hw/defs/gen9/registers_*.def, and the hooks of the units whose
// registers do more than store. Registers that no row declares are plain memory (i915 reads much of what it writes back), and each
// is counted and reported once.
//
// Two ways in:
//   read, write   software's: vCPUs and LRI/SRM of command streams. Access rules apply, hooks run.
//   peek, poke…   the hardware's own, for units: the stored value, no rule, no hook.
// Both from any thread. Hooks run on the accessing thread with no lock held and guard their unit themselves. They are registered
// while the device is built, and never removed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hw/base/archive.h"
#include "hw/base/zeroed_array.h"
#include "hw/defs/register.h"
#include "hw/defs/registers/registers.h"
#include "hw/iface/engine.h"
#include "hw/iface/faults.h"
#include "hw/mmio/instance_values.h"

namespace softgen::mmio {

inline constexpr uint32_t register_space = 0x200000;

/// Whose access it is: each has a steering register of its own for replicated registers.
enum class Initiator : uint8_t {
  host,
  streamer,
  context,  ///< save and restore, which find an instance that is there by themselves
};

class RegisterFile {
 public:
  /// Gives the dword at `offset` as software sees it.
  using ReadHook = std::function<uint32_t(uint32_t offset)>;
  /// Runs after the access rule has stored: peek(offset) is what was kept, `written` what software wrote (of an access narrower than
  /// a dword, the other bytes are the old ones, or 0 for masked and write-1-to-clear registers).
  using WriteHook = std::function<void(uint32_t offset, uint32_t written)>;

  /// `set` outlives the file.
  explicit RegisterFile(const defs::RegisterSet& set);
  const defs::RegisterSet& set() const { return set_; }
  /// Offset in BAR0 of an engine's own register (reg::RING_…). The set has the engine.
  uint32_t engine_register(EngineId engine, uint32_t relative) const { return engine_bases_[static_cast<size_t>(engine)] + relative; }

  // -- software's side -----------------------------------------------------------------------------------------------------------
  /// Dwords; the low two bits of `offset` are ignored, offsets outside the space read 0 and drop writes. So does a replicated register when it is
  /// steered to an instance that is not there (TGL PRM vol 13, "Multicast Steering and Die Recovery").
  uint32_t read(uint32_t offset, Initiator from = Initiator::host);
  void write(uint32_t offset, uint32_t value, Initiator from = Initiator::host);
  /// size 1, 2, 4 or 8 bytes; 8 is two dword accesses, the lower first.
  uint64_t read(uint32_t offset, unsigned size);
  void write(uint32_t offset, uint64_t value, unsigned size);

  /// `is_off`: whether a power domain (an index into RegisterSet::forcewake) is off now, so that the host's accesses to its ranges end without effect and
  /// read 0 (TGL PRM vol 13, "Multicast Steering and Die Recovery"). It is asked at each, on the accessing thread. Once, before there are accesses.
  void set_power(std::function<bool(unsigned domain)> is_off) { is_off_ = std::move(is_off); }

  /// Whether the host's access to `offset` would have an effect now, as far as power goes (set_power).
  bool has_power(uint32_t offset, bool write) const { return !unpowered(cells_[index(offset)], Initiator::host, write); }

  /// What units ask at the points of fault plans; null: there is no plan. Any thread; what has been set outlives the file.
  void set_faults(Faults* faults) { faults_.store(faults, std::memory_order_release); }
  Faults* faults() const { return faults_.load(std::memory_order_acquire); }

  /// May a batch that is not privileged write `offset` on `engine`: the fixed list of user-mode registers, and the engine's
  /// RING_FORCE_TO_NONPRIV slots (SKL PRM vol 2a, "User Mode Privileged Commands"; vol 2c, FORCE_TO_NONPRIV).
  bool is_nonpriv_writable(EngineId engine, uint32_t offset) const;

  // -- the hardware's side -------------------------------------------------------------------------------------------------------
  // Of a replicated register: its first instance that is there, which stands for what the units do.
  uint32_t peek(uint32_t offset) const { return storage_[index(offset)].load(std::memory_order_acquire); }
  uint64_t peek64(uint32_t offset) const { return peek(offset) | uint64_t{peek(offset + 4)} << 32; }
  void poke(uint32_t offset, uint32_t value) {
    touch(offset);
    storage_[index(offset)].store(value, std::memory_order_release);
  }
  void poke64(uint32_t offset, uint64_t value) {
    poke(offset, static_cast<uint32_t>(value));
    poke(offset + 4, static_cast<uint32_t>(value >> 32));
  }
  /// A counter of 64 bits goes on by `n`. Only one thread at a time may add to a counter.
  void add64(uint32_t offset, uint64_t n) {
    if (n) poke64(offset, peek64(offset) + n);
  }
  void set_bits(uint32_t offset, uint32_t mask) { fetch_set_bits(offset, mask); }
  /// Gives what was there before.
  uint32_t fetch_set_bits(uint32_t offset, uint32_t mask) {
    touch(offset);
    return storage_[index(offset)].fetch_or(mask, std::memory_order_acq_rel);
  }
  void clear_bits(uint32_t offset, uint32_t mask) { storage_[index(offset)].fetch_and(~mask, std::memory_order_acq_rel); }
  /// All instances of a replicated register have the value of the first, as after the restore of a context.
  void join_instances(uint32_t offset) {
    if (!instances_.empty()) instances_.drop(offset & ~3u);
  }
  /// Engines' registers by relative offset.
  uint32_t peek(EngineId engine, uint32_t relative) const { return peek(engine_register(engine, relative)); }
  void poke(EngineId engine, uint32_t relative, uint32_t value) { poke(engine_register(engine, relative), value); }

  // -- hooks ---------------------------------------------------------------------------------------------------------------------
  /// At most one read hook a dword: the last registered. Write hooks of one dword run in the order they were registered.
  void on_read(uint32_t offset, ReadHook hook) { on_read(offset, 4, std::move(hook)); }
  void on_write(uint32_t offset, WriteHook hook) { on_write(offset, 4, std::move(hook)); }
  /// All dwords of [first, first + bytes).
  void on_read(uint32_t first, uint32_t bytes, ReadHook hook);
  void on_write(uint32_t first, uint32_t bytes, WriteHook hook);
  /// The same register of all engines. The hook gets the full offset.
  void on_engine_read(uint32_t relative, const ReadHook& hook);
  /// Software's accesses to [first, first + bytes) are those to the registers from `target` on, of any size.
  void alias(uint32_t first, uint32_t bytes, uint32_t target);
  /// Names of registers whose row promises behaviour (`hook`) that is not registered.
  std::vector<std::string> missing_hooks() const;

  // -- life ----------------------------------------------------------------------------------------------------------------------
  /// Power and function level reset: everything.
  void reset();
  /// A reset of GDRST: the rows of these domains (bit i: ResetDomain i).
  void reset(uint32_t domains);
  void state(Archive& archive);

 private:
  struct Cell {
    uint16_t row, read_hook, write_hook;  // index + 1; 0: none
    uint16_t alias;                       // index of its distance + 1; 0: it is itself
    uint8_t group;                        // AccessRange::group
    uint8_t wake;                         // index of its power domain + 1; 0: always on
    bool shadowed;                        // the host's writes need no power
  };
  static constexpr uint32_t dwords = register_space / 4;
  static constexpr uint32_t index(uint32_t offset) { return (offset / 4) & (dwords - 1); }
  /// Which register an access of software to `offset` reaches. offset < register_space.
  uint32_t aliased(uint32_t offset) const {
    const uint16_t alias = cells_[index(offset)].alias;
    return alias ? offset + alias_distances_[alias - 1u] : offset;
  }
  // Which parts of the storage were ever written: reset and save visit those only.
  static constexpr uint32_t block_dwords = 64, blocks = dwords / block_dwords;
  void touch(uint32_t offset) {
    const uint32_t block = index(offset) / block_dwords;
    std::atomic<uint64_t>& word = touched_[block / 64];
    const uint64_t mask = uint64_t{1} << block % 64;
    if (!(word.load(std::memory_order_relaxed) & mask)) word.fetch_or(mask, std::memory_order_relaxed);
  }
  /// Calls visit(first dword, one past the last) for those parts, in order.
  template <typename F>
  void each_touched(F&& visit) const;
  const defs::Register* row(uint32_t offset) const;
  static uint32_t written(const defs::Register& row, uint32_t old, uint32_t value);
  void store(uint32_t offset, const defs::Register& row, uint32_t value);
  /// The access ends for want of power.
  bool unpowered(const Cell& cell, Initiator from, bool write) const;
  /// Where an access to a replicated register goes.
  struct Steering {
    bool reached = true;
    std::optional<unsigned> instance = std::nullopt;  ///< nothing: all that are there
  };
  Steering steer(uint8_t group, Initiator from, bool write) const;
  /// The instances that the fuses leave: bit i: instance i.
  uint32_t present(uint8_t group) const;
  /// Writes one instance. False: it is not the one that stands for the units.
  bool write_instance(uint32_t offset, const Cell& cell, uint32_t value, unsigned instance);
  static void report_unknown(uint32_t offset);
  uint32_t read_by_rules(uint32_t offset, Initiator from);
  /// Nothing: the plan drops the write.
  std::optional<uint32_t> planned_write(Faults& faults, uint32_t offset, uint32_t value);

  const defs::RegisterSet& set_;
  std::array<uint32_t, engine_count> engine_bases_{};
  std::vector<std::pair<uint32_t, uint32_t>> reset_values_;  ///< offset and value of what is not reset to zero
  ZeroedArray<std::atomic<uint32_t>> storage_;
  ZeroedArray<std::atomic<uint64_t>> touched_;  ///< a bit a block
  ZeroedArray<Cell> cells_;
  std::vector<ReadHook> read_hooks_;
  std::vector<WriteHook> write_hooks_;
  std::vector<uint32_t> alias_distances_;  ///< from an alias to its register, modulo 2^32
  InstanceValues instances_;
  std::function<bool(unsigned)> is_off_;
  std::atomic<Faults*> faults_{nullptr};
};

}  // namespace softgen::mmio
