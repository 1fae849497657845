// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace softgen {

uint64_t hash64(std::span<const std::byte> bytes, uint64_t seed) { return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed); }

Hash128 hash128(std::span<const std::byte> bytes, uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.high64, hash.low64};
}

}  // namespace softgen
