// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of compiled kernels, from registers to registers.
#include <cstring>
#include <memory>

#include "hw/base/per_thread.h"
#include "hw/sampler/bound.h"
#include "hw/sampler/message_types.h"
#include "hw/sampler/sampler.h"

namespace softgen::sampler {
namespace {

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

void Sampler::direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) {
  const unsigned simd = channels_of_mode(bits(form.descriptor, 18u, 17u));
  const uint8_t type = index_of_code[bits(form.descriptor, 16u, 12u)];
  if (type == no_type || !simd || form.header_present() || bit(form.descriptor, 30)) return;
  auto direct = std::make_shared<DirectSample>();
  if (!direct->set(form, types[type], all_positions[type], simd)) return;
  direct->bound = per_thread<BoundCache>().get(env.view, bound_surface(env, form), bound_sampler(env, form, nullptr));
  if (!direct->bound->lanes.possible()) return;
  answer.state = direct;
  answer.function = direct->set_shortest()         ? DirectSample::answer_shortest
                    : direct->bound->lanes.plain() ? DirectSample::answer_plain
                                                   : DirectSample::answer;
}

}  // namespace softgen::sampler
