// SPDX-License-Identifier: GPL-2.0-or-later
// Kaby Lake's VEBOX with its enhancer, which executes packets one by one on mapped memory.
#pragma once

#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/vebox.h"
#include "tests/unit/media/engine_rig.h"

namespace softgen::media::test {

struct VeboxRig : EngineRig {
  /// Maps the GPU addresses from `start` to `end`.
  VeboxRig(uint64_t start, uint64_t end) : EngineRig(start, end, EngineId::vecs, defs::gen9::commands, defs::gen9::registers) {}
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
  Vebox vebox{make_vebox_enhancer<defs::Gen9>(), &pool};
};

}  // namespace softgen::media::test
