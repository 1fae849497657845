// SPDX-License-Identifier: GPL-2.0-or-later
// What VC-1's packets say, without any generation's layouts. Implementations are in decode/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "hw/iface/engine.h"
#include "hw/media/codec.h"
#include "hw/media/frame/frame.h"
#include "hw/media/packet_store.h"
#include "hw/media/vc1/picture.h"

namespace softgen::media::vc1 {

/// Address 0: there is none.
/// The layout has whole macroblocks of the frame, or what is before chroma.
struct SurfaceSet : PictureLayout {
  uint64_t destination = 0;
  std::array<uint64_t, 4> reference{};  ///< as Picture has them
  uint64_t bitplane = 0;                ///< 4 bits per macroblock, even columns in the lower half
  uint32_t bitplane_pitch = 0;
  uint64_t motion_write = 0, motion_read = 0;
};

struct SliceObject : Indirect {
  uint32_t first_row = 0, end_row = 0;
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
