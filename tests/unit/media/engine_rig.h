// SPDX-License-Identifier: GPL-2.0-or-later
// A small memory and registers of a generation, in which tests send an engine packets.
#pragma once

#include <span>
#include <vector>

#include "hw/defs/command.h"
#include "hw/iface/engine.h"
#include "hw/mmio/register_file.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

namespace softgen::media::test {

struct EngineRig : memory::test::Mapped {
  /// Memory: all pages of [first, end). `id`: of the engine to come.
  EngineRig(uint64_t first, uint64_t end, EngineId id, const defs::CommandSet& set, const defs::RegisterSet& rows)
      : Mapped(first, end), commands(set), registers(rows), env{id, view, view, registers, stop} {
    quiet_log();
  }
  /// A packet that the generation has.
  ExecResult execute(Engine& engine, std::span<const uint32_t> dwords) {
    const defs::Command* const command = commands.find(class_of(env.engine), dwords[0]);
    REQUIRE(command);
    return engine.execute({0x1000, command, dwords}, env);
  }
  /// Of memory.
  std::vector<uint8_t> bytes_at(uint64_t at, size_t count) {
    std::vector<uint8_t> bytes(count);
    view.read(at, bytes.data(), bytes.size());
    return bytes;
  }

  const defs::CommandSet& commands;
  mmio::RegisterFile registers;
  StopFlag stop;
  EngineEnv env;
};

}  // namespace softgen::media::test
