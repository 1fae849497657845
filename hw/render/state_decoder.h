// SPDX-License-Identifier: GPL-2.0-or-later
// From a generation's packets to the state of a draw. Implementations are in decode/, one template for all generations whose packets have the
// same fields; no other file of this folder names a packet's field.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "hw/iface/engine.h"
#include "hw/memory/view.h"
#include "hw/render/draw_state.h"
#include "hw/render/position/visibility_state.h"
#include "hw/render/state_store.h"

namespace softgen::render {

/// A 3DPRIMITIVE.
struct DrawCommand {
  bool predicated = false;  ///< it is done only when the predicate is set
  bool indirect = false;    ///< the numbers below are in registers instead
  bool end_offset = false;  ///< the vertex count follows from a register and the first vertex buffer's pitch
  bool indexed = false;
  uint32_t vertex_count = 0, start_vertex = 0, instance_count = 0, start_instance = 0;
  int32_t base_vertex = 0;
  bool visibility = false;  ///< it is recorded by the position-only pipe, and drawn by the record in the render pipe
  bool extended = false;    ///< it has extended parameters; with `indirect` they are in registers, too
  std::array<uint32_t, 3> parameters{};
};

/// A 3DSTATE_SO_BUFFER, or 3DSTATE_SO_BUFFER_INDEX_0 to 3, as an action: what becomes of the buffer's write offset.
struct StreamOffsetLoad {
  bool load = false;         ///< else no effect
  bool from_memory = false;  ///< the value is the dword at `address`, else `value`
  bool store = false;        ///< it is stored at `address`, too
  unsigned buffer = 0;       ///< at most 3
  uint64_t address = 0;
  uint32_t value = 0;
};

/// A 3DSTATE_WM_HZ_OP: a clear or resolve without a primitive.
struct DepthOperation {
  bool clear_depth = false, clear_stencil = false;
  bool resolve_depth = false, resolve_hiz = false;
  bool whole_surface = false;  ///< a clear is of all pixels, else of `rect`
  PixelRect rect;
  uint32_t sample_mask = 0;
  uint8_t stencil_value = 0;
  DepthBuffers buffers;  ///< with the operation's samples
};

class StateDecoder {
 public:
  virtual ~StateDecoder() = default;

  /// Renews the parts of `state` whose packets have changed since the last call. A decoder belongs to one store and one state.
  virtual void refresh(const StateStore& store, DrawState& state) = 0;
  /// Reads the structures that packets point to: viewports, scissors, blend and colour calculator state. Memory may have changed without a packet.
  virtual void read(const StateStore& store, memory::View& view, DrawState& state) const = 0;
  /// Of them, those that place objects: viewports, but for their depth ranges, and scissors.
  virtual void read_places(const StateStore& store, memory::View& view, DrawState& state) const = 0;
  /// What registers say of the packets.
  virtual void read_registers(const mmio::RegisterFile& registers, DrawState& state) const = 0;
  /// The entry of `target` of the blend state that is bound. Drivers leave no room for entries of targets that they do not write.
  virtual TargetBlend target_blend(memory::View& view, const DrawState& state, unsigned target) const = 0;

  /// Of whole packets, header first.
  virtual DrawCommand draw_command(std::span<const uint32_t> packet) const = 0;
  virtual StreamOffsetLoad stream_offset(const Packet& packet) const = 0;
  virtual DepthOperation depth_operation(const StateStore& store) const = 0;
  virtual VisibilityState visibility(const StateStore& store) const = 0;
  /// Of 3DSTATE_PTBR_MARKER.
  virtual uint32_t marker(std::span<const uint32_t> packet) const = 0;
};

/// The decoder of a generation, by its traits (defs::Gen9, defs::Gen11, defs::Gen12).
template <class G>
std::unique_ptr<StateDecoder> make_state_decoder();

}  // namespace softgen::render
