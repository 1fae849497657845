// SPDX-License-Identifier: GPL-2.0-or-later
// H.264 decoding behind the video engine: one picture (frame or field) at a time.
#pragma once

#include <memory>
#include <vector>

#include "hw/media/avc/avc_packets.h"
#include "hw/media/avc/picture.h"
#include "hw/media/avc/slice.h"
#include "hw/media/avc/stored_pictures.h"
#include "hw/media/codec.h"

namespace softgen::media::avc {

class AvcCodec final : public PacketCodec<AvcPackets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore& state, EngineEnv& env) override;

 private:
  void begin(const PacketStore& state);
  /// False: a stop request ended it.
  bool conceal(const StopFlag& stop);

  PictureState state_;
  Picture picture_;
  LevelScale scale_;
  StoredPictures stored_;
  std::vector<uint8_t> bytes_;
};

}  // namespace softgen::media::avc
