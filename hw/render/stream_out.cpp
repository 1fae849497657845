// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Stream Output Logic (SOL) Stage".
#include "hw/render/stream_out.h"

#include <algorithm>
#include <bit>

#include "hw/base/bits.h"
#include "hw/mmio/register_file.h"

namespace softgen::render {
void load_stream_offset(const StreamOffsetLoad& load, mmio::RegisterFile& registers, memory::View& view) {
  if (!load.load) return;
  const uint32_t value = (load.from_memory ? view.load<uint32_t>(load.address) : load.value) & ~3u;
  registers.poke(reg::SO_WRITE_OFFSET(load.buffer), value);
  if (load.store) view.store<uint32_t>(load.address, value);
}

StreamOut::StreamOut(const DrawState& state, mmio::RegisterFile& registers, memory::View& view)
    : state_(state.stream_out), registers_(registers), view_(view) {
  if (!enabled()) return;
  for (unsigned i = 0; i < buffers; ++i) offsets_[i] = registers.peek(reg::SO_WRITE_OFFSET(i));
}

bool StreamOut::room(const OutputStream& stream, unsigned vertices) const {
  for (unsigned b = 0; b < buffers; ++b)
    if ((stream.buffers >> b & 1) && state_.buffers[b].enable &&
        uint64_t{offsets_[b]} + uint64_t{vertices} * state_.buffers[b].pitch > state_.buffers[b].size)
      return false;
  return true;
}

void StreamOut::write_vertex(const OutputStream& stream, const Vue& vertex) {
  std::array<uint32_t, buffers> at{};
  for (const StreamOutDecl& decl : stream.decls) {
    const StreamOutBuffer& buffer = state_.buffers[decl.buffer];
    if (decl.hole) {
      at[decl.buffer] += static_cast<uint32_t>(std::popcount(decl.mask)) * 4;
      continue;
    }
    for (unsigned c = 0; c < 4; ++c) {
      if (!(decl.mask >> c & 1)) continue;
      const uint64_t place = uint64_t{offsets_[decl.buffer]} + at[decl.buffer];
      at[decl.buffer] += 4;
      // A vertex may be declared wider than its pitch: never beyond the buffer.
      if (!buffer.enable || place + 4 > buffer.size) continue;
      view_.store<uint32_t>(buffer.address + place, decl.dword + c < stream.end ? vertex.dword(decl.dword + c) : 0);
    }
  }
  for (unsigned b = 0; b < buffers; ++b)
    if ((stream.buffers >> b & 1) && state_.buffers[b].enable) offsets_[b] += state_.buffers[b].pitch;
}

void StreamOut::write(const Batch& batch) {
  if (!enabled()) return;
  for (const Object& whole : batch.objects) {
    const Object object = reordered(primary_vertices(whole, batch.type), state_.reorder);
    const OutputStream& stream = state_.streams[object.stream & 3];
    ++needed_[object.stream & 3];
    if (!stream.buffers || !room(stream, object.count)) continue;
    ++written_[object.stream & 3];
    for (unsigned i = 0; i < object.count; ++i) write_vertex(stream, batch.vertices[object.vertices[i]].vue);
  }
}

bool StreamOut::renders(unsigned stream) const {
  if (state_.force == ForceRendering::off) return false;
  if (state_.rendering_disable && state_.force != ForceRendering::on) return false;
  // Render Stream Select counts only while the stage is on (Mesa, emit_gs_vertex).
  return !enabled() || stream == state_.render_stream;
}

void StreamOut::finish() {
  if (!enabled()) return;
  for (unsigned i = 0; i < streams && state_.statistics; ++i) {
    registers_.add64(reg::SO_NUM_PRIMS_WRITTEN(i, 0), written_[i]);
    registers_.add64(reg::SO_PRIM_STORAGE_NEEDED(i, 0), needed_[i]);
  }
  for (unsigned i = 0; i < buffers; ++i) {
    registers_.poke(reg::SO_WRITE_OFFSET(i), offsets_[i]);
    const StreamOutBuffer& buffer = state_.buffers[i];
    if (buffer.enable && buffer.offset_address_enable) view_.store<uint32_t>(buffer.offset_address, offsets_[i]);
  }
}

}  // namespace softgen::render
