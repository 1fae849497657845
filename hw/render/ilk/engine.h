// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's render engine: what its render streamer (hw/cs/ring) sees of 3D and media. All of it belongs to the streamer's thread.
#pragma once

#include <memory>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/render/ilk/media_pipeline.h"
#include "hw/render/ilk/payload.h"
#include "hw/render/ilk/state.h"
#include "hw/render/ilk/thread.h"
#include "hw/render/ilk/urb.h"
#include "hw/render/state_store.h"

namespace softgen::render::ilk {

class RenderEngine final : public Engine {
 public:
  /// `commands`: whose state is kept. `runner`: of kernels. `shared`: told when textures change; null: nobody. `media`: executes what is not 3D; null: it
  /// is not executed. All outlive the engine.
  RenderEngine(const defs::CommandSet& commands, ThreadRunner& runner, MessageTarget* shared = nullptr, MediaPipeline* media = nullptr)
      : runner_(runner), shared_(shared), media_(media), store_(commands) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override;
  ExecResult flush(const FlushRequest& request, EngineEnv& env) override;
  size_t context_size() const override { return store_.saved_size(); }
  void save_context(std::span<std::byte> image) override { store_.save(image); }
  void restore_context(std::span<const std::byte> image) override;
  void reset_context() override;

  const StateStore& state() const { return store_; }

 private:
  ExecResult draw(const Packet& packet, EngineEnv& env);
  ExecResult media(const Packet& packet, EngineEnv& env);
  void accepted(const Packet& packet, EngineEnv& env);
  void read_constants(std::span<const uint32_t> packet, EngineEnv& env);
  void refresh_constants(EngineEnv& env);
  void forget();

  ThreadRunner& runner_;
  MessageTarget* shared_;
  MediaPipeline* media_;
  StateStore store_;
  Urb urb_;
  std::vector<Grf> constants_;      ///< what the last CONSTANT_BUFFER has read
  bool constants_missing_ = false;  ///< a context was restored, whose constants are read again: images have no room for them
  State state_;
};

}  // namespace softgen::render::ilk
