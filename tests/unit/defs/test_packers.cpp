// SPDX-License-Identifier: GPL-2.0-or-later
// Packets of Mesa 25.0.7's packers (made of genxml/gen90.xml), with a value in each field that captures leave zero, and commands as i915 writes them.
#include "tests/unit/defs/foreign.h"

using namespace softgen::defs;
using namespace softgen::defs::gen9;
using softgen::defs::test::unpacked;

TEST_CASE("Mesa's packer: a surface with all that captures leave out") {
  const auto s =
      unpacked<RENDER_SURFACE_STATE>({0x56e6e9a1, 0x25281234, 0x0437077f, 0x2aa2aaff, 0x248c7be5, 0x18a4063b, 0x03450e2d, 0x08310140,
                                      0x56789abc, 0x00001234, 0x3210f000, 0x00007654, 0xffffffff, 0x00000002, 0x40000000, 0xfffffff9});
  using S = RENDER_SURFACE_STATE;
  CHECK(s.surface_type == S::SurfaceType::SURFTYPE_3D);
  CHECK(static_cast<uint32_t>(s.surface_format) == 0x1b9);
  CHECK(s.surface_vertical_alignment == S::SurfaceVerticalAlignment::VALIGN_8);
  CHECK(s.tile_mode == S::TileMode::XMAJOR);
  CHECK(s.vertical_line_stride == 1);
  CHECK(s.vertical_line_stride_offset == 0);
  CHECK(s.render_cache_read_write_mode == S::RenderCacheReadWriteMode::READ_WRITE_CACHE);
  CHECK(s.media_boundary_pixel_mode == S::MediaBoundaryPixelMode::PROGRESSIVE_FRAME);
  CHECK(s.cube_face_enable_negative_x);
  CHECK(s.cube_face_enable_positive_z);
  CHECK_FALSE(s.cube_face_enable_positive_x);
  CHECK(s.mocs == 0x25);
  CHECK(s.base_mip_level == 2.5f);
  CHECK(s.surface_qpitch == 0x1234);
  CHECK(s.height == 1079);
  CHECK(s.width == 1919);
  CHECK(s.depth == 0x155);
  CHECK(s.surface_pitch == 0x2aaff);
  CHECK(s.render_target_and_sample_unorm_rotation == S::RenderTargetAndSampleUnormRotation::_90DEG);
  CHECK(s.minimum_array_element == 0x123);
  CHECK(s.render_target_view_extent == 0xf7);
  CHECK(s.multisampled_surface_storage_format == S::MultisampledSurfaceStorageFormat::MSFMT_DEPTH_STENCIL);
  CHECK(s.number_of_multisamples == S::NumberOfMultisamples::MULTISAMPLECOUNT_16);
  CHECK(s.multisample_position_palette_index == 5);
  CHECK(s.x_offset == 12);
  CHECK(s.y_offset == 5);
  CHECK(s.tiled_resource_mode == S::TiledResourceMode::_4KB);
  CHECK(s.mip_tail_start_lod == 6);
  CHECK(s.surface_min_lod == 3);
  CHECK(s.mip_count_lod == 11);
  CHECK(s.auxiliary_surface_pitch == 0x1c5);
  CHECK(s.auxiliary_surface_qpitch == 0x345);
  CHECK(s.shader_channel_select_green == ShaderChannelSelect::SCS_ZERO);
  CHECK(s.shader_channel_select_blue == ShaderChannelSelect::SCS_BLUE);
  CHECK(s.shader_channel_select_alpha == ShaderChannelSelect::SCS_ONE);
  CHECK(s.resource_min_lod == 1.25f);
  CHECK(s.surface_base_address == 0x1234'5678'9abc);
  CHECK(s.auxiliary_surface_base_address == 0x7654'3210'f000);
  CHECK(s.red_clear_color == -1);
  CHECK(s.blue_clear_color == 0x40000000);
  CHECK(s.alpha_clear_color == -7);
}

TEST_CASE("Mesa's packer: fixed point, signed fields, structures in structures") {
  const auto sampler = unpacked<SAMPLER_STATE>({0x1032bd00, 0x2c0a400d, 0x00123440, 0x00680311});
  CHECK(sampler.texture_lod_bias == -1.5f);
  CHECK(sampler.min_lod == 2.75f);
  CHECK(sampler.max_lod == 10.25f);
  CHECK(sampler.min_mode_filter == SAMPLER_STATE::MinModeFilter::MAPFILTER_ANISOTROPIC);
  CHECK(sampler.mag_mode_filter == SAMPLER_STATE::MagModeFilter::MAPFILTER_LINEAR);
  CHECK(sampler.mip_mode_filter == SAMPLER_STATE::MipModeFilter::MIPFILTER_LINEAR);
  CHECK(sampler.lod_preclamp_mode == SAMPLER_STATE::LODPreClampMode::CLAMP_MODE_OGL);
  CHECK(sampler.shadow_function == SAMPLER_STATE::ShadowFunction::PREFILTEROP_NOTEQUAL);
  CHECK(sampler.cube_surface_control_mode == SAMPLER_STATE::CubeSurfaceControlMode::OVERRIDE);
  CHECK(sampler.border_color_pointer == 0x123440);
  CHECK(sampler.tcx_address_control_mode == TextureCoordinateMode::TCM_CLAMP_BORDER);
  CHECK(sampler.tcy_address_control_mode == TextureCoordinateMode::TCM_CLAMP);
  CHECK(sampler.tcz_address_control_mode == TextureCoordinateMode::TCM_MIRROR);
  CHECK(sampler.maximum_anisotropy == SAMPLER_STATE::MaximumAnisotropy::RATIO_12_1);
  CHECK(sampler.reduction_type == SAMPLER_STATE::ReductionType::COMPARISON);
  CHECK(sampler.reduction_type_enable);

  const auto sf = unpacked<_3DSTATE_SF>({0x78130002, 0x00140800, 0x00020000, 0xac00203d});
  CHECK(sf.line_width == 2.5f);
  CHECK(sf.point_width == 7.625f);
  CHECK(sf.legacy_global_depth_bias_enable);
  CHECK(sf.last_pixel_enable);
  CHECK(sf.smooth_point_enable);
  CHECK(sf.line_end_cap_antialiasing_region_width == _3DSTATE_SF::LineEndCapAntialiasingRegionWidth::_2_0_PIXELS);

  const auto stipple = unpacked<_3DSTATE_LINE_STIPPLE>({0x79080001, 0xa029f0f5, 0x2aaa8003});
  CHECK(stipple.modify_enable_current_repeat_counter_current_stipple_index);
  CHECK(stipple.current_repeat_counter == 257);
  CHECK(stipple.current_stipple_index == 9);
  CHECK(stipple.line_stipple_pattern == 0xf0f5);
  CHECK(stipple.line_stipple_repeat_count == 3);
  CHECK(stipple.line_stipple_inverse_repeat_count == 21845 / 65536.f);  // a third, cut off

  const auto vfe =
      unpacked<MEDIA_VFE_STATE>({0x70000007, 0x56789c53, 0x00001234, 0x029f4080, 3, 0x00211234, 0xc00000a5, 0x8000c32f, 0xb6000009});
  CHECK(vfe.scratch_space_base_pointer == 0x1234'5678'9c00);
  CHECK(vfe.per_thread_scratch_space == 3);
  CHECK(vfe.stack_size == 5);
  CHECK(vfe.maximum_number_of_threads == 671);
  CHECK(vfe.slice_disable == MEDIA_VFE_STATE::SliceDisable::ONLY_SLICE_0_SUBSLICE_0_ENABLED);
  CHECK(vfe.urb_entry_allocation_size == 0x21);
  CHECK(vfe.curbe_allocation_size == 0x1234);
  CHECK(vfe.scoreboard_mask == 0xa5);
  CHECK(vfe.scoreboard_0_delta_x == -1);
  CHECK(vfe.scoreboard_0_delta_y == 2);
  CHECK(vfe.scoreboard_1_delta_y == -4);
  CHECK(vfe.scoreboard_3_delta_y == -8);
  CHECK(vfe.scoreboard_4_delta_x == -7);
  CHECK(vfe.scoreboard_7_delta_x == 6);
  CHECK(vfe.scoreboard_7_delta_y == -5);

  const auto constants = unpacked<_3DSTATE_CONSTANT_PS>(
      {0x78170409, 0x00020001, 0x01230007, 0x00001240, 0, 0x12345660, 0xfffffffe, 0x00000040, 0, 0xabcdefe0, 0xfffffffe});
  CHECK(constants.mocs == 4);
  const auto& body = constants.constant_body;
  CHECK(std::vector(body.read_length.begin(), body.read_length.end()) == std::vector<uint32_t>{1, 2, 7, 0x123});
  CHECK(std::vector(body.buffer.begin(), body.buffer.end()) ==
        std::vector<uint64_t>{0x1240, 0xffff'fffe'1234'5660, 0x40, 0xffff'fffe'abcd'efe0});

  const auto swizzles = unpacked<_3DSTATE_SBE_SWIZ>({0x78510009, 0x94110043, 0, 0, 0, 0, 0, 0, 0x40c0261e, 0x80000001, 0x50000000});
  using Detail = SF_OUTPUT_ATTRIBUTE_DETAIL;
  CHECK(swizzles.attribute[0].source_attribute == 3);
  CHECK(swizzles.attribute[0].swizzle_select == Detail::SwizzleSelect::INPUTATTR_FACING);
  CHECK(swizzles.attribute[1].source_attribute == 17);
  CHECK(swizzles.attribute[1].constant_source == Detail::ConstantSource::CONST_1111_FLOAT);
  CHECK(swizzles.attribute[1].component_override_x);
  CHECK(swizzles.attribute[1].component_override_w);
  CHECK_FALSE(swizzles.attribute[1].component_override_y);
  CHECK(swizzles.attribute[14].source_attribute == 30);
  CHECK(swizzles.attribute[14].component_override_y);
  CHECK(swizzles.attribute[15].component_override_z);
  CHECK(swizzles.attribute[15].swizzle_select == Detail::SwizzleSelect::INPUTATTR_FACING_W);
  CHECK(swizzles.attribute_wrap_shortest_enables[0] == 1);
  CHECK(swizzles.attribute_wrap_shortest_enables[7] == 8);
  CHECK(swizzles.attribute_wrap_shortest_enables[15] == 5);
}

TEST_CASE("semaphore waits of Mesa's packer and of i915, and i915's blits") {
  const auto wait = unpacked<MI_SEMAPHORE_WAIT>({0x0e40d002, 0x12345678, 0x56789abc, 0x00001234});
  using Wait = MI_SEMAPHORE_WAIT;
  CHECK(wait.compare_operation == Wait::CompareOperation::COMPARE_SAD_NOT_EQUAL_SDD);
  CHECK(wait.wait_mode == Wait::WaitMode::POLLING_MODE);
  CHECK(wait.memory_type == Wait::MemoryType::GLOBAL_GRAPHICS_ADDRESS);
  CHECK_FALSE(wait.register_poll_mode);
  CHECK(wait.semaphore_data_dword == 0x12345678);
  CHECK(wait.semaphore_address == 0x1234'5678'9abc);
  // __emit_semaphore_wait (i915_request.c): MI_SEMAPHORE_WAIT | GLOBAL_GTT | POLL | SAD_GTE_SDD, value, offset, 0.
  const auto request = unpacked<MI_SEMAPHORE_WAIT>({0x0e409002, 7, 0xfffe1040, 0});
  CHECK(request.compare_operation == Wait::CompareOperation::COMPARE_SAD_GREATER_THAN_OR_EQUAL_SDD);
  CHECK(request.semaphore_address == 0xfffe1040);

  // emit_copy (gt/intel_migrate.c): XY_SRC_COPY_BLT_CMD | BLT_WRITE_RGBA; BLT_DEPTH_32 | BLT_ROP_SRC_COPY | PAGE_SIZE; here with X tiles on both sides.
  const auto copy = unpacked<XY_SRC_COPY_BLT>({0x54f08808, 0x03cc1000, 0, 64 << 16 | 1024, 0x00400000, 1, 0, 0x1000, 0x00800000, 2});
  CHECK(copy.alpha_channel_write);
  CHECK(copy.rgb_channel_write);
  CHECK(copy.source_tiled);
  CHECK(copy.destination_tiled);
  CHECK(copy.color_depth == BltColorDepth::_32_BIT_COLOR);
  CHECK(copy.raster_operation == 0xcc);
  CHECK(copy.destination_pitch == 4096);
  CHECK(copy.destination_y1 == 0);
  CHECK(copy.destination_y2 == 64);
  CHECK(copy.destination_x2 == 1024);
  CHECK(copy.destination_base_address == 0x1'0040'0000);
  CHECK(copy.source_pitch == 4096);
  CHECK(copy.source_base_address == 0x2'0080'0000);
  const auto untiled = XY_SRC_COPY_BLT::unpack(std::vector<uint32_t>{0x54d08008});
  CHECK(untiled.source_tiled);
  CHECK_FALSE(untiled.destination_tiled);
  CHECK_FALSE(untiled.alpha_channel_write);
}
