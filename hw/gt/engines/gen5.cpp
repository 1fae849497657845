// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/engines/gen5.h"

#include "hw/base/log.h"
#include "hw/defs/command.h"

namespace softgen::gt {

namespace {

/// Of an engine that is not built yet: its packets are counted by name, and have no effect.
class MissingEngine final : public Engine {
 public:
  ExecResult execute(const Packet& packet, EngineEnv& /*env*/) override {
    unimplemented("Ironlake: packet", "{}", packet.command->name);
    return ExecResult::done;
  }
  ExecResult flush(const FlushRequest& /*request*/, EngineEnv& /*env*/) override { return ExecResult::done; }
  size_t context_size() const override { return 0; }
  void save_context(std::span<std::byte> /*image*/) override {}
  void restore_context(std::span<const std::byte> /*image*/) override {}
  void reset_context() override {}
};

class Gen5Engines final : public Engines {
 public:
  Engine* of(EngineId id) override {
    if (id == EngineId::rcs) return &render_;
    return id == EngineId::vcs0 ? &video_ : nullptr;
  }
  const StatePackets* render_state() const override { return nullptr; }

 private:
  MissingEngine render_, video_;
};

}  // namespace

std::unique_ptr<Engines> gen5_engines(const EngineConfig& /*config*/) { return std::make_unique<Gen5Engines>(); }

}  // namespace softgen::gt
