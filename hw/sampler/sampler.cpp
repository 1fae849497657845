// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Sampler Messages"; order of parameters as Mesa's brw_lower_logical_sends.cpp (lower_sampler_logical_send_gfx7) sends them.
#include "hw/sampler/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/base/per_thread.h"
#include "hw/sampler/lod.h"
#include "hw/sampler/quads.h"
#include "hw/surface/binding.h"
#include "hw/surface/mcs.h"

namespace softgen::sampler {
namespace {

enum class Kind : uint8_t { sample, gather, load, load_sample, resinfo, sampleinfo, lod, load_mcs };

/// One message type. `parameters`: one letter a parameter: c reference, b bias, l LOD, u v r coordinates (r: depth or array index), then a array
/// index of cubes; x y z their x derivatives, X Y Z their y derivatives; o p offsets; s sample index, m n MCS dwords; M least LOD.
struct Type {
  uint8_t code;
  Kind kind;
  bool zero_lod;
  std::string_view parameters;
};

constexpr Type types[] = {
    {0, Kind::sample, false, "uvraM"},
    {1, Kind::sample, false, "buvraM"},
    {2, Kind::sample, false, "luvra"},
    {3, Kind::sample, false, "cuvraM"},
    {4, Kind::sample, false, "uxXvyYrzZaM"},
    {5, Kind::sample, false, "cbuvraM"},
    {6, Kind::sample, false, "cluvra"},
    {7, Kind::load, false, "uvlr"},
    {8, Kind::gather, false, "uvra"},
    {9, Kind::lod, false, "uvra"},
    {10, Kind::resinfo, false, "l"},
    {11, Kind::sampleinfo, false, ""},
    {16, Kind::gather, false, "cuvra"},
    {17, Kind::gather, false, "uvopr"},
    {18, Kind::gather, false, "cuvopr"},
    {20, Kind::sample, false, "cuxXvyYrzZaM"},
    {24, Kind::sample, true, "uvra"},
    {25, Kind::sample, true, "cuvra"},
    {26, Kind::load, true, "uvr"},
    {28, Kind::load_sample, true, "smnuvr"},
    {29, Kind::load_mcs, true, "uvr"},
    {30, Kind::load_sample, true, "smuvr"},
    {31, Kind::load_sample, true, "suvr"},
};

constexpr std::string_view letters = "cbluvraxXyYzZopsmnM";
constexpr uint8_t absent = 0xff;

/// Where each letter stands in a type's parameters.
using Positions = std::array<uint8_t, letters.size()>;
constexpr auto all_positions = [] {
  std::array<Positions, std::size(types)> table{};
  for (size_t t = 0; t < std::size(types); ++t)
    for (size_t i = 0; i < letters.size(); ++i) {
      const size_t at = types[t].parameters.find(letters[i]);
      table[t][i] = at == std::string_view::npos ? absent : static_cast<uint8_t>(at);
    }
  return table;
}();

/// Index into Positions, by letter.
constexpr auto index_of_letter = [] {
  std::array<uint8_t, 128> table{};
  for (size_t i = 0; i < letters.size(); ++i) table[static_cast<size_t>(letters[i])] = static_cast<uint8_t>(i);
  return table;
}();

constexpr uint8_t no_type = 0xff;
constexpr auto index_of_code = [] {
  std::array<uint8_t, 32> table{};
  table.fill(no_type);
  for (size_t t = 0; t < std::size(types); ++t) table[types[t].code] = static_cast<uint8_t>(t);
  return table;
}();

float as_float(uint32_t dword) { return std::bit_cast<float>(dword); }
uint32_t as_dword(float value) { return std::bit_cast<uint32_t>(value); }

/// Prepared textures of this host thread, found by the dwords of their state: what is found is never stale.
class TextureCache {
 public:
  const Texture& get(const surface::SurfaceDwords& dwords) {
    uint64_t hash = 0;
    for (const uint32_t dw : dwords) hash = (hash ^ dw) * 0x9e3779b97f4a7c15;
    Entry& entry = entries_[hash >> 60];
    if (!entry.valid || entry.dwords != dwords) {
      entry.texture = Texture(surface::decode_surface(dwords));
      entry.dwords = dwords;
      entry.valid = true;
    }
    return entry.texture;
  }

 private:
  struct Entry {
    surface::SurfaceDwords dwords;
    bool valid = false;
    Texture texture;
  };
  std::array<Entry, 16> entries_;
};

const Texture& bound_texture(ThreadEnv& env, const Message& message) {
  static const Texture nothing;
  const uint64_t address = surface::surface_state_address(env.view, env.bases, bits(message.descriptor, 7u, 0u), message.ex_descriptor);
  if (address == surface::no_surface) return nothing;
  surface::SurfaceDwords dwords;
  env.view.read(address, dwords.data(), sizeof dwords);
  return per_thread<TextureCache>().get(dwords);
}

struct BoundSampler {
  State state{};
  Word4 border{};
};

/// SAMPLER_STATEs as values, found by their dwords.
const State& unpacked(const std::array<uint32_t, State::dwords>& dwords) {
  struct Entry {
    std::array<uint32_t, State::dwords> dwords{};
    State state = State::unpack(std::array<uint32_t, State::dwords>{});
  };
  thread_local std::array<Entry, 16> entries;
  Entry& entry = entries[(dwords[0] * 0x9e3779b1u ^ dwords[1] * 0x85ebca6bu ^ dwords[3] * 0xc2b2ae35u) >> 28];
  if (entry.dwords != dwords) entry = {dwords, State::unpack(dwords)};
  return entry.state;
}

/// The header's dword 3 moves the table: samplers from 16 on, and bindless ones.
BoundSampler bound_sampler(ThreadEnv& env, const Message& message, const Grf* header) {
  const uint32_t table = header ? header->dw[3] & ~31u : env.bases.sampler_state;
  std::array<uint32_t, State::dwords> dwords;
  env.view.read(strip_canonical(env.bases.dynamic_state + table + 16ull * bits(message.descriptor, 11u, 8u)), dwords.data(), sizeof dwords);
  BoundSampler sampler{unpacked(dwords), {}};
  env.view.read(strip_canonical(env.bases.dynamic_state + sampler.state.border_color_pointer), sampler.border.data(), sizeof sampler.border);
  return sampler;
}

/// One message being answered.
class Request {
 public:
  Request(const Message& message, ThreadEnv& env, unsigned type, unsigned simd)
      : message_(message), view_(env.view), type_(types[type]), positions_(all_positions[type]), simd_(simd),
        header_(message.header_present() && !message.payload.empty() ? &message.payload[0] : nullptr), texture_(bound_texture(env, message)),
        mcs_(texture_.surface()) {
    if (type_.kind == Kind::sample || type_.kind == Kind::gather || type_.kind == Kind::lod) sampler_ = bound_sampler(env, message, header_);
  }

  void run();

 private:
  uint8_t position(char letter) const { return positions_[index_of_letter[static_cast<size_t>(letter)]]; }
  bool present(char letter) const { return position(letter) != absent; }
  /// Of channel `lane`; 0 where the message is too short for it.
  uint32_t word(char letter, unsigned lane) const;
  float value(char letter, unsigned lane) const { return as_float(word(letter, lane)); }
  Direction direction(unsigned lane) const { return {value('u', lane), value('v', lane), value('r', lane)}; }
  Coordinates coordinates(unsigned lane) const;
  Offsets offsets(unsigned lane) const;
  Detail detail(const Filter& filter, unsigned lane) const;
  void filter();
  bool filter_quad(const Filter& filter, const QuadSampler& quads, unsigned first, bool implicit);
  const float* four(char letter, unsigned lane) const;
  Word4 load(unsigned lane) const;
  Word4 clear_color(const surface::Surface& surface) const;
  Word4 load_mcs(unsigned lane) const;
  Word4 resinfo(unsigned lane) const;
  void store(unsigned lane, const Word4& value);

  const Message& message_;
  memory::View& view_;
  const Type& type_;
  const Positions& positions_;
  const unsigned simd_;
  const Grf* header_;
  const Texture& texture_;
  const surface::Mcs mcs_;
  BoundSampler sampler_;
};

uint32_t Request::word(char letter, unsigned lane) const {
  const uint8_t parameter = position(letter);
  if (parameter == absent) return 0;
  const size_t reg = (header_ ? 1 : 0) + size_t{parameter} * (simd_ / 8) + lane / 8;
  const size_t first = message_.payload.size();
  if (reg < first) return message_.payload[reg].dw[lane % 8];
  return reg - first < message_.payload2.size() ? message_.payload2[reg - first].dw[lane % 8] : 0;
}

Coordinates Request::coordinates(unsigned lane) const {
  Coordinates c{value('u', lane), value('v', lane), value('r', lane), 0};
  if (texture_.is_cube()) c.layer = value('a', lane);
  else if (texture_.is_1d()) c.layer = c.v;
  else if (!texture_.is_3d()) c.layer = c.r;
  return c;
}

Offsets Request::offsets(unsigned lane) const {
  // gather4_po: six bits (SKL PRM vol 7, "gather4_po").
  const auto field = [](uint32_t bits, unsigned width) { return static_cast<int>(sign_extend(bits, width)); };
  if (present('o')) return {field(bits(word('o', lane), 5u, 0u), 6), field(bits(word('p', lane), 5u, 0u), 6), 0};
  if (!header_) return {};
  const uint32_t dw2 = header_->dw[2];
  return {field(bits(dw2, 11u, 8u), 4), field(bits(dw2, 7u, 4u), 4), field(bits(dw2, 3u, 0u), 4)};
}

Detail Request::detail(const Filter& filter, unsigned lane) const {
  if (present('x'))
    return detail_of(filter, direction(lane), {value('x', lane), value('y', lane), value('z', lane)}, {value('X', lane), value('Y', lane), value('Z', lane)});
  // One for the 2x2 quad: differences to its first channel.
  const Direction at = direction(lane & ~3u), right = direction((lane & ~3u) + 1), below = direction((lane & ~3u) + 2);
  Direction dx, dy;
  for (size_t i = 0; i < 3; ++i) dx[i] = right[i] - at[i], dy[i] = below[i] - at[i];
  return detail_of(filter, at, dx, dy);
}

/// A parameter of four lanes; null when the message is too short for it.
const float* Request::four(char letter, unsigned lane) const {
  const size_t reg = (header_ ? 1 : 0) + size_t{position(letter)} * (simd_ / 8) + lane / 8, first = message_.payload.size();
  if (reg >= first + message_.payload2.size()) return nullptr;
  const Grf& from = reg < first ? message_.payload[reg] : message_.payload2[reg - first];
  return reinterpret_cast<const float*>(from.dw + lane % 8);
}

/// Lanes `first` to `first` + 3 at once. False: they have to be done one by one.
bool Request::filter_quad(const Filter& filter, const QuadSampler& quads, unsigned first, bool implicit) {
  const uint32_t lit = message_.exec_mask >> first & 15;
  if (!lit) return true;
  const float *u = four('u', first), *v = four('v', first);
  if (!u || !v) return false;
  Filter::Lod lod{};
  if (quads.needs_lod()) {
    for (const char letter : {'l', 'b'})
      for (unsigned i = 1; present(letter) && i < 4; ++i)
        if (word(letter, first + i) != word(letter, first)) return false;
    const float detail = present('l') ? value('l', first) : implicit ? this->detail(filter, first).lod : 0;
    lod = filter.finish_lod(detail, present('b') ? value('b', first) : 0, 0);
  }
  float color[4][4];
  if (!quads.sample(view_, u, v, offsets(first), lod, color)) return false;
  const uint32_t disabled = header_ ? bits(header_->dw[2], 15u, 12u) : 0;
  size_t reg = first / 8;
  for (unsigned c = 0; c < 4; ++c) {
    if (disabled >> c & 1) continue;
    if (reg < message_.response.size()) {
      uint32_t* out = message_.response[reg].dw + first % 8;
      if (lit == 15) std::memcpy(out, color[c], sizeof color[c]);
      else
        for (unsigned i = 0; i < 4; ++i)
          if (lit >> i & 1) out[i] = as_dword(color[c][i]);
    }
    reg += simd_ / 8;
  }
  return true;
}

void Request::filter() {
  const Filter filter(view_, texture_, sampler_.state, sampler_.border);
  const bool gather = type_.kind == Kind::gather, compare = present('c');
  const bool implicit = !gather && !type_.zero_lod && !present('l');
  const bool least = present('M') && (header_ ? 1u : 0u) + size_t{position('M')} * (simd_ / 8) < message_.payload.size() + message_.payload2.size();
  const unsigned channel = header_ ? bits(header_->dw[2], 17u, 16u) : 0;
  const QuadSampler quads(filter);
  const bool by_quads = quads.possible() && type_.kind == Kind::sample && !compare && !present('x') && !least && !bit(message_.descriptor, 30);
  Detail detail;
  unsigned detail_quad = ~0u;
  for (unsigned lane = 0; lane < simd_; ++lane) {
    if (by_quads && lane % 4 == 0 && filter_quad(filter, quads, lane, implicit)) {
      lane += 3;
      continue;
    }
    if (!(message_.exec_mask >> lane & 1)) continue;
    const float reference = compare ? value('c', lane) : 0;
    const float* compared = compare ? &reference : nullptr;
    if (gather) {
      store(lane, filter.gather(coordinates(lane), offsets(lane), channel, compared));
      continue;
    }
    if (implicit && (present('x') || detail_quad != lane / 4)) detail = this->detail(filter, lane), detail_quad = lane / 4;
    if (present('l')) detail.lod = value('l', lane);
    const Filter::Lod lod = filter.finish_lod(detail.lod, present('b') ? value('b', lane) : 0, least ? value('M', lane) : 0);
    if (type_.kind == Kind::lod) store(lane, {as_dword(lod.clamped), as_dword(lod.unclamped), 0, 0});
    else store(lane, filter.sample(coordinates(lane), offsets(lane), detail, lod, compared));
  }
}

Word4 Request::clear_color(const surface::Surface& surface) const {
  // What a texel would hold after the clear.
  std::array<std::byte, 16> texel{};
  surface::encode(*surface.format, surface.clear_color, texel.data());
  return surface::decode(*surface.format, texel.data());
}

Word4 Request::load(unsigned lane) const {
  const auto& s = texture_.surface();
  if (s.is_buffer()) return texture_.swizzle(texture_.load_buffer(view_, word('u', lane)));
  if (!texture_.has_texels()) return {};
  const auto coordinate = [&](char c) { return static_cast<int64_t>(static_cast<int32_t>(word(c, lane))); };
  const Offsets offset = offsets(lane);
  const int64_t u = coordinate('u') + offset.u, v = coordinate('v'), r = coordinate('r');
  const bool one_d = texture_.is_1d();
  const int64_t y = one_d ? 0 : v + offset.v;
  const int64_t slice = one_d ? (s.array ? v : 0) : texture_.is_3d() ? r + offset.r : s.array || texture_.is_cube() ? r : 0;
  const unsigned level = present('l') ? word('l', lane) : 0;
  uint32_t sample = present('s') ? word('s', lane) : 0;
  if (level >= texture_.levels() || sample >= s.samples) return {};
  if (mcs_ && present('m')) {
    const uint64_t code = word('m', lane) | (present('n') ? uint64_t{word('n', lane)} << 32 : 0);
    if (mcs_.is_clear(code)) return texture_.swizzle(clear_color(s));
    sample = mcs_.slice_of(code, sample);
  }
  const auto& size = texture_.extent(level);
  if (u < 0 || y < 0 || slice < 0 || u >= size.width || y >= size.height || slice >= texture_.slices(level)) return {};
  return texture_.swizzle(texture_.load(view_, level, u, y, slice, sample));
}

Word4 Request::load_mcs(unsigned lane) const {
  const auto& s = texture_.surface();
  const uint32_t x = word('u', lane), y = word('v', lane), slice = s.array ? word('r', lane) : 0;
  uint64_t code = surface::Mcs::identity(s.samples);
  if (mcs_) code = x < s.width && y < s.height && slice < s.depth ? mcs_.read(view_, x, y, slice + s.min_array_element) : 0;
  return {static_cast<uint32_t>(code), static_cast<uint32_t>(code >> 32), 0, 0};
}

Word4 Request::resinfo(unsigned lane) const {
  const auto& s = texture_.surface();
  if (s.is_null()) return {};
  if (s.is_buffer()) return {static_cast<uint32_t>(s.entries), 0, 0, 0};
  const unsigned level = word('l', lane);
  if (level >= texture_.levels()) return {0, 0, 0, texture_.levels()};
  const auto extent = surface::level_extent(s, s.min_lod + level);
  const uint32_t layers = s.array ? texture_.layers() : 0;
  if (texture_.is_1d()) return {extent.width, layers, 0, texture_.levels()};
  return {extent.width, extent.height, texture_.is_3d() ? extent.depth : layers, texture_.levels()};
}

void Request::store(unsigned lane, const Word4& value) {
  // Channels that the header's write mask leaves out take no registers in the response.
  const uint32_t disabled = header_ ? bits(header_->dw[2], 15u, 12u) : 0;
  const bool half = bit(message_.descriptor, 30);
  const bool integer = texture_.surface().format && texture_.surface().format->numeric != surface::Numeric::floating;
  const unsigned registers = half ? 1 : simd_ / 8;
  size_t reg = 0;
  for (size_t c = 0; c < 4; ++c) {
    if (disabled >> c & 1) continue;
    const size_t at = reg + (half ? 0 : lane / 8);
    reg += registers;
    if (at >= message_.response.size()) continue;
    Grf& out = message_.response[at];
    if (half) reinterpret_cast<uint16_t*>(out.dw)[lane] = integer ? static_cast<uint16_t>(value[c]) : surface::float_to_half(as_float(value[c]));
    else out.dw[lane % 8] = value[c];
  }
}

void Request::run() {
  switch (type_.kind) {
    case Kind::sample:
    case Kind::gather:
    case Kind::lod: return filter();
    default: break;
  }
  for (unsigned lane = 0; lane < simd_; ++lane) {
    if (!(message_.exec_mask >> lane & 1)) continue;
    switch (type_.kind) {
      case Kind::load:
      case Kind::load_sample: store(lane, load(lane)); break;
      case Kind::resinfo: store(lane, resinfo(lane)); break;
      case Kind::sampleinfo: store(lane, {texture_.surface().samples, 0, 0, 0}); break;
      default: store(lane, load_mcs(lane)); break;
    }
  }
}

}  // namespace

SendResult Sampler::send(const Message& message, ThreadEnv& env) {
  // SIMD modes 1 and 2 are SIMD8 and SIMD16; 0 is SIMD8D and SIMD4x2, 3 the media functions.
  const uint32_t mode = bits(message.descriptor, 18u, 17u), code = bits(message.descriptor, 16u, 12u);
  const uint8_t type = index_of_code[code];
  if (type == no_type || (mode != 1 && mode != 2)) {
    unimplemented("sampler message", "type {}, SIMD mode {}", code, mode);
    std::fill(message.response.begin(), message.response.end(), Grf{});
    return SendResult::done;
  }
  Request(message, env, type, mode == 2 ? 16 : 8).run();
  return SendResult::done;
}

}  // namespace softgen::sampler
