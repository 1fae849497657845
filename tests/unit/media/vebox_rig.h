// SPDX-License-Identifier: GPL-2.0-or-later
// A generation's VEBOX, which executes packets one by one on mapped memory.
#pragma once

#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/vebox.h"
#include "tests/registers_of.h"
#include "tests/unit/media/engine_rig.h"

namespace softgen::media::test {

/// A picture of a VEBOX_SURFACE_STATE in NV12.
template <class Surface>
void set_nv12(Surface& surface, uint32_t width, uint32_t height, uint32_t pitch, uint32_t chroma_row) {
  surface.width = width - 1, surface.height = height - 1;
  surface.surface_format = Surface::SurfaceFormat::PLANAR_420_8;
  surface.interleave_chroma = true;
  surface.surface_pitch = surface.derived_surface_pitch = pitch - 1;
  surface.y_offset_for_u = chroma_row;
}

template <class G>
struct VeboxRigOf : EngineRig {
  /// Maps the GPU addresses from `start` to `end`.
  VeboxRigOf(uint64_t start, uint64_t end) : EngineRig(start, end, EngineId::vecs, G::commands, defs::registers_of<G>()) {}
  template <class P>
  ExecResult send(const P& packet) {
    return execute(vebox, packet.pack());
  }
  std::vector<uint8_t> bytes(uint64_t from, uint64_t to) {
    std::vector<uint8_t> all(to - from);
    view.read(from, all.data(), all.size());
    return all;
  }

  /// A structure that packets point to.
  template <class S>
  void put(uint64_t at, const S& state) {
    const auto dwords = state.pack();
    view.write(at, dwords.data(), dwords.size() * sizeof dwords[0]);
  }

  WorkerPool pool{2};
  Vebox vebox{make_vebox_decoder<G>(), &pool};
};

using VeboxRig = VeboxRigOf<defs::Gen9>;

/// Gen9's rig and G's make the same outputs() of what `set` asks for, and others than there were.
template <template <class> class Rig, class G, typename Set>
void check_as_gen9(Set&& set) {
  Rig<defs::Gen9> first;
  set(first), first.run();
  Rig<G> second;
  const std::vector<uint8_t> before = second.outputs();
  set(second), second.run();
  CHECK((second.outputs() != before));
  CHECK((first.outputs() == second.outputs()));
}

}  // namespace softgen::media::test
