// SPDX-License-Identifier: GPL-2.0-or-later
// A rectangle of bytes of a 2D surface. SKL PRM vol 2d, "Media Block Read/Write": X and width (less 1) in bytes, Y and height (less 1) in rows. The surface's Width counts dwords, whatever its format (IGT lib/gpu_cmds.c, xehp_fill_surface_state's comment;
// compute-runtime's setMediaBlockImageArg). Rows lie one after the other in the registers, each as wide as the next power of two (4 bytes at least).
// Reads beyond the surface repeat its border; writes there are dropped. Where a message selects a field, a surface's height is two fields'.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "hw/base/log.h"
#include "hw/dataport/messages.h"
#include "hw/defs/messages/headers.h"
#include "hw/surface/binding.h"

namespace softgen::dataport {
namespace {

/// Lines first, first + step, ... of the surface's rows.
struct Lines {
  uint32_t first = 0, step = 1;
  Lines() = default;
  explicit Lines(LineSelect select) : first(select == LineSelect::bottom_field), step(select > LineSelect::all ? 2 : 1) {}
};

/// The frame of a surface that has one of its fields.
surface::Surface frame_of(surface::Surface s) {
  s.pitch /= 2, s.height *= 2;
  if (s.field == surface::Field::bottom) s.base -= s.pitch;
  s.field = surface::Field::none;
  return s;
}

class Rectangle {
 public:
  Rectangle(const Message& m, const surface::Surface& s, Lines lines)
      : level_(s, s.mip_count),
        lines_(lines),
        element_(s.format->block_bytes()),
        slice_(s.min_array_element),
        x_(static_cast<int32_t>(header(m).x_offset())),
        y_(static_cast<int32_t>(header(m).y_offset())),
        width(header(m).block_width() + 1),
        height(header(m).block_height() + 1),
        row_pitch(std::max(std::bit_ceil(width), 4u)),
        surface_width_(int64_t{4} * level_.extent().width),
        surface_height_(std::max(level_.extent().height / lines.step, 1u)) {}

  void read(memory::View& view, std::span<std::byte> registers) const {
    for (uint32_t row = 0; row < rows_in(registers.size()); ++row) {
      const auto y = static_cast<uint32_t>(std::clamp<int64_t>(int64_t{y_} + row, 0, surface_height_ - 1));
      const Columns inside = columns_inside(row, registers.size());
      std::byte* const to = registers.data() + row * row_pitch;
      for (uint32_t i = 0; i < inside.first; ++i) to[i] = view.load<std::byte>(address(border_left(i), y));
      each_piece(inside, y, [&](uint64_t at, uint32_t i, uint32_t bytes) { view.read(at, to + i, bytes); });
      for (uint32_t i = inside.end; i < inside.of_row; ++i) to[i] = view.load<std::byte>(address(border_right(i), y));
    }
  }
  void write(memory::View& view, std::span<const std::byte> registers) const {
    for (uint32_t row = 0; row < rows_in(registers.size()); ++row) {
      const int64_t y = int64_t{y_} + row;
      if (y < 0 || y >= surface_height_) continue;
      const std::byte* const from = registers.data() + row * row_pitch;
      each_piece(columns_inside(row, registers.size()), static_cast<uint32_t>(y),
                 [&](uint64_t at, uint32_t i, uint32_t bytes) { view.write(at, from + i, bytes); });
    }
  }

 private:
  static message_header::MediaBlock header(const Message& m) { return {m.reg(0).dw}; }
  uint64_t address(int64_t x, uint32_t y) const {
    const auto ux = static_cast<uint32_t>(x);
    return level_.address(ux / element_, lines_.first + y * lines_.step, slice_) + ux % element_;
  }

  uint32_t rows_in(size_t register_bytes) const {
    return static_cast<uint32_t>(std::min<size_t>(height, (register_bytes + row_pitch - 1) / row_pitch));
  }
  /// Bytes [first, end) of a row are inside of the surface, and [0, of_row) in the registers.
  struct Columns {
    uint32_t first, end, of_row;
  };
  Columns columns_inside(uint32_t row, size_t register_bytes) const {
    const auto of_row = static_cast<uint32_t>(std::min<size_t>(width, register_bytes - size_t{row} * row_pitch));
    const auto first = static_cast<uint32_t>(std::clamp<int64_t>(-int64_t{x_}, 0, of_row));
    return {first, static_cast<uint32_t>(std::clamp<int64_t>(surface_width_ - x_, first, of_row)), of_row};
  }
  // The border is a pixel, not a byte.
  int64_t in_pixel(uint32_t i) const { return ((int64_t{x_} + i) % element_ + element_) % element_; }
  int64_t border_left(uint32_t i) const { return in_pixel(i); }
  int64_t border_right(uint32_t i) const { return surface_width_ - element_ + in_pixel(i); }

  /// copy(address, byte of the row, bytes) for parts of `inside` that are in one piece.
  template <typename Copy>
  void each_piece(const Columns& inside, uint32_t y, Copy&& copy) const {
    for (uint32_t i = inside.first; i < inside.end;) {
      const uint32_t x = static_cast<uint32_t>(x_) + i;
      const uint32_t bytes = std::min(inside.end - i, level_.piece(x, slice_));
      copy(address(x, y), i, bytes);
      i += bytes;
    }
  }

  surface::Level level_;
  Lines lines_;
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
  const bool selects = m.op.lines != LineSelect::of_surface;
  std::optional<surface::Surface> frame;
  if (selects && s.field != surface::Field::none) frame.emplace(frame_of(s));
  const Rectangle rectangle(m, frame ? *frame : s, selects ? Lines(m.op.lines) : Lines());
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
