// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/blitter/blitter.h"

#include <cstring>
#include <type_traits>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/defs/command.h"
#include "hw/mmio/register_file.h"

namespace softgen::blitter {
namespace {

static_assert(std::is_trivially_copyable_v<ContextState> && sizeof(ContextState) <= 256);

/// The register is the copy engine's: where the render streamer blits there is none.
TiledAsY tiled_as_y(const EngineEnv& env) {
  if (env.engine != EngineId::bcs) return {};
  const uint32_t swctrl = env.registers.peek(EngineId::bcs, reg::BCS_SWCTRL);
  return {.source = reg::field::BCS_SWCTRL_TILE_Y_SOURCE.of(swctrl) != 0,
          .destination = reg::field::BCS_SWCTRL_TILE_Y_DESTINATION.of(swctrl) != 0};
}

// Each row may be in a page of its own, whose translation costs more than its bytes.
bool is_short(const Blit& blit) {
  constexpr int64_t max_rows = 16, max_bytes = 1024;
  const int64_t width = int64_t{blit.rect.x2} - blit.rect.x1, height = int64_t{blit.rect.y2} - blit.rect.y1;
  return blit.rect.empty() || (height <= max_rows && width * height * blit.pixel_bytes <= max_bytes);
}

void swizzle(Plane& plane) {
  using surface::Tiling;
  if (plane.tiling == Tiling::x) plane.tiling = Tiling::swizzled_x;
  if (plane.tiling == Tiling::y) plane.tiling = Tiling::swizzled_y;
}

}  // namespace

std::optional<Blit> Blitter::read(const Packet& packet, EngineEnv& env) {
  bool known = false;
  auto blit = decode_(packet, tiled_as_y(env), env.view, state_, known);
  if (!known) unimplemented("copy engine command", "{} at {:#x}", packet.command->name, packet.address);
  if (blit && swizzles_) swizzle(blit->source), swizzle(blit->destination);
  return blit;
}

ExecResult Blitter::execute(const Packet& packet, EngineEnv& env) {
  const std::optional<Blit> blit = read(packet, env);
  return blit ? draw(*blit, env) : ExecResult::done;
}

std::optional<ExecResult> Blitter::execute_short(const Packet& packet, EngineEnv& env) {
  const std::optional<Blit> blit = read(packet, env);
  if (!blit) return ExecResult::done;
  if (!is_short(*blit)) return std::nullopt;
  return draw(*blit, env);
}

ExecResult Blitter::draw(const Blit& blit, EngineEnv& env) {
  const StageClock clock(TimedStage::blit);
  const ExecResult result = runner_.run(blit, env.view, env.stop, state_.progress);
  count_work(Work::blits, result != ExecResult::preempted);
  if (result != ExecResult::preempted) state_.progress = 0;
  return result;
}

void Blitter::save_context(std::span<std::byte> image) {
  if (image.size() >= sizeof state_) std::memcpy(image.data(), &state_, sizeof state_);
}

void Blitter::restore_context(std::span<const std::byte> image) {
  ContextState found;
  if (image.size() < sizeof found) return reset_context();
  std::memcpy(&found, image.data(), sizeof found);
  // The rest is decoded as commands from the ring are: any value is one a guest may send.
  if (found.version != ContextState::current_version || found.kind > ContextState::mono_pattern) {
    guest_error("copy engine context image not of this device");
    found = {};
  }
  state_ = found;
}

}  // namespace softgen::blitter
