// SPDX-License-Identifier: GPL-2.0-or-later
// What the checker knows of a context of an engine: the order of its work, flushes and invalidations, and the state that rules ask for.
// A time is the number of a command of the context, counted from 1; 0: never. `done` times: flushed up to there, and waited for.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/debug/check/command_layouts.h"
#include "hw/defs/ids.h"
#include "hw/iface/watch.h"

namespace softgen::debug::check {

/// Order of work and of what makes it visible.
struct WorkOrder {
  uint64_t now = 0;
  uint64_t draw = 0, walker = 0, clear = 0;  ///< the last of each kind; clear: depth and stencil clears and resolves
  uint64_t stall = 0;                        ///< a PIPE_CONTROL that waits for all work before it
  uint64_t color_flush = 0, depth_flush = 0, data_flush = 0, depth_stall = 0;
  uint64_t color_done = 0, depth_done = 0, data_done = 0;
  uint64_t textures = 0, constants = 0, states = 0, instructions = 0;  ///< the last invalidation
  uint64_t media_flush = 0;                                            ///< MEDIA_STATE_FLUSH
  uint64_t draw_address = 0, walker_address = 0, clear_address = 0;

  uint64_t work() const { return std::max({draw, walker, clear}); }
  /// A depth flush and a depth stall, both since `since`.
  bool depth_settled(uint64_t since) const { return std::min(depth_flush, depth_stall) > since || stalled_depth(since); }
  void note(const PipeControl& control);

 private:
  bool stalled_depth(uint64_t since) const { return depth_done > since; }
};

/// What draws do to their colour targets.
enum class ColorUse : uint8_t { render, clear, resolve };
constexpr const char* name_of(ColorUse use) {
  constexpr std::array<const char*, 3> names = {"render", "fast clear", "resolve"};
  return names[static_cast<size_t>(use)];
}

struct ColorTrack {
  ColorUse use = ColorUse::render;  ///< by 3DSTATE_PS as it was set last
  std::optional<ColorUse> drawn;    ///< of the last draw; none: there was no draw
  uint64_t end_of_pipe = 0;         ///< the last stall with a flush of colour and a post-sync write
};

/// Steps of a change of the L3 allocation, each after the one before it and after the last work.
struct L3Steps {
  uint64_t flushed = 0, invalidated = 0, ready = 0;
};

struct UrbPart {
  bool known = false;
  uint32_t start = 0;  ///< in units of 8 KiB
  uint32_t entries = 0;
  uint32_t entry = 0;  ///< bytes of an entry
};
inline constexpr size_t urb_stages = 4;       ///< VS, HS, DS, GS
inline constexpr size_t constant_stages = 5;  ///< and PS

/// A seqno as a breadcrumb writes it.
struct Breadcrumb {
  uint64_t address = 0;
  uint32_t value = 0;
};

class ContextTrack {
 public:
  enum class Pipeline : uint8_t { unknown, three_d, media, gpgpu };

  /// `whole`: all of the context's commands are seen, from its first one on.
  void begin(bool whole);
  /// `packet` has been executed.
  void follow(const CommandLayouts& layouts, const WatchedPacket& packet, const PipeControl* control);

  const WorkOrder& order() const { return order_; }
  const L3Steps& l3() const { return l3_; }
  Pipeline pipeline() const { return pipeline_; }
  bool whole() const { return whole_; }
  bool has_set(defs::CommandId id) const { return set_[static_cast<size_t>(id)]; }
  bool null_before() const { return null_before_; }
  bool color_calc_valid() const { return color_calc_valid_; }
  /// 3DSTATE_WM_HZ_OP's dword of operations as it was set last.
  uint32_t clears() const { return clears_; }
  const ColorTrack& color() const { return color_; }
  uint64_t arbitration_off() const { return arbitration_off_; }
  const std::array<UrbPart, urb_stages>& urb() const { return urb_; }
  /// Bytes; 0: not known.
  const std::array<uint32_t, constant_stages>& constant_space() const { return constant_space_; }
  uint64_t selected() const { return selected_; }
  const std::optional<Breadcrumb>& breadcrumb() const { return breadcrumb_; }
  bool wrote_since_interrupt() const { return wrote_; }

  // Where the engine left it, for rules of submission.
  uint32_t head = 0, tail = 0;
  bool left = false;  ///< head and tail are known

 private:
  void follow_control(const PipeControl& control);
  void follow_state(const CommandLayouts& layouts, const WatchedPacket& packet);
  void follow_store(const CommandLayouts& layouts, const WatchedPacket& packet);

  WorkOrder order_;
  L3Steps l3_;
  std::bitset<512> set_;
  bool whole_ = false, null_before_ = false, color_calc_valid_ = false, wrote_ = false;
  Pipeline pipeline_ = Pipeline::unknown;
  ColorTrack color_;
  uint32_t clears_ = 0;
  uint64_t selected_ = 0, arbitration_off_ = 0;
  std::array<UrbPart, urb_stages> urb_{};
  std::array<uint32_t, constant_stages> constant_space_{};
  std::optional<Breadcrumb> breadcrumb_;
};

}  // namespace softgen::debug::check
