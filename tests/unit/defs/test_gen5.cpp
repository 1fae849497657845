// SPDX-License-Identifier: GPL-2.0-or-later
// Packets and state of Ironlake as others write them: dwords of a textured quad by Mesa 22.3.6's crocus, whose fields were read off with Mesa's
// genxml/gen50.xml; commands of i915 and of intel-vaapi-driver 2.4.1.
#include <type_traits>

#include "hw/defs/gen5/all.h"
#include "hw/defs/register.h"
#include "hw/defs/registers/registers.h"
#include "tests/unit/defs/foreign.h"

using namespace softgen;
using namespace softgen::defs;
using namespace softgen::defs::gen5;
using softgen::defs::test::unpacked;

TEST_CASE("Gen5: commands by their headers") {
  struct Row {
    const char* name;
    EngineClass engine;
    uint32_t header, dwords;
  };
  using enum EngineClass;
  const Row rows[] = {{"MI_FLUSH", render, 0x02000000, 1},
                      {"MI_SET_CONTEXT", render, 0x0c000000, 2},
                      {"MI_STORE_DATA_INDEX", video, 0x10800001, 3},
                      {"MI_STORE_DATA_IMM", render, 0x10400002, 4},
                      {"MI_STORE_REGISTER_MEM", render, 0x12400001, 3},
                      {"MI_BATCH_BUFFER_START", video, 0x18800180, 2},
                      {"MI_BATCH_BUFFER_END", render, 0x05000000, 1},
                      {"STATE_BASE_ADDRESS", render, 0x61010006, 8},
                      {"PIPELINE_SELECT", render, 0x69040001, 1},
                      {"URB_FENCE", render, 0x60003f01, 3},
                      {"CONSTANT_BUFFER", render, 0x60020100, 2},
                      {"3DSTATE_PIPELINED_POINTERS", render, 0x78000005, 7},
                      {"3DSTATE_VERTEX_ELEMENTS", render, 0x78090009, 11},
                      {"3DSTATE_POLY_STIPPLE_PATTERN", render, 0x7907001f, 33},
                      {"3DSTATE_DEPTH_BUFFER", render, 0x79050004, 6},
                      {"PIPE_CONTROL", render, 0x7a009002, 4},
                      {"3DPRIMITIVE", render, 0x7b003c04, 6},
                      {"MEDIA_STATE_POINTERS", render, 0x70000001, 3},
                      {"MEDIA_OBJECT", render, 0x71000004, 6},
                      {"MEDIA_OBJECT_EX", render, 0x7101000a, 12},
                      {"XY_COLOR_BLT", render, 0x54300004, 6},
                      {"XY_SRC_COPY_BLT", render, 0x54f08806, 8},
                      {"AVC_BSD_IMG_STATE", video, 0x74000004, 6},
                      {"AVC_BSD_QM_STATE", video, 0x74010038, 58},
                      {"AVC_BSD_BUF_BASE_STATE", video, 0x74030048, 74},
                      {"AVC_BSD_OBJECT", video, 0x7408000e, 16}};
  for (const Row& row : rows) {
    INFO(row.name);
    const Command* command = gen5::commands.find(row.engine, row.header);
    REQUIRE(command);
    CHECK(command->name == std::string(row.name));
    CHECK(command_length(*command, row.header) == row.dwords);
  }
}

TEST_CASE("Gen5: what it shares with Gen9 is the same type, and a command of Gen9 alone is unknown") {
  STATIC_REQUIRE(std::is_same_v<Gen5::MI_NOOP, Gen9::MI_NOOP>);
  STATIC_REQUIRE(std::is_same_v<Gen5::SurfaceFormat, Gen9::SurfaceFormat>);
  STATIC_REQUIRE_FALSE(std::is_same_v<Gen5::PIPE_CONTROL, Gen9::PIPE_CONTROL>);
  CHECK_FALSE(gen5::commands.find("3DSTATE_VS"));
  CHECK_FALSE(gen5::commands.find("MI_SEMAPHORE_WAIT"));
}

TEST_CASE("Gen5: state of the vertex shader, clipper and setup") {
  const auto vs = unpacked<VS_STATE>({0, 0x80000000, 0, 0x02000801, 0x7e010000, 0x19000, 1});
  CHECK(vs.single_program_flow);
  CHECK(vs.constant_urb_entry_read_length == 1);
  CHECK(vs.vertex_urb_entry_read_length == 1);
  CHECK(vs.dispatch_grf_start_register_for_urb_data == 1);
  CHECK(vs.maximum_number_of_threads == 63);
  CHECK(vs.number_of_urb_entries == 32);
  CHECK(vs.sampler_state_pointer == 0x19000);
  CHECK(vs.enable);

  const auto clip =
      unpacked<CLIP_STATE>({0x484, 0x80010000, 0, 0x1001, 0x1e005000, 0x1d00a000, 0x19260, 0xbf800000, 0x3f800000, 0xbf800000, 0x3f800000});
  CHECK(clip.kernel_start_pointer == 0x480);
  CHECK(clip.grf_register_count == 2);
  CHECK(clip.clip_mode == CLIP_STATE::ClipMode::KERNEL_CLIP);
  CHECK(clip.guardband_cliptest_enable);
  CHECK(clip.viewport_z_cliptest_enable);
  CHECK(clip.viewport_xy_cliptest_enable);
  CHECK(clip.clipper_viewport_state_pointer == 0x19260);
  CHECK(clip.screen_space_viewport_x_min == -1);

  const auto sf = unpacked<SF_STATE>({0x1000, 0x10000, 0, 0x813, 0x5e098000, 0x19242, 0x22131000, 0x4c004808});
  CHECK(sf.vertex_urb_entry_read_offset == 1);
  CHECK(sf.maximum_number_of_threads == 47);
  CHECK(sf.setup_viewport_state_offset == 0x19240);
  CHECK(sf.viewport_transform_enable);
  CHECK(sf.cull_mode == SF_STATE::CullMode::NONE);
  CHECK(sf.destination_origin_horizontal_bias == 0.5f);
  CHECK(sf.line_width == 1);
  CHECK(sf.point_width == 1);
}

TEST_CASE("Gen5: state of the windowizer, surface and sampler") {
  const auto wm = unpacked<WM_STATE>({0xce, 0x80100, 0, 0x2002, 0x19300, 0x8e0d0003, 0, 0, 0xc0, 0x1ce, 0});
  CHECK(wm.kernel_start_pointer_0 == 0xc0);
  CHECK(wm.grf_register_count_0 == 7);
  CHECK(wm.binding_table_entry_count == 2);
  CHECK(wm.setup_urb_entry_read_length == 4);
  CHECK(wm._8_pixel_dispatch_enable);
  CHECK(wm._16_pixel_dispatch_enable);
  CHECK(wm.thread_dispatch_enable);
  CHECK(wm.early_depth_test_enable);
  CHECK(wm.maximum_number_of_threads == 71);
  CHECK(wm.kernel_start_pointer_2 == 0x1c0);

  const auto surface = unpacked<RENDER_SURFACE_STATE>({0x231c003f, 0x23000, 0x01f80fc0, 0xffa, 0, 0});
  CHECK(surface.surface_type == RENDER_SURFACE_STATE::SurfaceType::SURFTYPE_2D);
  CHECK(surface.surface_format == SurfaceFormat::R8G8B8A8_UNORM);
  CHECK(surface.surface_base_address == 0x23000);
  CHECK(surface.height == 63);
  CHECK(surface.width == 63);
  CHECK(surface.surface_pitch == 511);
  CHECK(surface.tiled_surface == 1);

  const auto sampler = unpacked<SAMPLER_STATE>({0x10000000, 0x340000, 0x19000, 0});
  CHECK(sampler.lod_preclamp_enable);
  CHECK(sampler.max_lod == 13);
  CHECK(sampler.border_color_pointer == 0x19000);
}

TEST_CASE("Gen5: the URB's sections and the bases") {
  const auto fence = unpacked<URB_FENCE>({0x60003f01, 0x09222080, 0x400000f2});
  CHECK(fence.cs_unit_urb_reallocation_request);
  CHECK(fence.vs_fence == 128);
  CHECK(fence.gs_fence == 136);
  CHECK(fence.clip_fence == 146);
  CHECK(fence.sf_fence == 242);
  CHECK(fence.cs_fence == 1024);
  const auto bases = unpacked<STATE_BASE_ADDRESS>({0x61010006, 1, 0x19001, 1, 0x1e001, 0xfffff001, 1, 1});
  CHECK(bases.surface_state_base_address == 0x19000);
  CHECK(bases.instruction_base_address == 0x1e000);
  CHECK(bases.general_state_access_upper_bound == 0xfffff000);
}

TEST_CASE("Gen5: registers where Gen9 has others, and those that both have") {
  const RegisterSet& set = gen5::registers;
  CHECK(set.name_of(0x2030) == "RING_TAIL.rcs");
  CHECK(set.name_of(0x4030) == "RING_TAIL.vcs0");
  CHECK(set.name_of(0x4094) == "GFX_PAGE_FAULT");
  CHECK(set.name_of(0x2094) == "RING_NOPID.rcs");
  CHECK(set.name_of(0x44010) == "GTISR");
  CHECK(set.name_of(0x12ca4) == "ILK_GDSR");
  CHECK(set.name_of(0xe1150) == "PCH_HDMIC");
  CHECK(reg::CURCNTR(1) == 0x700c0);
  CHECK(reg::FENCE_GEN4(15, 1) == 0x307c);
  CHECK(set.engine(EngineId::vcs0)->mmio_base == 0x4000);
  CHECK_FALSE(set.engine(EngineId::bcs));
}
