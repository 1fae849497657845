// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Stream Output Logic (SOL) Stage".
#include "hw/render/stream_out.h"

#include <algorithm>
#include <bit>

#include "hw/base/bits.h"
#include "hw/mmio/register_file.h"

namespace softgen::render {
namespace {

constexpr uint32_t offset_from_memory = 0xffffffff;  // Stream Offset: load SO_WRITE_OFFSET from the Offset Address

void add(mmio::RegisterFile& registers, uint32_t offset, uint64_t n) {
  if (n) registers.poke64(offset, registers.peek64(offset) + n);
}

}  // namespace

void load_stream_offset(const gen9::_3DSTATE_SO_BUFFER& buffer, mmio::RegisterFile& registers, memory::View& view) {
  if (!buffer.stream_offset_write_enable) return;
  const uint64_t address = strip_canonical(buffer.stream_output_buffer_offset_address);
  const uint32_t value = buffer.stream_offset == offset_from_memory ? view.load<uint32_t>(address) : buffer.stream_offset;
  registers.poke(reg::SO_WRITE_OFFSET(buffer.so_buffer_index), value & ~3u);
  if (buffer.stream_output_buffer_offset_address_enable) view.store<uint32_t>(address, value & ~3u);
}

StreamOut::StreamOut(const State& state, mmio::RegisterFile& registers, memory::View& view)
    : state_(state), registers_(registers), view_(view), enabled_(state.get<gen9::_3DSTATE_STREAMOUT>().so_function_enable) {
  if (!enabled_) return;
  const auto& so = state.get<gen9::_3DSTATE_STREAMOUT>();
  const uint32_t pitches[] = {so.buffer_0_surface_pitch, so.buffer_1_surface_pitch, so.buffer_2_surface_pitch, so.buffer_3_surface_pitch};
  for (unsigned i = 0; i < buffers; ++i) {
    const auto& buffer = state.so_buffer(i);
    buffers_[i] = {buffer.so_buffer_enable, strip_canonical(buffer.surface_base_address), (uint64_t{buffer.surface_size} + 1) * 4, pitches[i]};
    offsets_[i] = registers.peek(reg::SO_WRITE_OFFSET(i));
  }
  load_decls();
}

void StreamOut::load_decls() {
  const auto& so = state_.get<gen9::_3DSTATE_STREAMOUT>();
  const auto& list = state_.get<gen9::_3DSTATE_SO_DECL_LIST>();
  const uint32_t counts[] = {list.num_entries_0, list.num_entries_1, list.num_entries_2, list.num_entries_3};
  const uint32_t selects[] = {list.stream_to_buffer_selects_0, list.stream_to_buffer_selects_1, list.stream_to_buffer_selects_2,
                              list.stream_to_buffer_selects_3};
  // Read Offset and Length count in 256-bit units; the length is one less.
  const uint32_t first[] = {so.stream_0_vertex_read_offset, so.stream_1_vertex_read_offset, so.stream_2_vertex_read_offset,
                            so.stream_3_vertex_read_offset};
  const uint32_t length[] = {so.stream_0_vertex_read_length, so.stream_1_vertex_read_length, so.stream_2_vertex_read_length,
                             so.stream_3_vertex_read_length};
  for (unsigned s = 0; s < streams; ++s) {
    Stream& stream = streams_[s];
    stream.used = static_cast<uint8_t>(selects[s]);
    stream.end = (first[s] + length[s] + 1) * 8;
    for (size_t i = 0; i < counts[s] && i < state_.so_decls().size(); ++i) {
      const auto& entry = state_.so_decls()[i];
      const auto& decl = s == 0 ? entry.stream_0_decl : s == 1 ? entry.stream_1_decl : s == 2 ? entry.stream_2_decl : entry.stream_3_decl;
      stream.decls.push_back({static_cast<uint8_t>(decl.output_buffer_slot), static_cast<uint8_t>(decl.component_mask), decl.hole_flag,
                              first[s] * 8 + decl.register_index * 4});
    }
  }
}

bool StreamOut::room(const Stream& stream, unsigned vertices) const {
  for (unsigned b = 0; b < buffers; ++b)
    if ((stream.used >> b & 1) && buffers_[b].enabled && uint64_t{offsets_[b]} + uint64_t{vertices} * buffers_[b].pitch > buffers_[b].size)
      return false;
  return true;
}

void StreamOut::write_vertex(const Stream& stream, const Vue& vertex) {
  std::array<uint32_t, buffers> at{};
  for (const Decl& decl : stream.decls) {
    const Buffer& buffer = buffers_[decl.buffer];
    if (decl.hole) {
      at[decl.buffer] += static_cast<uint32_t>(std::popcount(decl.mask)) * 4;
      continue;
    }
    for (unsigned c = 0; c < 4; ++c) {
      if (!(decl.mask >> c & 1)) continue;
      const uint64_t place = uint64_t{offsets_[decl.buffer]} + at[decl.buffer];
      at[decl.buffer] += 4;
      // A vertex may be declared wider than its pitch: never beyond the buffer.
      if (!buffer.enabled || place + 4 > buffer.size) continue;
      view_.store<uint32_t>(buffer.address + place, decl.dword + c < stream.end ? vertex.dword(decl.dword + c) : 0);
    }
  }
  for (unsigned b = 0; b < buffers; ++b)
    if ((stream.used >> b & 1) && buffers_[b].enabled) offsets_[b] += buffers_[b].pitch;
}

void StreamOut::write(const Batch& batch) {
  if (!enabled_) return;
  const bool trailing = state_.get<gen9::_3DSTATE_STREAMOUT>().reorder_mode == gen9::_3DSTATE_STREAMOUT::ReorderMode::TRAILING;
  for (const Object& whole : batch.objects) {
    const Object object = reordered(primary_vertices(whole, batch.type), trailing ? Reorder::trailing : Reorder::leading);
    const Stream& stream = streams_[object.stream & 3];
    ++needed_[object.stream & 3];
    if (!stream.used || !room(stream, object.count)) continue;
    ++written_[object.stream & 3];
    for (unsigned i = 0; i < object.count; ++i) write_vertex(stream, batch.vertices[object.vertices[i]].vue);
  }
}

bool StreamOut::renders(unsigned stream) const {
  const auto& so = state_.get<gen9::_3DSTATE_STREAMOUT>();
  using Force = gen9::_3DSTATE_STREAMOUT::ForceRendering;
  if (so.force_rendering == Force::FORCE_OFF) return false;
  if (so.rendering_disable && so.force_rendering != Force::FORCE_ON) return false;
  // Render Stream Select counts only while the stage is on (Mesa, emit_gs_vertex).
  return !enabled_ || stream == so.render_stream_select;
}

void StreamOut::finish() {
  if (!enabled_) return;
  const bool statistics = state_.get<gen9::_3DSTATE_STREAMOUT>().so_statistics_enable;
  for (unsigned i = 0; i < streams && statistics; ++i) {
    add(registers_, reg::SO_NUM_PRIMS_WRITTEN(i, 0), written_[i]);
    add(registers_, reg::SO_PRIM_STORAGE_NEEDED(i, 0), needed_[i]);
  }
  for (unsigned i = 0; i < buffers; ++i) {
    registers_.poke(reg::SO_WRITE_OFFSET(i), offsets_[i]);
    const auto& buffer = state_.so_buffer(i);
    if (buffer.so_buffer_enable && buffer.stream_output_buffer_offset_address_enable)
      view_.store<uint32_t>(strip_canonical(buffer.stream_output_buffer_offset_address), offsets_[i]);
  }
}

}  // namespace softgen::render
