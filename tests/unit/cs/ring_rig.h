// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's two streamers with memory, and what i915 does to a ring (gt/intel_ring_submission.c, xcs_resume).
#pragma once

#include <vector>

#include "hw/cs/submission/ring.h"
#include "hw/mmio/interrupts/gen5.h"
#include "hw/mmio/page_faults.h"
#include "tests/quiet_log.h"
#include "tests/unit/cs/machine.h"

namespace softgen::cs::test {

/// Its events come when a test says.
struct FakeDisplay final : DisplayEvents {
  std::vector<PipeWait> asked;
  std::optional<int64_t> answer;
  std::optional<int64_t> next(const PipeWait& what) override {
    asked.push_back(what);
    return answer;
  }
};

class RingMachine : public MachineBase {
 public:
  static constexpr uint32_t ring_at = 0x0010'0000,
                            status_at = 0x0008'0000;  // of the render engine; the video engine's: one MiB, one page on
  static constexpr uint32_t free_at = 0x0040'0000;

  /// `video`: the video streamer's engine, in place of the fake one.
  explicit RingMachine(bool threaded = false, Engine* video = nullptr);

  static uint32_t status_page(EngineId e) { return status_at + static_cast<uint32_t>(e) * 4096; }

  /// A batch of its own page; returns its address.
  uint32_t batch(const Dwords& dwords) {
    const uint32_t at = std::exchange(next_, next_ + 4096);
    write(at, dwords);
    return at;
  }
  /// Bits of GTIIR, cleared by this.
  uint32_t take_interrupts();

  unsigned gtt_writes = 0;
  FakeDisplay display;
  std::vector<int64_t> wakes;  ///< DisplayLink::wake_at
  mmio::PageFaultRegisters page_faults{registers, faults};

 private:
  uint32_t next_ = free_at;
};

/// One ring, started.
struct Ring {
  RingMachine& machine;
  EngineId id;
  uint32_t start, bytes, tail = 0;

  explicit Ring(RingMachine& machine, EngineId id = EngineId::rcs, uint32_t bytes = 16384, uint32_t flags = 0);
  /// Appends, to a multiple of a qword; TAIL stays.
  Ring& emit(const Dwords& commands);
  void submit() { machine.set_reg(id, softgen::reg::RING_TAIL, tail); }
  void run(const Dwords& commands) { emit(commands).submit(); }
  uint32_t head() { return machine.reg(id, softgen::reg::RING_HEAD); }
  uint32_t get(uint32_t relative) { return machine.reg(id, relative); }
  void set(uint32_t relative, uint32_t value) { machine.set_reg(id, relative, value); }
};

// Commands as i915 writes them (gt/intel_gpu_commands.h, gt/gen2_engine_cs.c).
namespace ring {
constexpr uint32_t nonsecure = 1u << 8;
inline Dwords start(uint32_t at, uint32_t flags = 0) { return {mi(0x31, 2u << 6 | flags), at}; }
inline Dwords store_dword(uint32_t at, uint32_t value) { return {mi(0x20, 1u << 22 | 2), 0, at, value}; }
inline Dwords index(uint32_t dword, uint32_t value) { return {mi(0x21, 1), dword * 4, value}; }
inline Dwords srm(uint32_t offset, uint32_t to) { return {mi(0x24, 1u << 22 | 1), offset, to}; }
inline Dwords wait_code(unsigned code) { return {mi(0x03, code << 16), noop}; }
inline Dwords set_context(uint32_t at, uint32_t flags = 0) { return {mi(0x18), at | 1u << 8 | flags}; }
constexpr uint32_t restore_inhibit = 1, force_restore = 2;
}  // namespace ring

}  // namespace softgen::cs::test
