// SPDX-License-Identifier: GPL-2.0-or-later
// Typed surface messages: texels by coordinates, converted by the surface's format. SKL PRM vol 2d, "Typed Surface Read/Write", "Typed
// Atomic Operation"; Mesa brw_eu.h (brw_dp_typed_*_desc), isl_surface_state.c (storage usage).
#include <array>
#include <optional>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/dataport/lanes.h"
#include "hw/dataport/messages.h"
#include "hw/surface/binding.h"

namespace softgen::dataport {
namespace {

using surface::Surface;
using surface::SurfaceType;
using surface::Word4;

/// Where the texels of a surface's bound level are.
class Texels {
 public:
  explicit Texels(const Surface& s) : surface_(s) {
    if (!s.is_null() && !s.is_buffer()) level_.emplace(s, s.mip_count);
  }
  /// Coordinates as messages have them: u; u, array index; u, v, (array index or depth). None: outside of the view.
  std::optional<uint64_t> at(uint32_t u, uint32_t v, uint32_t r) const {
    if (surface_.is_buffer()) return u < surface_.entries ? std::optional(surface::entry_address(surface_, u)) : std::nullopt;
    if (!level_) return std::nullopt;
    uint32_t slice = r;
    if (surface_.type == SurfaceType::one_d) slice = v, v = 0;
    if (!surface_.array && surface_.type != SurfaceType::three_d) slice = 0;
    const auto& extent = level_->extent();
    if (u >= extent.width || v >= extent.height || slice >= surface_.view_extent) return std::nullopt;
    return level_->address(u, v, slice + surface_.min_array_element);
  }

 private:
  const Surface& surface_;
  std::optional<surface::Level> level_;
};

/// The eight channels of a typed message. Slot group: which half of a 16-wide instruction's channels (and of the header's pixel mask).
Lanes typed_lanes(const Message& m, bool high) {
  Message half = m;
  if (high && m.exec_size > 8) half.exec_mask >>= 8;
  Lanes lanes(half, 8);
  if (m.header_present()) lanes.restrict(m.reg(0).dw[7] >> (high ? 8 : 0));
  return lanes;
}

/// Channels of the message behind the address: u, v, r, and LOD, of which those that the message has no registers for are 0.
struct Address {
  size_t first, data;
  Address(const Message& m, size_t data_registers) : first(m.header_present()) {
    const size_t behind = m.registers() > first ? m.registers() - first : 0;
    data = first + (behind > data_registers ? behind - data_registers : 0);
  }
  uint32_t operator()(const Message& m, unsigned i, unsigned lane) const { return first + i < data ? operand(m, first + i, lane) : 0; }
};

std::optional<uint64_t> texel_of(const Texels& texels, const Message& m, const Address& address, unsigned lane) {
  return texels.at(address(m, 0, lane), address(m, 1, lane), address(m, 2, lane));
}

constexpr size_t max_texel = 16;

SendResult typed_read(const Message& m, ThreadEnv& env, const Surface& s, const Lanes& lanes) {
  const Texels texels(s);
  const Address address(m, 0);
  const uint32_t off = bits(m.descriptor, 11u, 8u);
  lanes.each([&](unsigned lane) {
    Word4 color{};
    if (const auto at = texel_of(texels, m, address, lane)) {
      std::array<std::byte, max_texel> bytes{};
      env.view.read(*at, bytes.data(), s.format->block_bytes());
      color = surface::decode(*s.format, bytes.data());
    }
    size_t reg = 0;
    for (unsigned c = 0; c < 4; ++c)
      if (!(off >> c & 1)) answer(m, reg++, lane, color[c]);
  });
  return SendResult::done;
}

SendResult typed_write(const Message& m, ThreadEnv& env, const Surface& s, const Lanes& lanes) {
  const Texels texels(s);
  const uint32_t off = bits(m.descriptor, 11u, 8u);
  const Address address(m, 4 - static_cast<size_t>(std::popcount(off)));
  lanes.each([&](unsigned lane) {
    const auto at = texel_of(texels, m, address, lane);
    if (!at) return;
    Word4 color{};
    size_t reg = address.data;
    for (unsigned c = 0; c < 4; ++c)
      if (!(off >> c & 1)) color[c] = operand(m, reg++, lane);
    std::array<std::byte, max_texel> bytes{};
    surface::encode(*s.format, color, bytes.data());
    env.view.write(*at, bytes.data(), s.format->block_bytes());
  });
  return SendResult::done;
}

const Surface& surface_of(const Message& m, ThreadEnv& env) {
  return surface::cached_surface(env.view, env.bases, bits(m.descriptor, 7u, 0u), m.ex_descriptor);
}

bool texel_format(const Surface& s) {
  return s.is_null() || s.format->kind == surface::FormatKind::plain || s.format->kind == surface::FormatKind::shared_exponent;
}

}  // namespace

/// Control: [3:0] channels that are off, [5:4] 1 or 2: slot group low or high.
SendResult typed_surface(const Message& m, ThreadEnv& env, Direction direction) {
  const uint32_t group = bits(m.descriptor, 13u, 12u);
  if (group != 1 && group != 2) {
    unimplemented("SIMD4x2 data port message");
    return SendResult::done;
  }
  const Surface& s = surface_of(m, env);
  if (!texel_format(s)) {
    guest_error("typed surface message", "format {}", s.format->name);
    return SendResult::done;
  }
  const Lanes lanes = typed_lanes(m, group == 2);
  return direction == Direction::read ? typed_read(m, env, s, lanes) : typed_write(m, env, s, lanes);
}

/// Control: [3:0] operation, [4] slot group high, [5] an answer is expected.
SendResult typed_atomic(const Message& m, ThreadEnv& env) {
  const uint32_t code = bits(m.descriptor, 11u, 8u);
  const Surface& s = surface_of(m, env);
  if (!s.is_null() && s.format->block_bits != 32) {
    guest_error("typed atomic message", "format {}", s.format->name);
    return SendResult::done;
  }
  const Texels texels(s);
  const unsigned operands = operands_of_atomic(code);
  const Address address(m, operands);
  typed_lanes(m, bit(m.descriptor, 12)).each([&](unsigned lane) {
    const auto at = texel_of(texels, m, address, lane);
    auto* cell = at ? reinterpret_cast<uint32_t*>(env.view.at_for_write(*at & ~3ull)) : nullptr;
    const uint32_t a = operands > 0 ? operand(m, address.data, lane) : 0, b = operands > 1 ? operand(m, address.data + 1, lane) : 0;
    answer(m, 0, lane, integer_atomic(code, cell, a, b));
  });
  return SendResult::done;
}

}  // namespace softgen::dataport
