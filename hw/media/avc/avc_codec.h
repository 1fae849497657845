// SPDX-License-Identifier: GPL-2.0-or-later
// H.264 decoding behind the video engine: one picture (frame or field) at a time.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "hw/media/avc/avc_packets.h"
#include "hw/media/avc/picture.h"
#include "hw/media/avc/slice.h"
#include "hw/media/codec.h"
#include "hw/media/frame/frame.h"

namespace softgen::media::avc {

class AvcCodec final : public Codec {
 public:
  AvcCodec(std::unique_ptr<const AvcPackets> packets, WorkerPool* pool) : packets_(std::move(packets)), pool_(pool) {}
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  bool is_open() const override { return open_; }
  ExecResult close(const PacketStore& state, EngineEnv& env) override;
  void drop() override { open_ = false; }
  PictureStatus status() const override { return status_; }

 private:
  void begin(const PacketStore& state);
  void open_references(const SliceParams& slice, EngineEnv& env);
  const PictureMap* reference(unsigned frame, unsigned part, EngineEnv& env);
  void read_motion(unsigned frame, EngineEnv& env);
  void write_motion(EngineEnv& env);
  /// False: a stop request ended it.
  bool conceal(const StopFlag& stop);
  void store(EngineEnv& env);
  /// Of a picture at `base`: the frame, or a field.
  void open_map(PictureMap& map, uint64_t base, unsigned part, Access access, EngineEnv& env) const;

  const std::unique_ptr<const AvcPackets> packets_;
  WorkerPool* const pool_;
  bool open_ = false;
  PictureState state_;
  Picture picture_;
  LevelScale scale_;
  PictureStatus status_;
  std::array<PictureMap, 64> maps_;  ///< by Macroblock::picture
  References references_{};
  std::array<std::vector<uint8_t>, max_frames> motion_bytes_;
  MotionBuffers motion_{};
  const PictureMap* conceal_from_ = nullptr;
  std::vector<uint8_t> bytes_, records_;
};

}  // namespace softgen::media::avc
