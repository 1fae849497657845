// SPDX-License-Identifier: GPL-2.0-or-later
// The render engine's non-pipelined memory: the last packet of each state command, as raw dwords. It is what a context image keeps (so that
// all per-context state lives in the image), and what the pipeline unpacks a draw's state from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hw/defs/command.h"
#include "hw/defs/context.h"
#include "hw/defs/ids.h"
#include "hw/iface/engine.h"

namespace softgen::render {

class StateStore : public StatePackets {
 public:
  /// `commands` outlives the store.
  explicit StateStore(const defs::CommandSet& commands);

  /// Keeps the packet when it is state. False: it is an action (3DPRIMITIVE, GPGPU_WALKER, …) or belongs to another engine.
  bool accept(const Packet& packet);

  /// The packet as last written, header first; empty when the context never set it. `index`: which of the packets that share an opcode and
  /// name their element (3DSTATE_SO_BUFFER 0-3, 3DSTATE_VF_INSTANCING 0-33, 3DSTATE_CHROMA_KEY 0-3).
  /// 3DSTATE_VERTEX_BUFFERS reads as one packet with all 33 buffers, STATE_BASE_ADDRESS as if every modify bit had been set. What stands for other
  /// packets (3DSTATE_CONSTANT_ALL, 3DSTATE_SO_BUFFER_INDEX_0 to 3) reads as those.
  std::span<const uint32_t> packet(defs::CommandId id, unsigned index = 0) const override;
  /// Grows with every accepted packet of `id`: caches of decoded state compare it.
  uint64_t version(defs::CommandId id) const { return versions_[static_cast<size_t>(id)]; }

  void reset();
  /// Engine::place_packets(), save_packets(), restore_packet(). From then on save() and restore() are of the rest.
  void place(std::span<const defs::ContextPacket> places);
  void save_packets(std::span<uint32_t> page) const;
  void restore_packet(const Packet& packet);
  /// Bytes of the saved form; the same for every store of one command set and places.
  size_t saved_size() const;
  void save(std::span<std::byte> image) const;
  /// `image` is guest memory: a length that does not fit empties that packet, and is counted.
  void restore(std::span<const std::byte> image);

 private:
  struct Layout;
  /// Dwords of dwords_.
  struct Range {
    size_t first, count;
  };
  void store(size_t element, std::span<const uint32_t> dwords);
  void save_packet(const defs::ContextPacket& place, std::span<uint32_t> room) const;
  void save_elements(const defs::ContextPacket& place, std::span<uint32_t> room) const;
  std::span<uint64_t, kept_words> kept_progress() override { return progress_; }

  std::shared_ptr<const Layout> layout_;  // copies of a store share it
  std::vector<uint32_t> dwords_;          // per element: length, then its packet
  std::span<const defs::ContextPacket> places_;
  std::vector<Range> rest_;  // of the elements without a place
  std::vector<size_t> rest_elements_;
  std::vector<uint64_t> versions_;  // per row of the layout
  std::array<uint64_t, kept_words> progress_{};
};

}  // namespace softgen::render
