// SPDX-License-Identifier: GPL-2.0-or-later
// Object Visibility Recording (ICL PRM vol 9, "OVR Stage of POSH Pipeline"): which objects of a draw each tile pass sees, as tokens in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/memory/view.h"
#include "hw/render/draw_state.h"
#include "hw/render/position/tokens.h"
#include "hw/render/position/visibility_state.h"

namespace softgen::mmio {
class RegisterFile;
}

namespace softgen::render {

/// Where pages of a record come from.
struct RecordPages {
  memory::View& view;
  mmio::RegisterFile& registers;  ///< PTBR_*
  uint64_t pool = 0, free_list = 0;

  /// The next page, all zeros; none: none is left.
  std::optional<uint64_t> take();
};

/// The record grows by at most a few tokens per pass and draw, and by runs of objects that differ; memory is written as runs end. When no page is
/// left, or a saved value cannot be, recording ends, and what follows counts as visible.
class VisibilityWriter {
 public:
  /// A new record in the render list at `list`, of these passes.
  void begin(memory::View& view, uint64_t list, const TilePasses& tiles);
  /// Other passes. Once draws are recorded this ends the record.
  void set_tiles(memory::View& view, const TilePasses& tiles);
  bool recording() const { return recording_; }

  void begin_draw(RecordPages& pages);
  /// One that was preempted, behind the objects that it had recorded.
  void resume_draw();
  /// The next object reaches these pixels. False: no pass sees them.
  bool see(RecordPages& pages, const PixelRect& bounds);
  void next_object() { ++objects_; }
  /// Before a preemption: all objects so far are in memory.
  void flush(RecordPages& pages);
  void end_draw(RecordPages& pages);
  /// A draw that is not recorded, but has a number.
  void skip_draw() { ++draw_; }
  void marker(RecordPages& pages, uint32_t value);

  static constexpr size_t saved_size = (5 + max_tile_passes) * 8;
  /// Between draws, or after flush().
  void save(std::span<std::byte> image) const;
  void restore(std::span<const std::byte> image);
  void reset() { *this = {}; }

 private:
  /// Of a draw: what is not in memory yet. Objects before `done` are; [first, end) is the latest run of visible ones.
  struct Run {
    uint64_t done = 0, first = 0, end = 0;
  };
  unsigned passes() const { return tiles_.columns * tiles_.rows; }
  void clear_list(memory::View& view);
  void stop_recording(const char* why);
  void touch(RecordPages& pages, unsigned pass);
  void push_run(RecordPages& pages, unsigned pass, Token::Kind kind, uint64_t count);
  void push(RecordPages& pages, unsigned pass, uint32_t token);
  bool next_page(RecordPages& pages, unsigned pass);
  void push_to_all(RecordPages& pages, uint32_t token);

  bool recording_ = false, begun_ = false;  ///< begun: there are tokens
  uint64_t list_ = 0;
  TilePasses tiles_;
  uint32_t draw_ = 0;
  /// Per pass: address of the next token; the address behind a page is that of its end, 0: no page yet.
  std::array<uint64_t, max_tile_passes> at_{};
  std::array<Run, max_tile_passes> runs_{};
  uint64_t objects_ = 0;  ///< of the draw, or of it since it was resumed
};

}  // namespace softgen::render
