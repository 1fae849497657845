// SPDX-License-Identifier: GPL-2.0-or-later
// Gen12's packets: those that say part of the state, those that stand for others, and what the decoder makes of fields that Gen11 has otherwise. Dwords
// are written by Mesa's genxml/gen120.xml.
#include <array>
#include <bit>
#include <vector>

#include "hw/defs/gen12/all.h"
#include "hw/mmio/register_file.h"
#include "hw/render/stream_out.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"
#include "tests/unit/render/decoded.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::test;
using defs::CommandId;
using defs::Gen12;

namespace {

constexpr uint64_t base = 0x10000;
constexpr uint32_t f(float value) { return std::bit_cast<uint32_t>(value); }

struct Fixture : memory::test::Mapped {
  StateStore store{Gen12::commands};
  State state{make_state_decoder<Gen12>()};

  Fixture() : Mapped({base}) {}
  void put(const std::vector<uint32_t>& dw) {
    const defs::Command* command = Gen12::commands.find(defs::EngineClass::render, dw[0]);
    REQUIRE(command);
    REQUIRE(store.accept({0, command, dw}));
  }
  PushConstants constants(Stage stage) const { return state.bindings[static_cast<size_t>(stage)].constants; }
};

constexpr uint32_t keep_reference = 1u << 8, keep_test_mask = 1u << 9, keep_write_mask = 1u << 10, keep_stencil = 1u << 11,
                   keep_depth = 1u << 12;

}  // namespace

TEST_CASE("Gen12: 3DSTATE_WM_DEPTH_STENCIL changes what no Modify Disable keeps") {
  Fixture t;
  // Dword 1: 2 stencil write, 3 stencil test, 4 double sided, 0 depth write, 1 depth test, 7:5 and 10:8 the functions. Dword 2: test masks in 31:24 and
  // 15:8, write masks in 23:16 and 7:0. Dword 3: references in 15:8 and 7:0.
  const uint32_t all = 0b11111 | 4u << 5 | 6u << 8 | 2u << 29 | 3u << 20;
  t.put({0x784e0002, all, 0x11223344, 0x5566});
  t.put({0x784e0002 | keep_reference | keep_stencil | keep_depth | keep_test_mask, 0, 0xa1a2a3a4, 0});
  t.state.refresh(t.store);
  const DepthStencilState& s = t.state.depth_stencil;
  CHECK((s.depth_test && s.depth_write && s.stencil_test && s.stencil_write));
  CHECK(s.depth_function == CompareFunction::less_equal);
  CHECK((s.faces[0].test_mask == 0x11 && s.faces[0].write_mask == 0xa2 && s.faces[0].reference == 0x55));
  CHECK((s.faces[1].test_mask == 0x33 && s.faces[1].write_mask == 0xa4 && s.faces[1].reference == 0x66));
  CHECK((s.faces[0].function == CompareFunction::not_equal && s.faces[0].fail == StencilOperation::replace));
  CHECK(s.faces[1].function == CompareFunction::equal);

  t.put({0x784e0002 | keep_write_mask | keep_test_mask | keep_stencil | keep_depth, 0, 0, 0x7788});
  t.state.refresh(t.store);
  CHECK((s.faces[0].reference == 0x77 && s.faces[1].reference == 0x88 && s.faces[1].write_mask == 0xa4 && s.stencil_test));

  t.put({0x784e0002 | keep_write_mask | keep_reference | keep_stencil, 0b10 | 2u << 5, 0x01020304, 0});
  t.state.refresh(t.store);
  CHECK((s.depth_test && !s.depth_write && s.stencil_test && s.depth_function == CompareFunction::less));
  CHECK((s.faces[0].test_mask == 1 && s.faces[1].test_mask == 3 && s.faces[0].write_mask == 0xa2 && s.faces[0].reference == 0x77));

  t.put({0x784e0002 | keep_depth, 0, 0, 0});
  t.state.refresh(t.store);
  CHECK((s.depth_test && !s.stencil_test && !s.stencil_write && s.faces[0].write_mask == 0 && s.faces[0].reference == 0));
}

TEST_CASE("Gen12: a kept packet says all of its state, as a context image needs it") {
  Fixture t;
  t.put({0x784e0002, 0x1f, 0x11223344, 0x5566});
  t.put({0x784e0002 | keep_test_mask | keep_write_mask | keep_stencil | keep_depth, 0, 0, 0x7788});
  t.put({0x78710002, 1, f(0.25f), f(0.5f)});
  t.put({0x78710002 | 3u << 14, 0, 0, 0});
  const auto kept = [&](CommandId id) {
    const auto packet = t.store.packet(id);
    return std::vector(packet.begin(), packet.end());
  };
  CHECK(kept(CommandId::_3DSTATE_WM_DEPTH_STENCIL) == std::vector<uint32_t>{0x784e0002, 0x1f, 0x11223344, 0x7788});
  CHECK(kept(CommandId::_3DSTATE_DEPTH_BOUNDS) == std::vector<uint32_t>{0x78710002, 1, f(0.25f), f(0.5f)});
}

TEST_CASE("Gen9: the bits of the Modify Disables are reserved in 3DSTATE_WM_DEPTH_STENCIL, which replaces the one before") {
  StateStore store{gen9::commands};
  const defs::Command* command = gen9::commands.find("3DSTATE_WM_DEPTH_STENCIL");
  const std::vector<uint32_t> first{0x784e0002, 0x1f, 0x11223344, 0x5566}, second{0x784e0002 | 0x1f00, 0, 0, 0};
  store.accept({0, command, first});
  store.accept({0, command, second});
  const auto kept = store.packet(CommandId::_3DSTATE_WM_DEPTH_STENCIL);
  CHECK(std::vector(kept.begin(), kept.end()) == second);
}

TEST_CASE("Gen12: 3DSTATE_CONSTANT_ALL gives the stages that it names four ranges, of which those left out are empty") {
  Fixture t;
  Gen12::_3DSTATE_CONSTANT_GS own;
  own.constant_body.read_length = {9, 8, 7, 6};
  const auto dwords = own.pack();
  t.put({dwords.begin(), dwords.end()});
  // Dword 0: stages VS to PS in 12:8; dword 1: the ranges in 19:16; then for each 4:0 length, 63:5 address.
  t.put({0x786d0004 | 0b10001u << 8, 0b1010u << 16, 0x1000 | 3, 0, 0x2000 | 31, 0x1});
  t.state.refresh(t.store);
  for (const Stage stage : {Stage::vs, Stage::ps}) {
    const PushConstants c = t.constants(stage);
    CHECK(c.registers == 34);
    CHECK((c.ranges[0].registers == 0 && c.ranges[1].registers == 3 && c.ranges[2].registers == 0 && c.ranges[3].registers == 31));
    CHECK((c.ranges[1].address == 0x1000 && c.ranges[3].address == 0x1'0000'2000));
  }
  CHECK(t.constants(Stage::hs).registers == 0);
  CHECK(t.constants(Stage::gs).registers == 30);
  t.put({0x786d0000 | 0b11111u << 8, 0});
  t.state.refresh(t.store);
  for (const Stage stage : {Stage::vs, Stage::hs, Stage::ds, Stage::gs, Stage::ps}) CHECK(t.constants(stage).registers == 0);
}

TEST_CASE("Gen12: 3DSTATE_CONSTANT_ALL that is shorter than its mask says") {
  Fixture t;
  t.put({0x786d0000 | 1u << 8, 0b1111u << 16});
  t.state.refresh(t.store);
  CHECK(t.constants(Stage::vs).registers == 0);
  t.put({0x786d0002 | 1u << 8, 0b1111u << 16, 0x4000 | 2, 0});
  t.state.refresh(t.store);
  CHECK(t.constants(Stage::vs).registers == 2);
}

TEST_CASE("Gen12: URB entries have the size of 3DSTATE_URB_ALLOC, too, of whichever packet was written last") {
  Fixture t;
  // 9:0 of dword 1: 64 bytes, less one; from bit 10 on addresses; dword 2: the numbers of entries (Mesa's genxml/gen120.xml).
  const auto size = [&](CommandId id) { return Gen12::_3DSTATE_URB_VS::unpack(t.store.packet(id)).vs_urb_entry_allocation_size; };
  constexpr CommandId ids[] = {CommandId::_3DSTATE_URB_VS, CommandId::_3DSTATE_URB_HS, CommandId::_3DSTATE_URB_DS,
                               CommandId::_3DSTATE_URB_GS};
  for (uint32_t i = 0; i < std::size(ids); ++i) {
    t.put({0x78580001 + (i << 16), 4u << 21 | 4u << 10 | (i + 3), 3576u << 16 | 3576});
    CHECK(t.store.packet(ids[i])[0] == 0x78300000 + (i << 16));
    CHECK(size(ids[i]) == i + 3);
    t.put({0x78300000 + (i << 16), 7u << 16 | 64});
    CHECK(size(ids[i]) == 7);
  }
  t.put({0x78580001, 0x3ff, 8});
  CHECK(size(CommandId::_3DSTATE_URB_VS) == 0x1ff);
}

TEST_CASE("Gen12: of a stream output buffer the packet that was written last counts, with an index or by its command") {
  Fixture t;
  const auto body = [](uint32_t bits, uint32_t address) {
    return std::vector<uint32_t>{0, 1u << 31 | bits, address, 0, 15, 0x8000, 0, 32};
  };
  auto by_index = body(2u << 29, 0x1000), by_command = body(1u << 21 | 1u << 20, 0x2000);
  by_index[0] = 0x79180006, by_command[0] = 0x78620006;
  const auto buffer = [&]() -> const StreamOutBuffer& {
    t.state.refresh(t.store);
    return t.state.stream_out.buffers[2];
  };
  t.put(by_index);
  CHECK((buffer().enable && buffer().address == 0x1000 && buffer().size == 64 && !buffer().offset_address_enable));
  t.put(by_command);
  CHECK((buffer().enable && buffer().address == 0x2000 && buffer().offset_address == 0x8000 && buffer().offset_address_enable));
  t.put(by_index);
  CHECK(buffer().address == 0x1000);
  CHECK_FALSE(t.state.stream_out.buffers[0].enable);

  for (uint32_t i = 0; i < 4; ++i) {
    by_command[0] = 0x78600006 + (i << 16);
    const Packet packet{0, Gen12::commands.find(defs::EngineClass::render, by_command[0]), by_command};
    const StreamOffsetLoad load = t.state.decoder->stream_offset(packet);
    CHECK((load.load && load.store && !load.from_memory && load.buffer == i && load.address == 0x8000 && load.value == 32));
  }
}

TEST_CASE("Gen12: depth and stencil buffers have a surface each") {
  Fixture t;
  using Depth = Gen12::_3DSTATE_DEPTH_BUFFER;
  using Stencil = Gen12::_3DSTATE_STENCIL_BUFFER;
  // A stencil buffer alone: the depth packet has neither its size nor memory (Mesa's isl_emit_depth_stencil.c).
  Depth depth;
  depth.surface_type = Depth::SurfaceType::SURFTYPE_NULL;
  depth.surface_format = Depth::SurfaceFormat::D32_FLOAT;
  Stencil stencil;
  stencil.surface_type = Stencil::SurfaceType::SURFTYPE_2D;
  stencil.stencil_write_enable = true;
  stencil.surface_pitch = 511, stencil.surface_base_address = 0x8000;
  stencil.width = 99, stencil.height = 49;
  stencil.surf_lod = 1, stencil.surface_qpitch = 16;
  const auto put = [&](const auto& packet) {
    const auto dw = packet.pack();
    t.put({dw.begin(), dw.end()});
  };
  put(depth), put(stencil);
  t.state.refresh(t.store);
  const DepthTargets& bound = t.state.depth;
  CHECK((bound.buffers.depth.is_null() && !bound.missing && !bound.depth_write));
  CHECK((bound.stencil_write && bound.stencil_enable));
  const surface::Surface& s = bound.buffers.stencil;
  CHECK((s.width == 100 && s.height == 50 && s.mip_count == 1 && s.qpitch == 64 && s.pitch == 512 && s.base == 0x8000));
  CHECK((s.tiling == surface::Tiling::y && s.halign == 16 && s.valign == 8));

  // Both: D16 is aligned to 8x8, and each keeps its size.
  depth.surface_type = Depth::SurfaceType::SURFTYPE_2D;
  depth.surface_format = Depth::SurfaceFormat::D16_UNORM;
  depth.surface_pitch = 255, depth.surface_base_address = 0x4000, depth.width = depth.height = 63, depth.lod = 2,
  depth.depth_write_enable = true;
  stencil.stencil_write_enable = false;
  put(depth), put(stencil);
  t.state.refresh(t.store);
  CHECK((bound.depth_write && !bound.stencil_write && bound.stencil_enable && bound.format == DepthFormat::unorm16));
  CHECK((bound.buffers.depth.width == 64 && bound.buffers.depth.mip_count == 2 && bound.buffers.stencil.width == 100));
  CHECK((bound.buffers.depth.halign == 8 && bound.buffers.depth.valign == 8));
  stencil.surface_type = Stencil::SurfaceType::SURFTYPE_NULL;
  put(stencil);
  t.state.refresh(t.store);
  CHECK((bound.buffers.stencil.is_null() && !bound.stencil_enable));
}

TEST_CASE("Gen12: hull shaders of up to 32 instances, of one patch or eight") {
  Fixture t;
  // 3DSTATE_HS: dword 2 instances - 1 in 4:0, dword 7 18:17 the mode.
  t.put({0x781b0007, 0, 1u << 31 | 31, 0, 0, 0, 0, 2u << 17});
  t.state.refresh(t.store);
  CHECK((t.state.hull.instances == 32 && t.state.hull.dispatch == HullDispatch::eight_patch && t.state.hull.instance_shift == 16));
  t.put({0x781b0007, 0, 1u << 31, 0, 0, 0, 0, 0});
  t.state.refresh(t.store);
  CHECK((t.state.hull.instances == 1 && t.state.hull.dispatch == HullDispatch::single_patch));
}

TEST_CASE("Gen12: depth bounds, of which a packet may change the switch or the values alone") {
  Fixture t;
  constexpr uint32_t keep_values = 1u << 14, keep_enable = 1u << 15;
  const DepthStencilState& s = t.state.depth_stencil;
  t.put({0x78710002, 1, f(0.25f), f(0.5f)});
  t.state.refresh(t.store);
  CHECK((s.bounds_test && s.min_bound == 0.25f && s.max_bound == 0.5f));
  t.put({0x78710002 | keep_values, 0, f(3), f(4)});
  t.state.refresh(t.store);
  CHECK((!s.bounds_test && s.min_bound == 0.25f && s.max_bound == 0.5f));
  t.put({0x78710002 | keep_enable, 1, f(0.75f), f(1)});
  t.state.refresh(t.store);
  CHECK((!s.bounds_test && s.min_bound == 0.75f && s.max_bound == 1));
}

TEST_CASE("Gen12: primitive replication") {
  Fixture t;
  const ReplicationState& r = t.state.setup.replication;
  t.put({0x786c0004, 0xfu << 16 | 2, 0x321, 0, 0x4650, 0});  // three positions: the mask's fourth bit has none
  t.state.refresh(t.store);
  CHECK((r.positions == 3 && r.replicas == 7));
  CHECK((r.viewport[0] == 1 && r.viewport[1] == 2 && r.viewport[2] == 3 && r.array_index[1] == 5 && r.array_index[2] == 6));
  t.put({0x786c0004, 0, 0, 0, 0, 0});
  t.state.refresh(t.store);
  CHECK((r.positions == 1 && r.replicas == 1));
}

TEST_CASE("Gen12: CPS_STATE of each viewport, for shaders that are per coarse pixel") {
  Fixture t;
  // Mesa's genxml/gen120.xml: dword 0 minimum x in 10:0 and y in 26:16 (s3.7), statistics 11, mode 13:12, scale axis 14.
  const std::array<uint32_t, 8> first{2u << 7 | 4u << 23 | 1u << 12 | 1u << 11, 0x0180'0200, 0xfffe, 5, f(0.25f), f(0.5f), f(8), f(2)},
      second{1u << 7 | 2u << 23 | 3u << 12, 0, 0, 0, 0, 0, 0, 0};  // mode 3 is reserved
  t.view.write(base, first.data(), sizeof first);
  t.view.write(base + 32, second.data(), sizeof second);
  t.put({0x78120002, 0, 0, 1});  // 3DSTATE_CLIP, two viewports
  t.put({0x784f0000, 1u << 31});
  t.state.refresh(t.store, t.view);
  t.put({0x78220000, base});
  t.state.refresh(t.store, t.view);
  const CoarseState& c = t.state.pixel.coarse;
  CHECK((!c.per_coarse_pixel && c.viewports[0].mode == CoarseMode::none));
  t.put({0x784f0000, 1u << 31 | 1u << 4});
  t.state.refresh(t.store, t.view);
  REQUIRE(c.per_coarse_pixel);
  const CoarseSizes& v = c.viewports[0];
  CHECK((v.mode == CoarseMode::constant && v.statistics && !v.scales_y && v.min == std::array<float, 2>{2, 4}));
  CHECK((v.max == std::array<float, 2>{4, 3} || v.max == std::array<float, 2>{-4, 3}));
  CHECK((v.focal == std::array<float, 2>{5, -2} && v.slope == std::array<float, 2>{0.5f, 0.25f} && v.min_radius == 8 && v.aspect == 2));
  CHECK((c.viewports[1].mode == CoarseMode::none && c.viewports[1].min == std::array<float, 2>{1, 2}));
  // A context that has never set the pointer.
  Fixture other;
  other.put({0x784f0000, 1u << 31 | 1u << 4});
  other.state.refresh(other.store, other.view);
  CHECK(other.state.pixel.coarse.viewports[0].mode == CoarseMode::none);
}
