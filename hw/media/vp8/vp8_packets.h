// SPDX-License-Identifier: GPL-2.0-or-later
// What VP8's packets say, without any generation's layouts. Implementations are in decode/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "hw/iface/engine.h"
#include "hw/media/frame/frame.h"
#include "hw/media/packet_store.h"
#include "hw/media/vp8/picture.h"

namespace softgen::media::vp8 {

/// The layout is that of all surfaces.
struct FrameSurfaces : PictureLayout {
  uint64_t destination = 0;
  std::array<uint64_t, 3> reference{};  ///< last, golden, alternate; 0: there is none
  uint64_t token_probabilities = 0, segments = 0;
};

struct FrameObject {
  struct Part {
    uint64_t address = 0;
    uint32_t bytes = 0;
  };
  uint64_t bound = 0;                             ///< 0: none
  std::array<Part, 1 + max_partitions> part;      ///< the first has the headers
  unsigned partitions = 1;                        ///< of tokens: 1, 2, 4 or 8
  uint8_t range = 255, value = 0, first_bit = 0;  ///< where the first one's bool decoder stands
};

class Vp8Packets {
 public:
  virtual ~Vp8Packets() = default;
  /// Clamped to what can be.
  virtual FrameParams frame(const PacketStore& state) const = 0;
  virtual FrameSurfaces surfaces(const PacketStore& state) const = 0;
  virtual FrameObject object(const Packet& packet, const PacketStore& state) const = 0;
};

/// By a generation's traits.
template <class G>
std::unique_ptr<const Vp8Packets> make_vp8_packets();

}  // namespace softgen::media::vp8
