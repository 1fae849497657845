// SPDX-License-Identifier: GPL-2.0-or-later
// One host thread's window on graphics memory: an address space, a TLB of its own, and accesses that never
// leave guest RAM.
//
// A fault (no translation, no RAM) is given to the FaultSink; what is read is zero, what is written is
// dropped. So callers need no error path: at() always returns memory that may be used. A write to a page
// mapped read-only is dropped without a fault record.
//
// A host pointer from at() is good until the thread gives its Pass back (Gate) or the view's space changes;
// within a Pass the map cannot change, and a translation that the guest changes meanwhile without
// invalidating is the guest's race, as on hardware. Where a loop holds a pointer for reading and one for
// writing, get the one for writing first: SparseMemory gives a page its memory then.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "hw/base/bits.h"
#include "hw/memory/address_space.h"
#include "hw/memory/aux_walker.h"

namespace softgen::memory {

/// MI_ATOMIC and the data port's integer atomics (codes: SKL PRM vol 7, "Atomic Operations").
enum class AtomicOp : uint8_t { and_, or_, xor_, move, inc, dec, add, sub, rsub, imax, imin, umax, umin, cmpwr, predec };

/// Any other read-modify-write (floating point): `next` maps the old value to the new one, and may run more than once. Returns the old value.
template <std::unsigned_integral T, typename F>
T atomic_update_at(T& at, F&& next) {
  std::atomic_ref<T> cell(at);
  T old = cell.load(std::memory_order_relaxed);
  while (!cell.compare_exchange_weak(old, static_cast<T>(next(old)), std::memory_order_acq_rel)) {}
  return old;
}
/// Returns the old value. cmpwr: writes `b` where the old value is `a`; the others use `a` only.
template <std::unsigned_integral T>
T atomic_at(AtomicOp op, T& cell, T a = 0, T b = 0);

class View {
 public:
  static constexpr uint64_t page_size = 4096;

  View(HostMemory& memory, FaultSink* sink, EngineId engine = EngineId::rcs);

  /// Cheap when it is the same space.
  void set_space(const AddressSpace& space);
  const AddressSpace& space() const { return space_; }
  HostMemory& memory() const { return memory_; }
  /// For views of other host threads on the same work.
  FaultSink* sink() const { return sink_; }
  EngineId engine() const { return engine_; }
  /// Forgets all translations.
  void invalidate();
  /// Graphics address of the control surface of the 64 KiB that hold `va`, by the space's aux map; 0: they have none.
  uint64_t control_of(uint64_t va) {
    if (!aux_) aux_ = std::make_unique<AuxWalker>();
    return aux_->find(*this, va);
  }
  /// Names what this view translates to: as long as it stays the same, so do the results of at() and piece().
  struct Stamp {
    uint64_t view = 0, round = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp() {
    if (memory_.epoch() != epoch_ || generation_->load(std::memory_order_acquire) != seen_) [[unlikely]]
      revalidate();
    return {number_, round_};
  }
  /// Host memory of [va, va + size) for reading when all of it is there and in one piece, else null (no fault). Walks all of its pages.
  const std::byte* piece(uint64_t va, uint64_t size);
  /// Host memory of the page of `va` and of following pages that are contiguous in both, for accesses of this kind. Valid as long as the words of
  /// clock() hold these numbers.
  struct Stretch {
    std::byte* first = nullptr;  ///< null: there is none
    uint64_t size = 0, epoch = 0, generation = 0;
  };
  /// `max_bytes`, whole pages, at most. No fault.
  Stretch stretch(uint64_t va, uint64_t max_bytes, Access access);
  /// What the words of clock() hold while the stamp stays.
  struct Seen {
    uint64_t epoch, generation;
  };
  Seen seen() const { return {epoch_, seen_}; }
  struct Clock {
    const std::atomic<uint64_t>*epoch, *generation;
  };
  /// Of the space that is set now.
  Clock clock() const { return {&memory_.epoch_word(), generation_}; }
  /// For tests, before any view is used: the pages that all views read and write where no memory is, in place of their own (tests/fuzz).
  struct Nowhere {
    const std::byte* zeros = nullptr;  ///< null: their own
    std::byte* dropped = nullptr;
  };
  static void set_nowhere(const Nowhere& pages);

  /// The page that is read, or that takes writes, where no memory is.
  std::byte* nowhere(Access access);

  /// The pages whose translations it holds, `max_pages` at most, in the order of their addresses; of the thread that uses it.
  std::vector<uint64_t> translated(size_t max_pages) const;
  /// Faults this view has met (reads and writes of unmapped addresses).
  uint64_t faults() const { return faults_; }
  /// Reads of null tiles that this view has met. A host pointer that a caller keeps for several reads counts once.
  uint64_t null_reads() const { return null_reads_; }

  /// Host memory of `va` for hot loops. `left`: bytes until the page ends; the next page is somewhere
  /// else. Never null.
  const std::byte* at(uint64_t va, uint64_t& left) { return at_page<Access::read>(va, left); }
  std::byte* at_for_write(uint64_t va, uint64_t& left) { return at_page<Access::write>(va, left); }
  /// As above, for objects that the caller knows not to cross a page (aligned and of a power of two, say).
  const std::byte* at(uint64_t va) { return lookup<Access::read>(va); }
  std::byte* at_for_write(uint64_t va) { return lookup<Access::write>(va); }

  /// Any alignment and size, across pages.
  void read(uint64_t va, void* dst, uint64_t size);
  void write(uint64_t va, const void* src, uint64_t size);
  void fill(uint64_t va, uint8_t byte, uint64_t size);

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  T load(uint64_t va) {
    T value;
    if ((va & (page_size - 1)) + sizeof(T) <= page_size) [[likely]]
      std::memcpy(&value, lookup<Access::read>(va), sizeof(T));
    else read(va, &value, sizeof(T));
    return value;
  }
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void store(uint64_t va, const T& value) {
    if ((va & (page_size - 1)) + sizeof(T) <= page_size) [[likely]]
      std::memcpy(lookup<Access::write>(va), &value, sizeof(T));
    else write(va, &value, sizeof(T));
  }

  /// For semaphores and fences: ordered against the guest's CPUs. `va` is aligned down to sizeof(T).
  template <std::unsigned_integral T>
  T load_acquire(uint64_t va) {
    return __atomic_load_n(reinterpret_cast<const T*>(lookup<Access::read>(va & ~(sizeof(T) - 1))), __ATOMIC_ACQUIRE);
  }
  template <std::unsigned_integral T>
  void store_release(uint64_t va, T value) {
    __atomic_store_n(reinterpret_cast<T*>(lookup<Access::write>(va & ~(sizeof(T) - 1))), value, __ATOMIC_RELEASE);
  }
  /// As atomic_at(); `va` is aligned down to sizeof(T).
  template <std::unsigned_integral T>
  T atomic(AtomicOp op, uint64_t va, T a = 0, T b = 0) {
    return atomic_at<T>(op, cell<T>(va), a, b);
  }
  template <std::unsigned_integral T, typename F>
  T atomic_update(uint64_t va, F&& next) {
    return atomic_update_at<T>(cell<T>(va), std::forward<F>(next));
  }

 private:
  static constexpr unsigned tlb_bits = 9;
  static constexpr unsigned vpn_bits = 36;
  struct Entry {
    uint64_t tag = 0;           // stamp_ | virtual page
    std::byte* page = nullptr;  // host address of the page
  };

  /// Pages of an aligned group that a walk found to be contiguous, in the address space and in the host: the next misses in it need no walk.
  struct Run {
    uint64_t stamp = 0, first = 0, pages = 0;  // first: virtual page
    uint64_t gpa = 0;
    std::byte* host = nullptr;
  };
  static constexpr uint64_t max_run = 16;

  template <Access access>
  std::byte* lookup(uint64_t va) {
    if (memory_.epoch() != epoch_ || generation_->load(std::memory_order_acquire) != seen_) [[unlikely]]
      revalidate();
    const uint64_t vpn = strip_canonical(va) >> 12;
    const Entry& entry = tlb_[static_cast<size_t>(access)][(vpn ^ vpn >> tlb_bits) & ((1u << tlb_bits) - 1)];
    const uint64_t offset = va & (page_size - 1);
    if (entry.tag == (stamp_ | vpn)) [[likely]]
      return entry.page + offset;
    return miss(vpn, access) + offset;
  }
  template <Access access>
  std::byte* at_page(uint64_t va, uint64_t& left) {
    left = page_size - (va & (page_size - 1));
    return lookup<access>(va);
  }
  template <std::unsigned_integral T>
  T& cell(uint64_t va) {
    return *reinterpret_cast<T*>(lookup<Access::write>(va & ~(sizeof(T) - 1)));
  }
  void revalidate();
  /// The whole pages of host memory that a valid translation with a run has; size 0: none.
  HostSpan pages_of(const Translation& t, Access access);
  void note_write(uint64_t gpa, std::byte* first, uint64_t size);
  std::byte* miss(uint64_t vpn, Access access);
  std::byte* fault(uint64_t vpn, Access access, FaultType type);

  HostMemory& memory_;
  FaultSink* sink_;
  EngineId engine_;
  AddressSpace space_;
  const std::atomic<uint64_t>* generation_;
  uint64_t epoch_ = 0, seen_ = 0;
  uint64_t stamp_ = uint64_t{1} << vpn_bits;  // of tags: what bits they have left, which come again when the TLB is empty
  uint64_t round_ = 1;                        // of Stamp: never repeats
  uint64_t faults_ = 0, null_reads_ = 0;
  const uint64_t number_;  // no two views have the same
  std::array<std::array<Entry, 1u << tlb_bits>, 2> tlb_;
  std::array<std::array<Run, 8>, 2> runs_;  // by access, as tlb_
  std::unique_ptr<AuxWalker> aux_;          // made when it is used
  std::unique_ptr<std::byte[]> dropped_;    // where writes to nowhere go; zero whenever handed out
};

template <std::unsigned_integral T>
T atomic_at(AtomicOp op, T& at, T a, T b) {
  using S = std::make_signed_t<T>;
  std::atomic_ref<T> cell(at);
  switch (op) {
    case AtomicOp::and_: return cell.fetch_and(a);
    case AtomicOp::or_: return cell.fetch_or(a);
    case AtomicOp::xor_: return cell.fetch_xor(a);
    case AtomicOp::move: return cell.exchange(a);
    case AtomicOp::inc: return cell.fetch_add(1);
    case AtomicOp::dec:
    case AtomicOp::predec: return cell.fetch_sub(1);
    case AtomicOp::add: return cell.fetch_add(a);
    case AtomicOp::sub: return cell.fetch_sub(a);
    case AtomicOp::rsub: return atomic_update_at<T>(at, [=](T old) { return static_cast<T>(a - old); });
    case AtomicOp::imax: return atomic_update_at<T>(at, [=](T old) { return static_cast<S>(old) > static_cast<S>(a) ? old : a; });
    case AtomicOp::imin: return atomic_update_at<T>(at, [=](T old) { return static_cast<S>(old) < static_cast<S>(a) ? old : a; });
    case AtomicOp::umax: return atomic_update_at<T>(at, [=](T old) { return old > a ? old : a; });
    case AtomicOp::umin: return atomic_update_at<T>(at, [=](T old) { return old < a ? old : a; });
    case AtomicOp::cmpwr: {
      T expected = a;
      cell.compare_exchange_strong(expected, b);
      return expected;
    }
  }
  return 0;
}

}  // namespace softgen::memory
