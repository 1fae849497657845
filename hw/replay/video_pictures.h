// SPDX-License-Identifier: GPL-2.0-or-later
// softgen-replay --png: the pictures that a video engine decodes, as PNG files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/media/packet_store.h"
#include "hw/media/video_packets.h"
#include "hw/memory/view.h"

namespace softgen::replay {

/// Of one engine.
class VideoPictures {
 public:
  /// `packets` null: the platform's video engines decode nothing.
  explicit VideoPictures(std::unique_ptr<const media::VideoPackets> packets) : packets_(std::move(packets)) {}
  /// The engine has executed `packet`. A picture that this ends is written: FOLDER/video<N>_<address>.png. Names of files written, and sentences about
  /// those that could not be, go to `files` and the log.
  void executed(const Packet& packet, memory::View& view, const std::string& folder, std::vector<std::string>& files);

 private:
  void write(memory::View& view, const std::string& folder, std::vector<std::string>& files);

  std::unique_ptr<const media::VideoPackets> packets_;
  media::PacketStore store_;
  std::optional<media::PipeMode> mode_;
  bool has_object_ = false;
  unsigned number_ = 0;
};

/// R, G, B, A bytes, top row first: limited range of BT.601, of 16-bit samples the upper byte; grey where the chroma's layout is not known.
std::vector<uint8_t> read_video(memory::View& view, const media::PictureTarget& target);

}  // namespace softgen::replay
