// SPDX-License-Identifier: GPL-2.0-or-later
// The payload of MFX_PAK_INSERT_OBJECT (SKL PRM vol 2a).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hw/iface/engine.h"

namespace softgen::media {

struct PakPayload {
  std::vector<uint8_t> bytes;
  unsigned last_bits = 8;  ///< of the last byte: 1 to 8
};

template <class G>
PakPayload pak_payload(const Packet& packet) {
  constexpr size_t payload_start = 2;  // dwords before the bytes
  const typename G::MFX_PAK_INSERT_OBJECT::View object(packet.dwords);
  const auto payload = packet.dwords.subspan(std::min<size_t>(payload_start, packet.dwords.size()));
  PakPayload out{.bytes = std::vector<uint8_t>(payload.size_bytes())};
  if (payload.empty()) return out;
  std::memcpy(out.bytes.data(), payload.data(), payload.size_bytes());
  // 0 stands for all of the last dword.
  const uint32_t bits = object.data_bits_in_last_dw();
  if (bits && bits < 32) {
    out.bytes.resize(out.bytes.size() - 4 + (bits + 7) / 8);
    out.last_bits = (bits - 1) % 8 + 1;
  }
  out.bytes.erase(out.bytes.begin(), out.bytes.begin() + std::min<ptrdiff_t>(object.data_byte_offset(), std::ssize(out.bytes)));
  return out;
}

}  // namespace softgen::media
