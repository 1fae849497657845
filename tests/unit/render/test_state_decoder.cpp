// SPDX-License-Identifier: GPL-2.0-or-later
// The decoder on packets. Those given as dwords are written by the PRM's layouts, the others by the generated pack().
#include <array>
#include <bit>
#include <vector>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"
#include "tests/unit/render/decoded.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::test;

namespace {

constexpr uint64_t base = 0x10000;
constexpr uint32_t f(float value) { return std::bit_cast<uint32_t>(value); }

struct Fixture : memory::test::Mapped {
  StateStore store{gen9::commands};
  State state;

  Fixture() : Mapped({base}) {}
  void put(std::vector<uint32_t> dw) {
    const defs::Command* command = gen9::commands.find(defs::EngineClass::render, dw[0]);
    REQUIRE(command);
    REQUIRE(store.accept({0, command, dw}));
  }
  void put(const auto& packet) {
    const auto dw = packet.pack();
    put(std::vector<uint32_t>(dw.begin(), dw.end()));
  }
};

}  // namespace

TEST_CASE("a pixel shader's three kernel pointers are given to the widths that are enabled") {
  // SKL PRM vol 2a, 3DSTATE_PS: dword 1 Kernel Start Pointer 0, dword 6 bits 2:0 32, 16 and 8 Pixel Dispatch Enable, dword 7 the first
  // registers of kernels 0, 1, 2 in bits 22:16, 14:8, 6:0, dwords 8 and 10 pointers 1 and 2. The table there: 16 pixels beside another
  // width have pointer 2, 32 pixels beside another one pointer 1.
  struct Row {
    uint32_t enables;
    std::array<uint64_t, 3> kernels;
    std::array<uint32_t, 3> registers;
  };
  for (const Row& row :
       {Row{0b001, {0x1000, 0, 0}, {2, 0, 0}}, Row{0b010, {0, 0x1000, 0}, {0, 2, 0}}, Row{0b100, {0, 0, 0x1000}, {0, 0, 2}},
        Row{0b011, {0x1000, 0x3000, 0}, {2, 6, 0}}, Row{0b110, {0, 0x3000, 0x2000}, {0, 6, 4}}, Row{0b101, {0x1000, 0, 0x2000}, {2, 0, 4}},
        Row{0b111, {0x1000, 0x3000, 0x2000}, {2, 6, 4}}}) {
    Fixture t;
    CAPTURE(row.enables);
    t.put({0x7820000a, 0x1000, 0, 0, 0, 0, row.enables, 2u << 16 | 4u << 8 | 6, 0x2000, 0, 0x3000, 0});
    t.state.refresh(t.store);
    for (unsigned i = 0; i < 3; ++i) {
      CHECK(t.state.pixel.kernels[i].enable == ((row.enables >> i & 1) != 0));
      CHECK(t.state.pixel.kernels[i].kernel == row.kernels[i]);
      CHECK(t.state.pixel.kernels[i].grf_start == row.registers[i]);
    }
  }
}

TEST_CASE("clip, depth and stencil fields have the PRM's positions") {
  Fixture t;
  // 3DSTATE_CLIP: dword 1 bit 17 forces the clip mask; dword 2 bit 31 Clip Enable, 30 D3D, 28 XY test, 23:16 clip mask, 15:13 mode 3
  // (reject all), 9 no perspective divide; dword 3 bit 5 Force Zero RTA Index, 3:0 Maximum VP Index.
  t.put({0x78120002, 1u << 17, 1u << 31 | 1u << 30 | 1u << 28 | 0xa5u << 16 | 3u << 13 | 1u << 9, 1u << 5 | 15});
  // 3DSTATE_WM_DEPTH_STENCIL: dword 1 31:29 fail op, 28:26 depth fail op, 25:23 pass op, 10:8 stencil test function, 7:5 depth test
  // function, 3 stencil test, 1 depth test; dword 2 31:24 test mask, 23:16 write mask; dword 3 15:8 reference.
  t.put({0x784e0002, 2u << 29 | 7u << 26 | 3u << 23 | 6u << 8 | 4u << 5 | 1u << 3 | 1u << 1, 0x12u << 24 | 0x34u << 16, 0x56u << 8});
  t.state.refresh(t.store);
  const ClipState& clip = t.state.clip;
  CHECK((clip.enable && clip.d3d && clip.xy_test && clip.reject_all && clip.force_clip_distances && clip.force_layer_zero));
  CHECK_FALSE((clip.perspective_divide || clip.guardband || clip.accept_all || clip.force_cull_distances));
  CHECK(clip.clip_distances == 0xa5);
  CHECK(clip.viewports == 16);
  const DepthStencilState& tests = t.state.depth_stencil;
  CHECK((tests.stencil_test && tests.depth_test && !tests.depth_write && !tests.stencil_write));
  CHECK(tests.depth_function == CompareFunction::less_equal);
  for (const StencilFace& face : tests.faces) {  // one face's state counts for both without Double Sided Stencil Enable
    CHECK(face.function == CompareFunction::not_equal);
    CHECK(face.fail == StencilOperation::replace);
    CHECK(face.depth_fail == StencilOperation::invert);
    CHECK(face.pass == StencilOperation::increment_saturate);
    CHECK((face.test_mask == 0x12 && face.write_mask == 0x34 && face.reference == 0x56));
  }
}

TEST_CASE("only the parts of changed packets are renewed") {
  Fixture t;
  gen9::_3DSTATE_VF vf{};
  vf.cut_index = 7;
  t.put(vf);
  gen9::_3DSTATE_SF sf{};
  sf.line_width = 3;
  t.put(sf);
  t.state.refresh(t.store);
  CHECK(t.state.vertex.cut_index == 7);
  CHECK(t.state.raster.line_width == 3);
  t.state.vertex.cut_index = 99;
  t.state.raster.line_width = 98;
  t.state.refresh(t.store);
  CHECK(t.state.vertex.cut_index == 99);
  CHECK(t.state.raster.line_width == 98);
  sf.line_width = 5;
  t.put(sf);
  t.state.refresh(t.store);
  CHECK(t.state.vertex.cut_index == 99);
  CHECK(t.state.raster.line_width == 5);
  t.store.reset();
  t.state.refresh(t.store);
  CHECK(t.state.vertex.cut_index == 0);
  CHECK(t.state.raster.line_width == 0);
}

TEST_CASE("a part that reads two packets is renewed by each of them") {
  Fixture t;
  gen9::_3DSTATE_VS vs{};
  vs.enable = vs.simd8_dispatch_enable = true;
  vs.kernel_start_pointer = 0x40;
  t.put(vs);
  gen9::_3DSTATE_URB_VS urb{};
  urb.vs_urb_entry_allocation_size = 2;
  t.put(urb);
  t.state.refresh(t.store);
  CHECK((t.state.stage(Stage::vs).enable && t.state.vertex_simd8));
  CHECK(t.state.stage(Stage::vs).thread.kernel == 0x40);
  CHECK(t.state.stage(Stage::vs).entry_bytes == 3 * 64);
  urb.vs_urb_entry_allocation_size = 4;
  t.put(urb);
  t.state.refresh(t.store);
  CHECK(t.state.stage(Stage::vs).entry_bytes == 5 * 64);
}

TEST_CASE("the decoder brings guest values into range") {
  Fixture t;
  gen9::_3DSTATE_SBE sbe{};
  sbe.number_of_sf_output_attributes = 63;
  t.put(sbe);
  gen9::_3DSTATE_MULTISAMPLE multisample{};
  multisample.number_of_multisamples = 7;
  t.put(multisample);
  gen9::_3DSTATE_CONSTANT_VS constants{};
  constants.constant_body.read_length = {1000, 1000, 1000, 1000};
  t.put(constants);
  t.put({0x780a0003, 3u << 8, 0, 0, 0});  // 3DSTATE_INDEX_BUFFER, reserved Index Format
  t.put({
      0x78090001,
      1u << 25,
      5u << 28 | 6u << 24,
  });                                               // 3DSTATE_VERTEX_ELEMENTS, reserved component controls
  t.put({0x78500003, 3u << 5 | 3u << 3, 0, 0, 0});  // 3DSTATE_RASTER, reserved fill modes
  t.put({0x781c0002, 3u << 12 | 3u << 4, 0, 0});    // 3DSTATE_TE, reserved partitioning and domain
  t.state.refresh(t.store);
  CHECK(t.state.setup.attributes == 32);
  CHECK(t.state.multisample.log2_samples == 4);
  const PushConstants push = t.state.push_constants(Stage::vs, true);
  CHECK(push.registers == PushConstants::max_registers);
  CHECK(push.ranges[1].registers == 24);
  CHECK(push.ranges[2].registers == 0);
  CHECK(t.state.vertex.index.index_bytes == 4);
  REQUIRE(t.state.vertex.elements.size() == 1);
  CHECK(t.state.vertex.elements[0].components ==
        std::array{VertexComponent::zero, VertexComponent::zero, VertexComponent::none, VertexComponent::none});
  CHECK((t.state.raster.front_fill == FillMode::wireframe && t.state.raster.back_fill == FillMode::wireframe));
  CHECK(t.state.tessellation.partitioning == TessellationPartitioning::integer);
  CHECK(t.state.tessellation.domain == TessellationDomain::isoline);
}

TEST_CASE("structures in memory are read again for each draw") {
  Fixture t;
  gen9::_3DSTATE_SF sf{};
  sf.viewport_transform_enable = true;
  t.put(sf);
  t.put({0x78210000, base});             // 3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP
  t.put({0x78230000, base + 0x40});      // 3DSTATE_VIEWPORT_STATE_POINTERS_CC
  t.put({0x78240000, base + 0x80 + 1});  // 3DSTATE_BLEND_STATE_POINTERS, valid
  t.put({0x780e0000, base + 0xc0 + 1});  // 3DSTATE_CC_STATE_POINTERS, valid
  for (const float scale : {2.0f, 4.0f}) {
    // SKL PRM vol 2d: SF_CLIP_VIEWPORT dwords 0 and 3 are m00 and m30, 12 to 15 the extent; CC_VIEWPORT min and max depth.
    const std::array<uint32_t, 16> viewport{f(scale), f(1), f(1), f(5), 0, 0, 0, 0, f(-8), f(8), f(-9), f(9), f(1), f(30), f(2), f(40)};
    t.view.write(base, viewport.data(), sizeof viewport);
    const std::array<uint32_t, 2> depth{f(0.25f), f(0.75f)};
    t.view.write(base + 0x40, depth.data(), sizeof depth);
    // BLEND_STATE: dword 0 bit 30 Independent Alpha Blend Enable; of an entry dword 0 bit 31 blend, 30:26 and 25:21 the factors, 20:18 the
    // function, 2 red and 0 blue not written, dword 1 bit 31 and 30:27 the logic operation, 3:2 clamp range, 1 clamp before.
    const std::array<uint32_t, 5> blend{1u << 30, 0, 0, 1u << 31 | 3u << 26 | 19u << 21 | 2u << 18 | 1u << 2 | 1u,
                                        1u << 31 | 6u << 27 | 2u << 2 | 1u << 1};
    t.view.write(base + 0x80, blend.data(), sizeof blend);
    const std::array<uint32_t, 6> color{1, f(0.5f), f(1), f(2), f(3), f(scale)};
    t.view.write(base + 0xc0, color.data(), sizeof color);
    t.state.refresh(t.store, t.view);
    const ViewportState& v = t.state.viewports[0];
    CHECK((v.transform.m00 == scale && v.transform.m30 == 5 && v.transform.guardband_y1 == 9));
    CHECK((v.extent.x0 == 1 && v.extent.x1 == 31 && v.extent.y0 == 2 && v.extent.y1 == 41));
    CHECK((v.min_depth == 0.25f && v.max_depth == 0.75f));
    CHECK((t.state.blend.independent_alpha && !t.state.blend.alpha_test && !t.state.blend.alpha_reference_unorm));
    CHECK(t.state.blend.alpha_reference == 0.5f);
    CHECK(t.state.blend.constant == std::array{1.0f, 2.0f, 3.0f, scale});
    const TargetBlend target = t.state.decoder->target_blend(t.view, t.state, 1);
    CHECK((target.blend && target.source_factor == BlendFactor::source_alpha &&
           target.destination_factor == BlendFactor::inverse_source_alpha));
    CHECK((target.function == BlendFunction::reverse_subtract && target.disabled == 0b101));
    CHECK((target.logic_op && target.logic_table == 0b0110 && target.clamp == ColorClamp::format && target.clamp_before &&
           !target.clamp_after));
  }
}

TEST_CASE("buffer 0 of push constants is relative to the dynamic state base unless it is absolute") {
  Fixture t;
  gen9::STATE_BASE_ADDRESS bases{};
  bases.dynamic_state_base_address = 0x5000;
  bases.dynamic_state_base_address_modify_enable = true;
  t.put(bases);
  gen9::_3DSTATE_CONSTANT_PS constants{};
  constants.constant_body.read_length = {1, 2, 0, 0};
  constants.constant_body.buffer = {0x100, 0x9000, 0, 0};
  t.put(constants);
  t.state.refresh(t.store);
  CHECK(t.state.push_constants(Stage::ps, false).ranges[0].address == 0x5100);
  CHECK(t.state.push_constants(Stage::ps, true).ranges[0].address == 0x100);
  CHECK(t.state.push_constants(Stage::ps, false).ranges[1].address == 0x9000);
}

TEST_CASE("Gen11's packets decode to the same groups") {
  using defs::Gen11;
  StateStore store(Gen11::commands);
  const auto decoder = make_state_decoder<Gen11>();
  REQUIRE(decoder);
  // 3DSTATE_VS has ten bits for its threads there (Mesa's genxml/gen110.xml), and 3DSTATE_VF an enable that Gen9 lacks.
  Gen11::_3DSTATE_VS vs{};
  vs.enable = vs.simd8_dispatch_enable = true;
  vs.maximum_number_of_threads = 1023;
  vs.dispatch_grf_start_register_for_urb_data = 3;
  Gen11::_3DSTATE_VF vf{};
  vf.vertexid_offset_enable = vf.indexed_draw_cut_index_enable = true;
  const auto vs_dwords = vs.pack();
  const auto vf_dwords = vf.pack();
  REQUIRE(store.accept({0, Gen11::commands.find("3DSTATE_VS"), vs_dwords}));
  REQUIRE(store.accept({0, Gen11::commands.find("3DSTATE_VF"), vf_dwords}));
  DrawState state;
  decoder->refresh(store, state);
  CHECK((state.stage(Stage::vs).enable && state.vertex_simd8 && state.stage(Stage::vs).thread.grf_start == 3));
  CHECK((state.vertex.cut_indexed && !state.vertex.cut_sequential));
}

TEST_CASE("Gen11: 3DSTATE_CPS, and what 3DSTATE_PS_EXTRA says of coarse pixels") {
  using defs::Gen11;
  StateStore store(Gen11::commands);
  const auto decoder = make_state_decoder<Gen11>();
  DrawState state;
  // Mesa's genxml/gen110.xml: dword 1 minimum x in 10:0 and y in 26:16 (s3.7), statistics 11, mode 13:12, scale axis 14.
  const uint32_t cps[] = {0x78220007, 0x0200'7980, 0x0180'0200, 0xfffe, 5, f(0.25f), f(0.5f), f(8), f(2)};
  const uint32_t extra[] = {0x784f0000, 1u << 31 | 1u << 22 | 1u << 21 | 1u << 4};
  REQUIRE(store.accept({0, Gen11::commands.find("3DSTATE_CPS"), cps}));
  REQUIRE(store.accept({0, Gen11::commands.find("3DSTATE_PS_EXTRA"), extra}));
  decoder->refresh(store, state);
  CHECK(state.pixel.coarse.per_coarse_pixel);
  const CoarseSizes& c = state.pixel.coarse.viewports[15];            // all have the same
  CHECK((c.mode == CoarseMode::none && c.statistics && c.scales_y));  // mode 3 is reserved
  CHECK((c.min == std::array<float, 2>{3, 4} && c.max == std::array<float, 2>{-4 + 8, 3}));
  CHECK((c.focal == std::array<float, 2>{5, -2} && c.slope == std::array<float, 2>{0.5f, 0.25f} && c.min_radius == 8 && c.aspect == 2));
  const PixelCoefficients& k = state.pixel.inputs.coefficients;
  CHECK((k.requested_size && k.depth_w && !k.perspective && !k.linear && !k.sample_offsets));
}

// Mesa 26.2 sends the fifth dword and a layout, earlier ones do not.
TEST_CASE("Gen12: 3DSTATE_TE selects the layout of the patch header, with four dwords or five") {
  using defs::Gen12;
  const auto decoded = [](std::vector<uint32_t> dwords) {
    StateStore store(Gen12::commands);
    REQUIRE(store.accept({0, Gen12::commands.find("3DSTATE_TE"), dwords}));
    DrawState state;
    make_state_decoder<Gen12>()->refresh(store, state);
    return state.tessellation;
  };
  const TessellationState before = decoded({0x781c0002, 1, 0, 0});
  CHECK(before.enable);
  CHECK_FALSE((before.factors_ascend || before.inside_separate));
  const TessellationState quad = decoded({0x781c0003, 0x800201, f(63), f(64), 0xb}), tri = decoded({0x781c0003, 0xc00211, f(63), f(64), 0});
  CHECK((quad.factors_ascend && !quad.inside_separate));
  CHECK((tri.factors_ascend && tri.inside_separate));
}
