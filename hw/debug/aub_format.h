// SPDX-License-Identifier: GPL-2.0-or-later
// AUB files: a flat list of records of little endian dwords. DW0 of a record: [31:29] 7, [28:23] opcode, [22:16] sub-opcode, [15:0]
// length. Facts: Mesa intel/tools/intel_aub.h, aub_read.c, aub_write.c (which write and read them), igt tools/aubdump.c.
#pragma once

#include <cstdint>

namespace softgen::debug::aub {

constexpr uint32_t type = 7;
/// The record is length + 2 dwords (blocks: and their payload), respectively length + 1.
constexpr uint32_t opcode_classic = 0x01, opcode_memtrace = 0x2e;

enum class Classic : uint32_t { header = 0x05, bmp = 0x1e, block = 0x41 };

enum class Memtrace : uint32_t {
  version = 0x00,
  register_compare = 0x01,
  register_poll = 0x02,
  register_write = 0x03,
  memory_compare = 0x04,
  memory_poll = 0x05,
  memory_write = 0x06,
  frame_begin = 0x07,
  comment = 0x08,
  delay = 0x09,
  memory_dump = 0x0a,
  memory_write_discontiguous = 0x0b,
  test_phase_marker = 0x0c,
  memory_continuous_region = 0x0d,
  version_extended = 0x0e,
  predicate = 0x0f,
  dump_compress = 0x10,
};

constexpr uint32_t header(uint32_t opcode, uint32_t sub_opcode, uint32_t length) {
  return type << 29 | opcode << 23 | sub_opcode << 16 | length;
}

/// DW3[31:28] of a memory write, DW1[31:28] of a discontiguous one. (Classic blocks use the same numbers in DW1[23:16].)
enum class Space : uint32_t {
  ggtt = 0,  ///< the address is a GGTT address
  local = 1,
  physical = 2,
  pci = 3,
  ggtt_entry = 4,  ///< address is a byte offset in the table of GGTT entries
};

constexpr uint32_t register_size_dword = 2u << 16;
constexpr uint32_t discontiguous_pairs = 63;

}  // namespace softgen::debug::aub
