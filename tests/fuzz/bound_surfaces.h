// SPDX-License-Identifier: GPL-2.0-or-later
// A thread's surroundings for messages: a binding table with hostile surfaces, samplers, scratch space, SLM; and registers that end where an
// inaccessible page begins.
#pragma once

#include <algorithm>

#include "hw/base/log.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/iface/engine.h"
#include "hw/iface/message_target.h"
#include "hw/surface/surface.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/liveness.h"
#include "tests/fuzz/surface_states.h"
#include "tests/quiet_log.h"

namespace softgen::fuzz {

class BoundSurfaces {
 public:
  static constexpr uint32_t surfaces = 3, first_state = 0x400, samplers = 0x1000, data_page = 2, data_pages = 46;

  BoundSurfaces() : map(data_page + data_pages, data_page), env{map.view, bases, stop} {
    quiet_log();
    for (uint32_t i = 0; i < 240; ++i) map.memory.store<uint32_t>(i * 4, first_state + i % surfaces * 64);
    uint32_t word = 1;
    for (uint64_t at = data_page * page_size; at < (data_page + data_pages) * page_size; at += 4)
      map.memory.store<uint32_t>(at, (word = word * 1664525 + 1013904223) >> (at >> 12 & 31));
    store_aux_map();
    map.memory.keep();
    use_aux_map(false);
    bases.sampler_state = samplers;
    env.slm = {slm_.page(0), page_size};
    env.scratch_base = 0x40'0000, env.scratch_size = 1024;
  }
  void bind(StateSource& in, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      surface[i] = surface_state(in);
      map.memory.store(first_state + i * 64, surface[i]);
    }
  }
  void bind_samplers(StateSource& in, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) map.memory.store(samplers + i * 16, sampler_state(in));
  }
  void restore() { map.memory.restore(); }
  /// With surfaces of Gen12, whose control surfaces the aux map finds, and tiled resources at the end of the address space; else of Gen9.
  void use_aux_map(bool on) {
    bases.decode_surface = on ? surface::decode_surface<defs::Gen12> : surface::decode_surface<defs::Gen9>;
    memory::AddressSpace space = map.space;
    if (on) space.aux_table = aux_level3, space.tiled = {.enabled = true, .mask = 0xf, .data = 0xf, .root = aux_level3, .invalid_tile = 1};
    map.view.set_space(space);
  }

  /// Registers of a message, each block before an inaccessible page.
  std::span<Grf> payload(size_t n) { return block(0, n); }
  std::span<Grf> payload2(size_t n) { return block(1, n); }
  std::span<Grf> response(size_t n) { return block(2, n); }
  /// Coordinates, offsets, floats.
  void fill_registers(StateSource& in, std::span<Grf> registers) {
    const uint8_t kind = in.take<uint8_t>() & 3;
    for (Grf& reg : registers)
      for (uint32_t& dword : reg.dw) dword = dword_of(in, kind);
  }
  uint32_t dword_of(StateSource& in, uint8_t kind) {
    switch (kind) {
      case 0: return in.take<uint8_t>();
      case 1: return in.float_bits();
      case 2: return static_cast<uint32_t>(in.number(32));
      default: return static_cast<uint32_t>(in.one_in(4) ? in.address() : in.take<uint16_t>());
    }
  }

  GuestMap map;
  StopFlag stop;
  ShaderBases bases;
  ThreadEnv env;
  SurfaceState surface[surfaces]{};

 private:
  /// Tables among the data, which surfaces may write to. Blocks have control surfaces anywhere, or none.
  void store_aux_map() {
    map.memory.store<uint64_t>(aux_level3, aux_level2 | 1);
    map.memory.store<uint64_t>(aux_level2, aux_level1 | 1);
    for (uint32_t block = 0; block < 0x100; ++block) {
      const uint64_t control = block % 7 == 0 ? 0x80'0000 + block * 0x100 : (data_page + 20) * page_size + block % 64 * 0x100;
      map.memory.store<uint64_t>(aux_level1 + block * 8, block % 5 == 4 ? 0 : control | 1);
    }
  }
  static constexpr uint64_t aux_level3 = 0x8000, aux_level2 = 0x1'0000, aux_level1 = 0x1'2000;

  std::span<Grf> block(size_t page, size_t n) { return {reinterpret_cast<Grf*>(registers_.page(page) + page_size) - n, n}; }

  GuardedNowhere nowhere_;
  GuardedPages registers_{3}, slm_{1};
};

}  // namespace softgen::fuzz
