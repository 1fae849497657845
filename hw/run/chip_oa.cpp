// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/chip_oa.h"

namespace softgen::run {
namespace {

constexpr uint32_t head_and_tail_wrapped = 3u << 16;

// gen7_oa_b_counters, and gen7_oa_mux_regs with gen8_oa_mux_regs.
constexpr RegisterRange gen9_boolean[] = {{0x2710, 0x272c}, {0x2740, 0x275c}, {0x2770, 0x27ac}};
constexpr RegisterRange gen9_mux[] = {{0x91b8, 0x91cc}, {0x9800, 0x9888}, {0xe180, 0xe180}, {0xd00, 0xd2c}, {0x20cc, 0x20cc}};
// With gen11_oa_mux_regs.
constexpr RegisterRange gen11_mux[] = {{0x91b8, 0x91cc}, {0x9800, 0x9888}, {0xe180, 0xe180},
                                       {0xd00, 0xd2c},   {0x20cc, 0x20cc}, {0x91c8, 0x91dc}};
// gen12_oa_b_counters, gen12_oa_mux_regs.
constexpr RegisterRange gen12_boolean[] = {{0x2b2c, 0x2b2c}, {0xd900, 0xd91c}, {0xd920, 0xd93c},
                                           {0xd940, 0xd97c}, {0xdc00, 0xdc3c}, {0xdc40, 0xdc44}};
constexpr RegisterRange gen12_mux[] = {{0xd00, 0xd04}, {0xd0c, 0xd2c}, {0x9840, 0x9840}, {0x9884, 0x9888}, {0x20cc, 0x20cc}};

}  // namespace

const OaUnit gen9_oa{.control = 0x2b00,
                     .debug = 0x2b04,
                     .status = 0x2b08,
                     .head = 0x2b0c,
                     .tail = 0x2b10,
                     .buffer = 0x2b14,
                     .buffer_upper = 0x23b4,
                     .global_timer = 0,
                     .context_control = 0,
                     .tlb_invalidate = 0,
                     .noa_enable = {0x9840, 1u << 7},
                     .mux = gen9_mux,
                     .boolean = gen9_boolean,
                     .status_kept = head_and_tail_wrapped,
                     .reason_mask = 0x3f,
                     .context_mask = (1u << 21) - 1,
                     .context_valid = 1u << 16};

const OaUnit gen11_oa = [] {
  OaUnit unit = gen9_oa;
  unit.noa_enable = {0xd04, 1u << 9};
  unit.mux = gen11_mux;
  unit.context_mask = 0x7ffu << 5;
  return unit;
}();

const OaUnit gen12_oa{.control = 0xdaf4,
                      .debug = 0xdaf8,
                      .status = 0xdafc,
                      .head = 0xdb00,
                      .tail = 0xdb04,
                      .buffer = 0xdb08,
                      .buffer_upper = 0,
                      .global_timer = 0x2b28,
                      .context_control = 0x2960,
                      .tlb_invalidate = 0xceec,
                      .noa_enable = {0xd04, 1u << 9},
                      .mux = gen12_mux,
                      .boolean = gen12_boolean,
                      .status_kept = 0,
                      .reason_mask = 0x7f,
                      .context_mask = 0x7ffu << 5,
                      .context_valid = 0};

uint32_t oa::allowed_bits(const RegisterValue& entry) {
  constexpr uint32_t half_slice_chicken2 = 0xe180, sampler_power = 1u << 13, wait_for_rc6_exit = 0x20cc, wait_enable = 1u << 0;
  const auto without = [&](uint32_t bit) { return entry.value & ~(bit | bit << 16); };
  if (entry.offset == half_slice_chicken2) return without(sampler_power);
  return entry.offset == wait_for_rc6_exit ? without(wait_enable) : entry.value;
}

}  // namespace softgen::run
