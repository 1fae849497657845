// SPDX-License-Identifier: GPL-2.0-or-later
// MPEG-2 decoding: MFD_MPEG2_BSD_OBJECT, a slice each.
#pragma once

#include <memory>
#include <vector>

#include "hw/media/codec.h"
#include "hw/media/mpeg2/mpeg2_packets.h"
#include "hw/media/mpeg2/picture_maps.h"

namespace softgen::media {

class Mpeg2Codec final : public Codec {
 public:
  Mpeg2Codec(std::unique_ptr<const mpeg2::Mpeg2Packets> packets, WorkerPool* pool) : packets_(std::move(packets)), pool_(pool) {}

  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  bool is_open() const override { return open_; }
  ExecResult close(const PacketStore& state, EngineEnv& env) override;
  void drop() override { open_ = false; }
  PictureStatus status() const override { return status_; }

 private:
  void begin(const PacketStore& state, EngineEnv& env);
  /// False: a stop request ended it.
  bool conceal(const StopFlag& stop);

  const std::unique_ptr<const mpeg2::Mpeg2Packets> packets_;
  WorkerPool* const pool_;
  bool open_ = false;
  PictureStatus status_;
  mpeg2::PictureParams picture_;
  mpeg2::PictureMaps maps_;
  Frame<uint8_t> frame_;
  std::vector<uint8_t> done_;   ///< by macroblock
  std::vector<uint8_t> bytes_;  ///< of a slice
};

template <class G>
std::unique_ptr<Codec> make_mpeg2_codec(WorkerPool* pool);

}  // namespace softgen::media
