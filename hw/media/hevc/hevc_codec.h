// SPDX-License-Identifier: GPL-2.0-or-later
// HEVC behind HCP's packets: opens surfaces, reads slices and motion, and has pictures decoded.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "hw/media/codec.h"
#include "hw/media/hevc/hevc_packets.h"
#include "hw/media/hevc/picture_decoder.h"
#include "hw/media/hevc/reference_pictures.h"

namespace softgen::media {

class HevcCodec final : public PacketCodec<HevcPackets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore& state, EngineEnv& env) override;

 private:
  bool begin(const PacketStore& state, EngineEnv& env);

  std::array<std::unique_ptr<hevc::PictureDecoder>, 2> decoders_;  ///< by sample size
  hevc::PictureDecoder* decoder_ = nullptr;                        ///< the picture's
  HevcPicture picture_;
  PictureMap target_;
  hevc::ReferencePictures references_;
  std::vector<uint8_t> bytes_;
};

}  // namespace softgen::media
