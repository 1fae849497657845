// SPDX-License-Identifier: GPL-2.0-or-later
// Preempts every packet as often as its engine lets it, each time through a context image: what is drawn must stay the same.
#pragma once

#include <vector>

#include "hw/iface/engine.h"

namespace softgen::gt {

class PreemptingEngine : public Engine {
 public:
  explicit PreemptingEngine(Engine& inner) : inner_(inner), image_(inner.context_size()) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override {
    ExecResult result;
    do {
      env.stop.request(StopFlag::preempt);
      result = inner_.execute(packet, env);
      env.stop.clear(StopFlag::preempt);
      inner_.save_context(image_);
      inner_.reset_context();
      inner_.restore_context(image_);
    } while (result == ExecResult::preempted && !(env.stop.reasons() & StopFlag::pause));
    return result;
  }
  ExecResult flush(const FlushRequest& request, EngineEnv& env) override { return inner_.flush(request, env); }
  DeferredWork* deferred() override { return inner_.deferred(); }
  size_t context_size() const override { return inner_.context_size(); }
  void save_context(std::span<std::byte> image) override { inner_.save_context(image); }
  void restore_context(std::span<const std::byte> image) override { inner_.restore_context(image); }
  void reset_context() override { inner_.reset_context(); }

 private:
  Engine& inner_;
  std::vector<std::byte> image_;
};

}  // namespace softgen::gt
