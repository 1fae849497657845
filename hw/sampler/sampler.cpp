// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Sampler Messages"; order of parameters as Mesa's brw_lower_logical_sends.cpp (lower_sampler_logical_send_gfx7) sends them.
#include "hw/sampler/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "hw/base/bits.h"
#include "hw/base/denormals.h"
#include "hw/base/log.h"
#include "hw/base/per_thread.h"
#include "hw/sampler/lane_loads.h"
#include "hw/sampler/lanes.h"
#include "hw/sampler/lod.h"
#include "hw/sampler/slices.h"
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

/// A surface and a sampler as a message names them, decoded.
struct Bound {
  std::array<uint32_t, State::dwords> sampler_dwords{};
  surface::SurfaceDwords surface_dwords{};
  Texture texture;
  State state{};
  LaneSampler lanes;
  SliceSamplers slices;
  LaneLoads loads;
  surface::Mcs mcs{surface::Surface{}};
};

/// Those of this host thread, found by the addresses of their states and checked against their bytes: what is found is never stale.
class BoundCache {
 public:
  static constexpr uint64_t nothing = ~uint64_t{0};  ///< no sampler, for messages without filtering
  const std::shared_ptr<Bound>& get(memory::View& view, uint64_t surface, uint64_t sampler) {
    static constexpr surface::SurfaceDwords null_surface{7u << 29};
    // Both lie within their pages: surfaces are aligned to 64 bytes, samplers to 16.
    const auto* surface_state = surface == surface::no_surface ? reinterpret_cast<const std::byte*>(null_surface.data()) : view.at(surface);
    static constexpr std::array<uint32_t, State::dwords> no_sampler{};
    const auto* sampler_state = sampler == nothing ? reinterpret_cast<const std::byte*>(no_sampler.data()) : view.at(sampler);
    std::shared_ptr<Bound>& entry = entries_[(surface >> 6 ^ surface >> 12 ^ sampler >> 4 ^ sampler >> 10) % remembered];
    if (!entry || std::memcmp(entry->surface_dwords.data(), surface_state, sizeof entry->surface_dwords) != 0 ||
        std::memcmp(entry->sampler_dwords.data(), sampler_state, sizeof entry->sampler_dwords) != 0)
      entry = made(surface_state, sampler_state);
    return entry;
  }

 private:
  static constexpr size_t remembered = 64;

  static std::shared_ptr<Bound> made(const std::byte* surface_state, const std::byte* sampler_state) {
    auto bound = std::make_shared<Bound>();
    std::memcpy(bound->surface_dwords.data(), surface_state, sizeof bound->surface_dwords);
    std::memcpy(bound->sampler_dwords.data(), sampler_state, sizeof bound->sampler_dwords);
    bound->texture = Texture(surface::decode_surface(bound->surface_dwords));
    bound->state = State::unpack(bound->sampler_dwords);
    bound->lanes = LaneSampler(bound->texture, bound->state);
    bound->slices = SliceSamplers(bound->texture, bound->state);
    bound->loads = LaneLoads(bound->texture);
    bound->mcs = surface::Mcs(bound->texture.surface());
    return bound;
  }

  std::vector<std::shared_ptr<Bound>> entries_{remembered};
};

template <typename M>
uint64_t bound_surface(ThreadEnv& env, const M& message) {
  return surface::surface_state_address(env.view, env.bases, bits(message.descriptor, 7u, 0u), message.ex_descriptor);
}

/// The header's dword 3 moves the table: samplers from 16 on, and bindless ones.
template <typename M>
uint64_t bound_sampler(ThreadEnv& env, const M& message, const Grf* header) {
  const uint32_t table = header ? header->dw[3] & ~31u : env.bases.sampler_state;
  return strip_canonical(env.bases.dynamic_state + table + 16ull * bits(message.descriptor, 11u, 8u)) & ~uint64_t{15};
}

/// One message being answered.
class Request {
 public:
  Request(const Message& message, ThreadEnv& env, unsigned type, unsigned simd)
      : message_(message), env_(env), view_(env.view), type_(types[type]), positions_(all_positions[type]), simd_(simd),
        header_(message.header_present() && !message.payload.empty() ? &message.payload[0] : nullptr),
        bound_(*per_thread<BoundCache>().get(env.view, bound_surface(env, message), filters() ? bound_sampler(env, message, header_) : BoundCache::nothing)),
        texture_(bound_.texture), mcs_(bound_.mcs) {}

  void run();

 private:
  bool filters() const { return type_.kind == Kind::sample || type_.kind == Kind::gather || type_.kind == Kind::lod; }
  uint8_t position(char letter) const { return positions_[index_of_letter[static_cast<size_t>(letter)]]; }
  bool present(char letter) const { return position(letter) != absent; }
  /// Of the message, with a parameter's channel.
  size_t register_of(uint8_t parameter, unsigned lane) const { return (header_ ? 1 : 0) + size_t{parameter} * (simd_ / 8) + lane / 8; }
  /// The message is long enough for a least level of detail.
  bool has_least() const { return present('M') && register_of(position('M'), 0) < message_.registers(); }
  /// Of channel `lane`; 0 where the message is too short for it.
  uint32_t word(char letter, unsigned lane) const;
  float value(char letter, unsigned lane) const { return as_float(word(letter, lane)); }
  Direction direction(unsigned lane) const { return {value('u', lane), value('v', lane), value('r', lane)}; }
  Coordinates coordinates(unsigned lane) const;
  Offsets offsets(unsigned lane) const;
  Detail detail(const Filter& filter, unsigned lane) const;
  void filter();
  bool filter_lanes();
  const float* eight(char letter, unsigned lane) const;
  void response_of(unsigned first, float (&spare)[4][lane_count], float* (&out)[4]) const;
  void load();
  Word4 load_mcs(unsigned lane) const;
  Word4 resinfo(unsigned lane) const;
  void store(unsigned lane, const Word4& value);

  const Message& message_;
  ThreadEnv& env_;
  memory::View& view_;
  const Type& type_;
  const Positions& positions_;
  const unsigned simd_;
  const Grf* header_;
  Bound& bound_;
  const Texture& texture_;
  const surface::Mcs& mcs_;
};

uint32_t Request::word(char letter, unsigned lane) const {
  const uint8_t parameter = position(letter);
  if (parameter == absent) return 0;
  return message_.reg(register_of(parameter, lane)).dw[lane % 8];
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
  return detail_of(filter, direction(lane), at, dx, dy);
}

/// A whole message at once, where surface, sampler and message are of the common kind.
bool Request::filter_lanes() {
  const bool slices = !bound_.lanes.possible() && bound_.slices.possible();
  const bool common = (bound_.lanes.possible() || slices) && !present('c') && !present('x') && !bit(message_.descriptor, 30);
  if (!common || has_least()) return false;
  SliceRequest request;
  LaneRequest& r = request.lanes;
  const auto whole = [&](char letter, float (&to)[LaneRequest::most]) {
    for (unsigned first = 0; first < simd_; first += 8) std::memcpy(to + first, message_.reg(register_of(position(letter), first)).dw, sizeof(Grf));
    return register_of(position(letter), simd_ - 1) < message_.registers();
  };
  alignas(64) float u[LaneRequest::most] = {}, v[LaneRequest::most] = {};
  if (!whole('u', u) || !whole('v', v)) return false;
  r.tap.u = u, r.tap.v = v;
  r.has_lod = present('l'), r.has_bias = present('b'), r.level_zero = type_.zero_lod;
  if ((r.has_lod && !whole('l', r.lod)) || (r.has_bias && !whole('b', r.bias))) return false;
  r.tap.channels = simd_;
  r.tap.mask = message_.exec_mask & ((1u << simd_) - 1);
  if (header_) r.tap.offset[0] = offsets(0).u, r.tap.offset[1] = offsets(0).v;
  const uint32_t disabled = header_ ? bits(header_->dw[2], 15u, 12u) : 0;
  size_t reg = 0;
  for (unsigned c = 0; c < 4; ++c) {
    r.out[c] = nullptr;
    if (disabled >> c & 1) continue;
    if (reg + simd_ / 8 <= message_.response.size()) r.out[c] = reinterpret_cast<float*>(message_.response[reg].dw);
    else if (reg < message_.response.size()) return false;
    reg += simd_ / 8;
  }
  if (!slices) return bound_.lanes.sample(view_, r);
  alignas(64) float third[LaneRequest::most] = {}, layers[LaneRequest::most] = {};
  request.u = u, request.v = v;
  if (present('r') && whole('r', third)) request.r = third;
  if (present('a') && whole('a', layers)) request.a = layers;
  return bound_.slices.sample(view_, texture_, request);
}

void Request::filter() {
  Word4 border{};
  // Without a border the pointer leads nowhere: iris leaves it at zero.
  if (Filter::has_border(bound_.state))
    view_.read(strip_canonical(env_.bases.dynamic_state + bound_.state.border_color_pointer), border.data(), sizeof border);
  const Filter filter(view_, texture_, bound_.state, border);
  const bool gather = type_.kind == Kind::gather, compare = present('c');
  const bool implicit = !gather && !type_.zero_lod && !present('l');
  const bool least = has_least();
  const unsigned channel = header_ ? bits(header_->dw[2], 17u, 16u) : 0;
  Detail detail;
  unsigned detail_lane = ~0u;  // whose detail it is
  const auto shares_detail = [&](unsigned lane) {
    return detail_lane / 4 == lane / 4 && !present('x') && (!texture_.is_cube() || same_face(direction(lane), direction(detail_lane)));
  };
  for (unsigned lane = 0; lane < simd_; ++lane) {
    if (!(message_.exec_mask >> lane & 1)) continue;
    const float reference = compare ? value('c', lane) : 0;
    const float* compared = compare ? &reference : nullptr;
    if (gather) {
      store(lane, filter.gather(coordinates(lane), offsets(lane), channel, compared));
      continue;
    }
    if (implicit && !shares_detail(lane)) detail = this->detail(filter, lane), detail_lane = lane;
    if (present('l')) detail.lod = value('l', lane);
    const Lod lod = finish_lod(texture_, bound_.state, detail.lod, present('b') ? value('b', lane) : 0, least ? value('M', lane) : 0);
    if (type_.kind == Kind::lod) store(lane, {as_dword(lod.clamped), as_dword(lod.unclamped), 0, 0});
    else store(lane, filter.sample(coordinates(lane), offsets(lane), detail, lod, compared));
  }
}

/// A parameter of eight lanes; null when the message is too short for it.
const float* Request::eight(char letter, unsigned lane) const {
  const size_t reg = register_of(position(letter), lane);
  return reg < message_.registers() ? reinterpret_cast<const float*>(message_.reg(reg).dw) : nullptr;
}

/// Where the response has the components of channels `first` to `first` + 7; what it does not have is written to `spare`.
void Request::response_of(unsigned first, float (&spare)[4][lane_count], float* (&out)[4]) const {
  const uint32_t disabled = header_ ? bits(header_->dw[2], 15u, 12u) : 0;
  size_t reg = first / 8;
  for (unsigned c = 0; c < 4; ++c) {
    const bool there = !(disabled >> c & 1) && reg < message_.response.size();
    out[c] = there ? reinterpret_cast<float*>(message_.response[reg].dw) : spare[c];
    if (!(disabled >> c & 1)) reg += simd_ / 8;
  }
}

void Request::load() {
  const auto eight = [&](char letter, unsigned first) { return reinterpret_cast<const uint32_t*>(this->eight(letter, first)); };
  const Offsets offset = header_ ? offsets(0) : Offsets{};
  const surface::Mcs* mcs = mcs_ && present('m') ? &mcs_ : nullptr;
  const bool half = bit(message_.descriptor, 30);
  for (unsigned first = 0; first < simd_; first += lane_count) {
    const uint32_t lit = message_.exec_mask >> first & 0xff;
    if (!lit) continue;
    const LoadParameters at{eight('u', first), eight('v', first), eight('r', first), eight('l', first), eight('s', first), eight('m', first), eight('n', first)};
    alignas(32) float spare[4][lane_count];
    float* response[4] = {spare[0], spare[1], spare[2], spare[3]};
    if (!half) response_of(first, spare, response);
    uint32_t* out[4];
    for (unsigned c = 0; c < 4; ++c) out[c] = reinterpret_cast<uint32_t*>(response[c]);
    bound_.loads.load(view_, texture_, mcs, at, offset, lit, out);
    for (unsigned i = 0; half && i < lane_count; ++i)
      if (lit >> i & 1) store(first + i, {out[0][i], out[1][i], out[2][i], out[3][i]});
  }
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
  if (type_.kind == Kind::sample && filter_lanes()) return;
  const bool loads = type_.kind == Kind::load || type_.kind == Kind::load_sample;
  if (loads && !bound_.loads.converts()) return load();
  const KeepDenormals keep;
  if (loads) return load();
  switch (type_.kind) {
    case Kind::sample:
    case Kind::gather:
    case Kind::lod: return filter();
    default: break;
  }
  for (unsigned lane = 0; lane < simd_; ++lane) {
    if (!(message_.exec_mask >> lane & 1)) continue;
    switch (type_.kind) {
      case Kind::resinfo: store(lane, resinfo(lane)); break;
      case Kind::sampleinfo: store(lane, {texture_.surface().samples, 0, 0, 0}); break;
      default: store(lane, load_mcs(lane)); break;
    }
  }
}

/// A message without header of the common kind, with what it has bound; of one host thread.
struct DirectSample {
  static constexpr uint8_t none = 0xff;

  bool set(const MessageForm& form, const Type& type, const Positions& positions, unsigned simd);
  /// Where the coordinates are; `copies`: for those that the response would overwrite.
  void start(Grf* registers, uint32_t mask, LaneTap& tap, float (&copies)[2][most_lanes]) const {
    tap.u = reinterpret_cast<const float*>(registers[u].dw), tap.v = reinterpret_cast<const float*>(registers[v].dw);
    if (copied) {
      lane_kernels().copy(copies[0], tap.u), lane_kernels().copy(copies[1], tap.v);
      tap.u = copies[0], tap.v = copies[1];
    }
    tap.channels = channels;
    tap.mask = mask;
  }
  static bool answer(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env);
  /// Where the level of detail has no say.
  static bool answer_plain(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env);
  /// And the surface is of the commonest kind.
  static bool answer_shortest(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env);
  bool set_shortest();
  bool find_memory(memory::View& view) const;

  std::shared_ptr<Bound> bound;
  uint8_t u = none, v = none, lod = none, bias = none;  ///< first registers, of one or two in a row
  std::array<uint8_t, 4> out{none, none, none, none};
  bool level_zero = false;
  bool copied = false;  ///< the response lies over coordinates
  unsigned channels = 8;
  LanePlainSample shortest = nullptr;
  mutable LanePlain plain;
  mutable memory::View::Stamp stamp;  ///< of plain.memory
};

/// False: it is not of that kind.
bool DirectSample::set(const MessageForm& form, const Type& type, const Positions& positions, unsigned simd) {
  const unsigned width = simd / 8;
  const auto at = [&](char letter) { return positions[index_of_letter[static_cast<size_t>(letter)]]; };
  const auto registers = [&](char letter, uint8_t& first) {
    if (at(letter) == absent) return true;
    const unsigned index = at(letter) * width;
    if (index + width > form.registers() || form.reg(index) + width - 1 != form.reg(index + width - 1)) return false;
    first = static_cast<uint8_t>(form.reg(index));
    return true;
  };
  if (type.kind != Kind::sample || at('c') != absent || at('x') != absent) return false;
  if (at('M') != absent && at('M') * width < form.registers()) return false;
  if (!registers('u', u) || !registers('v', v) || !registers('l', lod) || !registers('b', bias)) return false;
  for (unsigned c = 0; c < 4; ++c) {
    if (c * width >= form.response.count) break;
    if ((c + 1) * width > form.response.count) return false;
    out[c] = static_cast<uint8_t>(form.response.first + c * width);
  }
  level_zero = type.zero_lod;
  channels = simd;
  for (const uint8_t first : {u, v})
    copied = copied || (first < form.response.first + form.response.count && form.response.first < first + width);
  return form.channels <= simd;
}

bool DirectSample::answer(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env) {
  const auto& d = *static_cast<const DirectSample*>(answer.state.get());
  LaneRequest r;
  alignas(64) float copies[2][most_lanes];
  d.start(registers, mask, r.tap, copies);
  const size_t bytes = d.channels * sizeof(float);
  r.has_lod = d.lod != none, r.has_bias = d.bias != none, r.level_zero = d.level_zero;
  if (r.has_lod) std::memcpy(r.lod, registers[d.lod].dw, bytes);
  if (r.has_bias) std::memcpy(r.bias, registers[d.bias].dw, bytes);
  for (unsigned c = 0; c < 4; ++c) r.out[c] = d.out[c] == none ? nullptr : reinterpret_cast<float*>(registers[d.out[c]].dw);
  return d.bound->lanes.sample(env.view, r);
}

bool DirectSample::answer_plain(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env) {
  const auto& d = *static_cast<const DirectSample*>(answer.state.get());
  LaneTap tap;
  float copies[2][most_lanes];
  d.start(registers, mask, tap, copies);
  float* out[4];
  for (unsigned c = 0; c < 4; ++c) out[c] = d.out[c] == none ? nullptr : reinterpret_cast<float*>(registers[d.out[c]].dw);
  d.bound->lanes.sample_plain(env.view, tap, out);
  return true;
}

/// False: there is no shortest way.
bool DirectSample::set_shortest() {
  shortest = bound->lanes.shortest(channels, plain);
  if (!shortest) return false;
  plain.u = u, plain.v = v;
  for (unsigned c = 0; c < 4; ++c) {
    if (out[c] == none) continue;
    const uint8_t from = bound->lanes.decode().from[c];
    if (from == LaneDecode::zero) return false;
    uint8_t& to = from == LaneDecode::one ? plain.ones : plain.to[from];
    if (to != LanePlain::nowhere) return false;
    to = out[c];
  }
  return true;
}

bool DirectSample::find_memory(memory::View& view) const {
  plain.memory = bound->lanes.first_texel(view);
  stamp = plain.memory ? view.stamp() : memory::View::Stamp{};
  return plain.memory;
}

bool DirectSample::answer_shortest(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env) {
  const auto& d = *static_cast<const DirectSample*>(answer.state.get());
  const bool found = env.view.stamp() == d.stamp || d.find_memory(env.view);
  if (found) {
    const memory::View::Seen seen = env.view.seen();
    answer.window.epoch = seen.epoch, answer.window.generation = seen.generation;
    answer.quick = d.shortest, answer.quick_state = &d.plain;
  }
  return (found && d.shortest(&d.plain, registers->dw, mask)) || answer_plain(answer, registers, mask, env);
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

void Sampler::direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) {
  const uint32_t mode = bits(form.descriptor, 18u, 17u);
  const uint8_t type = index_of_code[bits(form.descriptor, 16u, 12u)];
  if (type == no_type || (mode != 1 && mode != 2) || form.header_present() || bit(form.descriptor, 30)) return;
  auto direct = std::make_shared<DirectSample>();
  if (!direct->set(form, types[type], all_positions[type], mode == 2 ? 16 : 8)) return;
  direct->bound = per_thread<BoundCache>().get(env.view, bound_surface(env, form), bound_sampler(env, form, nullptr));
  if (!direct->bound->lanes.possible()) return;
  answer.state = direct;
  answer.function = direct->set_shortest()         ? DirectSample::answer_shortest
                    : direct->bound->lanes.plain() ? DirectSample::answer_plain
                                                   : DirectSample::answer;
}

}  // namespace softgen::sampler
