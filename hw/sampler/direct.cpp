// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of compiled kernels, from registers to registers.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "hw/base/per_thread.h"
#include "hw/sampler/bound.h"
#include "hw/sampler/message_types.h"
#include "hw/sampler/sampler.h"

namespace softgen::sampler {
namespace {

constexpr uint8_t none = 0xff;

/// Where a message's registers are: the first ones, of one or two in a row.
struct Registers {
  explicit Registers(const MessageForm& message) : form(message), positions(message.op.sampled->positions), width(message.op.simd / 8u) {}

  uint8_t position(char letter) const { return positions[index_of_letter[static_cast<size_t>(letter)]]; }
  /// The message type has the parameter.
  bool has(char letter) const { return position(letter) != absent; }
  /// The message is long enough for the parameter's beginning.
  bool reaches(char letter) const { return has(letter) && position(letter) * width < form.registers(); }
  /// False: they are not there, or not in a row.
  bool find(char letter, uint8_t& first) const {
    const unsigned index = position(letter) * width;
    if (index + width > form.registers() || form.reg(index) + width - 1 != form.reg(index + width - 1)) return false;
    first = static_cast<uint8_t>(form.reg(index));
    return true;
  }
  /// Of the response's components, none where it ends before. False: within one.
  bool find_response(std::array<uint8_t, 4>& out) const {
    for (unsigned c = 0; c < 4; ++c) {
      if (c * width >= form.response.count) break;
      if ((c + 1) * width > form.response.count) return false;
      out[c] = static_cast<uint8_t>(form.response.first + c * width);
    }
    return true;
  }
  /// The response overlaps the registers from `first` on.
  bool overwritten(uint8_t first) const { return first < form.response.first + form.response.count && form.response.first < first + width; }

  const MessageForm& form;
  const Positions& positions;
  const unsigned width;
};

/// A message without header of the common kind, with what it has bound; of one host thread.
struct DirectSample {
  bool set(const MessageForm& form);
  /// Where the coordinates are; `copies`: for those that the response would overwrite.
  void start(Grf* registers, uint32_t mask, LaneTap& tap, float (&copies)[2][max_lanes]) const {
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
  /// And the surface is of the most common kind.
  static bool answer_shortest(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env);
  bool set_shortest();
  bool find_memory(memory::View& view) const;

  std::shared_ptr<Bound> bound;
  uint8_t u = none, v = none, lod = none, bias = none;  ///< first registers, of one or two in a row
  std::array<uint8_t, 4> out{none, none, none, none};
  bool level_zero = false;
  bool copied = false;  ///< the response overlaps coordinates
  unsigned channels = 8;
  LanePlainSample shortest = nullptr;
  mutable std::vector<LanePlain> plain;
  LanePlainLevels levels;
  const void* quick_state = nullptr;  ///< plain[0] or `levels`
  mutable memory::View::Stamp stamp;  ///< of plain's memory
};

/// False: it is not of that kind.
bool DirectSample::set(const MessageForm& form) {
  const Registers registers(form);
  if (form.op.kind != MessageKind::sample || registers.has('c') || registers.has('x') || registers.reaches('M')) return false;
  if (!registers.find('u', u) || !registers.find('v', v) || !registers.find_response(out)) return false;
  if ((registers.has('l') && !registers.find('l', lod)) || (registers.has('b') && !registers.find('b', bias))) return false;
  level_zero = form.op.sampled->zero_lod;
  channels = form.op.simd;
  copied = registers.overwritten(u) || registers.overwritten(v);
  return form.channels <= form.op.simd;
}

bool DirectSample::answer(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env) {
  const auto& d = *static_cast<const DirectSample*>(answer.state.get());
  LaneRequest r;
  alignas(64) float copies[2][max_lanes];
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
  float copies[2][max_lanes];
  d.start(registers, mask, tap, copies);
  float* out[4];
  for (unsigned c = 0; c < 4; ++c) out[c] = d.out[c] == none ? nullptr : reinterpret_cast<float*>(registers[d.out[c]].dw);
  d.bound->lanes.sample_plain(env.view, tap, out);
  return true;
}

/// False: there is no shortest way.
bool DirectSample::set_shortest() {
  if (lod != none || bias != none || (level_zero && bound->lanes.needs_lod())) return false;
  shortest = bound->lanes.shortest(channels, plain, levels);
  if (!shortest) return false;
  const bool single = bound->lanes.decode().codes == LaneCodes::unorm24;
  LanePlain& first = plain[0];
  constexpr int32_t register_dwords = 8;
  first.u = u * register_dwords, first.v = v * register_dwords;
  for (unsigned c = 0; c < 4; ++c) {
    if (out[c] == none) continue;
    const uint8_t from = bound->lanes.decode().from[c];
    int32_t& to = from == LaneDecode::one ? first.ones : from == LaneDecode::zero ? first.zeros : first.to[single ? c : from];
    if (to != LanePlain::nowhere) return false;
    to = out[c] * register_dwords;
  }
  for (LanePlain& level : plain) std::copy(std::begin(first.to), std::end(first.to), level.to);
  levels.level = plain.data();
  quick_state = bound->lanes.needs_lod() ? static_cast<const void*>(&levels) : plain.data();
  return true;
}

bool DirectSample::find_memory(memory::View& view) const {
  const bool found = bound->lanes.find_texels(view, plain);
  stamp = found ? view.stamp() : memory::View::Stamp{};
  return found;
}

bool DirectSample::answer_shortest(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env) {
  const auto& d = *static_cast<const DirectSample*>(answer.state.get());
  const bool found = env.view.stamp() == d.stamp || d.find_memory(env.view);
  if (found) {
    const memory::View::Seen seen = env.view.seen();
    answer.window.epoch = seen.epoch, answer.window.generation = seen.generation;
    answer.quick = d.shortest, answer.quick_state = d.quick_state;
  }
  return (found && d.shortest(d.quick_state, registers->dw, mask)) || DirectSample::answer(answer, registers, mask, env);
}

/// A message without header that loads texels which need no arithmetic, with the surface that it has bound; of one host thread.
struct DirectLoad {
  enum Parameter : unsigned { at_u, at_v, at_r, at_lod, parameters };

  bool set(const MessageForm& form);
  static bool answer(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env);

  std::shared_ptr<Bound> bound;
  std::array<uint8_t, parameters> first{none, none, none, none};  ///< registers, as in DirectSample
  std::array<uint8_t, 4> out{none, none, none, none};
  unsigned channels = 8;
  bool copied = false;  ///< the response overlaps parameters
};

/// False: it is not of that kind.
bool DirectLoad::set(const MessageForm& form) {
  const Registers registers(form);
  if (form.op.kind != MessageKind::load || !registers.find_response(out)) return false;
  constexpr char letters[parameters] = {'u', 'v', 'r', 'l'};
  for (unsigned p = 0; p < parameters; ++p) {
    if (!registers.reaches(letters[p])) continue;
    if (!registers.find(letters[p], first[p])) return false;
    copied = copied || registers.overwritten(first[p]);
  }
  channels = form.op.simd;
  return form.channels <= form.op.simd;
}

bool DirectLoad::answer(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env) {
  const auto& d = *static_cast<const DirectLoad*>(answer.state.get());
  alignas(64) uint32_t copies[parameters][max_lanes];
  const uint32_t* at[parameters] = {};
  for (unsigned p = 0; p < parameters; ++p) {
    if (d.first[p] == none) continue;
    at[p] = registers[d.first[p]].dw;
    if (d.copied) at[p] = static_cast<const uint32_t*>(std::memcpy(copies[p], at[p], d.channels * sizeof(uint32_t)));
  }
  for (unsigned lane = 0; lane < d.channels; lane += lane_count) {
    const uint32_t enabled = mask >> lane & 0xff;
    if (!enabled) continue;
    const auto eight = [&](Parameter p) { return at[p] ? at[p] + lane : nullptr; };
    const LoadParameters from{.u = eight(at_u), .v = eight(at_v), .r = eight(at_r), .lod = eight(at_lod)};
    uint32_t spare[lane_count];
    uint32_t* out[4];
    for (unsigned c = 0; c < 4; ++c) out[c] = d.out[c] == none ? spare : registers[d.out[c]].dw + lane;
    d.bound->loads.load(env.view, d.bound->texture, nullptr, from, {}, enabled, out);
  }
  return true;
}

/// Null: there is no such answer.
std::shared_ptr<const void> direct_load(const MessageForm& form, ThreadEnv& env, DecodeState decode, ClearColors& clear_colors) {
  auto direct = std::make_shared<DirectLoad>();
  if (!direct->set(form)) return nullptr;
  direct->bound =
      per_thread<BoundCache>().get({env.bases.decode_surface, decode}, env.view, bound_surface(env, form.op), BoundCache::nothing);
  clear_colors.expand(env.view, *direct->bound, env.stop);
  return direct->bound->loads.converts() ? nullptr : direct;
}

}  // namespace

void Sampler::direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) {
  const MessageOp& op = form.op;
  if (!op.sampled || op.simd < 8 || op.header || op.returns_half || op.half_parameters) return;
  if (op.kind == MessageKind::load) {
    answer.state = direct_load(form, env, decode_, clear_colors_);
    if (answer.state) answer.function = DirectLoad::answer;
    return;
  }
  auto direct = std::make_shared<DirectSample>();
  if (!direct->set(form)) return;
  direct->bound =
      per_thread<BoundCache>().get({env.bases.decode_surface, decode_}, env.view, bound_surface(env, op), bound_sampler(env, op, nullptr));
  clear_colors_.expand(env.view, *direct->bound, env.stop);
  if (!direct->bound->lanes.possible()) return;
  answer.state = direct;
  answer.function = direct->set_shortest()         ? DirectSample::answer_shortest
                    : direct->bound->lanes.plain() ? DirectSample::answer_plain
                                                   : DirectSample::answer;
}

}  // namespace softgen::sampler
