// SPDX-License-Identifier: GPL-2.0-or-later
// The decoder on packets and descriptors that are written as dwords by the PRM's layouts (SKL PRM vol 2a and 2d).
#include <array>
#include <map>
#include <vector>

#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/gpgpu/decoder.h"
#include "hw/mmio/register_file.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::gpgpu;
using defs::CommandId;

namespace {

constexpr uint64_t base = 0x10000;

struct Packets : StatePackets {
  std::map<CommandId, std::vector<uint32_t>> kept;
  std::array<uint64_t, kept_words> words{};
  std::span<const uint32_t> packet(CommandId id, unsigned) const override {
    const auto at = kept.find(id);
    return at == kept.end() ? std::span<const uint32_t>() : at->second;
  }
  std::span<uint64_t, kept_words> kept_progress() override { return words; }
};

}  // namespace

TEST_CASE("GPGPU_WALKER's fields") {
  // Dword 0 bit 8 predicate, bit 10 indirect; 4 bits 31:30 SIMD size, 21:16, 13:8, 5:0 threads less one; 5, 8, 11 the first groups, 7, 10,
  // 12 the end.
  const auto decoder = make_decoder<defs::Gen9>();
  REQUIRE(decoder);
  const std::vector<uint32_t> packet{
      0x7105000d | 1u << 8, 3, 64, 0x40, 1u << 30 | 2u << 16 | 1u << 8 | 7, 11, 0, 21, 12, 0, 22, 13, 23, 0xff, 0xf};
  const WalkCommand walk = decoder->walk(packet);
  CHECK((walk.predicated && !walk.end_in_registers && walk.descriptor == 3));
  CHECK((walk.channels == 16 && walk.width == 8 && walk.height == 2 && walk.depth == 3));
  CHECK(walk.first == std::array<uint32_t, 3>{11, 12, 13});
  CHECK(walk.end == std::array<uint32_t, 3>{21, 22, 23});
  CHECK((walk.right_mask == 0xff && walk.bottom_mask == 0xf && walk.indirect.offset == 0x40 && walk.indirect.bytes == 64));
  auto reserved = packet;
  reserved[4] |= 3u << 30;
  CHECK(decoder->walk(reserved).channels == 32);
}

TEST_CASE("a kernel's state comes from its descriptor and packets; a descriptor beyond those loaded is none") {
  quiet_log();
  const auto decoder = make_decoder<defs::Gen9>();
  memory::test::Mapped memory({base});
  // INTERFACE_DESCRIPTOR_DATA: dword 0 the kernel, 2 bit 16 alternate floats, 3 samplers, 4 binding table, 5 constants' length and offset,
  // 6 bits 23:22 rounding, 21 barrier, 20:16 local memory, 7 constants for all threads.
  const std::array<uint32_t, 8> descriptor{0x1000, 0, 1u << 16, 0x40, 0x60, 200u << 16 | 5, 3u << 22 | 1u << 21 | 9u << 16, 100};
  memory.view.write(base + 32, descriptor.data(), sizeof descriptor);
  Packets state;
  state.kept[CommandId::MEDIA_INTERFACE_DESCRIPTOR_LOAD] = {0x70020002, 0, 64, base};
  state.kept[CommandId::MEDIA_VFE_STATE] = {0x70000007, 0x400 | 2, 0, 9u << 16, 0, 0, 0, 0, 0};
  state.kept[CommandId::MEDIA_CURBE_LOAD] = {0x70010002, 0, 96, 0x200};
  mmio::RegisterFile registers{defs::gen9::registers};
  StopFlag stop;
  EngineEnv env{EngineId::rcs, memory.view, memory.view, registers, stop};
  const auto kernel = decoder->kernel(state, env, 1);
  REQUIRE(kernel);
  CHECK((kernel->kernel == 0x1000 && kernel->alternate_float && kernel->barrier && kernel->rounding == 3));
  CHECK((kernel->bases.sampler_state == 0x40 && kernel->bases.binding_table == 0x60));
  CHECK((kernel->scratch_base == 0x400 && kernel->scratch_bytes == 4096 && kernel->max_threads == 10));
  CHECK((kernel->curbe_address == 0x200 && kernel->curbe_bytes == 96 && kernel->constant_offset == 5));
  CHECK(kernel->slm_bytes == 64 << 10);
  CHECK((kernel->cross_registers == 100 && kernel->thread_registers == 27));  // no more than r1 to r127
  CHECK((kernel->places.y_shift == 16 && kernel->places.color_dword == 2 && kernel->places.color_shift == 16));
  CHECK_FALSE(decoder->kernel(state, env, 2));
}

TEST_CASE("Gen11's and Gen12's binding tables count from their pool, GT_MODE makes their offsets count qwords; r0.1 has positions") {
  quiet_log();
  const bool gen12 = GENERATE(false, true);
  const auto decoder = gen12 ? make_decoder<defs::Gen12>() : make_decoder<defs::Gen11>();
  memory::test::Mapped memory({base});
  const std::array<uint32_t, 8> descriptor{0x1000, 0, 0, 0, 0x60, 0, 0, 0};
  memory.view.write(base, descriptor.data(), sizeof descriptor);
  Packets state;
  state.kept[CommandId::MEDIA_INTERFACE_DESCRIPTOR_LOAD] = {0x70020002, 0, 64, base};
  std::vector<uint32_t>& bases = state.kept[CommandId::STATE_BASE_ADDRESS];
  bases.assign(22, 0);
  bases[0] = 0x61010014, bases[4] = 0x5000'0001;  // Surface State Base Address
  mmio::RegisterFile registers{gen12 ? defs::gen12::registers : defs::gen11::registers};
  StopFlag stop;
  EngineEnv env{EngineId::rcs, memory.view, memory.view, registers, stop};
  CHECK(decoder->kernel(state, env, 0)->bases.binding_tables == 0x5000'0000);
  CHECK(decoder->kernel(state, env, 0)->bases.binding_table == 0x60);
  const MediaPlaces places = decoder->kernel(state, env, 0)->places;  // all in r0.1
  CHECK((places.y_shift == 12 && places.color_dword == 1 && places.color_shift == 24));
  state.kept[CommandId::_3DSTATE_BINDING_TABLE_POOL_ALLOC] = {0x79190002, 0x7000'0000 | 1 << 11, 1, 0};
  registers.write(0x7008, 0x0400'0400);
  const auto pooled = decoder->kernel(state, env, 0);
  CHECK((pooled->bases.binding_tables == 0x1'7000'0000 && pooled->bases.surface_state == 0x5000'0000));
  CHECK(pooled->bases.binding_table == 0x60 << 3);
}

TEST_CASE("a kernel of Gen12 takes its threads from a packet without a scoreboard, and runs with preemption disabled") {
  quiet_log();
  const auto decoder = make_decoder<defs::Gen12>();
  memory::test::Mapped memory({base});
  // Dword 2 bit 20: Thread Preemption Disable.
  const std::array<uint32_t, 8> descriptor{0x1000, 0, 1u << 20 | 1u << 19, 0x40, 0x60, 2u << 16, 7u << 16, 1};
  memory.view.write(base, descriptor.data(), sizeof descriptor);
  Packets state;
  state.kept[CommandId::MEDIA_INTERFACE_DESCRIPTOR_LOAD] = {0x70020002, 0, 32, base};
  state.kept[CommandId::MEDIA_VFE_STATE] = {0x70000007, 0, 0, 671u << 16 | 1u << 2, 6, 0, ~0u, ~0u, ~0u};
  mmio::RegisterFile registers{defs::gen12::registers};
  StopFlag stop;
  EngineEnv env{EngineId::rcs, memory.view, memory.view, registers, stop};
  const auto kernel = decoder->kernel(state, env, 0);
  REQUIRE(kernel);
  CHECK((kernel->max_threads == 672 && kernel->keep_denorms && kernel->slm_bytes == 64 << 10));
  CHECK((kernel->bases.sampler_state == 0x40 && kernel->cross_registers == 1 && kernel->thread_registers == 2));
}
