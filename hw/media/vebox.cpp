// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vebox.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/defs/command.h"
#include "hw/defs/ids.h"
#include "hw/media/sfc/scaler.h"
#include "hw/media/vebox/enhancer.h"
#include "hw/surface/mapped_ccs.h"

namespace softgen::media {
namespace {

constexpr uint32_t strip_rows = 32;  ///< as high as a Y tile
constexpr size_t image_bytes = 1280;
static_assert(std::is_trivially_copyable_v<VeboxState> && sizeof(VeboxState) <= image_bytes);

/// Codes the pairs of lines of `rect` after it was written, as pixels are coded after drawing: "compressed" where the lines would fit into one.
void code_pairs(memory::View& view, const blitter::Plane& to, const blitter::ByteRect& rect) {
  using namespace surface;
  constexpr unsigned element = 4;
  const auto first_row = static_cast<uint32_t>(rect.y) / Ccs::pair_rows * Ccs::pair_rows, end = static_cast<uint32_t>(rect.y) + rect.height;
  for (uint32_t y = first_row; y < end; y += Ccs::pair_rows)
    for (uint32_t x = 0; x < rect.width; x += Ccs::pair_bytes) {
      const uint64_t at = to.base + offset(to.tiling, to.element, x, y, static_cast<uint32_t>(to.pitch));
      const mapped::CodePlace place = mapped::place_of(view, to.tiling, at);
      if (!place.byte) continue;
      const bool fits = pair_compresses(view.at(at), view.at(at + mapped::second_line(to.tiling)), element);
      mapped::store_code(view, place, fits ? CcsCode::compressed : CcsCode::pass_through);
    }
}

/// Zeros: what a picture without noise, motion and skin has. False: the work is to be dropped.
bool clear_statistics(const vebox::Enhancement& what, EngineEnv& env) {
  for (uint32_t row = 0; what.statistics && row < what.statistics_rows; ++row) {
    if (env.stop.aborting()) return false;
    env.view.fill(what.statistics + uint64_t{row} * what.statistics_pitch, 0, what.statistics_pitch);
  }
  return true;
}

}  // namespace

ExecResult Vebox::execute(const Packet& packet, EngineEnv& env) {
  using defs::CommandId;
  if (decoder_) switch (packet.command->id) {
      case CommandId::VEBOX_TILING_CONVERT: return convert(packet, env);
      case CommandId::VEB_DI_IECP: return state_.sfc.started ? enhance_and_scale(packet, env) : enhance(packet, env);
      case CommandId::VEBOX_SURFACE_STATE:
        keep_packet(packet.dwords, state_.surfaces[decoder_->surface_of(packet.dwords)]);
        return ExecResult::done;
      case CommandId::VEBOX_STATE: keep_packet(packet.dwords, state_.modes); return ExecResult::done;
      default:
        if (state_.sfc.keep(packet)) return ExecResult::done;
        break;
    }
  unimplemented(packet.command->name, "at {:#x}: parsed, not executed", packet.address);
  return ExecResult::done;
}

/// The source's codes say nothing of its pixels: those that are "clear" have the colour of a surface state, which these commands do not have, so
/// clients resolve them first.
ExecResult Vebox::convert(const Packet& packet, EngineEnv& env) {
  const std::optional<Conversion> conversion = decoder_->conversion(packet.dwords, state_.surfaces);
  if (!conversion) return ExecResult::done;
  const StageClock clock(TimedStage::blit);
  const auto& [from, to, bands, coded] = *conversion;
  const uint32_t done = state_.packet == packet.address ? state_.strips : 0;
  state_.packet = VeboxState::none;
  uint32_t strip = 0;
  for (const Conversion::Band& band : bands) {
    block_.resize(std::max<size_t>(block_.size(), size_t{band.bytes} * std::min(band.rows, strip_rows)));
    for (uint32_t row = 0; row < band.rows; row += strip_rows, ++strip) {
      if (strip < done) continue;
      if (env.stop.aborting()) return ExecResult::aborted;
      if (env.stop.reasons()) {
        state_.packet = packet.address, state_.strips = strip;
        return ExecResult::preempted;
      }
      const uint32_t rows = std::min(strip_rows, band.rows - row);
      const blitter::ByteRect source{0, static_cast<int32_t>(band.from + row), band.bytes, rows};
      const blitter::ByteRect target{0, static_cast<int32_t>(band.to + row), band.bytes, rows};
      blitter::read_rect(env.view, from, source, block_.data(), band.bytes);
      blitter::write_rect(env.view, to, target, block_.data(), band.bytes);
      if (coded && surface::mapped::has_codes(to.tiling, to.element * 8u)) code_pairs(env.view, to, target);
    }
  }
  count_work(Work::blits, true);
  return ExecResult::done;
}

ExecResult Vebox::enhance(const Packet& packet, EngineEnv& env) {
  const std::optional<vebox::Enhancement> what = decoder_->enhancement(packet.dwords, state_.surfaces, state_.modes, nullptr, env.view);
  if (!what) return ExecResult::done;
  const StageClock clock(TimedStage::video);
  uint32_t band = state_.packet == packet.address ? state_.strips : 0;
  state_.packet = VeboxState::none;
  vebox::Enhancer enhancer(*what, env.view, env.stop);
  band = enhancer.run(std::min(band, enhancer.bands()), pool_);
  if (env.stop.aborting() || (band == enhancer.bands() && !clear_statistics(*what, env))) return ExecResult::aborted;
  if (band == enhancer.bands()) return ExecResult::done;
  state_.packet = packet.address, state_.strips = band;
  return ExecResult::preempted;
}

/// The picture between the two is on the host, so this is not preempted: it ends, or is dropped.
ExecResult Vebox::enhance_and_scale(const Packet& packet, EngineEnv& env) {
  state_.sfc.started = 0;
  const std::optional<sfc::Job> job = decoder_->scaling(state_.sfc);
  if (!job) return ExecResult::done;
  const std::optional<vebox::Enhancement> what = decoder_->enhancement(packet.dwords, state_.surfaces, state_.modes, &*job, env.view);
  if (!what) return ExecResult::done;
  const StageClock clock(TimedStage::video);
  state_.packet = VeboxState::none;
  sfc::Picture picture(*job);
  vebox::Enhancer(*what, env.view, env.stop, &picture).run(0, pool_);
  if (!env.stop.aborting()) sfc::Scaler(*job, picture, env.view, env.stop).run(pool_);
  return env.stop.aborting() || !clear_statistics(*what, env) ? ExecResult::aborted : ExecResult::done;
}

size_t Vebox::context_size() const { return decoder_ ? image_bytes : 0; }

void Vebox::save_context(std::span<std::byte> image) {
  if (image.size() >= sizeof state_) std::memcpy(image.data(), &state_, sizeof state_);
}

void Vebox::restore_context(std::span<const std::byte> image) {
  VeboxState found;
  if (image.size() < sizeof found) return reset_context();
  std::memcpy(&found, image.data(), sizeof found);
  // The rest is checked where it is decoded, as packets are.
  if (found.version != VeboxState::current_version) {
    guest_error("video enhancement engine's context image not of this device");
    found = {};
  }
  state_ = found;
}

}  // namespace softgen::media
