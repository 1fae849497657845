// SPDX-License-Identifier: GPL-2.0-or-later
// Between Ironlake's render engine, which keeps state, constants and the URB, and its media pipeline (hw/media/vfe), which executes what starts threads.
#pragma once

#include "hw/iface/engine.h"
#include "hw/render/ilk/payload.h"
#include "hw/render/ilk/state.h"
#include "hw/render/ilk/urb.h"

namespace softgen::render::ilk {

/// What the engine lends for one packet.
struct MediaContext {
  StatePackets& state;
  const ShaderBases& bases;
  Constants constants;  ///< the CS unit's entry
  UrbRegion region;     ///< VFE's rows of the URB
  Urb& urb;
};

class MediaPipeline {
 public:
  virtual ~MediaPipeline() = default;
  /// A packet that starts threads.
  virtual ExecResult execute(const Packet& packet, const MediaContext& context, EngineEnv& env) = 0;
  /// URB_FENCE, MEDIA_STATE_POINTERS, or another context: no thread has entries of the URB any more.
  virtual void reset() = 0;
};

}  // namespace softgen::render::ilk
