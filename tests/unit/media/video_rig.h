// SPDX-License-Identifier: GPL-2.0-or-later
// A generation's video engine with a small memory, which tests send packets to.
#pragma once

#include <span>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/huc_decoder.h"
#include "hw/media/video.h"
#include "tests/unit/media/engine_rig.h"

namespace softgen::media::test {

/// A generation's commands and registers.
template <class G>
struct SetsOf;
template <>
struct SetsOf<defs::Gen9> {
  static constexpr const defs::CommandSet& commands = defs::gen9::commands;
  static constexpr const defs::RegisterSet& registers = defs::gen9::registers;
};
template <>
struct SetsOf<defs::Gen11> {
  static constexpr const defs::CommandSet& commands = defs::gen11::commands;
  static constexpr const defs::RegisterSet& registers = defs::gen11::registers;
};
template <>
struct SetsOf<defs::Gen12> {
  static constexpr const defs::CommandSet& commands = defs::gen12::commands;
  static constexpr const defs::RegisterSet& registers = defs::gen12::registers;
};

template <class G>
struct VideoRigOf : EngineRig {
  /// Memory: all pages of [first, end).
  VideoRigOf(uint64_t first, uint64_t end) : EngineRig(first, end, EngineId::vcs0, SetsOf<G>::commands, SetsOf<G>::registers) {}

  template <class Packet>
  void send(const Packet& packet) {
    const auto dwords = packet.pack();
    send_dwords(dwords);
  }
  void send_dwords(std::span<const uint32_t> dwords) { REQUIRE(execute(video, dwords) == ExecResult::done); }

  Video video{make_huc_decoder<G>(), make_video_packets<G>(), nullptr};
};
/// Kaby Lake's.
struct VideoRig : VideoRigOf<defs::Gen9> {
  using VideoRigOf::VideoRigOf;
};

}  // namespace softgen::media::test
