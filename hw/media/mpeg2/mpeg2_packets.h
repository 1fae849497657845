// SPDX-License-Identifier: GPL-2.0-or-later
// What MPEG-2's packets say, without any generation's layouts. Implementations are in decode/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "hw/iface/engine.h"
#include "hw/media/codec.h"
#include "hw/media/frame/frame.h"
#include "hw/media/mpeg2/picture.h"
#include "hw/media/packet_store.h"

namespace softgen::media::mpeg2 {

/// All surfaces of a picture have one layout, and addresses of their own. Address 0: there is none.
/// The layout is that of whole frames.
struct SurfaceSet : PictureLayout {
  uint64_t destination = 0;
  std::array<std::array<uint64_t, 2>, 2> reference{};  ///< by direction, parity; frame pictures: the first
};

struct SliceObject : Indirect {
  SliceParams slice;
  uint8_t first_bit = 0;
};

class Mpeg2Packets {
 public:
  virtual ~Mpeg2Packets() = default;
  /// Clamped to what can be.
  virtual PictureParams picture(const PacketStore& state) const = 0;
  virtual SurfaceSet surfaces(const PacketStore& state) const = 0;
  virtual SliceObject slice(const Packet& packet, const PacketStore& state, const PictureParams& picture) const = 0;
};

/// By a generation's traits (defs::Gen9, Gen11, Gen12).
template <class G>
std::unique_ptr<const Mpeg2Packets> make_packets();

}  // namespace softgen::media::mpeg2
