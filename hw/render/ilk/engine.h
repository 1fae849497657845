// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's render engine: executes the 3D and media packets of its render streamer (hw/cs/ring). The streamer's thread calls it; worker threads shade
// vertices and draw pixels until execute() returns.
#pragma once

#include <vector>

#include "hw/iface/engine.h"
#include "hw/render/ilk/hosts.h"
#include "hw/render/ilk/media_pipeline.h"
#include "hw/render/ilk/payload.h"
#include "hw/render/ilk/state.h"
#include "hw/render/ilk/thread.h"
#include "hw/render/ilk/urb.h"
#include "hw/render/state_store.h"

namespace softgen::render::ilk {

class RenderEngine final : public Engine {
 public:
  /// `commands`: the command set whose state packets are kept. `runner` runs kernels. `pool`: worker threads for vertices and pixels; null: none. `shared`: its
  /// textures are invalidated by flushes and context switches; null: there is none. `media` executes media packets; null: they count as unimplemented.
  /// All of them outlive the engine.
  RenderEngine(const defs::CommandSet& commands, ThreadRunner& runner, WorkerPool* pool = nullptr, MessageTarget* shared = nullptr,
               MediaPipeline* media = nullptr)
      : runner_(runner), shared_(shared), media_(media), hosts_(pool), store_(commands) {}

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
  DrawHosts hosts_;
  StateStore store_;
  Urb urb_;
  std::vector<Grf> constants_;      ///< read by the last CONSTANT_BUFFER
  bool constants_missing_ = false;  ///< since a restore: images have no room for constants, so the next draw reads them again
  State state_;
};

}  // namespace softgen::render::ilk
