// SPDX-License-Identifier: GPL-2.0-or-later
// The stream output stage: vertices of finished objects into up to four buffers, and what goes on to be drawn.
#pragma once

#include <array>
#include <vector>

#include "hw/memory/view.h"
#include "hw/render/geometry.h"
#include "hw/render/state.h"

namespace softgen::mmio {
class RegisterFile;
}

namespace softgen::render {

/// 3DSTATE_SO_BUFFER is executed: SO_WRITE_OFFSET is loaded where it says so.
void load_stream_offset(const gen9::_3DSTATE_SO_BUFFER& buffer, mmio::RegisterFile& registers, memory::View& view);

class StreamOut {
 public:
  StreamOut(const State& state, mmio::RegisterFile& registers, memory::View& view);

  /// Writes the objects in order, as far as the buffers have room for whole ones; counts in SO_NUM_PRIMS_WRITTEN, SO_PRIM_STORAGE_NEEDED.
  void write(const Batch& batch);
  bool enabled() const { return enabled_; }
  /// Whether objects of `stream` go on to the clipper.
  bool renders(unsigned stream) const;
  /// The draw has ended: offsets go to memory where 3DSTATE_SO_BUFFER wants them.
  void finish();

 private:
  static constexpr unsigned streams = 4, buffers = 4;
  struct Decl {
    uint8_t buffer, mask;
    bool hole;
    uint32_t dword;   ///< of the vertex, component 0
  };
  struct Stream {
    std::vector<Decl> decls;
    uint8_t used = 0;          ///< buffers
    uint32_t end = 0;          ///< dwords of the vertex that are read
  };
  struct Buffer {
    bool enabled = false;
    uint64_t address = 0, size = 0;   ///< bytes
    uint32_t pitch = 0;
  };

  void load_decls();
  bool room(const Stream& stream, unsigned vertices) const;
  void write_vertex(const Stream& stream, const Vue& vertex);

  const State& state_;
  mmio::RegisterFile& registers_;
  memory::View& view_;
  bool enabled_;
  std::array<Stream, streams> streams_;
  std::array<Buffer, buffers> buffers_;
  std::array<uint32_t, buffers> offsets_{};
  std::array<uint64_t, streams> written_{}, needed_{};
};

}  // namespace softgen::render
