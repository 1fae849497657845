// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vfe/avc_it_mode.h"

#include <algorithm>
#include <cstring>

#include "hw/base/log.h"

namespace softgen::media::vfe {
namespace {

constexpr size_t vector_dwords = 32, weight_dwords = bsd::it_motion_dwords - vector_dwords, inline_dwords = 8;

/// Copies as much of [first, first + count) as there is.
void put_dwords(std::span<Grf> to, std::span<const uint32_t> from, size_t first, size_t count) {
  if (first >= from.size()) return;
  const std::span<const uint32_t> there = from.subspan(first, std::min(count, from.size() - first));
  std::memcpy(to.data(), there.data(), there.size_bytes());
}

/// Registers that so many dwords fill.
constexpr size_t registers(size_t dwords) { return (dwords * sizeof(uint32_t) + sizeof(Grf) - 1) / sizeof(Grf); }

}  // namespace

ExecResult AvcItMode::execute(const ObjectCall& call) {
  if (!call.state.extended) {
    guest_error("VFE: mode AVC_IT without an extended state");
    return ExecResult::done;
  }
  if (call.object.inline_data.size() < inline_dwords) {
    guest_error("VFE: a macroblock without its inline data");
    return ExecResult::done;
  }
  const AvcItState state = packets_.avc_it_state(call.state, call.env.state_view());
  const AvcItMacroblock mb = packets_.avc_it_macroblock(call.object.inline_data);
  const std::span<const uint8_t> bytes = read_object(call.env, call.object.indirect, bytes_);
  dwords_.resize(std::min<size_t>(bytes.size() / sizeof(uint32_t), bsd::max_it_dwords));
  if (!dwords_.empty()) std::memcpy(dwords_.data(), bytes.data(), dwords_.size() * sizeof(uint32_t));
  put_data(state, mb, dwords_);
  const std::vector<Grf> inline_data = registers_of(call.object.inline_data);
  return call.threads.start({state.remap[static_cast<size_t>(mb.kind)], inline_data, data_});
}

/// Intra macroblocks have neither vectors nor weights, so their residual is the first of their data in pictures of all types (intra_Header.inc, ERRBUF).
void AvcItMode::put_data(const AvcItState& state, const AvcItMacroblock& mb, std::span<const uint32_t> dwords) {
  const bool inter = mb.kind == AvcItKind::inter;
  const size_t first = inter ? state.residual_register : 0;
  size_t motion = inter && state.vectors ? vector_dwords : 0;
  data_.assign(std::max(first + registers(sizeof(bsd::ItResidual) / sizeof(uint32_t)), state.weight_register + registers(weight_dwords)),
               {});
  if (motion) put_dwords(data_, dwords, 0, vector_dwords);
  if (inter && state.weights) put_dwords(std::span(data_).subspan(state.weight_register), dwords, vector_dwords, weight_dwords);
  if (inter && state.weights) motion += weight_dwords;
  const size_t at = state.residual_dword.value_or(motion);
  const std::span<const uint32_t> residual = dwords.subspan(std::min(at, dwords.size()));
  const std::span<Grf> to = std::span(data_).subspan(first);
  if (mb.kind == AvcItKind::pcm) return put_dwords(to, residual, 0, bsd::max_coefficients / sizeof(uint32_t));
  const bsd::ItResidual values = bsd::read_residual(residual, mb.pattern, mb.transform8, packets_.coefficients());
  std::memcpy(to.data(), values.data(), sizeof values);
}

}  // namespace softgen::media::vfe
