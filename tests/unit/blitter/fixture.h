// SPDX-License-Identifier: GPL-2.0-or-later
// A blitter and the reference side by side, on memories with the same bytes.
#pragma once

#include <cstring>
#include <random>
#include <ranges>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/blitter/bench.h"
#include "tests/unit/blitter/reference.h"

namespace softgen::test {

constexpr size_t memory_size = 1 << 20;
constexpr uint64_t destination_base = 0x1'0000, source_base = 0x8'0000, pattern_base = 0xe'0000, bitmap_base = 0xf'0000;

/// A command in the layout of Gen5, whose addresses have 32 bits; empty: Gen5 lacks it.
inline std::vector<uint32_t> in_gen5_form(const std::vector<uint32_t>& dwords) {
  const defs::Command* command = defs::gen9::commands.find(defs::EngineClass::copy, dwords[0]);
  if (!command || !defs::gen5::commands.find(defs::EngineClass::render, dwords[0])) return {};
  std::vector<uint32_t> all = dwords;
  for (const defs::Field& field : command->fields | std::views::reverse)
    if (field.type == defs::FieldType::address && field.width() == 64) all.erase(all.begin() + field.end / 32);
  all[0] -= static_cast<uint32_t>(dwords.size() - all.size());
  return all;
}

struct BlitFixture : BlitBench {
  std::vector<uint8_t> model;
  ReferenceBlitter reference{model};
  // The same commands on Ironlake.
  BlitBench gen5_bench;
  std::vector<uint8_t> gen5_model;
  ReferenceBlitter gen5_reference{gen5_model, true};
  std::mt19937 random;
  uint32_t swctrl = 0;
  bool streams = false;

  BlitFixture() : BlitBench(memory_size), model(memory_size), gen5_bench(memory_size, gen5_blits) {}
  void seed(unsigned value) {
    random.seed(value);
    for (auto& byte : model) byte = static_cast<uint8_t>(random());
    std::memcpy(ram.get(), model.data(), size);
    gen5_model = model;
    std::memcpy(gen5_bench.ram.get(), model.data(), size);
  }
  unsigned below(unsigned n) { return static_cast<unsigned>(random() % n); }
  bool coin() { return random() & 1; }

  // Runs a command on both sides and compares memory. Every other copy uses streaming stores.
  bool same(const std::vector<uint32_t>& dwords) {
    set_swctrl(swctrl);
    streams = !streams;
    blitter.set_stream_from(streams ? 0 : surface::stream_threshold);
    const ExecResult result = execute(dwords);
    reference.execute(dwords, swctrl);
    if (const auto old = in_gen5_form(dwords); !old.empty()) {
      CHECK(gen5_bench.execute(old) == ExecResult::done);
      gen5_reference.execute(dwords, 0);
      CHECK(std::memcmp(gen5_bench.ram.get(), gen5_model.data(), size) == 0);
    }
    return result == ExecResult::done && std::memcmp(ram.get(), model.data(), size) == 0;
  }
  uint32_t tiled_or_linear_pitch(bool tiled) { return tiled ? 1024 / 4 * (1 + below(2)) : 1024 + 4 * below(64); }
  // dw1 of legacy commands: everything but the pitch.
  uint32_t br13(unsigned rop) { return (random() & 0x70000000) | below(4) << 24 | rop << 16; }
  std::vector<uint32_t> start(unsigned opcode, size_t dwords, unsigned rop, bool may_clip = true) {
    std::vector<uint32_t> dw(dwords);
    const bool tiled = coin();
    dw[0] = header(opcode, (coin() ? 3u << 20 : below(4) << 20) | (tiled ? 1u << 11 : 0) | below(8) << 12 | below(8) << 8, dwords);
    dw[1] = br13(rop) | tiled_or_linear_pitch(tiled);
    if (!may_clip || below(3)) dw[1] &= ~(1u << 30);
    const int x = static_cast<int>(below(120)) - (below(8) ? 0 : 60), y = static_cast<int>(below(70)) - (below(8) ? 0 : 40);
    dw[2] = xy(x, y), dw[3] = xy(x + static_cast<int>(below(100)), y + static_cast<int>(below(60)));
    put64(dw, 4, destination_base + (tiled ? 0 : below(5000)));
    return dw;
  }
  static void put64(std::vector<uint32_t>& dw, size_t at, uint64_t value) {
    dw[at] = static_cast<uint32_t>(value), dw[at + 1] = static_cast<uint32_t>(value >> 32);
  }
  void put_source(std::vector<uint32_t>& dw, size_t at) {
    const bool tiled = coin();
    if (tiled) dw[0] |= 1u << 15;
    else dw[0] &= ~(1u << 15);
    dw[at] = xy(static_cast<int>(below(120)) - (below(8) ? 0 : 30), static_cast<int>(below(70)) - (below(8) ? 0 : 30));
    dw[at + 1] = tiled_or_linear_pitch(tiled);
    put64(dw, at + 2, source_base + (tiled ? 0 : below(5000)));
  }
  void put_clip() {
    const int x = static_cast<int>(below(150)) - 20, y = static_cast<int>(below(90)) - 20;
    std::vector<uint32_t> dw = {header(0x03, 0, 3), xy(x, y), xy(x + static_cast<int>(below(100)), y + static_cast<int>(below(50)))};
    CHECK(same(dw));
  }
};

}  // namespace softgen::test
