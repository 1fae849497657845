// SPDX-License-Identifier: GPL-2.0-or-later
// Stands in for an engine that is not there yet: each command is counted by name as unimplemented and changes nothing. It keeps no
// state, so nothing of it is in context images.
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
