// SPDX-License-Identifier: GPL-2.0-or-later
// What AVC's packets say, without any generation's layouts. Implementations are in hw/media/decode/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "hw/media/avc/motion_store.h"
#include "hw/media/avc/params.h"
#include "hw/media/codec.h"
#include "hw/media/frame/frame.h"

namespace softgen::media::avc {

struct PictureState {
  PictureParams params;
  PictureLayout layout;  ///< of frames
  uint64_t destination = 0;
  std::array<uint64_t, max_frames> references{};
  MotionAddresses motion;
};

/// The bytes are those of the NAL unit.
struct SliceState : Indirect {
  SliceParams params;
  uint32_t data_offset = 0;  ///< of slice_data, without emulation prevention bytes
};

class AvcPackets {
 public:
  virtual ~AvcPackets() = default;
  virtual PictureState picture(const PacketStore& state) const = 0;
  virtual SliceState slice(const Packet& packet, const PacketStore& state, const PictureParams& picture) const = 0;
  /// What of a slice is in state packets: all but where it is.
  virtual SliceParams slice_params(const PacketStore& state, const PictureParams& picture) const = 0;
};

}  // namespace softgen::media::avc

namespace softgen::media {

/// By a generation's traits (defs::Gen9, Gen11, Gen12).
template <class G>
std::unique_ptr<Codec> make_avc_codec(WorkerPool* pool);
template <class G>
std::unique_ptr<const avc::AvcPackets> make_avc_packets();

}  // namespace softgen::media
