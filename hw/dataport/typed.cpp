// SPDX-License-Identifier: GPL-2.0-or-later
// Typed surface messages: texels by coordinates, converted by the surface's format. SKL PRM vol 2d, "Typed Surface Read/Write", "Typed
// Atomic Operation"; Mesa brw_eu.h (brw_dp_typed_*_desc), isl_surface_state.c (storage usage).
#include <array>
#include <optional>

#include "hw/base/log.h"
#include "hw/dataport/clear_pairs.h"
#include "hw/dataport/lanes.h"
#include "hw/dataport/messages.h"
#include "hw/surface/binding.h"

namespace softgen::dataport {
namespace {

using surface::Surface;
using surface::SurfaceType;
using surface::Word4;

/// Where the texels of a surface are. Surface Min LOD is added to a message's LOD, and MIP Count limits it, as for the sampler (SKL PRM vol
/// 2d, RENDER_SURFACE_STATE; isl sets up storage images so, and gives one level each).
class Texels {
 public:
  explicit Texels(const Surface& s) : surface_(s) {
    if (!s.is_null() && !s.is_buffer()) level_.emplace(s, s.min_lod);
  }
  /// Coordinates as messages have them: u; u, array index; u, v, (array index or depth). None: outside of the view.
  std::optional<uint64_t> at(uint32_t u, uint32_t v, uint32_t r, uint32_t lod) const {
    if (surface_.is_buffer()) return u < surface_.entries ? std::optional(surface::entry_address(surface_, u)) : std::nullopt;
    if (!level_ || lod > surface_.mip_count) return std::nullopt;
    return lod == 0 ? in(*level_, u, v, r) : in(surface::Level(surface_, surface_.min_lod + lod), u, v, r);
  }

 private:
  std::optional<uint64_t> in(const surface::Level& level, uint32_t u, uint32_t v, uint32_t r) const {
    uint32_t slice = r;
    if (surface_.type == SurfaceType::one_d) slice = v, v = 0;
    if (!surface_.array && surface_.type != SurfaceType::three_d) slice = 0;
    const auto& extent = level.extent();
    if (u >= extent.width || v >= extent.height || slice >= surface_.view_extent) return std::nullopt;
    return level.address(u, v, slice + surface_.min_array_element);
  }

  const Surface& surface_;
  std::optional<surface::Level> level_;
};

/// Two channels, or eight. Slot group: which half of a 16-wide instruction's channels (and of the header's pixel mask).
Lanes typed_lanes(const Message& m) {
  if (m.op.simd == Lanes::simd4x2) return Lanes(m, Lanes::simd4x2);
  const bool high = m.op.high_slots;
  Message half = m;
  if (high && m.exec_size > 8) half.exec_mask >>= 8;
  Lanes lanes(half, 8);
  if (m.header_present()) lanes.restrict(message_header::DataPort{m.reg(0).dw}.pixel_mask() >> (high ? 8 : 0));
  return lanes;
}

/// Address channels of the message: u, v, r, and LOD, of which those that the message has no registers for are 0.
struct Address {
  const Message& m;
  const Lanes& lanes;
  size_t first, data;
  /// `operands`: dwords of a channel after the address.
  Address(const Message& message, const Lanes& of, unsigned operands) : m(message), lanes(of), first(m.header_present()) {
    const size_t after_header = m.registers() > first ? m.registers() - first : 0;
    data = first + (after_header > lanes.span(operands) ? after_header - lanes.span(operands) : 0);
  }
  uint32_t operator()(unsigned i, unsigned lane) const {
    return first + lanes.span(i + 1) <= data ? parameter(m, lanes, first, i, lane) : 0;
  }
};

std::optional<uint64_t> texel_of(const Texels& texels, const Address& address, unsigned lane) {
  return texels.at(address(0, lane), address(1, lane), address(2, lane), address(3, lane));
}

constexpr size_t max_texel = 16;

/// What typed reads give: the format's colours, or of formats that are only converted by writes the element's bits as unsigned integers.
/// Mesa 25's anv converts those itself and leaves the surface its format (brw_nir_lower_storage_image.c; isl_lower_storage_image_format()
/// at version 9).
const surface::Format& read_format(const surface::Format& format) {
  using enum surface::SurfaceFormat;
  if (format.is(surface::use_typed_read)) return format;
  switch (format.block_bits) {
    case 8: return *surface::find_format(R8_UINT);
    case 16: return *surface::find_format(R16_UINT);
    case 32: return *surface::find_format(R32_UINT);
    case 64: return *surface::find_format(R32G32_UINT);
    default: return *surface::find_format(R32G32B32A32_UINT);
  }
}

SendResult typed_read(const Message& m, ThreadEnv& env, const Surface& s, const Lanes& lanes) {
  const Texels texels(s);
  const ClearPairs clear(s);
  const Address address(m, lanes, 0);
  lanes.each([&](unsigned lane) {
    Word4 color{};
    if (const auto at = texel_of(texels, address, lane)) {
      std::array<std::byte, max_texel> bytes{};
      clear.read(env.view, *at, bytes.data());
      color = surface::decode(read_format(*s.format), bytes.data());
    }
    unsigned number = 0;  // channels that are off keep their places in SIMD4x2 only
    for (unsigned c = 0; c < 4; ++c)
      if ((m.op.components >> c & 1)) answer_component(m, lanes, 0, lanes.pairs() ? c : number++, lane, color[c]);
  });
  return SendResult::done;
}

SendResult typed_write(const Message& m, ThreadEnv& env, const Surface& s, const Lanes& lanes) {
  if (s.is_null()) return SendResult::done;  // it has no format
  const Texels texels(s);
  const ClearPairs clear(s);
  const Address address(m, lanes, static_cast<unsigned>(std::popcount(m.op.components)));
  const surface::Format& format = surface::written_format(s);
  lanes.each([&](unsigned lane) {
    const auto at = texel_of(texels, address, lane);
    if (!at) return;
    Word4 color{};
    unsigned number = 0;
    for (unsigned c = 0; c < 4; ++c)
      if ((m.op.components >> c & 1)) color[c] = parameter(m, lanes, address.data, lanes.pairs() ? c : number++, lane);
    std::array<std::byte, max_texel> bytes{};
    surface::encode(format, color, bytes.data());
    clear.claim(env.view, *at);
    env.view.write(*at, bytes.data(), format.block_bytes());
  });
  return SendResult::done;
}

const Surface& surface_of(const Message& m, ThreadEnv& env) { return surface::cached_surface(env.view, env.bases, m.op.binding); }

/// Hardware converts the formats of its tables only (SKL PRM vol 7, "Surface Formats" of the data port; hw/surface/formats.inc); none is
/// longer than max_texel. Formats of vertices, up to 32 bytes, are not among them.
bool texel_format(const Surface& s, Direction direction) {
  if (s.is_null()) return true;
  return (s.format->is(surface::use_typed_write) || (direction == Direction::read && s.format->is(surface::use_typed_read))) &&
         s.format->block_bytes() <= max_texel;
}

}  // namespace

SendResult typed_surface(const Message& m, ThreadEnv& env, Direction direction) {
  if (!m.op.simd) {
    guest_error("typed surface message", "reserved slot group");
    return SendResult::failed;
  }
  const Surface& s = surface_of(m, env);
  if (!texel_format(s, direction)) {
    guest_error("typed surface message", "format {}", s.format->name);
    return SendResult::done;
  }
  const Lanes lanes = typed_lanes(m);
  return direction == Direction::read ? typed_read(m, env, s, lanes) : typed_write(m, env, s, lanes);
}

SendResult typed_atomic(const Message& m, ThreadEnv& env) {
  const uint32_t code = m.op.operation;
  const Surface& s = surface_of(m, env);
  if (!s.is_null() && s.format->block_bits != 32) {
    guest_error("typed atomic message", "format {}", s.format->name);
    return SendResult::done;
  }
  const Texels texels(s);
  const ClearPairs clear(s);
  const unsigned operands = operands_of_atomic(code);
  const Lanes lanes = typed_lanes(m);
  const Address address(m, lanes, operands);
  lanes.each([&](unsigned lane) {
    const auto at = texel_of(texels, address, lane);
    if (at) clear.claim(env.view, *at);
    auto* cell = at ? reinterpret_cast<uint32_t*>(env.view.at_for_write(*at & ~3ull)) : nullptr;
    const uint32_t a = operands > 0 ? parameter(m, lanes, address.data, 0, lane) : 0;
    const uint32_t b = operands > 1 ? parameter(m, lanes, address.data, 1, lane) : 0;
    answer_component(m, lanes, 0, 0, lane, integer_atomic(code, cell, a, b));
  });
  return SendResult::done;
}

}  // namespace softgen::dataport
