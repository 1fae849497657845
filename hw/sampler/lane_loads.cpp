// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "ld", "ld2dms": integer texel coordinates; texels outside read zero.
#include "hw/sampler/lane_loads.h"

#include <array>
#include <bit>
#include <cstring>

#include "hw/sampler/lane_kernels.h"

namespace softgen::sampler {
namespace {

using surface::ElementLayout;
using surface::Format;
using surface::FormatKind;

using Codes = std::array<uint32_t, 256>;
const Codes& unorm8_values() {
  static const Codes table = [] {
    Codes t;
    for (uint32_t v = 0; v < t.size(); ++v) t[v] = std::bit_cast<uint32_t>(surface::unorm_to_float(v, 8));
    return t;
  }();
  return table;
}
const Codes& uint8_values() {
  static const Codes table = [] {
    Codes t;
    for (uint32_t v = 0; v < t.size(); ++v) t[v] = v;
    return t;
  }();
  return table;
}

template <typename F>
void each_lane(uint32_t enabled, F&& f) {
  for (uint32_t left = enabled; left; left &= left - 1) f(static_cast<unsigned>(std::countr_zero(left)));
}

uint32_t value(const uint32_t* parameter, unsigned lane) { return parameter ? parameter[lane] : 0; }
int64_t coordinate(const uint32_t* parameter, unsigned lane) { return static_cast<int32_t>(value(parameter, lane)); }

void give(uint32_t* const (&out)[4], unsigned lane, const Word4& color) {
  for (unsigned c = 0; c < 4; ++c) out[c][lane] = color[c];
}

}  // namespace

class LaneLoads::Elements {
 public:
  Elements(memory::View& view, unsigned bytes) : view_(view), bytes_(bytes) {}
  void find(unsigned lane, uint64_t address) {
    constexpr uint64_t in_page = memory::View::page_size - 1;
    if ((address & in_page) + bytes_ > memory::View::page_size) {
      view_.read(address, copies_[lane].data(), bytes_);
      at_[lane] = copies_[lane].data();
      return;
    }
    if ((address & ~in_page) != where_) where_ = address & ~in_page, page_ = view_.at(where_);
    at_[lane] = page_ + (address & in_page);
  }
  const std::byte* operator[](unsigned lane) const { return at_[lane]; }

 private:
  memory::View& view_;
  const unsigned bytes_;
  uint64_t where_ = ~uint64_t{0};
  const std::byte* page_ = nullptr;
  const std::byte* at_[lane_count];
  std::array<std::byte, 16> copies_[lane_count];
};

/// Addresses of elements that are mostly in one row: linear surfaces look up a row's start only when it changes.
class LaneLoads::Rows {
 public:
  explicit Rows(const Texture& texture) : texture_(texture), bytes_(texture.surface().format->block_bytes()) {
    const surface::Surface& s = texture.surface();
    linear_ = s.tiling == surface::Tiling::linear && s.samples == 1;
  }
  uint64_t address(unsigned level, uint32_t column, uint32_t row, uint32_t slice, uint32_t sample) {
    if (!linear_) return texture_.place(level).address(column, row, slice, sample);
    if (const std::array place{level, row, slice, sample}; !known_ || place != place_) {
      known_ = true, place_ = place;
      begins_ = texture_.place(level).address(0, row, slice, sample);
    }
    return begins_ + uint64_t{column} * bytes_;
  }

 private:
  const Texture& texture_;
  const unsigned bytes_;
  bool linear_, known_ = false;
  std::array<uint32_t, 4> place_{};
  uint64_t begins_ = 0;
};

LaneLoads::Decode LaneLoads::decode_of(const Format& format) {
  if (format.kind != FormatKind::plain && format.kind != FormatKind::shared_exponent) return Decode::none;
  if (format.layout == ElementLayout::words) return Decode::words;
  return format.layout == ElementLayout::uint8 || (format.layout == ElementLayout::unorm8 && !format.srgb) ? Decode::bytes : Decode::other;
}

LaneLoads::LaneLoads(const Texture& texture) {
  const surface::Surface& s = texture.surface();
  if (!texture.decodes()) return;
  const Format& format = *s.format;
  decode_ = decode_of(format);
  if (decode_ == Decode::bytes) values_ = format.layout == ElementLayout::uint8 ? uint8_values().data() : unorm8_values().data();
  // The same selection as swizzle(), by component.
  const uint32_t one = format.numeric == surface::Numeric::floating ? 0x3f800000 : 1;
  using Select = surface::ShaderChannelSelect;
  for (unsigned c = 0; c < 4; ++c) {
    const bool constant = s.select[c] < Select::SCS_RED;
    const unsigned source = constant ? 0 : static_cast<unsigned>(s.select[c]) - static_cast<unsigned>(Select::SCS_RED);
    const int stored = constant ? -1 : format.output[source];
    from_[c] = stored < 0 ? no_channel : static_cast<uint8_t>(stored);
    constant_[c] = constant ? (s.select[c] == Select::SCS_ONE ? one : 0) : source == 3 ? one : 0;
  }
}

void LaneLoads::decode(const Texture& texture, const Elements& elements, uint32_t enabled, uint32_t* const (&out)[4]) const {
  if (decode_ == Decode::other) {
    each_lane(enabled, [&](unsigned lane) { give(out, lane, texture.swizzle(texture.decoded(elements[lane]))); });
    return;
  }
  for (unsigned c = 0; c < 4; ++c) {
    const unsigned from = from_[c];
    if (from == no_channel) each_lane(enabled, [&](unsigned lane) { out[c][lane] = constant_[c]; });
    else if (decode_ == Decode::words) each_lane(enabled, [&](unsigned lane) { std::memcpy(&out[c][lane], elements[lane] + 4 * from, 4); });
    else each_lane(enabled, [&](unsigned lane) { out[c][lane] = values_[std::to_integer<size_t>(elements[lane][from])]; });
  }
}

void LaneLoads::load_buffer(memory::View& view, const Texture& texture, const LoadParameters& at, uint32_t enabled,
                            uint32_t* const (&out)[4]) const {
  const surface::Surface& s = texture.surface();
  Elements elements(view, texture.decodes() ? s.format->block_bytes() : 0);
  uint32_t found = 0;
  each_lane(enabled, [&](unsigned lane) {
    const uint32_t index = value(at.u, lane);
    if (decode_ == Decode::none || index >= s.entries) return give(out, lane, texture.swizzle(texture.load_buffer(view, index)));
    elements.find(lane, surface::entry_address(s, index));
    found |= 1u << lane;
  });
  decode(texture, elements, found, out);
}

void LaneLoads::load(memory::View& view, const Texture& texture, const surface::Mcs* mcs, const LoadParameters& at, const Offsets& offsets,
                     uint32_t enabled, uint32_t* const (&out)[4]) const {
  const surface::Surface& s = texture.surface();
  if (s.is_buffer()) return load_buffer(view, texture, at, enabled, out);
  if (!texture.has_texels()) return each_lane(enabled, [&](unsigned lane) { give(out, lane, {}); });
  Elements elements(view, s.format->block_bytes());
  Rows rows(texture);
  uint32_t found = 0;
  const bool one_d = texture.is_1d(), three_d = texture.is_3d(), layered = s.array || texture.is_cube();
  each_lane(enabled, [&](unsigned lane) {
    const unsigned level = value(at.lod, lane);
    uint32_t sample = value(at.sample, lane);
    if (level >= texture.levels() || sample >= s.samples) return give(out, lane, {});
    if (mcs) {
      const uint64_t code = value(at.mcs_low, lane) | uint64_t{value(at.mcs_high, lane)} << 32;
      if (mcs->is_clear(code)) return give(out, lane, texture.swizzle(texture.clear_color()));
      sample = mcs->slice_of(code, sample);
    }
    const int64_t x = coordinate(at.u, lane) + offsets.u, v = coordinate(at.v, lane), r = coordinate(at.r, lane);
    const int64_t y = one_d ? 0 : v + offsets.v;
    const int64_t slice = one_d ? (s.array ? v : 0) : three_d ? r + offsets.r : layered ? r : 0;
    const surface::Extent& size = texture.extent(level);
    if (x < 0 || y < 0 || slice < 0 || x >= size.width || y >= size.height || slice >= texture.slices(level) || sample >= s.samples)
      return give(out, lane, {});
    const auto column = static_cast<uint32_t>(x), row = static_cast<uint32_t>(y), layer = static_cast<uint32_t>(slice);
    if (decode_ == Decode::none) return give(out, lane, texture.swizzle(texture.fetch(view, level, column, row, layer, sample)));
    elements.find(lane, rows.address(level, column, row, layer + s.min_array_element, sample));
    found |= 1u << lane;
  });
  decode(texture, elements, found, out);
}

}  // namespace softgen::sampler
