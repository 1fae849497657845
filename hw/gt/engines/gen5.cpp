// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/engines/gen5.h"

#include "hw/blitter/decode.h"
#include "hw/defs/command.h"
#include "hw/defs/gen5/all.h"
#include "hw/gt/parts.h"
#include "hw/gt/shared_functions.h"
#include "hw/media/bsd/bsd.h"
#include "hw/media/vfe/vfe.h"
#include "hw/render/ilk/engine.h"
#include "hw/render/ilk/eu_runner.h"

namespace softgen::gt {

namespace {

/// The render streamer's packets: 3D, media and blits. The blits' state is the last part of a context's image.
class RenderAndBlit final : public Engine {
 public:
  RenderAndBlit(Engine& render, Engine& blitter) : render_(render), blitter_(blitter) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override {
    if (!defs::is_blit(packet.dwords[0])) return render_.execute(packet, env);
    if (DeferredWork* const drawn = render_.deferred())
      if (const ExecResult result = drawn->finish(env); result != ExecResult::done) return result;
    return blitter_.execute(packet, env);
  }
  ExecResult flush(const FlushRequest& request, EngineEnv& env) override { return render_.flush(request, env); }
  DeferredWork* deferred() override { return render_.deferred(); }
  size_t context_size() const override { return render_.context_size() + blitter_.context_size(); }
  void save_context(std::span<std::byte> image) override {
    render_.save_context(image.first(render_.context_size()));
    blitter_.save_context(image.subspan(render_.context_size()));
  }
  void restore_context(std::span<const std::byte> image) override {
    render_.restore_context(image.first(render_.context_size()));
    blitter_.restore_context(image.subspan(render_.context_size()));
  }
  void reset_context() override {
    render_.reset_context();
    blitter_.reset_context();
  }

 private:
  Engine& render_;
  Engine& blitter_;
};

class Gen5Engines final : public Engines {
 public:
  explicit Gen5Engines(const EngineConfig& config)
      : shared_functions_(config.parts.sampler_state),
        kernels_(config.parts.isa(), &shared_functions_, &config.compiler),
        media_(media::vfe::make_vfe_packets<defs::Gen5>(), config.parts.isa(), shared_functions_, &config.compiler),
        render_(*config.platform.commands, kernels_, config.pool, &shared_functions_, &media_),
        blitter_(blitter::decode<defs::Gen5>, config.platform.board.swizzle != defs::Bit6Swizzle{}),
        video_(media::make_bsd<defs::Gen5>()) {}

  Engine* of(EngineId id) override {
    if (id == EngineId::rcs) return &streamer_;
    return id == EngineId::vcs0 ? video_.get() : nullptr;
  }
  const StatePackets* render_state() const override { return &render_.state(); }

 private:
  SharedFunctions shared_functions_;
  render::ilk::EuRunner kernels_;
  media::vfe::Vfe media_;
  render::ilk::RenderEngine render_;
  blitter::Blitter blitter_;
  RenderAndBlit streamer_{render_, blitter_};
  const std::unique_ptr<Engine> video_;
};

}  // namespace

std::unique_ptr<Engines> gen5_engines(const EngineConfig& config) { return std::make_unique<Gen5Engines>(config); }

}  // namespace softgen::gt
