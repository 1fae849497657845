// SPDX-License-Identifier: GPL-2.0-or-later
// The engines of all platforms, and what a generation says of each: the `engine` lines of hw/defs/gen*/registers_engine.def, which become
// RegisterSet::engines.
#pragma once

#include <array>
#include <cstdint>

namespace softgen {

/// Which engine, on any platform. The values are in saved states. pocs is the streamer of the position-only pipe, to which no software submits.
enum class EngineId : uint8_t { rcs, bcs, vcs0, vcs1, vecs, pocs };
constexpr unsigned engine_count = 6;

constexpr const char* name_of(EngineId engine) {
  constexpr std::array<const char*, engine_count> names = {"rcs", "bcs", "vcs0", "vcs1", "vecs", "pocs"};
  return names[static_cast<size_t>(engine)];
}

namespace defs {

/// The instruction sets of the streamers; VCS0 and VCS1 are both `video`, RCS and POCS `render`.
enum class EngineClass : uint8_t { render, copy, video, video_enhance };

/// What a reset of GDRST brings back to its reset value. `none`: only a power or function level reset does.
enum class ResetDomain : uint8_t { none, gt, render, media, media2, blitter, vebox, position };

/// Domain of ILK_GDSR, which has no bit per engine (i915_reg.h, ILK_GRDOM_*).
enum class GdsrDomain : uint8_t { full = 0, render = 1, media = 3 };

struct EngineRow {
  EngineId id;
  uint32_t mmio_base;
  uint32_t box;  ///< bytes from mmio_base on that are the engine's: its streamer's registers and, on Gen11 and later, its units'
  uint8_t interrupt_word,
      interrupt_shift;  ///< Gen9: its events stand in GT_ISR(word), from this bit on; Gen11: its bit of GT_INTR_DW(word)
  uint8_t instance;     ///< its number among those of its class
  uint32_t reset;       ///< its bit of GDRST
  ResetDomain domain;   ///< what that bit resets besides the engine's own block

  static constexpr uint8_t no_interrupt = 0xff;  ///< as interrupt_word
  constexpr bool interrupts() const { return interrupt_word != no_interrupt; }
};

}  // namespace defs

/// Software submits contexts to it.
constexpr bool takes_lists(EngineId engine) { return engine != EngineId::pocs; }

/// Whose instructions an engine's streamer takes.
constexpr defs::EngineClass class_of(EngineId engine) {
  using enum defs::EngineClass;
  constexpr std::array<defs::EngineClass, engine_count> classes = {render, copy, video, video, video_enhance, render};
  return classes[static_cast<size_t>(engine)];
}

}  // namespace softgen
