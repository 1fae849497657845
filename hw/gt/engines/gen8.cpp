// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/engines/gen8.h"

#include "hw/blitter/blitter.h"
#include "hw/gpgpu/gpgpu.h"
#include "hw/gt/parts.h"
#include "hw/gt/preempting_engine.h"
#include "hw/gt/shared_functions.h"
#include "hw/media/vebox.h"
#include "hw/media/video.h"
#include "hw/render/position/position_engine.h"
#include "hw/render/render_engine.h"

namespace softgen::gt {

namespace {

/// What `make` of the parts makes; null: they have no such part.
template <typename Part>
std::unique_ptr<Part> made(std::unique_ptr<Part> (*make)()) {
  return make ? make() : nullptr;
}

class Gen8Engines final : public Engines {
 public:
  explicit Gen8Engines(const EngineConfig& config);

  Engine* of(EngineId id) override;
  const StatePackets* render_state() const override { return &render_.state(); }

 private:
  const bool preempt_always_;
  SharedFunctions shared_functions_;
  gpgpu::Gpgpu gpgpu_;
  render::RenderEngine render_;
  PreemptingEngine preempted_render_;
  blitter::Blitter blitter_;
  media::Video video_, video_1_;
  media::Vebox video_enhance_;
  SharedFunctions position_functions_;  ///< POCS runs beside RCS, which changes its own
  render::PositionEngine position_;
  PreemptingEngine preempted_position_;
};

Gen8Engines::Gen8Engines(const EngineConfig& config)
    : preempt_always_(config.preempt_always),
      shared_functions_(config.parts.sampler_state),
      gpgpu_(made(config.parts.media_decoder), config.parts.isa(), config.pool, shared_functions_, &config.compiler),
      render_(*config.platform.commands, made(config.parts.state_decoder), config.parts.isa(), config.pool, &shared_functions_, &gpgpu_,
              &config.compiler),
      preempted_render_(render_, *config.platform.commands),
      video_(config.parts.huc_decoder(), made(config.parts.video_packets), config.pool),
      video_1_(config.parts.huc_decoder(), made(config.parts.video_packets), config.pool),
      video_enhance_(made(config.parts.vebox_decoder), config.pool),
      position_functions_(config.parts.sampler_state),
      position_(*config.platform.commands, made(config.parts.state_decoder), config.parts.isa(), config.pool, &position_functions_,
                &config.compiler),
      preempted_position_(position_, *config.platform.commands) {
  if (!preempt_always_) return;
  render_.set_minimum_run({});
  position_.set_minimum_run({});
}

Engine* Gen8Engines::of(EngineId id) {
  switch (id) {
    case EngineId::rcs: return preempt_always_ ? static_cast<Engine*>(&preempted_render_) : &render_;
    case EngineId::bcs: return &blitter_;
    case EngineId::vcs0: return &video_;
    case EngineId::vcs1: return &video_1_;
    case EngineId::vecs: return &video_enhance_;
    case EngineId::pocs: return preempt_always_ ? static_cast<Engine*>(&preempted_position_) : &position_;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Engines> gen8_engines(const EngineConfig& config) { return std::make_unique<Gen8Engines>(config); }

}  // namespace softgen::gt
