// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Sampler Messages"; order of parameters as Mesa's brw_lower_logical_sends.cpp (lower_sampler_logical_send_gfx7) sends them.
#include "hw/sampler/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/sampler/texture.h"
#include "hw/surface/binding.h"

namespace softgen::sampler {
namespace {

enum class Kind : uint8_t { sample, gather, load, load_sample, resinfo, sampleinfo, lod, load_mcs };

/// One message type. `parameters`: one letter a parameter: c reference, b bias, l LOD, u v r coordinates (r: depth or array index), then a array
/// index of cubes; x y z their x derivatives, X Y Z their y derivatives; o p offsets; s sample index, m MCS dword.
struct Type {
  uint8_t code;
  Kind kind;
  bool zero_lod;
  std::string_view parameters;
};

constexpr Type types[] = {
    {0, Kind::sample, false, "uvra"},
    {1, Kind::sample, false, "buvra"},
    {2, Kind::sample, false, "luvra"},
    {3, Kind::sample, false, "cuvra"},
    {4, Kind::sample, false, "uxXvyYrzZa"},
    {5, Kind::sample, false, "cbuvra"},
    {6, Kind::sample, false, "cluvra"},
    {7, Kind::load, false, "uvlr"},
    {8, Kind::gather, false, "uvra"},
    {9, Kind::lod, false, "uvra"},
    {10, Kind::resinfo, false, "l"},
    {11, Kind::sampleinfo, false, ""},
    {16, Kind::gather, false, "cuvra"},
    {17, Kind::gather, false, "uvopr"},
    {18, Kind::gather, false, "cuvopr"},
    {20, Kind::sample, false, "cuxXvyYrzZa"},
    {24, Kind::sample, true, "uvra"},
    {25, Kind::sample, true, "cuvra"},
    {26, Kind::load, true, "uvr"},
    {28, Kind::load_sample, true, "smmuvr"},
    {29, Kind::load_mcs, true, "uvr"},
    {30, Kind::load_sample, true, "smuvr"},
    {31, Kind::load_sample, true, "suvr"},
};

const Type* find_type(uint32_t code) {
  const auto it = std::find_if(std::begin(types), std::end(types), [&](const Type& t) { return t.code == code; });
  return it == std::end(types) ? nullptr : it;
}

float as_float(uint32_t dword) { return std::bit_cast<float>(dword); }
uint32_t as_dword(float value) { return std::bit_cast<uint32_t>(value); }

/// One message being answered.
class Request {
 public:
  Request(const Message& message, ThreadEnv& env) : message_(message), env_(env) {
    const uint32_t d = message.descriptor;
    simd_ = bits(d, 18u, 17u) == 2 ? 16 : 8;
    header_ = message.header_present() && !message.payload.empty() ? &message.payload[0] : nullptr;
    type_ = find_type(bits(d, 16u, 12u));
    wide_ = bits(d, 18u, 17u) == 1 || bits(d, 18u, 17u) == 2;
    half_ = bit(d, 30);
  }

  SendResult run();

 private:
  void load_state();
  bool present(char parameter) const { return type_->parameters.find(parameter) != std::string_view::npos; }
  /// Of channel `lane`; 0 where the message is too short for it.
  uint32_t word(char parameter, unsigned lane, unsigned nth = 0) const;
  float value(char parameter, unsigned lane) const { return as_float(word(parameter, lane)); }
  Coordinates coordinates(const Texture& texture, unsigned lane) const;
  Offsets offsets(unsigned lane) const;
  float computed_lod(const Texture& texture, unsigned lane) const;
  float lod_of(const Texture& texture, unsigned lane) const;
  Word4 answer(const Texture& texture, unsigned lane) const;
  Word4 load(const Texture& texture, unsigned lane) const;
  Word4 resinfo(const Texture& texture, unsigned lane) const;
  void store(unsigned lane, const Word4& value);

  const Message& message_;
  ThreadEnv& env_;
  const Grf* header_ = nullptr;
  const Type* type_ = nullptr;
  unsigned simd_ = 8;
  bool wide_ = false, half_ = false;
  surface::Surface surface_;
  State state_{};
  Float4 border_{};
};

void Request::load_state() {
  const ShaderBases& bases = env_.bases;
  surface_ = surface::load_surface(env_.view, bases, bits(message_.descriptor, 7u, 0u), message_.ex_descriptor);
  if (type_->kind != Kind::sample && type_->kind != Kind::gather && type_->kind != Kind::lod) return;
  // The header's dword 3 moves the table: samplers from 16 on, and bindless ones.
  const uint32_t table = header_ ? header_->dw[3] & ~31u : bases.sampler_state;
  std::array<uint32_t, State::dwords> sampler;
  env_.view.read(strip_canonical(bases.dynamic_state + table + 16ull * bits(message_.descriptor, 11u, 8u)), sampler.data(), sizeof sampler);
  state_ = State::unpack(sampler);
  std::array<uint32_t, 4> color;
  env_.view.read(strip_canonical(bases.dynamic_state + state_.border_color_pointer), color.data(), sizeof color);
  for (unsigned i = 0; i < 4; ++i) border_[i] = as_float(color[i]);
}

uint32_t Request::word(char parameter, unsigned lane, unsigned nth) const {
  size_t position = 0;
  for (char p : type_->parameters) {
    if (p == parameter && nth-- == 0) break;
    ++position;
  }
  const size_t reg = (header_ ? 1 : 0) + position * (simd_ / 8) + lane / 8;
  const size_t first = message_.payload.size();
  if (reg < first) return message_.payload[reg].dw[lane % 8];
  return reg - first < message_.payload2.size() ? message_.payload2[reg - first].dw[lane % 8] : 0;
}

Coordinates Request::coordinates(const Texture& texture, unsigned lane) const {
  using surface::SurfaceType;
  Coordinates c{value('u', lane), value('v', lane), value('r', lane), 0};
  switch (texture.surface().type) {
    case SurfaceType::one_d: c.layer = c.v; break;
    case SurfaceType::two_d: c.layer = c.r; break;
    case SurfaceType::cube: c.layer = present('a') ? value('a', lane) : 0; break;
    default: break;
  }
  return c;
}

Offsets Request::offsets(unsigned lane) const {
  if (present('o')) return {static_cast<int>(word('o', lane)), static_cast<int>(word('p', lane)), 0};
  if (!header_) return {};
  const uint32_t dw2 = header_->dw[2];
  return {static_cast<int>(sign_extend(bits(dw2, 11u, 8u), 4)), static_cast<int>(sign_extend(bits(dw2, 7u, 4u), 4)),
          static_cast<int>(sign_extend(bits(dw2, 3u, 0u), 4))};
}

float Request::computed_lod(const Texture& texture, unsigned lane) const {
  const auto scale = texture.scale(state_);
  const bool cube = texture.is_cube();
  float dx = 0, dy = 0;
  const auto add = [&](char p, char x, char y, unsigned axis) {
    float ddx, ddy;
    if (present('x')) {
      ddx = value(x, lane), ddy = value(y, lane);
    } else {
      // Differences within the 2x2 quad of the channel.
      const unsigned quad = lane & ~3u;
      ddx = value(p, (lane & 2) | quad | 1) - value(p, (lane & 2) | quad);
      ddy = value(p, (lane & 1) | quad | 2) - value(p, (lane & 1) | quad);
    }
    // A direction of length about 1 spans a face of two units.
    const float s = cube ? scale[0] / 2 : scale[axis];
    dx += ddx * s * (ddx * s);
    dy += ddy * s * (ddy * s);
  };
  using surface::SurfaceType;
  add('u', 'x', 'X', 0);
  if (texture.surface().type != SurfaceType::one_d) add('v', 'y', 'Y', 1);
  if (texture.surface().type == SurfaceType::three_d || cube) add('r', 'z', 'Z', 2);
  const float rho = std::max(dx, dy);
  return rho > 0 ? 0.5f * std::log2(rho) : -1000;
}

float Request::lod_of(const Texture& texture, unsigned lane) const {
  float lod = 0;
  if (present('l')) lod = value('l', lane);
  else if (!type_->zero_lod) lod = computed_lod(texture, lane);
  if (present('b')) lod += value('b', lane);
  lod += state_.texture_lod_bias;
  return std::clamp(std::max(lod, texture.surface().resource_min_lod - static_cast<float>(texture.first_level())), state_.min_lod, std::max(state_.max_lod, state_.min_lod));
}

Word4 Request::load(const Texture& texture, unsigned lane) const {
  using surface::SurfaceType;
  const auto& s = texture.surface();
  const uint32_t u = word('u', lane);
  if (s.is_buffer()) return texture.load_buffer(u);
  const int v = static_cast<int>(word('v', lane)), r = static_cast<int>(word('r', lane));
  const unsigned level = present('l') ? word('l', lane) : 0;
  if (level >= texture.levels()) return {};
  const unsigned sample = present('s') ? word('s', lane) & 15 : 0;
  if (sample >= s.samples) return {};
  const bool one_d = s.type == SurfaceType::one_d;
  return texture.load(static_cast<int>(u), one_d ? 0 : v, one_d ? (s.array ? v : 0) : (s.array || s.type == SurfaceType::three_d || texture.is_cube() ? r : 0),
                      texture.first_level() + level, sample);
}

Word4 Request::resinfo(const Texture& texture, unsigned lane) const {
  using surface::SurfaceType;
  const auto& s = texture.surface();
  if (s.is_null()) return {};
  if (s.is_buffer()) return {static_cast<uint32_t>(s.entries), 0, 0, 0};
  const unsigned level = word('l', lane);
  if (level >= texture.levels()) return {0, 0, 0, texture.levels()};
  const auto extent = surface::level_extent(s, texture.first_level() + level);
  const uint32_t layers = s.array ? texture.layers() : 0;
  if (s.type == SurfaceType::one_d) return {extent.width, layers, 0, texture.levels()};
  return {extent.width, extent.height, s.type == SurfaceType::three_d ? extent.depth : layers, texture.levels()};
}

Word4 Request::answer(const Texture& texture, unsigned lane) const {
  const auto words = [](const Float4& f) { return Word4{as_dword(f[0]), as_dword(f[1]), as_dword(f[2]), as_dword(f[3])}; };
  Texture::Filter filter{state_, border_, {}};
  if (present('c')) filter.reference = value('c', lane);
  switch (type_->kind) {
    case Kind::sample: return words(texture.sample(filter, coordinates(texture, lane), offsets(lane), lod_of(texture, lane)));
    case Kind::gather:
      return words(texture.gather(filter, coordinates(texture, lane), offsets(lane), header_ ? bits(header_->dw[2], 17u, 16u) : 0));
    case Kind::load:
    case Kind::load_sample: return load(texture, lane);
    case Kind::resinfo: return resinfo(texture, lane);
    case Kind::sampleinfo: return {texture.surface().samples, 0, 0, 0};
    case Kind::lod: {
      const float lod = computed_lod(texture, lane) + state_.texture_lod_bias;
      return {as_dword(std::clamp(lod, state_.min_lod, std::max(state_.max_lod, state_.min_lod))), as_dword(lod), 0, 0};
    }
    case Kind::load_mcs: {
      // Every sample has its own slice: the identity code (2x 10b, 4x E4h, 8x FAC688h, 16x FEDCBA9876543210h).
      const unsigned samples = texture.surface().samples;
      const uint64_t code = samples == 2 ? 2 : samples == 4 ? 0xe4 : samples == 8 ? 0xfac688 : 0xfedcba9876543210;
      return {static_cast<uint32_t>(code), static_cast<uint32_t>(code >> 32), 0, 0};
    }
  }
  return {};
}

void Request::store(unsigned lane, const Word4& value) {
  // Channels that the header's write mask leaves out take no registers in the response.
  const uint32_t disabled = header_ ? bits(header_->dw[2], 15u, 12u) : 0;
  size_t reg = 0;
  for (unsigned c = 0; c < 4; ++c) {
    if (disabled >> c & 1) continue;
    const size_t at = reg + lane / 8;
    reg += simd_ / 8;
    if (at < message_.response.size()) message_.response[at].dw[lane % 8] = value[c];
  }
}

SendResult Request::run() {
  if (!type_ || !wide_ || half_) {
    unimplemented("sampler message", "type {}, SIMD mode {}{}", bits(message_.descriptor, 16u, 12u), bits(message_.descriptor, 18u, 17u), half_ ? ", 16-bit return" : "");
    std::fill(message_.response.begin(), message_.response.end(), Grf{});
    return SendResult::done;
  }
  load_state();
  const Texture texture(env_.view, surface_);
  for (unsigned lane = 0; lane < simd_; ++lane)
    if (message_.exec_mask >> lane & 1) store(lane, answer(texture, lane));
  return SendResult::done;
}

}  // namespace

SendResult Sampler::send(const Message& message, ThreadEnv& env) { return Request(message, env).run(); }

}  // namespace softgen::sampler
