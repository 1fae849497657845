// SPDX-License-Identifier: GPL-2.0-or-later
// MPEG-2 decoding: MFD_MPEG2_BSD_OBJECT, a slice each.
#pragma once

#include <memory>
#include <vector>

#include "hw/media/codec.h"
#include "hw/media/mpeg2/mpeg2_packets.h"
#include "hw/media/mpeg2/picture_maps.h"

namespace softgen::media {

class Mpeg2Codec final : public PacketCodec<mpeg2::Mpeg2Packets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore& state, EngineEnv& env) override;

 private:
  void begin(const PacketStore& state, EngineEnv& env);
  /// False: a stop request ended it.
  bool conceal(const StopFlag& stop);

  mpeg2::PictureParams picture_;
  mpeg2::PictureMaps maps_;
  Frame<uint8_t> frame_;
  std::vector<uint8_t> done_;   ///< by macroblock
  std::vector<uint8_t> bytes_;  ///< of a slice
};

template <class G>
std::unique_ptr<Codec> make_mpeg2_codec(WorkerPool* pool);

}  // namespace softgen::media
