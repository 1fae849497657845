// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's bit stream decoder (BSD), the engine behind the video ring: it parses AVC's slices, and leaves samples to kernels on the render ring. The ILK PRM
// at hand (vol 1 part 4) has its command streamer alone; its packets and records follow from intel-vaapi-driver (i965_avc_bsd.c, shaders/h264).
#pragma once

#include <memory>

#include "hw/iface/engine.h"
#include "hw/media/bsd/bsd_packets.h"
#include "hw/media/bsd/bsd_picture.h"
#include "hw/media/packet_store.h"

namespace softgen::media {

/// State packets stay until others replace them, and are the engine's part of a context; so is how far the picture is.
class Bsd final : public Engine {
 public:
  explicit Bsd(std::unique_ptr<const bsd::BsdPackets> packets) : packets_(std::move(packets)), picture_(*packets_) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override;
  /// Deblocking data and direct MV records of what has come of the picture are in memory then. Slices may follow.
  ExecResult flush(const FlushRequest&, EngineEnv& env) override;
  bool in_picture() const override { return dirty_; }

  size_t context_size() const override;
  void save_context(std::span<std::byte> image) override;
  void restore_context(std::span<const std::byte> image) override;
  void reset_context() override;

 private:
  /// Begins a picture, and ends the one before.
  ExecResult begin(EngineEnv& env);
  ExecResult object(const Packet& packet, EngineEnv& env);
  /// What of the picture is in host memory alone. Its callers time it.
  ExecResult write_back(EngineEnv& env);
  /// Ends the picture.
  ExecResult end(EngineEnv& env);
  ExecResult drop();

  const std::unique_ptr<const bsd::BsdPackets> packets_;
  PacketStore store_;
  bsd::BsdPicture picture_;
  bool open_ = false;    ///< AVC_BSD_IMG_STATE has come, and the picture's last macroblock has not
  bool loaded_ = false;  ///< picture_ is that picture: after a reset or restore it is not, until its next slice
  bool dirty_ = false;   ///< what of it is in host memory alone
  uint32_t next_ = 0;    ///< the macroblock that comes next
};

/// By a generation's traits: defs::Gen5.
template <class G>
std::unique_ptr<Engine> make_bsd();

}  // namespace softgen::media
