// SPDX-License-Identifier: GPL-2.0-or-later
// VP8 decoding: MFD_VP8_BSD_OBJECT, a frame each.
#pragma once

#include <memory>
#include <vector>

#include "hw/media/codec.h"
#include "hw/media/vp8/frame_decoder.h"
#include "hw/media/vp8/vp8_packets.h"

namespace softgen::media {

/// The object is the whole frame, so none is open between packets.
class Vp8Codec final : public PacketCodec<vp8::Vp8Packets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore&, EngineEnv&) override { return ExecResult::done; }

 private:
  void open(const vp8::FrameSurfaces& surfaces, EngineEnv& env);
  void load_segments(uint64_t address, EngineEnv& env);
  void store_segments(uint64_t address, EngineEnv& env);

  vp8::FrameParams params_;
  vp8::FrameDecoder decoder_;
  vp8::References references_;
  PictureMap destination_;
  std::array<std::vector<uint8_t>, 1 + vp8::max_partitions> bytes_;
  std::vector<uint8_t> segments_;  ///< by macroblock
};

template <class G>
std::unique_ptr<Codec> make_vp8_codec(WorkerPool* pool);

}  // namespace softgen::media
