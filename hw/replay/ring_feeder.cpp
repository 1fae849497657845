// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/ring_feeder.h"

#include <fmt/format.h>

#include <vector>

namespace softgen::replay {

namespace field = reg::field;

namespace {

constexpr uint32_t page = 4096, ring_bytes = 1 << 16, mi_noop = 0;
constexpr uint32_t place = ring_bytes + page;  ///< of an engine: its ring and its status page, at the global table's end

}  // namespace

void RingFeeder::set(EngineId engine, uint32_t relative, uint32_t value) {
  device_.bar0_write(device_.registers().engine_register(engine, relative), value, 4);
}

RingFeeder::Ring& RingFeeder::ring(EngineId engine) {
  const auto [at, fresh] = rings_.try_emplace(engine);
  if (!fresh) return at->second;
  const uint64_t space = device_.platform().ggtt->entries * page;
  at->second.start = static_cast<uint32_t>(space - (1 + static_cast<uint64_t>(engine)) * place);
  // All of it has memory before the engine may look ahead.
  const std::vector<std::byte> empty(place);
  image_.memory_write(debug::aub::Space::ggtt, at->second.start, empty);
  set(engine, reg::RING_HWS_PGA, at->second.start + ring_bytes);
  set(engine, reg::RING_START, at->second.start);
  set(engine, reg::RING_CTL, (ring_bytes - page) | field::RING_CTL_RING_BUFFER_ENABLE.mask());
  return at->second;
}

void RingFeeder::submit(EngineId engine, std::span<const uint32_t> commands) {
  if (!device_.platform().has(engine))
    throw ImageError(fmt::format("a write to the ring of {}, which the platform lacks", name_of(engine)));
  std::vector<uint32_t> dwords(commands.begin(), commands.end());
  if (dwords.size() % 2) dwords.push_back(mi_noop);
  Ring& to = ring(engine);
  // The last cache line stays free: TAIL may not meet HEAD from behind.
  if (dwords.size() * 4 > ring_bytes - 64 - to.tail) throw ImageError("the capture writes more commands to a ring than it holds here");
  image_.memory_write(debug::aub::Space::ggtt, to.start + to.tail, std::as_bytes(std::span(dwords)));
  to.tail += static_cast<uint32_t>(dwords.size() * 4);
  set(engine, reg::RING_TAIL, to.tail);
}

}  // namespace softgen::replay
