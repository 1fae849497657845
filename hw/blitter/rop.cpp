// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/blitter/rop.h"

#include <array>
#include <cstring>
#include <utility>

namespace softgen::blitter {
namespace {

typedef uint64_t Lanes __attribute__((vector_size(32)));

Lanes lanes_at(const std::byte* from, size_t index) {
  Lanes v;
  std::memcpy(&v, from + index * sizeof v, sizeof v);
  return v;
}

// The code's exclusive-or of ands (Reed-Muller form): bit i of the result says whether the product of the
// operands in i is a term (1: D, 2: S, 4: P).
constexpr uint8_t products(uint8_t rop) {
  for (unsigned step : {1u, 2u, 4u})
    for (unsigned i = 0; i < 8; ++i)
      if (i & step) rop = static_cast<uint8_t>(rop ^ (rop >> (i - step) & 1) << i);
  return rop;
}

template <uint8_t rop>
void apply(std::byte* out, const std::byte* p, const std::byte* s, const std::byte* d, size_t count) {
  constexpr uint8_t use = products(rop);
  for (size_t i = 0; i < count; ++i) {
    Lanes r{};
    if constexpr (use & 0x01) r = ~r;
    if constexpr (use & 0x02) r ^= lanes_at(d, i);
    if constexpr (use & 0x04) r ^= lanes_at(s, i);
    if constexpr (use & 0x08) r ^= lanes_at(s, i) & lanes_at(d, i);
    if constexpr (use & 0x10) r ^= lanes_at(p, i);
    if constexpr (use & 0x20) r ^= lanes_at(p, i) & lanes_at(d, i);
    if constexpr (use & 0x40) r ^= lanes_at(p, i) & lanes_at(s, i);
    if constexpr (use & 0x80) r ^= lanes_at(p, i) & lanes_at(s, i) & lanes_at(d, i);
    std::memcpy(out + i * sizeof r, &r, sizeof r);
  }
}

using Function = void (*)(std::byte*, const std::byte*, const std::byte*, const std::byte*, size_t);

template <size_t... rops>
constexpr std::array<Function, 256> make_table(std::index_sequence<rops...>) {
  return {apply<static_cast<uint8_t>(rops)>...};
}

constexpr std::array<Function, 256> table = make_table(std::make_index_sequence<256>());

}  // namespace

void apply_rop(uint8_t rop, std::byte* out, const std::byte* pattern, const std::byte* source, const std::byte* destination, size_t bytes) {
  table[rop](out, pattern, source, destination, (bytes + sizeof(Lanes) - 1) / sizeof(Lanes));
}

}  // namespace softgen::blitter
