// SPDX-License-Identifier: GPL-2.0-or-later
// The seam of fault plans (hw/faults, docs/faults.md): at named points a unit asks whether it shall fail, and how. Without a plan the pointer that units
// ask through (mmio::RegisterFile::faults()) is null. No point is inside work per pixel, thread or instruction.
//
// Any thread, with any lock of a unit held: what is asked calls no unit back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace softgen {

/// Names, keys and actions of each: hw/faults/points.cpp.
enum class FaultPoint : uint8_t {
  request,
  csb,
  image,
  status_page,
  register_read,
  register_write,
  interrupt,
  reset,
  reset_ready,
  pcode,
  tlb,
  forcewake,
  well,
  gmbus,
  edid,
  hot_plug,
  blank,
  underrun,
  resume,
  memory_write,
  guc_receive,
  guc_send,
  config_read,
};
constexpr unsigned fault_points = 23;

enum class FaultAction : uint8_t {
  none,
  hang,
  spin,
  slow,
  drop,
  twice,
  swap,
  late,
  value,
  or_bits,
  and_bits,
  xor_bits,
  flip,
  freeze,
  index,
  raise,
  spurious,
  never,
  busy,
  error,
  zero,
  nak,
  cut_short,
  checksum,
  endless,
  ones,
  lose,
};

/// Where a unit asks. What `unit` and `what` count depends on the point: an engine, a pipe, a register's offset.
struct FaultSite {
  FaultPoint point;
  uint32_t unit = 0, what = 0;
  uint64_t value = 0;  ///< as it is without a fault, where the point has one
};

struct FaultAnswer {
  FaultAction action = FaultAction::none;
  uint64_t value = 0;   ///< the action's argument; of flip: how many bits
  int64_t time_ns = 0;  ///< its duration
  uint64_t random = 0;  ///< for choices that the action leaves open
  explicit operator bool() const { return action != FaultAction::none; }
};

class Faults {
 public:
  virtual ~Faults() = default;
  /// Some line of the plan is about this point.
  bool wants(FaultPoint point) const { return points_.load(std::memory_order_relaxed) >> static_cast<unsigned>(point) & 1; }
  virtual FaultAnswer ask(const FaultSite& site) = 0;
  /// Has `act` called when this much guest time has passed, on the front end's thread. False: too much waits already, and it is not kept.
  virtual bool later(int64_t delay_ns, std::function<void()> act) = 0;

 protected:
  std::atomic<uint32_t> points_{0};  ///< bit a FaultPoint
};

inline FaultAnswer ask(Faults* faults, const FaultSite& site) {
  if (!faults || !faults->wants(site.point)) [[likely]]
    return {};
  return faults->ask(site);
}

/// The next number of a stream (SplitMix64).
constexpr uint64_t next_random(uint64_t& state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/// Flips as many bits as the answer says.
inline void flip_bits(const FaultAnswer& answer, std::span<std::byte> bytes) {
  uint64_t state = answer.random;
  for (uint64_t n = 0; n < answer.value && !bytes.empty(); ++n) {
    const uint64_t bit = next_random(state) % (bytes.size() * 8);
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
  }
}

/// `value` as the answer changes it. Actions that change no value leave it.
template <typename T>
T changed(const FaultAnswer& answer, T value) {
  switch (answer.action) {
    case FaultAction::value:
    case FaultAction::freeze: return static_cast<T>(answer.value);
    case FaultAction::or_bits: return static_cast<T>(value | answer.value);
    case FaultAction::and_bits: return static_cast<T>(value & answer.value);
    case FaultAction::xor_bits: return static_cast<T>(value ^ answer.value);
    case FaultAction::ones: return static_cast<T>(~T{0});
    case FaultAction::zero: return 0;
    case FaultAction::flip: flip_bits(answer, std::as_writable_bytes(std::span(&value, 1))); return value;
    default: return value;
  }
}

}  // namespace softgen
