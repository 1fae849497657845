// SPDX-License-Identifier: GPL-2.0-or-later
// The stream output stage: vertices of finished objects into up to four buffers, and what continues to be drawn.
#pragma once

#include <array>
#include <vector>

#include "hw/memory/view.h"
#include "hw/render/draw_state.h"
#include "hw/render/geometry.h"
#include "hw/render/state_decoder.h"

namespace softgen::mmio {
class RegisterFile;
}

namespace softgen::render {

/// 3DSTATE_SO_BUFFER is executed: SO_WRITE_OFFSET is loaded where it says so.
void load_stream_offset(const StreamOffsetLoad& load, mmio::RegisterFile& registers, memory::View& view);

class StreamOut {
 public:
  StreamOut(const DrawState& state, mmio::RegisterFile& registers, memory::View& view);

  /// Writes the objects in order, as far as the buffers have room for whole ones; counts in SO_NUM_PRIMS_WRITTEN, SO_PRIM_STORAGE_NEEDED.
  void write(const Batch& batch);
  bool enabled() const { return state_.enable; }
  /// Whether objects of `stream` go on to the clipper.
  bool renders(unsigned stream) const;
  /// The draw has ended: writes offsets to memory where 3DSTATE_SO_BUFFER says so.
  void finish();

 private:
  static constexpr unsigned streams = 4, buffers = 4;

  bool room(const OutputStream& stream, unsigned vertices) const;
  void write_vertex(const OutputStream& stream, const Vue& vertex);

  const StreamOutState& state_;
  mmio::RegisterFile& registers_;
  memory::View& view_;
  std::array<uint32_t, buffers> offsets_{};
  std::array<uint64_t, streams> written_{}, needed_{};
};

}  // namespace softgen::render
