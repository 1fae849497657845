// SPDX-License-Identifier: GPL-2.0-or-later
// VC-1 decoding: MFD_VC1_BSD_OBJECT, a slice each.
#pragma once

#include <memory>
#include <vector>

#include "hw/media/codec.h"
#include "hw/media/vc1/vc1_packets.h"

namespace softgen::media {

class Vc1Codec final : public PacketCodec<vc1::Vc1Packets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore& state, EngineEnv& env) override;

 private:
  void begin(const PacketStore& state, EngineEnv& env);
  void open_references(const vc1::SurfaceSet& surfaces, EngineEnv& env);
  void read_flags(const vc1::SurfaceSet& surfaces, EngineEnv& env);
  void read_motion(uint64_t address, EngineEnv& env);
  void refresh(EngineEnv& env);
  /// False: a stop request ended it.
  bool conceal(const StopFlag& stop);
  void write_motion(EngineEnv& env) const;

  vc1::Picture picture_;
  PictureMap destination_;
  uint64_t motion_address_ = 0;  ///< where the picture's vectors go; 0: nowhere
  std::vector<uint8_t> bytes_;   ///< of a slice
};

template <class G>
std::unique_ptr<Codec> make_vc1_codec(WorkerPool* pool);

}  // namespace softgen::media
