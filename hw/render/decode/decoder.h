// SPDX-License-Identifier: GPL-2.0-or-later
// The decoder of generations whose 3D state is in packets as Gen8 introduced them.
#pragma once

#include <vector>

#include "hw/render/decode/part.h"
#include "hw/render/state_decoder.h"

namespace softgen::render::decode {

/// G: the traits of the generation's packets. Instantiated for Gen9, Gen11 and Gen12 (decoder.cpp).
template <class G>
class Decoder final : public StateDecoder {
 public:
  Decoder();

  void refresh(const StateStore& store, DrawState& state) override;
  void read(const StateStore& store, memory::View& view, DrawState& state) const override;
  void read_places(const StateStore& store, memory::View& view, DrawState& state) const override;
  void read_registers(const mmio::RegisterFile& registers, DrawState& state) const override;
  TargetBlend target_blend(memory::View& view, const DrawState& state, unsigned target) const override;
  DrawCommand draw_command(std::span<const uint32_t> packet) const override;
  StreamOffsetLoad stream_offset(const Packet& packet) const override;
  DepthOperation depth_operation(const StateStore& store) const override;
  VisibilityState visibility(const StateStore& store) const override;
  uint32_t marker(std::span<const uint32_t> packet) const override;

 private:
  struct Versioned {
    const Part* part;
    uint64_t version;  ///< sum over the part's packets; each only grows
  };
  std::vector<Versioned> parts_;
};

extern template class Decoder<defs::Gen9>;
extern template class Decoder<defs::Gen11>;
extern template class Decoder<defs::Gen12>;

}  // namespace softgen::render::decode
