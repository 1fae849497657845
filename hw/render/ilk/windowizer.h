// SPDX-License-Identifier: GPL-2.0-or-later
// The WM unit and what follows it: pixels of objects, stipples, depth and stencil tests before and after threads, payloads, and colours merged into targets.
// A tile of the screen is drawn by one host thread, object after object.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hw/render/ilk/front_end.h"
#include "hw/render/ilk/packed_depth.h"
#include "hw/render/ilk/payload.h"
#include "hw/render/ilk/thread.h"
#include "hw/render/output_merger.h"
#include "hw/render/raster.h"
#include "hw/render/setup.h"

namespace softgen::render::ilk {

/// The colour that an object's threads write to all of its pixels.
struct UniformColor {
  unsigned binding;
  uint32_t word;  ///< a pixel as it is stored
};

/// An object and what the SF unit says of it.
struct PixelObject {
  const PreparedObject& prepared;
  const RasterState& raster;
  std::span<const uint32_t> planes;  ///< the setup entry
  float x = 0, y = 0;                ///< vertex 0, from which planes count; pixels have whole numbers
  bool line = false;
  Topology topology{};
  std::optional<UniformColor> fill;  ///< its pixels are filled, without threads
};

/// From a square's order of pixels (bit 4 y + x) to a thread's (quad by quad), and back.
constexpr uint32_t by_quads(uint32_t pixels) {
  const uint32_t swapped = (pixels ^ pixels >> 2) & 0x0c0c;
  return pixels ^ swapped ^ swapped << 2;
}

/// A target as messages of a draw find it.
struct BoundTarget {
  unsigned binding;
  RenderTarget target;
  OutputMerger::Mode mode;
  std::optional<ColorKernel> kernel;  ///< none: pixels are written one by one
};

/// What a host thread has counted of a draw. Pixels have one sample.
struct PixelTally {
  uint64_t rasterized = 0, passed = 0, invocations = 0;  ///< passed: as PS_DEPTH_COUNT counts
  uint64_t failed_early = 0, failed_late = 0, written = 0, blended = 0;
  uint64_t tested_singly = 0, written_singly = 0;
  uint64_t filled = 0, replaced_threads = 0;  ///< pixels without a thread, and the threads that they would have had
  void add(const PixelTally& other);
};

/// One host thread's.
class Windowizer : public UnitMessages {
 public:
  /// `env`: with the host thread's own view. `slot`: number of the host thread, for scratch space. All outlive it.
  Windowizer(const DrawContext& context, EngineEnv& env, unsigned slot);

  /// Draws the part of `object` that is in `tile`, or some of it if the work is dropped.
  void draw(const PixelObject& object, const PixelRect& tile);
  /// What all pixels of `object` get if its threads do nothing else, found by a thread of each number of quads; without writing or counting.
  std::optional<UniformColor> uniform_color(const PixelObject& object);
  const PixelTally& tally() const { return tally_; }

  bool urb(const UrbMessage&, std::span<const Grf>, std::span<Grf>) override { return false; }
  bool target_write(const TargetMessage& how, std::span<const Grf> payload) override;

 private:
  static constexpr unsigned max_quads = 4;
  /// Quads that become a thread: pixel i is (i & 1, i >> 1 & 1) of quad i / 4.
  struct Group {
    std::array<uint32_t, max_quads> quads{};  ///< x | y << 16; those that are not there are where the first one is
    unsigned count = 0;
    bool square = false;  ///< the quads of 4x4 pixels at multiples of 4
    uint32_t live = 0;    ///< pixels
    uint32_t tested = 0;  ///< whose late tests are done
    uint32_t failed = 0;  ///< by them
    uint32_t x(unsigned pixel) const { return (quads[pixel / 4] & 0xffff) + (pixel & 1); }
    uint32_t y(unsigned pixel) const { return (quads[pixel / 4] >> 16) + (pixel >> 1 & 1); }
  };
  /// Registers of the payload that change from thread to thread; 0: not there.
  struct Places {
    unsigned source_depth = 0, extra = 0, stored_depth = 0;
  };
  struct WriteLayout;
  struct Trial;

  void begin(const PixelObject& object);
  bool draw_part(const Coverage& part, const PixelRect& tile);
  bool draw_block(uint32_t x, uint32_t y, uint64_t covered);
  bool draw_quad(uint32_t x, uint32_t y, const QuadCoverage& covered);
  uint32_t test_square(uint32_t x, uint32_t y, uint32_t pixels);
  bool stippled_out(uint32_t x, uint32_t y) const;
  double depth_at(uint32_t x, uint32_t y) const;
  double in_range(double z) const;
  bool passes(uint32_t x, uint32_t y, double z);
  void add_square(uint32_t x, uint32_t y, uint32_t live);
  void add_quad(uint32_t x, uint32_t y, uint32_t live);
  void dispatch();
  void dispatch_group(Group& group);
  void run_group(Group& group);
  unsigned max_quads_of_thread() const { return context_.state.wm.has_kernel[1] ? max_quads : max_quads / 2; }
  bool has_uniform_kernels();
  void keep_trial(const WriteLayout& layout, unsigned binding);
  void fill_object(const PixelRect& tile);
  void put_positions(const Group& group);
  void put_depths(const Group& group);
  bool carries_coverage() const;
  void merge(const WriteLayout& layout, const BoundTarget& target);
  uint32_t late_tests(const WriteLayout& layout, uint32_t pixels);
  void write_groups(const WriteLayout& layout, const BoundTarget& target, uint32_t pixels, uint32_t slice);
  void write_singly(const WriteLayout& layout, const BoundTarget& target, uint32_t pixels, uint32_t slice);
  const BoundTarget& find_target(unsigned binding);
  uint32_t layer() const { return object_->prepared.layer; }
  bool stopped() const { return stopped_ || env_.stop.aborting(); }

  const DrawContext& context_;
  EngineEnv& env_;
  const unsigned slot_;
  const DepthTests tests_;
  OutputMerger merger_;
  const bool early_;        ///< tests come before threads
  const bool counts_sent_;  ///< early tests, but threads may discard pixels: PS_DEPTH_COUNT is of those that they send
  std::vector<std::unique_ptr<BoundTarget>> targets_;
  ShaderBases bases_;
  const PixelObject* object_ = nullptr;
  DepthKernel depth_;  ///< of the object
  Group group_;
  Group* running_ = nullptr;  ///< of the thread that sends
  Payload payload_;           ///< of the object's threads
  Places places_;
  PixelTally tally_;
  bool stippled_ = false, stopped_ = false;
  struct {
    unsigned from = 0;  ///< first register of the payload that is the same in all of the object's threads, as are those behind it
    std::optional<std::pair<unsigned, bool>> kernels;  ///< for that register: has_uniform_kernels()
    Trial* trial = nullptr;                            ///< threads are run for uniform_color()
  } uniform_;
};

}  // namespace softgen::render::ilk
