// SPDX-License-Identifier: GPL-2.0-or-later
// Answers of all messages. SKL PRM vol 7, "Sampler Messages".
#include "hw/sampler/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/base/denormals.h"
#include "hw/base/log.h"
#include "hw/base/per_thread.h"
#include "hw/base/work.h"
#include "hw/sampler/avs.h"
#include "hw/sampler/bound.h"
#include "hw/sampler/lod.h"
#include "hw/sampler/message_types.h"
#include "hw/sampler/pair_payload.h"
#include "hw/sampler/wide_payload.h"

namespace softgen::sampler {
namespace {

float as_float(uint32_t dword) { return std::bit_cast<float>(dword); }
uint32_t as_dword(float value) { return std::bit_cast<uint32_t>(value); }

/// One message being answered.
class Request {
 public:
  Request(const Message& message, ThreadEnv& env, DecodeState decode, ClearColors& clear_colors, const TexturePalettes& palettes)
      : message_(message),
        env_(env),
        view_(env.view),
        type_(*message.op.sampled),
        positions_(type_.positions),
        simd_(message.op.simd),
        header_(message.header_present() && !message.payload.empty() ? &message.payload[0] : nullptr),
        null_mask_(header_ && message_header::Sampler{header_->dw}.pixel_null_mask_enable()),
        bound_(*per_thread<BoundCache>().get({env.bases.decode_surface, decode}, env.view, bound_surface(env, message.op),
                                             filters() ? bound_sampler(env, message.op, header_) : BoundCache::nothing)),
        texture_(bound_.texture),
        mcs_(bound_.mcs) {
    clear_colors.expand(view_, bound_, env.stop);
    if (texture_.has_palette()) [[unlikely]]
      bound_.texture.set_palettes(palettes);
  }

  void run();

 private:
  void answer();
  /// Null tiles are reported per channel, if there are any: channels are not answered together.
  bool finds_nulls() const { return null_mask_ && view_.space().tiled.enabled; }
  /// `read()` reads the texels of channel `lane`.
  void watched(unsigned lane, auto&& read);
  void store_null_mask();
  bool filters() const { return type_.kind == MessageKind::sample || type_.kind == MessageKind::gather || type_.kind == MessageKind::lod; }
  uint8_t position(char letter) const { return positions_[index_of_letter[static_cast<size_t>(letter)]]; }
  bool present(char letter) const { return position(letter) != absent; }
  /// Of the message, with a parameter's channel.
  size_t register_of(uint8_t parameter, unsigned lane) const { return (header_ ? 1 : 0) + size_t{parameter} * (simd_ / 8) + lane / 8; }
  /// The message is long enough for a least level of detail.
  bool has_min_lod() const { return present('M') && register_of(position('M'), 0) < message_.registers(); }
  /// Of channel `lane`; 0 where the message is too short for it.
  uint32_t word(char letter, unsigned lane) const;
  float value(char letter, unsigned lane) const { return as_float(word(letter, lane)); }
  Direction direction(unsigned lane) const { return {value('u', lane), value('v', lane), value('r', lane)}; }
  Coordinates coordinates(unsigned lane) const;
  Offsets offsets(unsigned lane) const;
  Detail detail(const Filter& filter, unsigned lane) const;
  void filter();
  float level_taken(const Lod& lod) const;
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
  const defs::SamplerType& type_;
  const Positions& positions_;
  const unsigned simd_;
  const Grf* header_;
  const bool null_mask_;        ///< the response ends with it
  uint32_t null_channels_ = 0;  ///< bit n: a texel of channel n was in a null tile
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
  const message_header::Sampler header{header_->dw};
  return {header.u_offset(), header.v_offset(), header.r_offset()};
}

Detail Request::detail(const Filter& filter, unsigned lane) const {
  if (present('x'))
    return detail_of(filter, direction(lane), {value('x', lane), value('y', lane), value('z', lane)},
                     {value('X', lane), value('Y', lane), value('Z', lane)});
  // One for the 2x2 quad: differences to its first channel.
  const Direction at = direction(lane & ~3u), right = direction((lane & ~3u) + 1), below = direction((lane & ~3u) + 2);
  Direction dx, dy;
  for (size_t i = 0; i < 3; ++i) dx[i] = right[i] - at[i], dy[i] = below[i] - at[i];
  return detail_of(filter, direction(lane), at, dx, dy);
}

/// A whole message at once, where surface, sampler and message are of the common kind.
bool Request::filter_lanes() {
  const bool slices = !bound_.lanes.possible() && bound_.slices.possible();
  const bool common = (bound_.lanes.possible() || slices) && !present('c') && !present('x') && !message_.op.returns_half;
  if (!common || has_min_lod()) return false;
  SliceRequest request;
  LaneRequest& r = request.lanes;
  const auto whole = [&](char letter, float(&to)[LaneRequest::max_channels]) {
    for (unsigned first = 0; first < simd_; first += 8)
      std::memcpy(to + first, message_.reg(register_of(position(letter), first)).dw, sizeof(Grf));
    return register_of(position(letter), simd_ - 1) < message_.registers();
  };
  alignas(64) float u[LaneRequest::max_channels] = {}, v[LaneRequest::max_channels] = {};
  if (!whole('u', u) || !whole('v', v)) return false;
  r.tap.u = u, r.tap.v = v;
  r.has_lod = present('l'), r.has_bias = present('b'), r.level_zero = type_.zero_lod;
  if ((r.has_lod && !whole('l', r.lod)) || (r.has_bias && !whole('b', r.bias))) return false;
  r.tap.channels = simd_;
  r.tap.mask = message_.exec_mask & ((1u << simd_) - 1);
  if (header_) r.tap.offset[0] = offsets(0).u, r.tap.offset[1] = offsets(0).v;
  const uint32_t disabled = header_ ? message_header::Sampler{header_->dw}.write_channel_mask() : 0;
  size_t reg = 0;
  for (unsigned c = 0; c < 4; ++c) {
    r.out[c] = nullptr;
    if (disabled >> c & 1) continue;
    if (reg + simd_ / 8 <= message_.response.size()) r.out[c] = reinterpret_cast<float*>(message_.response[reg].dw);
    else if (reg < message_.response.size()) return false;
    reg += simd_ / 8;
  }
  if (!slices) return bound_.lanes.sample(view_, r);
  alignas(64) float third[LaneRequest::max_channels] = {}, layers[LaneRequest::max_channels] = {};
  request.u = u, request.v = v;
  if (present('r') && whole('r', third)) request.r = third;
  if (present('a') && whole('a', layers)) request.a = layers;
  return bound_.slices.sample(view_, texture_, request);
}

/// The level that a sample takes, a fraction between two (OpenGL 4.6, 8.14; Mesa passes the message's answer on).
float Request::level_taken(const Lod& lod) const {
  switch (bound_.state.mip_filter) {
    case MipFilter::nearest: return lod.nearest_level();
    case MipFilter::linear: return lod.clamped;
    default: return 0;
  }
}

void Request::filter() {
  count_path(Path::samples_singly, 1);
  Word4 border{};
  // Without a border the pointer leads nowhere: iris leaves it at zero.
  if (Filter::has_border(bound_.state))
    view_.read(strip_canonical(env_.bases.dynamic_state + bound_.state.border_color), border.data(), sizeof border);
  const Filter filter(view_, texture_, bound_.state, border);
  const bool gather = type_.kind == MessageKind::gather, compare = present('c');
  const bool implicit = !gather && !type_.zero_lod && !present('l');
  const bool least = has_min_lod();
  const unsigned channel = header_ ? message_header::Sampler{header_->dw}.gather4_source_channel() : 0;
  Detail detail;
  unsigned detail_lane = ~0u;  // whose detail it is
  const auto shares_detail = [&](unsigned lane) {
    return detail_lane / 4 == lane / 4 && !present('x') && (!texture_.is_cube() || same_face(direction(lane), direction(detail_lane)));
  };
  const auto filtered = [&](unsigned lane) -> Word4 {
    const float reference = compare ? value('c', lane) : 0;
    const float* compared = compare ? &reference : nullptr;
    if (gather) return filter.gather(coordinates(lane), offsets(lane), channel, compared);
    if (implicit && !shares_detail(lane)) detail = this->detail(filter, lane), detail_lane = lane;
    if (present('l')) detail.lod = value('l', lane);
    const Lod lod = finish_lod(texture_, bound_.state, detail.lod, present('b') ? value('b', lane) : 0, least ? value('M', lane) : 0);
    if (type_.kind == MessageKind::lod) return {as_dword(level_taken(lod)), as_dword(lod.unclamped), 0, 0};
    return filter.sample(coordinates(lane), offsets(lane), detail, lod, compared);
  };
  for (unsigned lane = 0; lane < simd_; ++lane)
    if (message_.exec_mask >> lane & 1) watched(lane, [&] { store(lane, filtered(lane)); });
}

/// A parameter of eight lanes; null when the message is too short for it.
const float* Request::eight(char letter, unsigned lane) const {
  const size_t reg = register_of(position(letter), lane);
  return reg < message_.registers() ? reinterpret_cast<const float*>(message_.reg(reg).dw) : nullptr;
}

/// Where the response has the components of channels `first` to `first` + 7; what it does not have is written to `spare`.
void Request::response_of(unsigned first, float (&spare)[4][lane_count], float* (&out)[4]) const {
  const uint32_t disabled = header_ ? message_header::Sampler{header_->dw}.write_channel_mask() : 0;
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
  const bool half = message_.op.returns_half;
  for (unsigned first = 0; first < simd_; first += lane_count) {
    const uint32_t enabled = message_.exec_mask >> first & 0xff;
    if (!enabled) continue;
    const LoadParameters at{eight('u', first), eight('v', first), eight('r', first), eight('l', first),
                            eight('s', first), eight('m', first), eight('n', first)};
    alignas(32) float spare[4][lane_count];
    float* response[4] = {spare[0], spare[1], spare[2], spare[3]};
    if (!half) response_of(first, spare, response);
    uint32_t* out[4];
    for (unsigned c = 0; c < 4; ++c) out[c] = reinterpret_cast<uint32_t*>(response[c]);
    const auto read = [&](uint32_t lanes) { bound_.loads.load(view_, texture_, mcs, at, offset, lanes, out); };
    if (!finds_nulls()) read(enabled);
    for (unsigned i = 0; finds_nulls() && i < lane_count; ++i)
      if (enabled >> i & 1) watched(first + i, [&] { read(1u << i); });
    for (unsigned i = 0; half && i < lane_count; ++i)
      if (enabled >> i & 1) store(first + i, {out[0][i], out[1][i], out[2][i], out[3][i]});
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
  const uint32_t disabled = header_ ? message_header::Sampler{header_->dw}.write_channel_mask() : 0;
  const bool half = message_.op.returns_half;
  const bool integer = texture_.surface().format && texture_.surface().format->numeric != surface::Numeric::floating;
  const unsigned registers = half ? 1 : simd_ / 8;
  size_t reg = 0;
  for (size_t c = 0; c < 4; ++c) {
    if (disabled >> c & 1) continue;
    const size_t at = reg + (half ? 0 : lane / 8);
    reg += registers;
    if (at >= message_.response.size()) continue;
    Grf& out = message_.response[at];
    if (half)
      reinterpret_cast<uint16_t*>(out.dw)[lane] = integer ? static_cast<uint16_t>(value[c]) : surface::float_to_half(as_float(value[c]));
    else out.dw[lane % 8] = value[c];
  }
}

void Request::watched(unsigned lane, auto&& read) {
  const uint64_t before = view_.null_reads();
  read();
  if (view_.null_reads() != before) null_channels_ |= 1u << lane;
}

/// Of sixteen pixels; those that are not enabled are not null. The upper half is reserved: chosen as zero (Mesa drops it).
void Request::store_null_mask() {
  const uint32_t disabled = message_header::Sampler{header_->dw}.write_channel_mask();
  const size_t at = (4u - static_cast<unsigned>(std::popcount(disabled))) * (message_.op.returns_half ? 1 : simd_ / 8);
  if (at < message_.response.size()) message_.response[at] = Grf{{~null_channels_ & 0xffff}};
}

void Request::run() {
  answer();
  if (null_mask_) store_null_mask();
}

void Request::answer() {
  if (type_.kind == MessageKind::sample && !finds_nulls() && filter_lanes()) return;
  const bool loads = type_.kind == MessageKind::load || type_.kind == MessageKind::load_sample;
  if (loads && !bound_.loads.converts()) return load();
  const KeepDenormals keep;
  if (loads) return load();
  switch (type_.kind) {
    case MessageKind::sample:
    case MessageKind::gather:
    case MessageKind::lod: return filter();
    default: break;
  }
  for (unsigned lane = 0; lane < simd_; ++lane) {
    if (!(message_.exec_mask >> lane & 1)) continue;
    switch (type_.kind) {
      case MessageKind::resinfo: store(lane, resinfo(lane)); break;
      case MessageKind::sampleinfo: store(lane, {texture_.surface().samples, 0, 0, 0}); break;
      default: store(lane, load_mcs(lane)); break;
    }
  }
}

}  // namespace

SendResult Sampler::send(const Message& message, ThreadEnv& env) {
  const MessageOp& op = message.op;
  if (op.kind == MessageKind::sample_8x8) {
    const KeepDenormals keep;
    avs::answer(message, env);
    return SendResult::done;
  }
  const char* missing = !op.sampled || !op.simd ? "reserved" : op.half_parameters ? WidePayload::reason(op) : nullptr;
  if (missing) {
    unimplemented("sampler message", "type {}, {} channels: {}", op.type, op.simd, missing);
    std::fill(message.response.begin(), message.response.end(), Grf{});
    return SendResult::done;
  }
  if (op.simd == MessageOp::simd4x2) {
    PairPayload pairs(message);
    Request(pairs.message(), env, decode_, clear_colors_, palettes_).run();
    pairs.store();
  } else if (op.half_parameters) {
    const WidePayload wide(message);
    Request(wide.message(), env, decode_, clear_colors_, palettes_).run();
  } else {
    Request(message, env, decode_, clear_colors_, palettes_).run();
  }
  return SendResult::done;
}

}  // namespace softgen::sampler
