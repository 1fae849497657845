// SPDX-License-Identifier: GPL-2.0-or-later
// VP9's decoder behind the video engine: fetches what a picture needs from graphics memory, and stores what it has become.
#pragma once

#include "hw/media/vp9/decoder.h"
#include "hw/media/vp9/picture_memory.h"
#include "hw/media/vp9/vp9_packets.h"

namespace softgen::media {

class Vp9Codec final : public PacketCodec<Vp9Packets> {
 public:
  using PacketCodec::PacketCodec;
  /// A packet is a picture.
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore&, EngineEnv&) override { return ExecResult::done; }

 private:
  template <typename T>
  ExecResult decode(vp9::Decoder<T>& decoder, Vp9Job& job, EngineEnv& env);

  vp9::Decoder<uint8_t> narrow_;
  vp9::Decoder<uint16_t> wide_;
  vp9::PictureMemory memory_;
  std::vector<uint8_t> stream_;
};

}  // namespace softgen::media
