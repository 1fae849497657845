// SPDX-License-Identifier: GPL-2.0-or-later
// Answers the messages of pixel shader threads to render targets: late tests, then colours merged into the targets.
#pragma once

#include <array>

#include "hw/iface/message_target.h"
#include "hw/render/pixel_kernels.h"
#include "hw/render/pixel_thread.h"

namespace softgen::render {

/// 8x8 pixels of a target with all of them in one page. Of each four pixels that follow each other in a row the 16 bytes are contiguous.
struct TargetBlock {
  const RenderTarget* target = nullptr;
  uint32_t x = 0, y = 0, slice = 0;
  memory::View::Stamp stamp;
  std::byte* at = nullptr;       ///< null: the block is not like that
  uint32_t row = 0, column = 0;  ///< bytes from row to row, and to the right half
  uint32_t alike = 1;            ///< blocks of the page, from this one to the right, each two columns after the one before

  /// Where the two rows of the quad at (at_x, at_y) begin.
  void quad_rows(uint32_t at_x, uint32_t at_y, std::byte** rows) const {
    rows[0] = at + size_t{at_y & 7} * row + (at_x & 4 ? column : 0) + 4 * (at_x & 3);
    rows[1] = rows[0] + row;
  }
  /// Where the 4x4 pixels at (at_x, at_y) begin.
  std::byte* square(uint32_t at_x, uint32_t at_y) const { return at + size_t{at_y & 4} * row + (at_x & 4 ? column : 0); }
};

/// One colour that a kernel would write to all pixels of an object.
struct CapturedColor {
  const RenderTarget* target = nullptr;  ///< null: it writes no such colour
  uint32_t word = 0;                     ///< a pixel as it is stored
};

class TargetWriter {
 public:
  explicit TargetWriter(PixelContext& context) : context_(context) {}

  /// What follows is of this draw.
  void begin(PixelDraw& draw);
  /// The block of the first target that holds (x, y), for an object that places squares. Null: it is not like that. Valid until threads run or another
  /// block is looked for.
  const TargetBlock* placed_block(const PreparedObject& object, uint32_t x, uint32_t y) {
    return target_block(draw_->targets[0], object.layer, x, y);
  }
  /// Whether whole squares of `object` can be written to the first target without a message.
  bool places_squares(const PreparedObject& object) const;

  SendResult write(PixelThread& thread, const Message& message);
  SendResult read(const PixelThread& thread, const Message& message);
  /// An answer to writes of this form to the first target when colours are all that they change. It finds its thread by PixelContext::thread().
  void direct_write(const MessageForm& form, DirectAnswer& answer);

  /// From here on writes are not done; the next one is kept if it is one colour for all pixels.
  void start_capture() { captured_ = {}, capturing_ = true; }
  CapturedColor end_capture() { return capturing_ = false, captured_; }
  bool capturing() const { return capturing_; }

 private:
  struct WriteLayout;
  struct DirectWrite;

  uint32_t late_samples(PixelThread& thread, const WriteLayout& layout, unsigned pixel, unsigned lane, uint32_t samples);
  uint32_t late_pixels(PixelThread& thread, const WriteLayout& layout, uint32_t pixels);
  uint32_t alpha_pixels(const PixelThread& thread, const WriteLayout& layout, uint32_t pixels);
  void test_blocks(PixelThread& thread, uint32_t pixels);
  void note_written(PixelThread& thread, uint32_t pixels, bool last);
  void count_written(uint64_t samples, bool blended);
  bool tests_pass_trivially() const;
  void pass(PixelThread& thread, uint32_t pixels);
  void capture(const WriteLayout& layout, uint32_t bti);
  bool write_colors(PixelThread& thread, const WriteLayout& layout, uint32_t bti);
  void write_one_by_one(PixelThread& thread, const WriteLayout& layout, uint32_t bti);
  void write_coarse(PixelThread& thread, const WriteLayout& layout, uint32_t bti);
  void test_coarse(PixelThread& thread, const WriteLayout& layout, unsigned pixel, unsigned lane, const CoarseMask& samples);
  struct ShaderDepth;
  ShaderDepth shader_depth(const PixelThread& thread, const WriteLayout& layout, unsigned lane) const;
  const TargetBlock* target_block(const RenderTarget& rt, uint32_t layer, uint32_t x, uint32_t y) {
    const bool same = block_.target == &rt && block_.x == (x & ~7u) && block_.y == (y & ~7u) &&
                      block_.slice == layer + rt.surface.min_array_element && block_.stamp == context_.view.stamp();
    return !same ? find_target_block(rt, layer, x, y) : block_.at ? &block_ : nullptr;
  }
  const TargetBlock* find_target_block(const RenderTarget& rt, uint32_t layer, uint32_t x, uint32_t y);
  bool find_in_y_tile(const RenderTarget& rt);
  template <typename Source>
  uint32_t write_pixels(const PixelThread& thread, const ColorKernel& kernel, const RenderTarget& rt, uint32_t live, unsigned first,
                        unsigned count, bool replicated, Source&& source);

  PixelContext& context_;
  const PixelKernels& kernels_ = pixel_kernels();
  PixelDraw* draw_ = nullptr;
  TargetBlock block_;  ///< that was written last
  /// A Y tile, one page.
  struct Tile {
    const RenderTarget* target = nullptr;
    uint32_t x = 0, y = 0, slice = 0;  ///< the tile's first pixel in the level, modulo 2^32: the level may begin within the tile
    memory::View::Stamp stamp;
    std::byte* page = nullptr;
  };
  std::array<Tile, 2> tiles_;  ///< of the last blocks that were found in one; two, as rows of blocks go through two of them
  bool capturing_ = false;
  CapturedColor captured_;
  std::array<uint32_t, max_pixels> passed_{};  ///< samples of the running thread that passed the late tests, for its `tested` pixels
};

}  // namespace softgen::render
