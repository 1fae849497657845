// SPDX-License-Identifier: GPL-2.0-or-later
// A generation's VEBOX, which executes packets one by one on mapped memory.
#pragma once

#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/registers/registers.h"
#include "hw/media/vebox.h"
#include "tests/unit/media/engine_rig.h"

namespace softgen::media::test {

template <class G>
const defs::RegisterSet& registers_of();
template <>
inline const defs::RegisterSet& registers_of<defs::Gen9>() {
  return defs::gen9::registers;
}
template <>
inline const defs::RegisterSet& registers_of<defs::Gen11>() {
  return defs::gen11::registers;
}
template <>
inline const defs::RegisterSet& registers_of<defs::Gen12>() {
  return defs::gen12::registers;
}

template <class G>
struct VeboxRigOf : EngineRig {
  /// Maps the GPU addresses from `start` to `end`.
  VeboxRigOf(uint64_t start, uint64_t end) : EngineRig(start, end, EngineId::vecs, G::commands, registers_of<G>()) {}
  template <class P>
  ExecResult send(const P& packet) {
    return execute(vebox, packet.pack());
  }
  std::vector<uint8_t> bytes(uint64_t from, uint64_t to) {
    std::vector<uint8_t> all(to - from);
    view.read(from, all.data(), all.size());
    return all;
  }

  WorkerPool pool{2};
  Vebox vebox{make_vebox_decoder<G>(), &pool};
};

using VeboxRig = VeboxRigOf<defs::Gen9>;

}  // namespace softgen::media::test
