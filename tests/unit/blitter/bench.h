// SPDX-License-Identifier: GPL-2.0-or-later
// A blitter on flat guest memory that the GGTT maps one to one.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "hw/base/log.h"
#include "hw/blitter/decode.h"
#include "hw/defs/command.h"
#include "hw/defs/gen5/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/memory/flat_memory.h"
#include "hw/memory/ggtt.h"
#include "hw/mmio/register_file.h"
#include "tests/quiet_log.h"

namespace softgen::test {

/// What differs between generations.
struct BlitGeneration {
  const defs::CommandSet& commands;
  const defs::RegisterSet& registers;
  defs::EngineClass streamer;
  EngineId engine;
  blitter::Decode decode;
  bool swizzles;
};
inline constexpr BlitGeneration gen9_blits{.commands = defs::gen9::commands,
                                           .registers = defs::gen9::registers,
                                           .streamer = defs::EngineClass::copy,
                                           .engine = EngineId::bcs,
                                           .decode = blitter::decode<defs::Gen9>,
                                           .swizzles = false};
inline constexpr BlitGeneration gen5_blits{.commands = defs::gen5::commands,
                                           .registers = defs::gen5::registers,
                                           .streamer = defs::EngineClass::render,
                                           .engine = EngineId::rcs,
                                           .decode = blitter::decode<defs::Gen5>,
                                           .swizzles = true};

class BlitBench {
 public:
  explicit BlitBench(size_t bytes) : BlitBench(bytes, gen9_blits) {}
  BlitBench(size_t bytes, const BlitGeneration& g)
      : generation(g), commands(&g.commands), size(bytes), ram(static_cast<std::byte*>(std::aligned_alloc(4096, bytes)), &std::free) {
    quiet_log();
    memory.add(0, size, ram.get(), false);
    memory.commit();
    for (size_t i = 0; i < size / 4096; ++i) ggtt.set_pte(i, i * 4096 | 1);
    view.set_space(memory::AddressSpace::ggtt(ggtt));
  }
  ExecResult execute(const std::vector<uint32_t>& dwords) {
    const defs::Command* command = commands->find(generation.streamer, dwords[0]);
    if (!command || defs::command_length(*command, dwords[0]) != dwords.size()) std::abort();
    return blitter.execute({0, command, dwords}, env);
  }
  std::optional<ExecResult> execute_short(const std::vector<uint32_t>& dwords) {
    return blitter.execute_short({0, commands->find(generation.streamer, dwords[0]), dwords}, env);
  }
  void set_swctrl(uint32_t value) { registers.poke(0x22200, value); }

  const BlitGeneration& generation;
  const defs::CommandSet* commands;
  size_t size;
  std::unique_ptr<std::byte, decltype(&std::free)> ram;
  memory::FlatMemory memory;
  memory::Ggtt ggtt;
  memory::View view{memory, nullptr};
  mmio::RegisterFile registers{generation.registers};
  StopFlag stop;
  EngineEnv env{generation.engine, view, view, registers, stop};
  blitter::Blitter blitter{generation.decode, generation.swizzles};
};

/// Header of a 2D command: opcode, other header bits, dwords in all.
inline uint32_t header(unsigned opcode, uint32_t bits, size_t dwords) {
  return 2u << 29 | opcode << 22 | bits | static_cast<uint32_t>(dwords - 2);
}
inline uint32_t xy(int x, int y) { return static_cast<uint16_t>(x) | static_cast<uint32_t>(static_cast<uint16_t>(y)) << 16; }

}  // namespace softgen::test
