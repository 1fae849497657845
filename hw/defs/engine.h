// SPDX-License-Identifier: GPL-2.0-or-later
// What differs between the engines of a chip. Their rows, defs::engines in the order of EngineId, are the `engine` lines of
// hw/defs/gen9/registers_engine.def (generated: hw/defs/registers/engines.h).
#pragma once

#include <cstdint>

namespace softgen::defs {

/// The instruction sets of the streamers; VCS0 and VCS1 are both `video`.
enum class EngineClass : uint8_t { render, copy, video, video_enhance };

/// What a reset of GDRST brings back to its reset value. `none`: only a power or function level reset does.
enum class ResetDomain : uint8_t { none, gt, render, media, media2, blitter, vebox };

struct EngineRow {
  const char* name;
  EngineClass engine_class;
  uint32_t mmio_base;
  uint8_t interrupt_word, interrupt_shift;  ///< its events stand in GT_ISR(word), from this bit on
  uint32_t reset;                           ///< its bit of GDRST
  ResetDomain domain;                       ///< what that bit resets besides the engine's own block
  uint8_t context_pages;                    ///< of a context image
};

}  // namespace softgen::defs
