// SPDX-License-Identifier: GPL-2.0-or-later
// Takes the place of an engine that is not implemented: each command is counted by name as unimplemented, without effect. It keeps no
// state, so context images have none of it.
#pragma once

#include "hw/base/log.h"
#include "hw/defs/command.h"
#include "hw/iface/engine.h"

namespace softgen::gt {

class NullEngine final : public Engine {
 public:
  ExecResult execute(const Packet& packet, EngineEnv&) override {
    unimplemented(packet.command->name, "at {:#x}: parsed, not executed", packet.address);
    return ExecResult::done;
  }
  ExecResult flush(const FlushRequest&, EngineEnv&) override { return ExecResult::done; }
  size_t context_size() const override { return 0; }
  void save_context(std::span<std::byte>) override {}
  void restore_context(std::span<const std::byte>) override {}
  void reset_context() override {}
};

}  // namespace softgen::gt
