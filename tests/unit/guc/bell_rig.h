// SPDX-License-Identifier: GPL-2.0-or-later
// Doorbells with registers and memory; the application's and the driver's part as TGL PRM vol 13, "GPU Doorbells", has it. Offsets and bits are the
// manual's and i915 4.19's, written a second time on purpose.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "hw/guc/doorbells.h"
#include "hw/memory/sparse_memory.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/mmio/hosts.h"

namespace softgen::guc::test {

inline constexpr uint64_t pages_at = 0x40'0000;

struct BellRig {
  explicit BellRig(const defs::RegisterSet& set = defs::gen9::registers) : registers(set), memory(64 << 20) {
    quiet_log();
    bells = std::make_unique<Doorbells>(Doorbells::Environment{.registers = registers,
                                                               .memory = memory,
                                                               .host = host,
                                                               .wake_at = [this](int64_t ns) { timer = ns; },
                                                               .wake_power = [this] { log += 'w'; },
                                                               .message = [this] { log += 'm'; }});
    bells->route_to_guc(true);
  }
  /// "Doorbell CL# = Bell# mod 64": on a page of its own.
  static uint64_t line_of(unsigned bell) { return pages_at + bell * 4096 + bell % 64 * 64; }
  /// DW0, DW1.
  void write_line(uint64_t line, uint32_t flag, uint32_t cookie) {
    const uint32_t dwords[] = {flag, cookie};
    memory.write(line, dwords, sizeof dwords);
  }
  void write_cookie(unsigned bell, uint32_t cookie) { write_line(line_of(bell), 1, cookie); }
  /// As KMD and GuC do it: QW0 = {1, 0}, then the address with Valid.
  void arm(unsigned bell) {
    write_cookie(bell, 0);
    bells->arm(bell, line_of(bell));
  }
  void ring(unsigned bell, uint32_t cookie) {
    write_cookie(bell, cookie);
    bells->sample();
  }
  uint32_t low(unsigned bell) { return registers.read(0x1000 + 8 * bell); }
  bool is_valid(unsigned bell) { return low(bell) & 1; }
  uint32_t status(unsigned group) { return registers.read(0x1900 + 4 * group); }

  mmio::LineHost host;
  mmio::RegisterFile registers;
  memory::SparseMemory memory;
  std::optional<int64_t> timer;
  std::string log;  ///< w: the GT is woken, m: a message to the GuC
  std::unique_ptr<Doorbells> bells;
};

}  // namespace softgen::guc::test
