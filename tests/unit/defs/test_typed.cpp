// SPDX-License-Identifier: GPL-2.0-or-later
// Packets of the captures in tests/golden/captures (Mesa 22.3.6's iris). What their fields hold was read off with Mesa 25.0.7's genxml/gen90.xml.
#include <algorithm>
#include <span>

#include "tests/unit/defs/foreign.h"

using namespace softgen::defs;
using namespace softgen::defs::gen9;
using softgen::defs::test::Packet;
using softgen::defs::test::unpacked;

TEST_CASE("a short packet unpacks as if zeros followed") {
  const uint32_t header[] = {0x78100007};
  CHECK(_3DSTATE_VS::unpack(header).kernel_start_pointer == 0);
  CHECK(RENDER_SURFACE_STATE::unpack({}).surface_base_address == 0);
}

TEST_CASE("capture gl_tri: the bases and a timestamp's flush") {
  const auto bases = unpacked<STATE_BASE_ADDRESS>(
      {0x61010011, 0x41, 0, 0x40000, 0x41, 1, 0x41, 2, 0x41, 0, 0x41, 0, 0xfffff001, 0xfffff001, 0xfffff001, 0xfffff001, 0x40, 0, 0});
  CHECK(bases.general_state_base_address == 0);
  CHECK(bases.general_state_base_address_modify_enable);
  CHECK(bases.general_state_mocs == 4);
  CHECK(bases.stateless_data_port_access_mocs == 4);
  CHECK(bases.surface_state_base_address == 0x1'0000'0000);
  CHECK(bases.surface_state_base_address_modify_enable);
  CHECK(bases.dynamic_state_base_address == 0x2'0000'0000);
  CHECK(bases.indirect_object_base_address_modify_enable);
  CHECK(bases.instruction_base_address_modify_enable);
  CHECK(bases.general_state_buffer_size == 0xfffff);
  CHECK(bases.dynamic_state_buffer_size_modify_enable);
  CHECK(bases.instruction_buffer_size == 0xfffff);
  CHECK(bases.bindless_surface_state_mocs == 4);
  CHECK_FALSE(bases.bindless_surface_state_base_address_modify_enable);

  const auto flush = unpacked<PIPE_CONTROL>({0x7a000004, 0x00105021, 0xfffff060, 0x0000fffe, 0, 0});
  CHECK(flush.depth_cache_flush_enable);
  CHECK(flush.dc_flush_enable);
  CHECK(flush.render_target_cache_flush_enable);
  CHECK(flush.command_streamer_stall_enable);
  CHECK(flush.post_sync_operation == PIPE_CONTROL::PostSyncOperation::WRITE_IMMEDIATE_DATA);
  CHECK(flush.address == 0xfffe'ffff'f060);
  CHECK(flush.immediate_data == 0);
  CHECK_FALSE(flush.stall_at_pixel_scoreboard);
  CHECK_FALSE(flush.texture_cache_invalidation_enable);
}

TEST_CASE("capture gl_tri: vertex and pixel shader") {
  const auto vs = unpacked<_3DSTATE_VS>({0x78100007, 0xffffb000, 0, 0, 0, 0, 0x00200800, 0xa7800405, 0});
  CHECK(vs.kernel_start_pointer == 0xffffb000);
  CHECK(vs.vertex_urb_entry_read_length == 1);
  CHECK(vs.vertex_urb_entry_read_offset == 0);
  CHECK(vs.dispatch_grf_start_register_for_urb_data == 2);
  CHECK(vs.enable);
  CHECK(vs.simd8_dispatch_enable);
  CHECK(vs.statistics_enable);
  CHECK_FALSE(vs.vertex_cache_disable);
  CHECK(vs.maximum_number_of_threads == 335);

  const auto ps =
      unpacked<_3DSTATE_PS>({0x7820000a, 0xffffb080, 0, 0x40040000, 0, 0, 0x1f800003, 0x00040006, 0xffffb080, 0, 0xffffb0c0, 0});
  CHECK(ps.kernel_start_pointer_0 == 0xffffb080);
  CHECK(ps.kernel_start_pointer_1 == 0xffffb080);
  CHECK(ps.kernel_start_pointer_2 == 0xffffb0c0);
  CHECK(ps.binding_table_entry_count == 1);
  CHECK(ps.vector_mask_enable);
  CHECK_FALSE(ps.single_program_flow);
  CHECK(ps._8_pixel_dispatch_enable);
  CHECK(ps._16_pixel_dispatch_enable);
  CHECK_FALSE(ps._32_pixel_dispatch_enable);
  CHECK(ps.maximum_number_of_threads_per_psd == 63);
  CHECK(ps.dispatch_grf_start_register_for_constant_setup_data_0 == 4);
  CHECK(ps.dispatch_grf_start_register_for_constant_setup_data_1 == 0);
  CHECK(ps.dispatch_grf_start_register_for_constant_setup_data_2 == 6);
}

TEST_CASE("capture gl_tri: clipper, setup and viewport") {
  const auto clip = unpacked<_3DSTATE_CLIP>({0x78120002, 0x00060400, 0x94000026, 0x0003ffe0});
  CHECK(clip.statistics_enable);
  CHECK(clip.early_cull_enable);
  CHECK(clip.force_user_clip_distance_clip_test_enable_bitmask);
  CHECK_FALSE(clip.force_user_clip_distance_cull_test_enable_bitmask);
  CHECK(clip.clip_enable);
  CHECK(clip.viewport_xy_clip_test_enable);
  CHECK(clip.guardband_clip_test_enable);
  CHECK(clip.triangle_strip_list_provoking_vertex_select == 2);
  CHECK(clip.line_strip_list_provoking_vertex_select == 1);
  CHECK(clip.triangle_fan_provoking_vertex_select == 2);
  CHECK(clip.minimum_point_width == 0.125f);
  CHECK(clip.maximum_point_width == 255.875f);
  CHECK(clip.force_zero_rta_index_enable);
  CHECK(clip.maximum_vp_index == 0);

  const auto sf = unpacked<_3DSTATE_SF>({0x78130002, 0x00080402, 0, 0x4c004808});
  CHECK(sf.viewport_transform_enable);
  CHECK(sf.statistics_enable);
  CHECK(sf.line_width == 1);
  CHECK(sf.point_width == 1);
  CHECK(sf.point_width_source == _3DSTATE_SF::PointWidthSource::STATE);
  CHECK(sf.aa_line_distance_mode == _3DSTATE_SF::AALineDistanceMode::AALINEDISTANCE_TRUE);
  CHECK(sf.triangle_strip_list_provoking_vertex_select == 2);
  CHECK(sf.line_strip_list_provoking_vertex_select == 1);
  CHECK(sf.triangle_fan_provoking_vertex_select == 2);

  const auto viewport = unpacked<SF_CLIP_VIEWPORT>({0x42000000, 0x42000000, 0x3f000000, 0x42000000, 0x42000000, 0x3f000000, 0, 0,
                                                    0xc4000000, 0x44000000, 0xc4000000, 0x44000000, 0, 0x427c0000, 0, 0x427c0000});
  CHECK(viewport.viewport_matrix_element_m11 == 32);
  CHECK(viewport.viewport_matrix_element_m22 == 0.5f);
  CHECK(viewport.viewport_matrix_element_m30 == 32);
  CHECK(viewport.viewport_matrix_element_m32 == 0.5f);
  CHECK(viewport.x_min_clip_guardband == -512);
  CHECK(viewport.y_max_clip_guardband == 512);
  CHECK(viewport.x_max_viewport == 63);
  CHECK(viewport.y_min_viewport == 0);
}

TEST_CASE("capture gl_tri: the render target, compressed and cleared") {
  const auto target =
      unpacked<RENDER_SURFACE_STATE>({0x331df03f, 0x04000010, 0x003f003f, 0x000000ff, 0, 0x00000f00, 0x00400005, 0x09770000, 0xffc00000,
                                      0xfffffffe, 0xffc04000, 0xfffffffe, 0x3e008081, 0x3e808081, 0x3f008081, 0x3f800000});
  using S = RENDER_SURFACE_STATE;
  CHECK(target.surface_type == S::SurfaceType::SURFTYPE_2D);
  CHECK(target.surface_array);
  CHECK(target.surface_format == SurfaceFormat::R8G8B8A8_UNORM);
  CHECK(target.surface_vertical_alignment == S::SurfaceVerticalAlignment::VALIGN_4);
  CHECK(target.surface_horizontal_alignment == S::SurfaceHorizontalAlignment::HALIGN_16);
  CHECK(target.tile_mode == S::TileMode::YMAJOR);
  CHECK(target.surface_qpitch == 16);
  CHECK(target.mocs == 4);
  CHECK(target.width == 63);
  CHECK(target.height == 63);
  CHECK(target.surface_pitch == 255);
  CHECK(target.mip_tail_start_lod == 15);
  CHECK(target.auxiliary_surface_mode == S::AuxiliarySurfaceMode::AUX_CCS_E);
  CHECK(target.auxiliary_surface_qpitch == 64);
  CHECK(target.shader_channel_select_red == ShaderChannelSelect::SCS_RED);
  CHECK(target.shader_channel_select_alpha == ShaderChannelSelect::SCS_ALPHA);
  CHECK(target.surface_base_address == 0xffff'fffe'ffc0'0000);
  CHECK(target.auxiliary_surface_base_address == 0xffff'fffe'ffc0'4000);
  CHECK(target.red_clear_color == 0x3e008081);
  CHECK(target.alpha_clear_color == 0x3f800000);
}

TEST_CASE("capture gl_gouraud: vertices and their attribute") {
  const Packet elements = {0x78090003, 0x02400000, 0x11130000, 0x0200000c, 0x11110000};
  const auto position = VERTEX_ELEMENT_STATE::unpack(std::span(elements).subspan(_3DSTATE_VERTEX_ELEMENTS::element_first_dword));
  CHECK(position.valid);
  CHECK(position.source_element_format == SurfaceFormat::R32G32B32_FLOAT);
  CHECK(position.source_element_offset == 0);
  CHECK(position.component_2_control == VertexComponentControl::VFCOMP_STORE_SRC);
  CHECK(position.component_3_control == VertexComponentControl::VFCOMP_STORE_1_FP);
  const auto color = VERTEX_ELEMENT_STATE::unpack(std::span(elements).subspan(3));
  CHECK(color.source_element_format == SurfaceFormat::R32G32B32A32_FLOAT);
  CHECK(color.source_element_offset == 12);
  CHECK(color.component_3_control == VertexComponentControl::VFCOMP_STORE_SRC);
  CHECK(_3DSTATE_VERTEX_ELEMENTS::element_dwords == 2);

  const auto buffer = unpacked<VERTEX_BUFFER_STATE>({0x0004401c, 0xffc40000, 0xfffffffe, 0x54});
  CHECK(buffer.vertex_buffer_index == 0);
  CHECK(buffer.buffer_pitch == 28);
  CHECK(buffer.address_modify_enable);
  CHECK_FALSE(buffer.null_vertex_buffer);
  CHECK(buffer.mocs == 4);
  CHECK(buffer.buffer_starting_address == 0xffff'fffe'ffc4'0000);
  CHECK(buffer.buffer_size == 84);

  const auto sbe = unpacked<_3DSTATE_SBE>({0x781f0004, 0x30700820, 0, 0, 0xffffffff, 0xffffffff});
  CHECK(sbe.vertex_urb_entry_read_offset == 1);
  CHECK(sbe.vertex_urb_entry_read_length == 1);
  CHECK(sbe.point_sprite_texture_coordinate_origin == _3DSTATE_SBE::PointSpriteTextureCoordinateOrigin::LOWERLEFT);
  CHECK(sbe.attribute_swizzle_enable);
  CHECK(sbe.number_of_sf_output_attributes == 1);
  CHECK(sbe.force_vertex_urb_entry_read_offset);
  CHECK(sbe.force_vertex_urb_entry_read_length);
  using Format = _3DSTATE_SBE::AttributeActiveComponentFormat;
  CHECK(std::ranges::count(sbe.attribute_active_component_format, Format::ACTIVE_COMPONENT_XYZW) == 32);
}

TEST_CASE("capture gl_tess: hull shader, tessellator, domain shader") {
  const auto hs = unpacked<_3DSTATE_HS>({0x781b0007, 0, 0xa0014f00, 0xffffb040, 0, 0, 0, 0x01280000, 0});
  CHECK(hs.enable);
  CHECK(hs.statistics_enable);
  CHECK(hs.maximum_number_of_threads == 335);
  CHECK(hs.instance_count == 0);
  CHECK(hs.kernel_start_pointer == 0xffffb040);
  CHECK(hs.dispatch_grf_start_register_for_urb_data == 5);
  CHECK(hs.include_vertex_handles);
  CHECK_FALSE(hs.include_primitive_id);
  CHECK(hs.dispatch_mode == _3DSTATE_HS::DispatchMode::DISPATCH_MODE_SINGLE_PATCH);

  const auto te = unpacked<_3DSTATE_TE>({0x781c0002, 0x00000211, 0x427c0000, 0x42800000});
  CHECK(te.te_enable);
  CHECK(te.te_domain == _3DSTATE_TE::TEDomain::TRI);
  CHECK(te.output_topology == _3DSTATE_TE::OutputTopology::OUTPUT_TRI_CW);
  CHECK(te.partitioning == _3DSTATE_TE::Partitioning::INTEGER);
  CHECK(te.maximum_tessellation_factor_odd == 63);
  CHECK(te.maximum_tessellation_factor_not_odd == 64);

  const auto ds = unpacked<_3DSTATE_DS>({0x781d0009, 0xffff7040, 0, 0, 0, 0, 0x00501800, 0x29e0040d, 0, 0, 0});
  CHECK(ds.kernel_start_pointer == 0xffff7040);
  CHECK(ds.patch_urb_entry_read_length == 3);
  CHECK(ds.dispatch_grf_start_register_for_urb_data == 5);
  CHECK(ds.enable);
  CHECK_FALSE(ds.cache_disable);
  CHECK(ds.compute_w_coordinate_enable);
  CHECK(ds.dispatch_mode == _3DSTATE_DS::DispatchMode::DISPATCH_MODE_SIMD8_SINGLE_PATCH);
  CHECK(ds.statistics_enable);
  CHECK(ds.maximum_number_of_threads == 335);
}

TEST_CASE("capture gl_geom: the geometry shader; gl_xfb: stream output") {
  const auto gs = unpacked<_3DSTATE_GS>({0x78110008, 0xffffb080, 0, 3, 0, 0, 0x018a0c05, 0x00101c05, 0x4009014f, 0x00210000});
  CHECK(gs.kernel_start_pointer == 0xffffb080);
  CHECK(gs.expected_vertex_count == 3);
  CHECK(gs.dispatch_grf_start_register_for_urb_data == 5);
  CHECK(gs.include_vertex_handles);
  CHECK(gs.vertex_urb_entry_read_length == 1);
  CHECK(gs.output_topology == PrimitiveTopologyType::_3DPRIM_TRISTRIP);
  CHECK(gs.output_vertex_size == 3);
  CHECK(gs.enable);
  CHECK(gs.reorder_mode == _3DSTATE_GS::ReorderMode::TRAILING);
  CHECK(gs.statistics_enable);
  CHECK(gs.dispatch_mode == _3DSTATE_GS::DispatchMode::DISPATCH_MODE_SIMD8);
  CHECK(gs.control_data_header_size == 1);
  CHECK(gs.instance_control == 0);
  CHECK(gs.maximum_number_of_threads == 335);
  CHECK(gs.static_output_vertex_count == 9);
  CHECK(gs.static_output);
  CHECK(gs.vertex_urb_entry_output_length == 1);
  CHECK(gs.vertex_urb_entry_output_read_offset == 1);

  const auto out = unpacked<_3DSTATE_STREAMOUT>({0x781e0003, 0xc6000000, 0x01010101, 0x20, 0});
  CHECK(out.so_function_enable);
  CHECK(out.rendering_disable);
  CHECK(out.reorder_mode == _3DSTATE_STREAMOUT::ReorderMode::TRAILING);
  CHECK(out.so_statistics_enable);
  CHECK(out.render_stream_select == 0);
  CHECK(out.stream_0_vertex_read_length == 1);
  CHECK(out.stream_3_vertex_read_length == 1);
  CHECK(out.stream_3_vertex_read_offset == 0);
  CHECK(out.buffer_0_surface_pitch == 32);
  CHECK(out.buffer_1_surface_pitch == 0);
}

TEST_CASE("captures gl_blend and gl_depth: blending, a depth buffer with HiZ") {
  const Packet state = {0x01800000, 0x8e607300, 0x0000000b};
  const auto blend = BLEND_STATE::unpack(state);
  CHECK(blend.alpha_test_function == CompareFunction::COMPAREFUNCTION_NEVER);
  CHECK(blend.color_dither_enable);
  CHECK_FALSE(blend.alpha_test_enable);
  const auto entry = unpacked<BLEND_STATE_ENTRY>({state[BLEND_STATE::entry_first_dword], state[2]});
  CHECK(entry.color_buffer_blend_enable);
  CHECK(entry.source_blend_factor == BlendFactor::BLENDFACTOR_SRC_ALPHA);
  CHECK(entry.destination_blend_factor == BlendFactor::BLENDFACTOR_INV_SRC_ALPHA);
  CHECK(entry.source_alpha_blend_factor == BlendFactor::BLENDFACTOR_SRC_ALPHA);
  CHECK(entry.destination_alpha_blend_factor == BlendFactor::BLENDFACTOR_INV_SRC_ALPHA);
  CHECK(entry.color_blend_function == BlendFunction::BLENDFUNCTION_ADD);
  CHECK(entry.post_blend_color_clamp_enable);
  CHECK(entry.pre_blend_color_clamp_enable);
  CHECK(entry.color_clamp_range == BLEND_STATE_ENTRY::ColorClampRange::COLORCLAMP_RTFORMAT);
  CHECK_FALSE(entry.write_disable_alpha);
  const auto subtract = unpacked<BLEND_STATE_ENTRY>({0x84282140, 0x0000000b});
  CHECK(subtract.color_blend_function == BlendFunction::BLENDFUNCTION_REVERSE_SUBTRACT);
  CHECK(subtract.alpha_blend_function == BlendFunction::BLENDFUNCTION_REVERSE_SUBTRACT);
  CHECK(subtract.source_blend_factor == BlendFactor::BLENDFACTOR_ONE);
  CHECK(subtract.destination_alpha_blend_factor == BlendFactor::BLENDFACTOR_ONE);

  const auto depth = unpacked<_3DSTATE_DEPTH_BUFFER>({0x78050006, 0x304c00ff, 0xffc06000, 0xfffffffe, 0x00fc03f0, 4, 0, 0x10});
  CHECK(depth.surface_type == _3DSTATE_DEPTH_BUFFER::SurfaceType::SURFTYPE_2D);
  CHECK(depth.depth_write_enable);
  CHECK_FALSE(depth.stencil_write_enable);
  CHECK(depth.hierarchical_depth_buffer_enable);
  CHECK(depth.surface_format == _3DSTATE_DEPTH_BUFFER::SurfaceFormat::D24_UNORM_X8_UINT);
  CHECK(depth.surface_pitch == 255);
  CHECK(depth.surface_base_address == 0xffff'fffe'ffc0'6000);
  CHECK(depth.width == 63);
  CHECK(depth.height == 63);
  CHECK(depth.mocs == 4);
  CHECK(depth.surface_qpitch == 16);
}

TEST_CASE("captures gl_csonly and gl_compute: compute") {
  const auto vfe = unpacked<MEDIA_VFE_STATE>({0x70000007, 0, 0, 0x00a70280, 0, 0x00020004, 0, 0, 0});
  CHECK(vfe.maximum_number_of_threads == 167);
  CHECK(vfe.number_of_urb_entries == 2);
  CHECK(vfe.reset_gateway_timer == MEDIA_VFE_STATE::ResetGatewayTimer::RESETTING_RELATIVE_TIMER_AND_LATCHING_THE_GLOBAL_TIMESTAMP);
  CHECK(vfe.urb_entry_allocation_size == 2);
  CHECK(vfe.curbe_allocation_size == 4);

  const auto walker = unpacked<GPGPU_WALKER>({0x7105000d, 0, 0, 0, 0x40000003, 0, 0, 0x40, 0, 0, 1, 0, 1, 0xffff, 0xffffffff});
  CHECK(walker.thread_width_counter_maximum == 3);
  CHECK(walker.simd_size == GPGPU_WALKER::SIMDSize::SIMD16);
  CHECK(walker.thread_group_id_x_dimension == 64);
  CHECK(walker.thread_group_id_y_dimension == 1);
  CHECK(walker.thread_group_id_z_dimension == 1);
  CHECK(walker.right_execution_mask == 0xffff);
  CHECK(walker.bottom_execution_mask == 0xffffffff);

  const auto descriptor = unpacked<INTERFACE_DESCRIPTOR_DATA>({0xffffb000, 0, 0, 0, 0x42, 0x00010000, 0x00210004, 0});
  CHECK(descriptor.kernel_start_pointer == 0xffffb000);
  CHECK(descriptor.binding_table_entry_count == 2);
  CHECK(descriptor.binding_table_pointer == 0x40);
  CHECK(descriptor.constant_urb_entry_read_length == 1);
  CHECK(descriptor.number_of_threads_in_gpgpu_thread_group == 4);
  CHECK(descriptor.shared_local_memory_size == INTERFACE_DESCRIPTOR_DATA::SharedLocalMemorySize::ENCODES_1K);
  CHECK(descriptor.barrier_enable);
  CHECK_FALSE(descriptor.global_barrier_enable);
}
