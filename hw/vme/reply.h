// SPDX-License-Identifier: GPL-2.0-or-later
// What VME's messages answer: registers W0 to W6, then the records of streams.
#pragma once

#include <array>
#include <cstdint>

#include "hw/defs/messages/headers.h"
#include "hw/iface/message_target.h"
#include "hw/vme/measure.h"

namespace softgen::vme {

/// Of an 8x8 block.
enum class Direction : uint8_t { forward, backward, both };

/// How a block is predicted from references.
struct InterChoice {
  Mode mode = Mode::b16x16;
  std::array<Direction, 4> direction{};                     ///< by 8x8 block
  std::array<std::array<Vector, sub_blocks>, 2> vectors{};  ///< by direction, 4x4 block
  uint32_t cost = 0;
  Distortions parts{};  ///< by 4x4 block
  /// Blocks of 8x8 that take the same vectors, each of them by its first: 1, 2 or 4 of them.
  unsigned partitions() const { return mode == Mode::b16x16 ? 1 : mode == Mode::b8x8 ? 4 : 2; }
};

/// The 8x8 blocks of partition `part`: a bit each.
constexpr unsigned blocks_of(Mode mode, unsigned part) {
  switch (mode) {
    case Mode::b16x16: return 0xf;
    case Mode::b16x8: return part ? 0xc : 0x3;
    case Mode::b8x16: return part ? 0xa : 0x5;
    default: return 1u << part;
  }
}

class Reply {
 public:
  void set(const InterChoice& inter, const Request& request);
  /// `shape` 0: 16x16, 1: 8x8, 2: 4x4; modes of the 4x4 blocks. `neighbours`: as the message has them.
  void set_intra(unsigned shape, const std::array<uint8_t, sub_blocks>& modes, uint32_t cost, unsigned neighbours);
  void set_intra_is_best();
  /// Its cost is the largest there is.
  void set_no_intra() { set_half(0, 6, ~0u); }
  void set_inter_cost(uint32_t cost) { set_half(0, 4, cost); }
  void set_skip_distortion(uint32_t distortion) { set_half(0, 5, distortion); }
  /// What the transform leaves: of an 8x8 block of luma, or of Cb (0) or Cr (1).
  void set_coefficients(bool chroma, unsigned block, unsigned count, uint32_t sum);
  /// The 16 bits at `index` of a register, limited to them.
  void set_half(unsigned reg, unsigned index, uint32_t value);
  void set_dword(unsigned reg, unsigned index, uint32_t value) { w_[reg].dw[index] = value; }
  /// As many registers as the message asks for.
  void write(std::span<Grf> response) const;

 private:
  message_reply::VmeChoice choice() { return {w_[0].dw}; }
  message_reply::VmeBlocks blocks() { return {w_[6].dw}; }

  std::array<Grf, 11> w_{};
};

}  // namespace softgen::vme
