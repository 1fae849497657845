// SPDX-License-Identifier: GPL-2.0-or-later
// What the render pipe reads of a visibility record: one draw at a time, from where the context stands in the list of the selected pass. What
// is not recorded, or not as it should be, is visible.
#pragma once

#include <cstdint>

#include "hw/iface/engine.h"
#include "hw/memory/view.h"
#include "hw/render/position/tokens.h"

namespace softgen::render {

/// Where the context reads: registers of the token processor (TOKPROC_*).
struct RecordPlace {
  bool enabled = false;  ///< draws use the record
  bool valid = false;    ///< `address` is that of a token, or of the end of a page
  uint64_t address = 0;  ///< of the next token
  uint32_t draw = 0;     ///< number of the next draw
  uint32_t skipped = 0;  ///< objects, since the pass was selected

  static RecordPlace load(const mmio::RegisterFile& registers);
  void store(mmio::RegisterFile& registers) const;
  /// The beginning of the list of `pass`, with draw 0.
  static RecordPlace of_pass(memory::View& view, uint64_t render_list, unsigned pass, bool enabled);
};

/// Tokens from a place on. What they say is the guest's: only so many pages are read, as they may be a circle, and none when the work is to be
/// dropped.
class TokenStream {
 public:
  /// With 1022 tokens each: a longer record of a draw is as a damaged one.
  static constexpr uint32_t max_pages = 1u << 14;
  TokenStream(memory::View& view, const StopFlag& stop, const RecordPlace& place);
  /// The next token; `end` where there is none.
  Token peek();
  void advance() { at_ += RecordPage::token_bytes; }
  /// Of the token that was peeked last.
  uint64_t at() const { return at_; }
  bool valid() const { return valid_; }

 private:
  bool next_page(uint64_t page);

  memory::View& view_;
  const StopFlag& stop_;
  uint64_t at_;
  bool valid_;
  uint32_t pages_ = 0;  ///< followed so far
};

class VisibilityReader {
 public:
  /// Finds the draw that `place` counts. `stop` and `view` outlive the reader.
  VisibilityReader(memory::View& view, const StopFlag& stop, const RecordPlace& place);
  VisibilityReader(const VisibilityReader&) = delete;
  VisibilityReader& operator=(const VisibilityReader&) = delete;

  /// Whether the draw's next object is visible.
  bool next() {
    if (left_ == 0) read_run();
    --left_;
    if (!visible_) ++skipped_;
    return visible_;
  }
  struct Some {
    uint32_t count;
    bool visible;
  };
  /// The next objects that are alike: at least one, at most `max_count` (not 0).
  Some take(uint32_t max_count);
  uint64_t skipped() const { return skipped_; }
  /// Behind the draw, when all its objects are drawn.
  RecordPlace end();

 private:
  void find_draw();
  void read_run();

  RecordPlace place_;
  TokenStream tokens_;
  bool in_draw_ = false;
  bool visible_ = true;
  uint64_t left_ = 0;  ///< of the run
  uint64_t skipped_ = 0;
};

/// `place`, or what is behind the next marker with this value, if there is one.
RecordPlace behind_marker(memory::View& view, const StopFlag& stop, const RecordPlace& place, uint32_t value);

}  // namespace softgen::render
