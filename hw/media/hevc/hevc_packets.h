// SPDX-License-Identifier: GPL-2.0-or-later
// What HCP's packets say of an HEVC picture, without any generation's layouts, and the interface that makes it of packets. Implementations are in decode/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "hw/iface/engine.h"
#include "hw/media/codec.h"
#include "hw/media/frame/plane_map.h"
#include "hw/media/hevc/parameters.h"
#include "hw/media/packet_store.h"

namespace softgen::media {

struct HevcPicture {
  hevc::PictureParameters parameters;
  PlaneLayout luma, chroma;                             ///< of the picture; references have the same but for the base
  std::array<uint64_t, hevc::max_frames> references{};  ///< graphics addresses, by frame; 0: none
  uint64_t motion = 0;                                  ///< the picture's motion, for later ones; 0: none
  std::array<uint64_t, hevc::max_frames> collocated{};  ///< references' motion
};

class HevcPackets {
 public:
  virtual ~HevcPackets() = default;
  /// None: a picture that is not legal (counted). All of it is in range.
  virtual std::optional<HevcPicture> picture(const PacketStore& state) const = 0;
  virtual hevc::SliceParameters slice(const PacketStore& state, const hevc::PictureParameters& picture) const = 0;
  virtual Indirect object(const Packet& packet, const PacketStore& state) const = 0;
};

/// By a generation's traits (defs::Gen9, Gen11, Gen12).
template <class G>
std::unique_ptr<Codec> make_hevc_codec(WorkerPool* pool);
template <class G>
std::unique_ptr<const HevcPackets> make_hevc_packets();

}  // namespace softgen::media
