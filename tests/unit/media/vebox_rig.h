// SPDX-License-Identifier: GPL-2.0-or-later
// Kaby Lake's VEBOX with its enhancer, which executes packets one by one on mapped memory.
#pragma once

#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/vebox.h"
#include "hw/mmio/register_file.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

namespace softgen::media::test {

struct VeboxRig : memory::test::Mapped {
  /// Maps the GPU addresses from `start` to `end`.
  VeboxRig(uint64_t start, uint64_t end) : Mapped(start, end) { quiet_log(); }
  template <class P>
  ExecResult send(const P& packet) {
    const auto dwords = packet.pack();
    const defs::Command* command = defs::gen9::commands.find(defs::EngineClass::video_enhance, dwords[0]);
    REQUIRE(command);
    return vebox.execute({0x1000, command, dwords}, env);
  }
  std::vector<uint8_t> bytes(uint64_t from, uint64_t to) {
    std::vector<uint8_t> all(to - from);
    view.read(from, all.data(), all.size());
    return all;
  }

  mmio::RegisterFile registers{defs::gen9::registers};
  StopFlag stop;
  EngineEnv env{EngineId::vecs, view, view, registers, stop};
  WorkerPool pool{2};
  Vebox vebox{make_vebox_enhancer<defs::Gen9>(), &pool};
};

}  // namespace softgen::media::test
