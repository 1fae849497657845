// SPDX-License-Identifier: GPL-2.0-or-later
// What VP9's packets say, without any generation's layouts, and the interface that makes it of packets. Implementations are in decode/.
#pragma once

#include <memory>
#include <optional>

#include "hw/media/codec.h"
#include "hw/media/vp9/picture.h"

namespace softgen::media {

struct Vp9Surface {
  PlaneLayout luma, chroma;
};

/// A picture: its parameters, and the graphics addresses of what it reads and writes.
struct Vp9Job {
  vp9::Parameters picture;  ///< references without maps
  Vp9Surface target;
  std::array<std::optional<Vp9Surface>, 3> references;
  uint64_t stream = 0, stream_bound = 0;
  uint32_t stream_bytes = 0;
  uint64_t probabilities = 0, segment_ids = 0, motion = 0, previous_motion = 0;  ///< 0: there is none
};

class Vp9Packets {
 public:
  virtual ~Vp9Packets() = default;
  /// `packet`: HCP_BSD_OBJECT. None: no picture that can be decoded (counted).
  virtual std::optional<Vp9Job> job(const Packet& packet, const PacketStore& state) const = 0;
};

/// By a generation's traits (defs::Gen9, Gen11, Gen12).
template <class G>
std::unique_ptr<Codec> make_vp9_codec(WorkerPool* pool);

}  // namespace softgen::media
