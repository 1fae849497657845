// SPDX-License-Identifier: GPL-2.0-or-later
// A rectangle of bytes of a 2D surface. SKL PRM vol 2d, "Media Block Read/Write": X and width (less 1) in bytes, Y and height (less 1) in rows. The surface's Width counts dwords, whatever its format (IGT lib/gpu_cmds.c, xehp_fill_surface_state's comment;
// compute-runtime's setMediaBlockImageArg). Rows lie one after the other in the registers, each as wide as the next power of two (4 bytes at least).
// Reads beyond the surface repeat its border; writes there are dropped.
#include <algorithm>
#include <array>
#include <bit>

#include "hw/base/log.h"
#include "hw/dataport/messages.h"
#include "hw/defs/messages/headers.h"
#include "hw/surface/binding.h"

namespace softgen::dataport {
namespace {

class Rectangle {
 public:
  Rectangle(const Message& m, const surface::Surface& s)
      : level_(s, s.mip_count),
        element_(s.format->block_bytes()),
        slice_(s.min_array_element),
        x_(static_cast<int32_t>(header(m).x_offset())),
        y_(static_cast<int32_t>(header(m).y_offset())),
        width(header(m).block_width() + 1),
        height(header(m).block_height() + 1),
        row_pitch(std::max(std::bit_ceil(width), 4u)),
        surface_width_(int64_t{4} * level_.extent().width),
        surface_height_(level_.extent().height) {}

  void read(memory::View& view, std::span<std::byte> registers) const {
    for (uint32_t row = 0; row < height; ++row)
      for (uint32_t i = 0; i < width && row * row_pitch + i < registers.size(); ++i) {
        const int64_t y = std::clamp<int64_t>(int64_t{y_} + row, 0, surface_height_ - 1);
        int64_t x = int64_t{x_} + i;
        // The border is a pixel, not a byte.
        const int64_t in_pixel = (x % element_ + element_) % element_;
        if (x < 0) x = in_pixel;
        if (x >= surface_width_) x = surface_width_ - element_ + in_pixel;
        registers[row * row_pitch + i] = view.load<std::byte>(address(x, y));
      }
  }
  void write(memory::View& view, std::span<const std::byte> registers) const {
    for (uint32_t row = 0; row < height; ++row)
      for (uint32_t i = 0; i < width && row * row_pitch + i < registers.size(); ++i) {
        const int64_t x = int64_t{x_} + i, y = int64_t{y_} + row;
        if (x >= 0 && x < surface_width_ && y >= 0 && y < surface_height_) view.store(address(x, y), registers[row * row_pitch + i]);
      }
  }

 private:
  static message_header::MediaBlock header(const Message& m) { return {m.reg(0).dw}; }
  uint64_t address(int64_t x, int64_t y) const {
    const auto ux = static_cast<uint32_t>(x);
    return level_.address(ux / element_, static_cast<uint32_t>(y), slice_) + ux % element_;
  }

  surface::Level level_;
  uint32_t element_, slice_;
  int32_t x_, y_;

 public:
  const uint32_t width, height, row_pitch;

 private:
  int64_t surface_width_, surface_height_;
};

}  // namespace

SendResult media_block(const Message& m, ThreadEnv& env, Direction direction) {
  const surface::Surface& s = surface::cached_surface(env.view, env.bases, m.op.binding);
  if (s.is_null()) return SendResult::done;
  if (s.is_buffer() || s.format->block_bytes() == 0 || s.format->block_width != 1) {
    guest_error("media block message", "a surface that has no rows of pixels");
    return SendResult::done;
  }
  if (m.op.strided) unimplemented("media block message", "vertical line stride of the message");
  const Rectangle rectangle(m, s);
  if (direction == Direction::read) {
    rectangle.read(env.view, std::as_writable_bytes(m.response));
    return SendResult::done;
  }
  std::array<Grf, 31> data;
  const size_t registers = std::min(data.size(), m.registers() - 1);
  for (size_t i = 0; i < registers; ++i) data[i] = m.reg(1 + i);
  rectangle.write(env.view, std::as_bytes(std::span(data).first(registers)));
  return SendResult::done;
}

}  // namespace softgen::dataport
