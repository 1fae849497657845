// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/video_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hw/base/log.h"
#include "hw/debug/png_file.h"
#include "hw/defs/command.h"
#include "hw/surface/surface.h"

namespace softgen::replay {
namespace {

constexpr uint32_t max_side = 16384;

uint8_t byte_of(double value) { return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); }

/// The 8 or upper 8 bits of a sample at byte `x` of row `y`.
uint8_t sample(memory::View& view, const media::PictureTarget& target, uint32_t x, uint32_t y) {
  const unsigned bytes = target.wide ? 2 : 1;
  const uint64_t at = target.base + surface::offset(target.tiling, bytes, x, y, target.pitch);
  return view.load<uint8_t>(at + bytes - 1);
}

}  // namespace

std::vector<uint8_t> read_video(memory::View& view, const media::PictureTarget& target) {
  const unsigned bytes = target.wide ? 2 : 1;
  std::vector<uint8_t> rgba(size_t{4} * target.width * target.height, 255);
  uint8_t* out = rgba.data();
  for (uint32_t y = 0; y < target.height; y++) {
    for (uint32_t x = 0; x < target.width; x++, out += 4) {
      const double luma = 255.0 / 219 * (sample(view, target, x * bytes, y) - 16);
      double cb = 0, cr = 0;
      if (target.interleaved) {
        const uint32_t pair = x / 2 * 2 * bytes, row = target.chroma_row + y / 2;
        cb = 255.0 / 224 * (sample(view, target, pair, row) - 128), cr = 255.0 / 224 * (sample(view, target, pair + bytes, row) - 128);
      }
      out[0] = byte_of(luma + 1.402 * cr), out[1] = byte_of(luma - 0.344136 * cb - 0.714136 * cr), out[2] = byte_of(luma + 1.772 * cb);
    }
  }
  return rgba;
}

void VideoPictures::executed(const Packet& packet, memory::View& view, const std::string& folder, std::vector<std::string>& files) {
  using defs::CommandId;
  if (!packets_) return;
  const CommandId id = packet.command->id;
  const bool begins = id == CommandId::MFX_PIPE_MODE_SELECT || id == CommandId::HCP_PIPE_MODE_SELECT;
  const bool flushes = id == CommandId::VD_PIPELINE_FLUSH || id == CommandId::MI_FLUSH_DW ||
                       (id == CommandId::VD_CONTROL_STATE && packets_->control(packet).flushes);
  if (begins || flushes) write(view, folder, files);
  if (begins) {
    store_.clear();
    mode_ = packets_->pipe_mode(packet);
  }
  if (begins || media::is_picture_state(id)) store_.put(id, packets_->index_of(packet), packet.dwords);
  has_object_ |= media::is_picture_object(id);
}

void VideoPictures::write(memory::View& view, const std::string& folder, std::vector<std::string>& files) {
  if (!std::exchange(has_object_, false) || !mode_ || mode_->encode) return;
  media::PictureTarget target = packets_->target(*mode_, store_);
  target.width = std::min(target.width, max_side), target.height = std::min(target.height, max_side);
  const std::string path = fmt::format("{}/video{:04}_{:x}.png", folder, number_++, target.base);
  const std::string why = debug::write_png(path, target.width, target.height, read_video(view, target));
  if (why.empty()) files.push_back(path);
  else note("a picture could not be written", "{}", why);
}

}  // namespace softgen::replay
