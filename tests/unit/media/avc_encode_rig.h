// SPDX-License-Identifier: GPL-2.0-or-later
// A video engine that is sent the packets of H.264's encoder.
#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "tests/unit/media/video_rig.h"

namespace softgen::media::avc::packet_test {

constexpr uint32_t columns = 4, rows = 2, width = columns * 16, height = rows * 16, pitch = 64;
constexpr uint64_t source = 0x1'0000, reconstruction = 0x2'0000, coded = 0x3'0000, bound = coded + 0x4000, end = 0x4'0000;
constexpr uint32_t byte_count = 0x128a0, slice_count = 0x12954;  ///< of Kaby Lake
constexpr uint8_t untouched = 0xcc;

template <class G>
struct RigOf : media::test::VideoRigOf<G> {
  using Base = media::test::VideoRigOf<G>;
  using Base::execute, Base::video, Base::view, Base::registers;

  RigOf() : Base(source, end) {
    for (uint64_t at = source; at < reconstruction; ++at) view.store(at, static_cast<uint8_t>(at % pitch * 3 + at / pitch * 2));
    for (uint64_t at = reconstruction; at < end; ++at) view.store(at, untouched);
  }
  /// Sets the packet's length.
  void run(uint32_t opcode, std::vector<uint32_t> dwords) {
    dwords.insert(dwords.begin(), opcode << 16 | static_cast<uint32_t>(dwords.size() - 1));
    if (random) {
      const size_t at = 1 + (*random)() % (dwords.size() - 1);
      if ((*random)() % 4 == 0) dwords[at] ^= 1u << (*random)() % 32;
    }
    CHECK(execute(video, dwords) == ExecResult::done);
  }
  void run(uint32_t opcode, size_t dwords, std::initializer_list<std::pair<size_t, uint32_t>> values) {
    std::vector<uint32_t> packet(dwords - 1);
    for (const auto& [at, value] : values) packet[at - 1] = value;
    run(opcode, packet);
  }
  /// `flags`: more bits of MFX_PIPE_MODE_SELECT.
  void begin(uint32_t flags) {
    run(0x7000, 5, {{1, 2 | 1 << 4 | 1 << 9 | 1 << 17 | flags}});
    for (const uint32_t id : {0u, 4u})
      run(0x7001, 6, {{1, id}, {2, (height - 1) << 18 | (width - 1) << 4}, {3, 4u << 28 | 1 << 27 | (pitch - 1) << 3}, {4, height}});
    run(0x7002, 68, {{4, reconstruction}, {7, source}});
    run(0x7003, 26, {{21, coded}, {24, bound}});
    run(0x7100, 21, {{2, (rows - 1) << 16 | (columns - 1)}, {4, 1 << 2 | uint32_t{transform8} << 3 | 1 << 7 | 1 << 10}});
    run(0x7085, 35, {{1, uint32_t{transform8} << 7}, {8, luma_intra_mask}});
    for (uint32_t kind = 0; kind < 4; ++kind) {
      std::vector<uint32_t> matrix(17, 0x1010'1010);
      matrix[0] = kind;
      run(0x7007, matrix);
    }
  }
  std::mt19937* random = nullptr;
  bool transform8 = false;       ///< of the picture, and of VDEnc
  uint32_t luma_intra_mask = 0;  ///< of VDENC_IMG_STATE
};
using Rig = RigOf<defs::Gen9>;

}  // namespace softgen::media::avc::packet_test
