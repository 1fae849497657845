// SPDX-License-Identifier: GPL-2.0-or-later
// A generation's video engine with a small memory, which tests send packets to.
#pragma once

#include <span>

#include "hw/defs/gen9/all.h"
#include "hw/media/huc_decoder.h"
#include "hw/media/video.h"
#include "tests/registers_of.h"
#include "tests/unit/media/engine_rig.h"

namespace softgen::media::test {

template <class G>
struct VideoRigOf : EngineRig {
  /// Memory: all pages of [first, end).
  VideoRigOf(uint64_t first, uint64_t end) : EngineRig(first, end, EngineId::vcs0, G::commands, defs::registers_of<G>()) {}

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
