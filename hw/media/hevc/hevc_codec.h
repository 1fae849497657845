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

class HevcCodec final : public Codec {
 public:
  HevcCodec(std::unique_ptr<const HevcPackets> packets, WorkerPool* pool) : packets_(std::move(packets)), pool_(pool) {}

  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  bool is_open() const override { return decoder_; }
  ExecResult close(const PacketStore& state, EngineEnv& env) override;
  void drop() override { decoder_ = nullptr; }
  PictureStatus status() const override { return status_; }

 private:
  bool begin(const PacketStore& state, EngineEnv& env);

  const std::unique_ptr<const HevcPackets> packets_;
  WorkerPool* const pool_;
  std::array<std::unique_ptr<hevc::PictureDecoder>, 2> decoders_;  ///< by sample size
  hevc::PictureDecoder* decoder_ = nullptr;                        ///< the open picture's
  HevcPicture picture_;
  PictureMap target_;
  hevc::ReferencePictures references_;
  std::vector<uint8_t> bytes_;
  PictureStatus status_;
};

}  // namespace softgen::media
