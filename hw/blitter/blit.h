// SPDX-License-Identifier: GPL-2.0-or-later
// One blit, free of how its command spelt it, and the machine that runs it: blocks of at most a page, each
// fetched, combined, stored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/blitter/plane.h"
#include "hw/iface/engine.h"
#include "hw/surface/stream.h"

namespace softgen::blitter {

/// Pixels; the second corner is not included.
struct Rect {
  int32_t x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  bool empty() const { return x2 <= x1 || y2 <= y1; }
};

/// A bitmap, most significant bit of a byte leftmost. Set bits take the foreground colour.
struct MonoSource {
  uint64_t address = 0;
  std::span<const uint32_t> immediate;  ///< instead of memory, when not empty
  uint32_t start = 0;                   ///< bits skipped at the start of each row
  uint64_t row_bits = 0;                ///< from row to row
  uint32_t background = 0, foreground = 0;
  bool transparent = false;  ///< background pixels are not drawn
};

enum class SourceKind : uint8_t { none, color, mono };
enum class PatternKind : uint8_t { none, solid, tile };

/// Which pixels a chroma key lets through (field Transparency Range Mode).
enum class ChromaKey : uint8_t { off, keep_if_source_in_range, draw_if_destination_in_range };

struct Blit {
  Plane destination;
  Rect rect;  ///< of the destination
  Rect clip;  ///< when clipped
  bool clipped = false;
  uint8_t pixel_bytes = 4;  ///< 1, 2, 4; plain copies and fills also 8, 12, 16
  uint8_t rop = 0xcc;
  uint32_t write_mask = ~0u;  ///< of a 32-bit pixel; ~0 for the others

  SourceKind source_kind = SourceKind::none;
  Plane source;
  int32_t source_x = 0, source_y = 0;  ///< pixel that goes to (rect.x1, rect.y1)
  MonoSource mono;

  PatternKind pattern_kind = PatternKind::none;
  std::array<uint32_t, 4> solid{};       ///< the first dwords are the pixel
  std::array<uint32_t, 64> pattern{};    ///< row by row
  uint64_t pattern_mask = ~uint64_t{0};  ///< bit y * 8 + x: the pattern draws there (transparent bitmaps)
  uint32_t seed_x = 0, seed_y = 0;       ///< pixel of the pattern at destination (0, 0)

  ChromaKey chroma = ChromaKey::off;
  uint32_t chroma_low = 0, chroma_high = 0;
};

/// Runs blits. Not for two threads at a time.
class BlitRunner {
 public:
  /// Draws `blit` from its block row `progress` on and leaves in `progress` how far it came. aborted and
  /// preempted as the stop flag says; a preempted blit resumes when it is run again with the same `progress`.
  ExecResult run(const Blit& blit, memory::View& view, const StopFlag& stop, uint64_t& progress);
  /// Copies of so many bytes go around the host's caches.
  void set_stream_from(uint64_t bytes) { stream_from_ = bytes; }

 private:
  static constexpr size_t block_bytes = 16384;  // rows of several tiles: long runs in the linear operand, and it fits the L1 cache
  static constexpr size_t stream_bytes = 4 * block_bytes;  // of a streamed copy: longer runs in the linear operand
  template <size_t bytes>
  struct alignas(64) Buffer {
    std::byte data[bytes];
  };
  struct Area;  // the rectangle that is left after clipping, and its division into blocks

  void run_row(const Blit& blit, const Area& area, memory::View& view, int32_t y, uint32_t height);
  static ByteRect source_area(const Blit& blit, Rect block);
  void copy_block(const Blit& blit, memory::View& view, Rect block);
  void combine_block(const Blit& blit, memory::View& view, Rect block);
  bool combine_in_place(const Blit& blit, memory::View& view, Rect block);
  void fetch_mono(const Blit& blit, memory::View& view, Rect block);
  void make_pattern(const Blit& blit, Rect block);
  void apply_chroma(const Blit& blit, size_t pixels);
  void merge(size_t bytes);

  uint64_t stream_from_ = surface::stream_threshold;
  Stores stores_ = Stores::cached;  ///< of the blit under way
  Buffer<stream_bytes> source_;
  Buffer<block_bytes> pattern_, destination_, mask_, result_;
};

}  // namespace softgen::blitter
