// SPDX-License-Identifier: GPL-2.0-or-later
// Memory full of random texels, and the random numbers for everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "hw/defs/gen9/all.h"
#include "hw/memory/address_space.h"
#include "hw/memory/flat_memory.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/view.h"

namespace softgen::sampler::test {

/// The GGTT's pages from base to `end` are one piece of host memory, in order where `scatter` is 0, else page p is its page p ^ scatter.
struct RandomTexels {
  static constexpr uint64_t base = 0x10000;

  RandomTexels(std::mt19937& random, uint64_t end, uint32_t scatter) : bytes(end) {
    memory.add(0, end, bytes.data(), false);
    memory.commit();
    for (uint64_t page = base >> 12; page < end >> 12; ++page) ggtt.set_pte(static_cast<uint32_t>(page), (page ^ scatter) << 12 | 1);
    view.set_space(memory::AddressSpace::ggtt(ggtt));
    for (uint64_t at = base; at < end; at += 4) view.store<uint32_t>(at, static_cast<uint32_t>(random()));
  }

  std::vector<std::byte> bytes;
  memory::FlatMemory memory;
  memory::Ggtt ggtt;
  memory::View view{memory, nullptr};
};

/// With random numbers of its own, of `seed`.
struct SeededTexels {
  SeededTexels(uint32_t seed, uint64_t end, uint32_t scatter = 3) : random(seed), texels(random, end, scatter) {}
  uint32_t any(uint32_t n) { return static_cast<uint32_t>(random() % n); }

  std::mt19937 random;
  RandomTexels texels;
  memory::View& view = texels.view;
};

}  // namespace softgen::sampler::test
