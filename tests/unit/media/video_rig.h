// SPDX-License-Identifier: GPL-2.0-or-later
// A video engine of Kaby Lake with a small memory, which tests send packets to.
#pragma once

#include <span>

#include "hw/defs/gen9/all.h"
#include "hw/media/huc_decoder.h"
#include "hw/media/video.h"
#include "hw/mmio/register_file.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

namespace softgen::media::test {

struct VideoRig : memory::test::Mapped {
  /// Memory: all pages of [first, end).
  VideoRig(uint64_t first, uint64_t end) : Mapped(first, end), env{EngineId::vcs0, view, view, registers, stop} { quiet_log(); }

  template <class Packet>
  void send(const Packet& packet) {
    const auto dwords = packet.pack();
    send_dwords(dwords);
  }
  void send_dwords(std::span<const uint32_t> dwords) {
    const defs::Command* command = defs::gen9::commands.find(defs::EngineClass::video, dwords[0]);
    REQUIRE(command);
    REQUIRE(video.execute({0x1000, command, dwords}, env) == ExecResult::done);
  }

  mmio::RegisterFile registers{defs::gen9::registers};
  StopFlag stop;
  EngineEnv env;
  Video video{make_huc_decoder<defs::Gen9>(), make_video_packets<defs::Gen9>(), nullptr};
};

}  // namespace softgen::media::test
