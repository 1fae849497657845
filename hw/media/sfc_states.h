// SPDX-License-Identifier: GPL-2.0-or-later
// SFC's packets, which the engines that it is behind keep until a frame starts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "hw/iface/engine.h"

namespace softgen::media {

/// A packet in room for the longest; the rest is 0.
template <typename Kept>
void keep_packet(std::span<const uint32_t> dwords, Kept& kept) {
  kept = {};
  std::copy_n(dwords.begin(), std::min(dwords.size(), kept.size()), kept.begin());
}

/// The packets of a frame, header first, as last written since SFC_LOCK or HCP_SFC_LOCK: room for those of every generation. A part of context images.
struct SfcStates {
  std::array<uint32_t, 2> lock{};
  std::array<uint32_t, 50> state{};
  std::array<uint32_t, 4> avs{};
  std::array<uint32_t, 129> luma_taps{};
  std::array<uint32_t, 65> chroma_taps{};
  std::array<uint32_t, 24> ief{};
  uint32_t started = 0;  ///< 1: by SFC_FRAME_START

  /// Whether it is one of SFC's packets, which is kept then.
  bool keep(const Packet& packet);
};

/// Whose pictures SFC takes: MFX's or HCP's of VCS, or those of VECS.
enum class SfcClient : uint8_t { mfx, hcp, vebox };

}  // namespace softgen::media
