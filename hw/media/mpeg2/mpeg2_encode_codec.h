// SPDX-License-Identifier: GPL-2.0-or-later
// MPEG-2 encoding: a MFC_MPEG2_PAK_OBJECT is a macroblock whose mode and vectors are chosen already. It is predicted, transformed, quantised, written, and
// reconstructed as a decoder would: the picture goes to its surface and is the reference of later ones.
#pragma once

#include "hw/media/codec.h"
#include "hw/media/mpeg2/mpeg2_encode_packets.h"
#include "hw/media/mpeg2/picture_maps.h"
#include "hw/media/mpeg2/slice_writer.h"

namespace softgen::media {

class Mpeg2Encoder final : public PacketCodec<mpeg2::Mpeg2EncodePackets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore& state, EngineEnv& env) override;

 private:
  void begin(const PacketStore& state, EngineEnv& env);
  void macroblock(const mpeg2::PakObject& object, const PacketStore& state, EngineEnv& env);
  void begin_slice(const mpeg2::PakObject& object, const PacketStore& state);
  void end_slice(EngineEnv& env);
  void append(EngineEnv& env, std::span<const uint8_t> bytes) { coded_.append(env.view, target_, bytes); }
  /// Predicts into the frame, and sets levels and pattern.
  void code(const mpeg2::PakObject& object, mpeg2::CodedMacroblock& coded);
  void reconstruct(const mpeg2::PakObject& object, const mpeg2::CodedMacroblock& coded);

  mpeg2::PictureParams picture_;
  mpeg2::Quantiser quantiser_;
  mpeg2::PictureMaps maps_;
  PictureMap source_;
  Frame<uint8_t> frame_;
  std::optional<mpeg2::SliceWriter> writer_;
  CodedBuffer coded_;
  PakTarget target_;
  bool in_slice_ = false;
  uint32_t next_x_ = 0, slice_y_ = 0;  ///< of the open slice
};

template <class G>
std::unique_ptr<Codec> make_mpeg2_encoder(WorkerPool* pool);

}  // namespace softgen::media
