// SPDX-License-Identifier: GPL-2.0-or-later
// The render engine: 3D, GPGPU and media commands of RCS.
#pragma once

#include "hw/iface/engine.h"
#include "hw/render/state_store.h"

namespace softgen::render {

class RenderEngine : public Engine {
 public:
  ExecResult execute(const Packet& packet, EngineEnv& env) override;
  ExecResult flush(const FlushRequest& request, EngineEnv& env) override;
  size_t context_size() const override { return StateStore::saved_size(); }
  void save_context(std::span<std::byte> image) override { state_.save(image); }
  void restore_context(std::span<const std::byte> image) override { state_.restore(image); }
  void reset_context() override { state_.reset(); }

  const StateStore& state() const { return state_; }

 private:
  StateStore state_;
};

}  // namespace softgen::render
