// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/decode/decoder.h"

#include <algorithm>

#include "hw/base/bits.h"
#include "hw/iface/decode/shader_bases.h"
#include "hw/mmio/register_file.h"

namespace softgen::render::decode {

template <class G>
Decoder<G>::Decoder() {
  for (const auto parts : {VertexParts<G>::parts(), StageParts<G>::parts(), StreamOutParts<G>::parts(), RasterParts<G>::parts(),
                           SetupParts<G>::parts(), PixelParts<G>::parts()})
    for (const Part& part : parts) parts_.push_back({&part, ~uint64_t{0}});
}

template <class G>
void Decoder<G>::refresh(const StateStore& store, DrawState& state) {
  for (Versioned& at : parts_) {
    uint64_t version = 0;
    for (unsigned i = 0; i < at.part->count; ++i) version += store.version(at.part->packets[i]);
    if (version == at.version) continue;
    at.version = version;
    at.part->renew(store, state);
  }
}

template <class G>
void Decoder<G>::read(const StateStore& store, memory::View& view, DrawState& state) const {
  Structures<G>::read(store, view, state);
}

template <class G>
void Decoder<G>::read_places(const StateStore& store, memory::View& view, DrawState& state) const {
  Structures<G>::read_places(store, view, state);
}

template <class G>
void Decoder<G>::read_registers(const mmio::RegisterFile& registers, DrawState& state) const {
  state.common_bases.binding_table_shift = BindingTableForm<G>::shift(registers);
}

template <class G>
TargetBlend Decoder<G>::target_blend(memory::View& view, const DrawState& state, unsigned target) const {
  return Structures<G>::target_blend(view, state, target);
}

template <class G>
DrawCommand Decoder<G>::draw_command(std::span<const uint32_t> packet) const {
  // Gen8+: 3DSTATE_VF_TOPOLOGY has the topology, the field of 3DPRIMITIVE is ignored (SKL PRM vol 2a).
  using Primitive = typename G::_3DPRIMITIVE;
  const auto p = Primitive::unpack(packet);
  DrawCommand command{.predicated = p.predicate_enable,
                      .indirect = p.indirect_parameter_enable,
                      .end_offset = p.end_offset_enable,
                      .indexed = p.vertex_access_type == G::_3DPRIMITIVE::VertexAccessType::RANDOM,
                      .vertex_count = p.vertex_count_per_instance,
                      .start_vertex = p.start_vertex_location,
                      .instance_count = p.instance_count,
                      .start_instance = p.start_instance_location,
                      .base_vertex = p.base_vertex_location};
  if constexpr (requires { p.posh_enable; }) command.visibility = p.posh_enable;
  if constexpr (requires { p.extended_parameters_present; }) {
    const typename Primitive::View view(packet);
    command.extended = p.extended_parameters_present && view.elements() >= command.parameters.size();
    for (size_t i = 0; command.extended && i < command.parameters.size(); ++i) command.parameters[i] = view.extended_parameter(i);
  }
  return command;
}

namespace {

/// Which of the four: by a field, or by the command.
template <class G>
unsigned stream_out_buffer(const Packet& packet) {
  if constexpr (requires { typename G::_3DSTATE_SO_BUFFER_INDEX_0; }) {
    constexpr std::array commands = {G::_3DSTATE_SO_BUFFER_INDEX_0::id, G::_3DSTATE_SO_BUFFER_INDEX_1::id,
                                     G::_3DSTATE_SO_BUFFER_INDEX_2::id, G::_3DSTATE_SO_BUFFER_INDEX_3::id};
    for (unsigned i = 0; i < commands.size(); ++i)
      if (packet.command->id == commands[i]) return i;
  }
  return typename G::_3DSTATE_SO_BUFFER::View(packet.dwords).so_buffer_index();
}

}  // namespace

template <class G>
StreamOffsetLoad Decoder<G>::stream_offset(const Packet& packet) const {
  constexpr uint32_t from_memory = 0xffffffff;  // Stream Offset: load SO_WRITE_OFFSET from the Offset Address
  using Buffer = typename G::_3DSTATE_SO_BUFFER;
  const auto b = Buffer::unpack(packet.dwords);
  return {.load = b.stream_offset_write_enable && packet.dwords.size() >= Buffer::dwords,
          .from_memory = b.stream_offset == from_memory,
          .store = b.stream_output_buffer_offset_address_enable,
          .buffer = stream_out_buffer<G>(packet),
          .address = strip_canonical(b.stream_output_buffer_offset_address),
          .value = b.stream_offset};
}

template <class G>
DepthOperation Decoder<G>::depth_operation(const StateStore& store) const {
  const auto p = packet<typename G::_3DSTATE_WM_HZ_OP>(store);
  const auto pixel = [](uint32_t field) { return static_cast<int32_t>(field); };
  DepthOperation op{.clear_depth = p.depth_buffer_clear_enable,
                    .clear_stencil = p.stencil_buffer_clear_enable,
                    .resolve_depth = p.depth_buffer_resolve_enable,
                    .resolve_hiz = p.hierarchical_depth_buffer_resolve_enable,
                    .whole_surface = p.full_surface_depth_and_stencil_clear,
                    .rect = {pixel(p.clear_rectangle_x_min), pixel(p.clear_rectangle_y_min), pixel(p.clear_rectangle_x_max),
                             pixel(p.clear_rectangle_y_max)},
                    .sample_mask = p.sample_mask,
                    .stencil_value = static_cast<uint8_t>(p.stencil_clear_value),
                    .buffers = depth_buffers<G>(store, 1u << std::min(p.number_of_multisamples, 4u))};
  // The rectangle is drawn once, with array index 0. Drivers send one operation for each slice, with views that go on to the surface's last
  // slice (Mesa blorp_clear.c, blorp_hiz_op; isl_emit_depth_stencil.c).
  op.buffers.depth.view_extent = op.buffers.stencil.view_extent = 1;
  return op;
}

template <class G>
VisibilityState Decoder<G>::visibility(const StateStore& store) const {
  VisibilityState state;
  if constexpr (requires { typename G::_3DSTATE_PTBR_TILE_PASS_INFO; }) {
    using TileInfo = typename G::_3DSTATE_PTBR_TILE_PASS_INFO;
    constexpr int32_t unit = 64;  // pixels
    state.page_pool = packet<typename G::_3DSTATE_PTBR_PAGE_POOL_BASE_ADDRESS>(store).page_pool_base_address;
    state.free_list = packet<typename G::_3DSTATE_PTBR_FREE_LIST_BASE_ADDRESS>(store).free_list_base_address;
    state.render_list = packet<typename G::_3DSTATE_PTBR_RENDER_LIST_BASE_ADDRESS>(store).render_list_base_address;
    if (!store.packet(TileInfo::id).empty()) {
      const auto p = packet<TileInfo>(store);
      state.tiles = {p.tile_columns + 1, p.tile_rows + 1, static_cast<int32_t>(p.tile_width + 1) * unit,
                     static_cast<int32_t>(p.tile_height + 1) * unit};
      state.rendered_list = p.render_list_address;
    }
    const auto select = packet<typename G::_3DSTATE_PTBR_TILE_SELECT>(store);
    state.pass = select.tile_pass, state.enabled = select.visibility_enable;
  }
  return state;
}

template <class G>
uint32_t Decoder<G>::marker(std::span<const uint32_t> packet) const {
  if constexpr (requires { typename G::_3DSTATE_PTBR_MARKER; }) return G::_3DSTATE_PTBR_MARKER::unpack(packet).marker;
  else return 0;
}

template class Decoder<defs::Gen9>;
template class Decoder<defs::Gen11>;
template class Decoder<defs::Gen12>;

}  // namespace softgen::render::decode

namespace softgen::render {

template <class G>
std::unique_ptr<StateDecoder> make_state_decoder() {
  return std::make_unique<decode::Decoder<G>>();
}

template std::unique_ptr<StateDecoder> make_state_decoder<defs::Gen9>();
template std::unique_ptr<StateDecoder> make_state_decoder<defs::Gen11>();
template std::unique_ptr<StateDecoder> make_state_decoder<defs::Gen12>();

}  // namespace softgen::render
