// SPDX-License-Identifier: GPL-2.0-or-later
// softgen-replay --png: the render targets of the draws since the last flush, as PNG files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hw/debug/context_state.h"
#include "hw/debug/picture.h"
#include "hw/eu/isa/isa.h"
#include "hw/surface/surface.h"

namespace softgen::replay {

/// What a platform's draws are read with.
struct TargetDecoders {
  const eu::Isa& isa;                ///< of shaders
  const defs::CommandSet& commands;  ///< of packets
  surface::DecodeSurface surface;
};

/// Whether the command writes the render target cache back.
bool flushes_targets(const Packet& packet);

class TargetPictures {
 public:
  /// Draw `number` has started: remembers its render targets, of the state in `state`.
  void drawn(const TargetDecoders& decoders, const debug::ContextState& state, memory::View& view, uint64_t number);
  /// Writes and forgets them: FOLDER/draw<N>_rt<I>_<address>.png. Names of files written, and sentences about those that could not be, go
  /// to `files` and the log.
  void write(memory::View& view, const std::string& folder, std::vector<std::string>& files);

 private:
  struct Target {
    uint64_t draw;
    unsigned index;
    debug::PictureSource source;
  };
  std::map<uint64_t, Target> targets_;  // by address: of several draws the last
};

/// The surfaces that the bound pixel shader's render target writes name, those of a plain format.
std::vector<debug::PictureSource> render_targets(const TargetDecoders& decoders, const debug::ContextState& state, memory::View& view);

}  // namespace softgen::replay
