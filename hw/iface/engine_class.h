// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/defs/command.h"
#include "hw/iface/engine.h"

namespace softgen {

/// Whose instructions an engine's streamer takes.
constexpr defs::EngineClass class_of(EngineId engine) {
  switch (engine) {
    case EngineId::rcs: return defs::EngineClass::render;
    case EngineId::bcs: return defs::EngineClass::copy;
    case EngineId::vcs0:
    case EngineId::vcs1: return defs::EngineClass::video;
    case EngineId::vecs: return defs::EngineClass::video_enhance;
  }
  return defs::EngineClass::render;
}

}  // namespace softgen
