// SPDX-License-Identifier: GPL-2.0-or-later
// From covered pixels to pixel shader threads and back. Pixels belong to tiles, and a tile to one worker at a time: what it draws it draws in
// the objects' order.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "hw/base/denormals.h"
#include "hw/eu/program/series.h"
#include "hw/iface/engine.h"
#include "hw/render/depth_stencil.h"
#include "hw/render/kernel.h"
#include "hw/render/messages.h"
#include "hw/render/output_merger.h"
#include "hw/render/raster_state.h"
#include "hw/render/setup.h"

namespace softgen::render {

/// What the pixels of a draw add to the statistics.
struct PixelCounts {
  std::atomic<uint64_t> depth{0}, invocations{0};
};

/// No two objects have the same, nor do copies.
struct Serial {
  Serial() : value(next_++) {}
  Serial(const Serial&) : Serial() {}
  Serial& operator=(const Serial&) = delete;
  const uint64_t value;

 private:
  static inline std::atomic<uint64_t> next_{1};
};

/// Everything of a draw that its pixels need; constant while they are drawn.
struct PixelDraw {
  const DrawState& state;
  const RasterState& raster;
  Kernel kernel;  ///< none: depth and stencil only
  unsigned simd;  ///< channels of the kernel: 8, 16 or 32
  DepthStencil depth_stencil;
  OutputMerger merger;
  std::vector<RenderTarget> targets;  ///< by binding table index, those that threads may write
  MessageTarget* shared_functions;    ///< sampler, data ports; null: not there
  StopFlag& stop;
  PixelCounts& counts;
  bool depth_by_blocks = false;  ///< test_block() does the depth and stencil tests
  bool unseen = false;           ///< nothing that the kernel does reaches memory: its pixels are only counted
  bool uniform = false;          ///< the kernel does nothing but send one colour for all pixels of an object
  bool early = true;             ///< depth and stencil are tested before the shader
  uint32_t topology = 0;         ///< Primitive Topology Type of the objects, r0.0[4:0]
  Serial serial{};
  std::array<std::optional<ColorKernel>, 8> color;  ///< for targets by binding table index, with the blend state of the same number
};

/// Whether the tests may come before the shader: nothing that it does can change their outcome (SKL PRM vol 7, "Early Depth/Stencil
/// Processing").
bool tests_are_early(const DrawState& state);

constexpr unsigned max_pixels = 32;

/// Quads gathered for one thread: pixel i is (i & 1, i >> 1 & 1) of quad i / 4.
struct PixelBatch : eu::SeriesThread {
  const PreparedObject* object = nullptr;
  unsigned pixels = 0;
  alignas(32) std::array<uint32_t, max_pixels / 4> quads;  ///< x | y << 16 of the upper left pixel
  uint32_t lit = 0;                                        ///< pixels with samples left after the early tests
  uint32_t told = 0;                                       ///< pixels with samples that the shader is told of
  bool by_sample = false;                                  ///< the samples of each pixel are listed; else there is one
  std::array<uint32_t, max_pixels> samples;                ///< coverage after the early tests
  std::array<uint32_t, max_pixels> coverage;               ///< what the shader is told of it
  unsigned sample_id = 0;
  bool square = false;  ///< 4x4 pixels that stand at multiples of 4, all of them lit
  uint32_t tested = 0;  ///< pixels whose late tests are done

  uint32_t x(unsigned pixel) const { return (quads[pixel / 4] & 0xffff) + (pixel & 1); }
  uint32_t y(unsigned pixel) const { return (quads[pixel / 4] >> 16) + (pixel >> 1 & 1); }
  uint32_t samples_of(unsigned pixel) const { return by_sample ? samples[pixel] : lit >> pixel & 1; }
  uint32_t coverage_of(unsigned pixel) const { return by_sample ? coverage[pixel] : told >> pixel & 1; }
};

/// One worker's own: its window on memory, its thread.
class PixelWorker : public PixelSink {
 public:
  PixelWorker(HostMemory& memory, unsigned slot) : view_(memory, nullptr), slot_(slot) {}

  memory::View& view() { return view_; }
  /// Draws the part of `object` that lies in `tile`. `control`: the host thread's, for all that it draws.
  void draw(PixelDraw& draw, const PreparedObject& object, const PixelRect& tile, HeldControlWord& control);
  SendResult render_target_write(const Message& message) override;
  SendResult render_target_read(const Message& message) override;
  SendResult interpolate(const Message& message) override;
  void direct_write(const MessageForm& form, DirectAnswer& answer) override;
  /// What was counted goes to the draws, which are alive until then: called with each tile's end.
  void settle();
  /// The draws that it drew, or parts of them, are over: what was found bound for them goes.
  void finish();

 private:
  using Point = std::array<double, 2>;
  struct WriteLayout;
  /// 8x8 pixels of a target with all of them in one page. Of each four side by side 16 bytes stand together.
  struct TargetBlock {
    const RenderTarget* target = nullptr;
    uint32_t x = 0, y = 0, slice = 0;
    memory::View::Stamp stamp;
    std::byte* at = nullptr;
    uint32_t row = 0, column = 0;  ///< bytes from row to row, and to the right half
    void quad_rows(uint32_t at_x, uint32_t at_y, std::byte** rows) const;
    /// Of the 4x4 pixels at (at_x, at_y).
    std::byte* square(uint32_t at_x, uint32_t at_y) const { return at + size_t{at_y & 4} * row + (at_x & 4 ? column : 0); }
  };
  struct DirectWrite;

  bool draw_block(uint32_t x, uint32_t y, uint64_t covered);
  uint64_t test_block(uint32_t x, uint32_t y, uint64_t covered);
  void put_quad(uint32_t x, uint32_t y, uint32_t lit, uint32_t told);
  bool fill_object(const PixelRect& tile);
  bool find_color();
  void add_quad(uint32_t x, uint32_t y, const std::array<uint32_t, 4>& samples, const std::array<uint32_t, 4>& coverage);
  bool stippled_out(uint32_t x, uint32_t y) const;
  void flush();
  // Threads, each with its payload, wait to be run together.
  PixelBatch& new_thread();
  void add_thread();
  void add_square(uint32_t at, uint32_t told, const TargetBlock& block);
  TargetBlock placed_block(uint32_t x, uint32_t y);
  void put_thread(const PixelBatch& batch);
  PixelBatch& running();
  void run_threads();
  void put_object_header();
  eu::SeriesLayout layout() const;
  Grf& own(unsigned reg) { return payload_[reg]; }
  unsigned own_registers() const;
  void put_payloads();
  void put_plain_payloads();
  void put_payload(PixelBatch& batch);
  void put_header(const PixelBatch& batch);
  unsigned put_half(const PixelBatch& batch, unsigned first, unsigned width, unsigned reg);
  void find_centers();
  unsigned put_planes(const PixelBatch& batch, unsigned first, unsigned width, unsigned reg);
  unsigned put_masks(const PixelBatch& batch, unsigned first, unsigned width, unsigned reg);
  unsigned put_barycentrics(const PixelBatch& batch, unsigned first, unsigned width, unsigned reg);
  struct Positions {
    alignas(32) std::array<double, max_pixels> x, y;
  };
  void positions(const PixelBatch& batch, Location location, Positions& out) const;
  Point position(const PixelBatch& batch, unsigned pixel, Location location) const;
  Point barycentrics(const Point& at, bool linear) const;
  // Tests and results.
  double depth_at(uint32_t x, uint32_t y, unsigned sample) const;
  uint32_t test(uint32_t x, uint32_t y, uint32_t samples, std::optional<float> z, std::optional<uint8_t> stencil);
  bool passes_all() const;
  void pass(uint32_t lit);
  void capture(const WriteLayout& layout, uint32_t bti);
  bool write_colors(const WriteLayout& layout, uint32_t bti);
  const TargetBlock* target_block(const RenderTarget& rt, uint32_t x, uint32_t y) {
    const bool same = block_.target == &rt && block_.x == (x & ~7u) && block_.y == (y & ~7u) &&
                      block_.slice == object_->layer + rt.surface.min_array_element && block_.stamp == view_.stamp();
    return !same ? find_target_block(rt, x, y) : block_.at ? &block_ : nullptr;
  }
  const TargetBlock* find_target_block(const RenderTarget& rt, uint32_t x, uint32_t y);
  template <typename Source>
  void write_lit(const ColorKernel& kernel, const RenderTarget& rt, uint32_t lit, unsigned first, unsigned count, bool replicated,
                 Source&& source);
  uint32_t late_samples(const WriteLayout& layout, unsigned pixel, unsigned lane, uint32_t samples);

  const PixelKernels& kernels_ = pixel_kernels();
  memory::View view_;
  const unsigned slot_;
  eu::Thread thread_;
  std::unordered_map<uint64_t, DirectAnswers> direct_;  ///< by PixelDraw::serial
  DirectAnswers* answers_ = nullptr;                    ///< of draw_
  uint64_t serial_ = 0;                                 ///< of draw_; 0: none
  PixelDraw* draw_ = nullptr;
  const PreparedObject* object_ = nullptr;
  PixelBatch batch_;
  DepthKernel depth_;                   ///< of object_
  CenterPlanes centers_;                ///< of object_
  bool masks_ = false;                  ///< payloads have offsets or coverage
  unsigned center_registers_ = 0;       ///< that centers_ fills, of eight or sixteen pixels
  bool places_squares_ = false;         ///< squares of object_ are written where place() says
  memory::View::Stamp placed_;          ///< of the view, for what it said
  bool per_sample_ = false;             ///< the pixel shader runs once a sample
  bool squares_ = false;                ///< 4x4 pixels may be a thread of object_
  bool told_after_tests_ = false;       ///< the pixel shader is told of what passed the early tests
  bool all_at_centers_ = false;         ///< payloads need nothing evaluated elsewhere
  HeldControlWord* control_ = nullptr;  ///< of the host thread, while object_ is drawn
  TargetBlock block_;                   ///< that was written last
  Grf header_;                          ///< r0 of object_'s threads
  PixelCounts* counting_ = nullptr;     ///< where the next two go; null: they are zero
  uint64_t depth_count_ = 0, invocations_ = 0;
  uint64_t filled_ = 0, tested_singly_ = 0, written_singly_ = 0;  ///< for count_path()
  static constexpr unsigned most_threads = 32;
  std::array<PixelBatch, most_threads> threads_;  ///< that wait to be run
  unsigned waiting_ = 0, made_ = 0;               ///< how many, and of how many the payload is there
  uint32_t channels_ = 0;                         ///< of all of them; 0: they differ
  eu::SeriesLayout layout_;                       ///< of all of them
  std::vector<Grf> payloads_;
  unsigned own_registers_ = 0;  ///< in payloads_, of each of draw_'s threads
  Grf* payload_ = nullptr;      ///< that is being made
  eu::SeriesThread* running_ = nullptr;
  bool capturing_ = false;  ///< write_colors() only says what it would write
  struct {
    const RenderTarget* target = nullptr;  ///< null: it did not come to that
    uint32_t word = 0;
  } captured_;
  std::array<uint32_t, max_pixels> passed_{};  ///< samples of the running thread that passed the late tests, where they are done
};

}  // namespace softgen::render
