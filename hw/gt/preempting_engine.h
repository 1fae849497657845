// SPDX-License-Identifier: GPL-2.0-or-later
// Preempts every packet as often as its engine lets it, each time through a context image: what is drawn must stay the same.
#pragma once

#include <vector>

#include "hw/cs/image_layout.h"
#include "hw/iface/engine.h"

namespace softgen::gt {

class PreemptingEngine : public Engine {
 public:
  /// `commands`: of the packets that `inner` executes.
  PreemptingEngine(Engine& inner, const defs::CommandSet& commands) : inner_(inner), commands_(commands), image_(inner.context_size()) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override {
    ExecResult result;
    do {
      env.stop.request(StopFlag::preempt);
      result = inner_.execute(packet, env);
      env.stop.clear(StopFlag::preempt);
      inner_.save_packets(page_);
      inner_.save_context(image_);
      inner_.reset_context();
      restore_packets();
      inner_.restore_context(image_);
    } while (result == ExecResult::preempted && !(env.stop.reasons() & StopFlag::pause));
    return result;
  }
  ExecResult flush(const FlushRequest& request, EngineEnv& env) override { return inner_.flush(request, env); }
  DeferredWork* deferred() override { return inner_.deferred(); }
  void place_packets(std::span<const defs::ContextPacket> places) override {
    inner_.place_packets(places);
    image_.resize(inner_.context_size());
    page_.resize(places.empty() ? 0 : places.back().first + size_t{places.back().dwords});
  }
  void save_packets(std::span<uint32_t> page) override { inner_.save_packets(page); }
  void restore_packet(const Packet& packet) override { inner_.restore_packet(packet); }
  size_t context_size() const override { return inner_.context_size(); }
  void save_context(std::span<std::byte> image) override { inner_.save_context(image); }
  void restore_context(std::span<const std::byte> image) override { inner_.restore_context(image); }
  void reset_context() override { inner_.reset_context(); }

 private:
  void restore_packets() {
    cs::ImageWalk walk(page_, commands_, defs::EngineClass::render, 0, true);
    while (const std::optional<cs::ImageWalk::Entry> entry = walk.next(page_.size()))
      inner_.restore_packet({0, entry->packet, std::span<const uint32_t>(page_).subspan(entry->first, entry->count)});
  }

  Engine& inner_;
  const defs::CommandSet& commands_;
  std::vector<std::byte> image_;
  std::vector<uint32_t> page_;
};

}  // namespace softgen::gt
