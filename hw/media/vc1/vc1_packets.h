// SPDX-License-Identifier: GPL-2.0-or-later
// What VC-1's packets say, without any generation's layouts. Implementations are in decode/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "hw/iface/engine.h"
#include "hw/media/frame/plane_map.h"
#include "hw/media/packet_store.h"
#include "hw/media/vc1/picture.h"

namespace softgen::media::vc1 {

/// Address 0: there is none.
struct SurfaceSet {
  PlaneLayout luma, chroma;  ///< without base; whole macroblocks
  uint64_t destination = 0;
  std::array<uint64_t, 2> reference{};  ///< forward, backward
  uint64_t bitplane = 0;                ///< half a byte a macroblock, even columns in the lower half
  uint32_t bitplane_pitch = 0;
  uint64_t motion_write = 0, motion_read = 0;
};

struct SliceObject {
  uint32_t first_row = 0, end_row = 0;
  uint64_t address = 0, bound = 0;  ///< bound 0: none
  uint32_t bytes = 0;
  uint32_t first_bit = 0;  ///< behind the removal of emulation prevention
  bool has_emulation = false;
};

class Vc1Packets {
 public:
  virtual ~Vc1Packets() = default;
  /// Clamped to what can be.
  virtual PictureParams picture(const PacketStore& state) const = 0;
  virtual SurfaceSet surfaces(const PacketStore& state) const = 0;
  virtual SliceObject slice(const Packet& packet, const PacketStore& state, const PictureParams& picture) const = 0;
};

}  // namespace softgen::media::vc1
