// SPDX-License-Identifier: GPL-2.0-or-later
// VP9's decoder behind the video engine: fetches what a picture needs from graphics memory, and stores what it has become.
#pragma once

#include "hw/media/vp9/decoder.h"
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
  void open_references(Vp9Job& job, EngineEnv& env);
  void read_side_data(const Vp9Job& job, EngineEnv& env);
  void write_side_data(const Vp9Job& job, EngineEnv& env, bool probabilities);
  template <typename T>
  void store(const Vp9Job& job, vp9::Planes<T>& planes, EngineEnv& env);

  vp9::Decoder<uint8_t> narrow_;
  vp9::Decoder<uint16_t> wide_;
  std::array<PictureMap, 3> references_;
  PictureMap target_;
  std::vector<uint8_t> stream_, bytes_, segment_ids_;
  std::vector<vp9::StoredMotion> motion_, previous_;
  std::array<uint8_t, vp9::probability_bytes> probabilities_{};
};

}  // namespace softgen::media
