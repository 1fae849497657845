// SPDX-License-Identifier: GPL-2.0-or-later
// The vertex fetch unit: index buffer, vertex buffers, formats, system-generated values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/iface/message_target.h"
#include "hw/memory/view.h"
#include "hw/render/draw_state.h"
#include "hw/render/setup_kernels.h"
#include "hw/surface/format.h"

namespace softgen::render {

class VisibilityReader;

/// The numbers of one 3DPRIMITIVE, whether they stood in it or in registers.
struct DrawCall {
  Topology topology{};
  bool indexed = false;
  uint32_t vertex_count = 0;
  uint32_t start_vertex = 0;
  uint32_t instance_count = 0;
  uint32_t start_instance = 0;
  int32_t base_vertex = 0;
  std::array<uint32_t, 3> extended{};      ///< extended parameters
  VisibilityReader* visibility = nullptr;  ///< says which objects are left out; null: none
};

using Vec4 = std::array<uint32_t, 4>;

/// A vertex of a draw: its index (before Base Vertex) and instance.
struct VertexName {
  uint32_t index, instance;
};

class VertexFetch {
 public:
  VertexFetch(const DrawState& state, memory::View& view, const DrawCall& draw);
  /// The same draw for another thread.
  VertexFetch(const VertexFetch& like, memory::View& view);

  /// Vertex number `n` of an instance: its index, or cut() where the strip is cut. Indices outside the buffer are 0
  /// (SKL PRM vol 2a, 3DSTATE_INDEX_BUFFER: out-of-bounds reads).
  static constexpr uint64_t cut = ~uint64_t{0};
  uint64_t index(uint32_t n);
  bool indexed() const { return draw_.indexed; }
  bool has_cuts() const { return cut_enabled_; }
  /// index() of vertices from `first` on, of a draw without cuts.
  void indices(uint32_t first, std::span<uint32_t> out);

  /// 128-bit slots of a vertex: one an element, two for 64-bit elements of more than two components.
  size_t slots() const { return slots_; }
  /// Components that reach the shader, as dwords of a vertex (4 * slot + component): all of them, or those that 3DSTATE_VF_COMPONENT_PACKING enables. Its
  /// enables are of 64 bits each in elements of 64-bit formats (Mesa's brw_nir_pack_vs_input; it enables less than all of 256 bits, too, which the SKL
  /// PRM, vol 2a, calls invalid).
  std::vector<uint8_t> delivered() const;
  /// All elements of the vertex with `index` (before Base Vertex), instance `instance` of the draw.
  void fetch(uint32_t index, uint32_t instance, std::span<Vec4> out);
  /// fetch() of up to eight vertices into the lanes of registers. `registers`: for each component of each slot (4 * slot + component) the
  /// one that takes it, or null; `offset` of each is set.
  void fetch_lanes(std::span<const VertexName> vertices, std::span<Grf* const> registers, size_t offset = 0);
  /// Whether vertices have edge flags (an element with Edge Flag Enable, which is not stored), and the flag of one.
  bool has_edge_flags() const { return edge_flag_.has_value(); }
  bool edge_flag(uint32_t index, uint32_t instance);
  /// Bytes of the elements read so far, without edge flags.
  uint64_t bytes() const { return vertices_ * vertex_bytes_ - missing_bytes_; }
  /// Bytes per index; 0: the draw is not indexed.
  uint32_t index_bytes() const { return draw_.indexed ? index_size_ : 0; }

 private:
  struct Source {
    VertexElement element;
    VertexBuffer buffer;
    const surface::Format* format = nullptr;
    uint32_t slot = 0;
    bool wide = false;
    uint64_t start = 0;  ///< address of element 0
    uint64_t count = 0;  ///< elements that lie in the buffer as a whole
    uint64_t bytes() const { return format ? format->block_bytes() : 0; }
    void find_extent();
  };
  static constexpr size_t lanes = 8;
  struct Elements;
  void locate(const Source& source, std::span<const VertexName> vertices, Elements& out);
  bool move(const Source& source, Elements& out) const;
  void put_words(const Source& source, const Elements& elements, std::span<Grf* const> to, size_t offset) const;
  /// Without an offset VertexID counts from zero: without Start Vertex and without Base Vertex (Mesa's vertex_id_zero_base).
  uint32_t vertex_id(uint32_t index) const {
    if (input_.vertex_id_offset) return draw_.indexed ? index + static_cast<uint32_t>(draw_.base_vertex) : index;
    return draw_.indexed ? index : index - draw_.start_vertex;
  }
  uint32_t draw_value(size_t parameter) const;
  uint64_t address(const Source& source, uint32_t index, uint32_t instance) const;
  template <typename Index>
  void read_indices(uint64_t address, std::span<uint32_t> out);
  bool fetch_element(const Source& source, uint32_t index, uint32_t instance, std::span<Vec4> out);
  void store_system_values(uint32_t vertex_id, uint32_t instance, std::span<Vec4> out) const;

  const SetupKernels& kernels_ = setup_kernels();
  const VertexInput& input_;
  memory::View& view_;
  DrawCall draw_;
  std::vector<Source> sources_;
  std::optional<Source> edge_flag_;
  size_t slots_ = 0;
  uint32_t index_size_ = 0;
  bool cut_enabled_ = false;
  uint64_t vertices_ = 0, vertex_bytes_ = 0,
           missing_bytes_ = 0;  ///< vertices fetched; bytes per vertex; bytes of elements outside their buffers
};

}  // namespace softgen::render
