// SPDX-License-Identifier: GPL-2.0-or-later
// A video engine of Kaby Lake with a small memory, which tests send packets to.
#pragma once

#include <span>

#include "hw/defs/gen9/all.h"
#include "hw/media/huc_decoder.h"
#include "hw/media/video.h"
#include "tests/unit/media/engine_rig.h"

namespace softgen::media::test {

struct VideoRig : EngineRig {
  /// Memory: all pages of [first, end).
  VideoRig(uint64_t first, uint64_t end) : EngineRig(first, end, EngineId::vcs0, defs::gen9::commands, defs::gen9::registers) {}

  template <class Packet>
  void send(const Packet& packet) {
    const auto dwords = packet.pack();
    send_dwords(dwords);
  }
  void send_dwords(std::span<const uint32_t> dwords) { REQUIRE(execute(video, dwords) == ExecResult::done); }

  Video video{make_huc_decoder<defs::Gen9>(), make_video_packets<defs::Gen9>(), nullptr};
};

}  // namespace softgen::media::test
