// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/codec.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/memory/view.h"

namespace softgen::media {

namespace {

/// 64 MiB take up to a tenth of a second where the host's processors are shared.
constexpr uint32_t bytes_between_stops = 1u << 20;

}  // namespace

void count_picture(const PictureStatus& status) {
  count_work({{Work::video_pictures, 1}, {Work::video_blocks, status.blocks}, {Work::video_concealed, status.concealed_blocks}});
}

std::span<uint8_t> read_object(EngineEnv& env, uint64_t address, uint32_t bytes, uint64_t bound, std::vector<uint8_t>& buffer) {
  if (bound) bytes = static_cast<uint32_t>(address < bound ? std::min<uint64_t>(bytes, bound - address) : 0);
  if (bytes > max_object_bytes) {
    guest_error("indirect object", "{} bytes at {:#x}: cut", bytes, address);
    bytes = max_object_bytes;
  }
  buffer.reserve(bytes);
  uint32_t read = 0;
  // The first step is always made: those who parse look at the stop request themselves.
  while (read < bytes && !(read && env.stop.aborting())) {
    const uint32_t step = std::min(bytes - read, bytes_between_stops);
    if (buffer.size() < read + step) buffer.resize(read + step);
    env.view.read(address + read, buffer.data() + read, step);
    read += step;
  }
  count_work(Work::video_bytes, read);
  return {buffer.data(), read};
}

}  // namespace softgen::media
