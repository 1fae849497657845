// SPDX-License-Identifier: GPL-2.0-or-later
// From covered pixels to pixel shader threads and back. Pixels belong to tiles, and one worker at a time draws a tile, in the objects'
// order.
//
// The way of a pixel: Windower (coverage, early tests) -> ThreadBatch (quads to threads, PayloadWriter for their registers) -> the kernel
// -> TargetWriter (late tests, colours).
#pragma once

#include "hw/render/windower.h"

namespace softgen::render {

/// One worker's own.
class PixelWorker {
 public:
  /// `slot`: number of the host thread.
  PixelWorker(HostMemory& memory, unsigned slot) : context_(memory, slot) {}

  memory::View& view() { return context_.view; }
  /// Draws the part of `object` that is in `tile`; its threads may be left to run until end_tile(). `control`: the host thread's, until
  /// then.
  void draw(PixelDraw& draw, const PreparedObject& object, const PixelRect& tile, HeldControlWord& control);
  /// The end of a tile: runs what is left and adds what was counted to the draws, which are alive until then.
  void end_tile();
  /// The draws, or the parts of them that were asked for, are over: drops what was found bound for them.
  void finish();

 private:
  void begin(PixelDraw& draw);

  PixelContext context_;
  TargetWriter targets_{context_};
  ThreadBatch threads_{context_, targets_};
  Windower windower_{context_, threads_, targets_};
  uint64_t serial_ = 0;              ///< of the draw that is drawn; 0: none
  PixelCounts* counting_ = nullptr;  ///< of the draw that the tally is of; null: it is zero
  bool tests_early_ = false;         ///< of that draw
};

}  // namespace softgen::render
