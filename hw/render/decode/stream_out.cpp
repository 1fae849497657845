// SPDX-License-Identifier: GPL-2.0-or-later
// Stream output: SKL PRM vol 2a, 3DSTATE_STREAMOUT, 3DSTATE_SO_BUFFER, 3DSTATE_SO_DECL_LIST.
#include "hw/base/bits.h"
#include "hw/render/decode/part.h"

namespace softgen::render::decode {
namespace {

template <class G>
void switches(const auto& so, StreamOutState& out) {
  using So = typename G::_3DSTATE_STREAMOUT;
  using Force = typename So::ForceRendering;
  out.enable = so.so_function_enable;
  out.rendering_disable = so.rendering_disable;
  out.statistics = so.so_statistics_enable;
  out.force = so.force_rendering == Force::FORCE_OFF  ? ForceRendering::off
              : so.force_rendering == Force::FORCE_ON ? ForceRendering::on
                                                      : ForceRendering::no;
  out.reorder = so.reorder_mode == So::ReorderMode::TRAILING ? Reorder::trailing : Reorder::leading;
  out.render_stream = so.render_stream_select;
}

template <class G>
void stream_out(const StateStore& store, DrawState& state) {
  const auto so = packet<typename G::_3DSTATE_STREAMOUT>(store);
  StreamOutState& out = state.stream_out;
  switches<G>(so, out);
  const uint32_t pitches[] = {so.buffer_0_surface_pitch, so.buffer_1_surface_pitch, so.buffer_2_surface_pitch, so.buffer_3_surface_pitch};
  for (unsigned i = 0; i < out.buffers.size(); ++i) {
    const auto b = G::_3DSTATE_SO_BUFFER::unpack(store.packet(G::_3DSTATE_SO_BUFFER::id, i));
    out.buffers[i] = {.enable = b.so_buffer_enable,
                      .offset_address_enable = b.stream_output_buffer_offset_address_enable,
                      .address = strip_canonical(b.surface_base_address),
                      .size = (uint64_t{b.surface_size} + 1) * 4,
                      .pitch = pitches[i],
                      .offset_address = strip_canonical(b.stream_output_buffer_offset_address)};
  }
  const auto list = packet<typename G::_3DSTATE_SO_DECL_LIST>(store);
  const uint32_t counts[] = {list.num_entries_0, list.num_entries_1, list.num_entries_2, list.num_entries_3};
  const uint32_t selects[] = {list.stream_to_buffer_selects_0, list.stream_to_buffer_selects_1, list.stream_to_buffer_selects_2,
                              list.stream_to_buffer_selects_3};
  // Read Offset and Length count in 256-bit units; the length is one less.
  const uint32_t first[] = {so.stream_0_vertex_read_offset, so.stream_1_vertex_read_offset, so.stream_2_vertex_read_offset,
                            so.stream_3_vertex_read_offset};
  const uint32_t length[] = {so.stream_0_vertex_read_length, so.stream_1_vertex_read_length, so.stream_2_vertex_read_length,
                             so.stream_3_vertex_read_length};
  const auto dw = store.packet(G::_3DSTATE_SO_DECL_LIST::id);
  for (unsigned s = 0; s < out.streams.size(); ++s)
    out.streams[s] = {.buffers = static_cast<uint8_t>(selects[s]), .end = (first[s] + length[s] + 1) * 8, .decls = {}};
  using Entry = typename G::SO_DECL_ENTRY;
  for (size_t i = 0; 3 + (i + 1) * Entry::dwords <= dw.size(); ++i) {
    const auto entry = Entry::unpack(dw.subspan(3 + i * Entry::dwords, Entry::dwords));
    const auto decls = {entry.stream_0_decl, entry.stream_1_decl, entry.stream_2_decl, entry.stream_3_decl};
    for (unsigned s = 0; s < out.streams.size(); ++s) {
      const auto& decl = decls.begin()[s];
      if (i < counts[s])
        out.streams[s].decls.push_back({static_cast<uint8_t>(decl.output_buffer_slot), static_cast<uint8_t>(decl.component_mask),
                                        decl.hole_flag, first[s] * 8 + decl.register_index * 4});
    }
  }
}

}  // namespace

template <class G>
std::span<const Part> StreamOutParts<G>::parts() {
  static constexpr Part all[] = {
      part<typename G::_3DSTATE_STREAMOUT, typename G::_3DSTATE_SO_BUFFER, typename G::_3DSTATE_SO_DECL_LIST>(stream_out<G>)};
  return all;
}

template struct StreamOutParts<defs::Gen9>;
template struct StreamOutParts<defs::Gen11>;
template struct StreamOutParts<defs::Gen12>;

}  // namespace softgen::render::decode
