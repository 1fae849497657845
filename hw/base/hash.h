// SPDX-License-Identifier: GPL-2.0-or-later
// Hashes of bytes: XXH3 of libxxhash, which is compiled in. Not cryptographic: who takes equal hashes for equal bytes must not mind a collision that a
// guest has made. Tables with slots for a few words compute their slot themselves: this takes longer than their lookup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace softgen {

uint64_t hash64(std::span<const std::byte> bytes, uint64_t seed = 0);

struct Hash128 {
  uint64_t high, low;
};
Hash128 hash128(std::span<const std::byte> bytes, uint64_t seed = 0);

}  // namespace softgen
