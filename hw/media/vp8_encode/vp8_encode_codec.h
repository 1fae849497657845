// SPDX-License-Identifier: GPL-2.0-or-later
// VP8 encoding: a MFX_VP8_PAK_OBJECT is a macroblock whose mode and vectors a kernel has chosen. The frame header's bits come from a kernel, too.
#pragma once

#include <memory>
#include <vector>

#include "hw/media/codec.h"
#include "hw/media/vp8_encode/frame_encoder.h"
#include "hw/media/vp8_encode/vp8_encode_packets.h"

namespace softgen::media {

class Vp8Encoder final : public PacketCodec<vp8::Vp8EncodePackets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore& state, EngineEnv& env) override;

 private:
  void begin(const PacketStore& state, EngineEnv& env);
  void read_vectors(vp8::PakObject& object, EngineEnv& env);
  void assemble(EngineEnv& env);

  vp8::FrameParams frame_;
  vp8::FrameOutput output_;
  vp8::FrameEncoder encoder_;
  vp8::References references_;
  PictureMap source_, destination_;
  std::vector<uint8_t> bytes_;
  CodedBuffer coded_;
};

template <class G>
std::unique_ptr<Codec> make_vp8_encoder(WorkerPool* pool);

}  // namespace softgen::media
