// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/compared_constant.h"

namespace softgen::debug {

namespace {

bool is_rex(uint8_t byte) { return (byte & 0xf0) == 0x40; }

/// Segments, address size, LOCK, REP.
bool is_prefix(uint8_t byte) {
  switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3: return true;
    default: return false;
  }
}

std::optional<uint32_t> last_bytes(std::span<const uint8_t> bytes, size_t size) {
  if (bytes.size() < size) return {};
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint32_t{bytes[bytes.size() - size + i]} << 8 * i;
  return value;
}

}  // namespace

std::optional<uint32_t> compared_constant(std::span<const uint8_t> bytes) {
  size_t at = 0;
  bool is_word = false;
  for (; at < bytes.size() && (is_prefix(bytes[at]) || bytes[at] == 0x66); ++at) is_word |= bytes[at] == 0x66;
  if (at < bytes.size() && is_rex(bytes[at])) ++at;
  if (at + 1 >= bytes.size()) return {};
  const uint8_t opcode = bytes[at], extension = bytes[at + 1] >> 3 & 7;
  const size_t wide = is_word ? 2 : 4;
  switch (opcode) {
    case 0x3c:  // CMP AL
    case 0xa8:  // TEST AL
      return last_bytes(bytes, 1);
    case 0x3d:
    case 0xa9: return last_bytes(bytes, wide);
    case 0x80: return extension == 7 ? last_bytes(bytes, 1) : std::nullopt;
    case 0x81: return extension == 7 ? last_bytes(bytes, wide) : std::nullopt;
    case 0x83:
      if (extension != 7) return {};
      return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(bytes.back())));
    case 0xf6: return extension <= 1 ? last_bytes(bytes, 1) : std::nullopt;
    case 0xf7: return extension <= 1 ? last_bytes(bytes, wide) : std::nullopt;
    default: return {};
  }
}

}  // namespace softgen::debug
