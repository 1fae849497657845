// SPDX-License-Identifier: GPL-2.0-or-later
// Mesa genxml/gen120.xml and blorp_xy_block_copy_blt: an operand's offsets move its pixel (0, 0), of which all coordinates count.
#include "hw/blitter/decode/block.h"

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen12/blt.h"

namespace softgen::blitter {
namespace {

using namespace defs::gen12;
using surface::Tiling;

/// 0: reserved.
uint8_t pixel_bytes(BlockColorDepth depth) {
  static constexpr uint8_t bytes[8] = {1, 2, 4, 8, 12, 16, 0, 0};
  return bytes[static_cast<unsigned>(depth) & 7];
}

std::optional<Plane> plane(uint64_t base, uint32_t pitch_minus_one, BlockTiling tiling, uint8_t element) {
  Plane plane{.base = base, .pitch = static_cast<int32_t>(pitch_minus_one + 1), .element = element};
  if (tiling == BlockTiling::LINEAR) return plane;
  if (tiling != BlockTiling::Y) return std::nullopt;
  plane.tiling = Tiling::y;
  plane.base = align_down(base, uint64_t{4096});
  plane.pitch *= 4;
  return plane;
}

/// The destination's part of both commands.
std::optional<Blit> onto_destination(const auto& c) {
  Blit b;
  b.pixel_bytes = pixel_bytes(c.color_depth);
  const auto destination = plane(c.destination_base_address, c.destination_pitch, c.destination_tiling, b.pixel_bytes);
  if (!b.pixel_bytes || !destination) {
    guest_error("2D block command with a reserved colour depth or tiling");
    return std::nullopt;
  }
  b.destination = *destination;
  const int32_t x = static_cast<int32_t>(c.destination_x_offset), y = static_cast<int32_t>(c.destination_y_offset);
  b.rect = {c.destination_x1 + x, c.destination_y1 + y, c.destination_x2 + x, c.destination_y2 + y};
  return b;
}

}  // namespace

std::optional<Blit> block_copy(std::span<const uint32_t> packet) {
  const auto c = XY_BLOCK_COPY_BLT::unpack(packet);
  auto b = onto_destination(c);
  if (!b) return b;
  const auto source = plane(c.source_base_address, c.source_pitch, c.source_tiling, b->pixel_bytes);
  if (!source) {
    guest_error("2D block command with a reserved colour depth or tiling");
    return std::nullopt;
  }
  b->source_kind = SourceKind::color;
  b->source = *source;
  b->source_x = c.source_x1 + static_cast<int32_t>(c.source_x_offset);
  b->source_y = c.source_y1 + static_cast<int32_t>(c.source_y_offset);
  return b;
}

std::optional<Blit> fast_color(std::span<const uint32_t> packet) {
  constexpr uint8_t rop_pattern = 0xf0;
  const auto c = XY_FAST_COLOR_BLT::unpack(packet);
  auto b = onto_destination(c);
  if (!b) return b;
  b->rop = rop_pattern;
  b->pattern_kind = PatternKind::solid;
  for (size_t i = 0; i < b->solid.size(); ++i) b->solid[i] = c.fill_color[i];
  return b;
}

}  // namespace softgen::blitter
