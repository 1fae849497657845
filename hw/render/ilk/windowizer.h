// SPDX-License-Identifier: GPL-2.0-or-later
// The WM unit and what follows it: pixels of objects, stipples, depth and stencil tests before and after threads, payloads, and colours merged into targets.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "hw/render/ilk/front_end.h"
#include "hw/render/ilk/packed_depth.h"
#include "hw/render/ilk/payload.h"
#include "hw/render/ilk/thread.h"
#include "hw/render/output_merger.h"
#include "hw/render/raster.h"
#include "hw/render/setup.h"

namespace softgen::render::ilk {

/// An object and what the SF unit says of it.
struct PixelObject {
  const PreparedObject& prepared;
  const RasterState& raster;
  std::span<const uint32_t> planes;  ///< the setup entry
  float x = 0, y = 0;                ///< vertex 0, from which planes count; pixels have whole numbers
  bool line = false;
};

/// A target as messages of a draw find it.
struct BoundTarget {
  unsigned binding;
  RenderTarget target;
  OutputMerger::Mode mode;
};

class Windowizer : public UnitMessages {
 public:
  explicit Windowizer(const DrawContext& context);

  void draw(const PixelObject& object);
  uint64_t pixels_passed() const { return passed_; }
  uint64_t invocations() const { return invocations_; }

  bool urb(const UrbMessage&, std::span<const Grf>, std::span<Grf>) override { return false; }
  bool target_write(const TargetMessage& how, std::span<const Grf> payload) override;

 private:
  static constexpr unsigned max_pixels = 16;
  /// Quads that become a thread: pixel i is (i & 1, i >> 1 & 1) of quad i / 4.
  struct Group {
    std::array<std::array<uint16_t, 2>, max_pixels / 4> quads{};
    unsigned count = 0;
    uint32_t live = 0;    ///< pixels
    uint32_t tested = 0;  ///< whose late tests are done
    uint32_t failed = 0;  ///< by them
    uint32_t x(unsigned pixel) const { return quads[pixel / 4][0] + (pixel & 1); }
    uint32_t y(unsigned pixel) const { return quads[pixel / 4][1] + (pixel >> 1 & 1); }
  };
  struct WriteLayout;

  bool draw_part(const Coverage& part);
  bool draw_quad(uint32_t x, uint32_t y, const QuadCoverage& covered);
  bool preempted();
  bool stippled_out(uint32_t x, uint32_t y) const;
  double depth_at(uint32_t x, uint32_t y) const;
  bool passes(uint32_t x, uint32_t y, double z);
  void dispatch();
  void dispatch_group(Group& group, unsigned width);
  void put_positions(const Group& group);
  void put_depths(const Group& group);
  bool carries_coverage() const;
  void merge(const WriteLayout& layout, BoundTarget& target);
  bool late_test(const WriteLayout& layout, unsigned pixel);
  BoundTarget& find_target(unsigned binding);
  uint32_t layer() const;

  const DrawContext& context_;
  const DepthTests tests_;
  OutputMerger merger_;
  const bool early_;        ///< tests come before threads
  const bool counts_sent_;  ///< early tests, but threads may discard pixels: PS_DEPTH_COUNT is of those that they send
  std::vector<std::unique_ptr<BoundTarget>> targets_;
  ShaderBases bases_;
  const PixelObject* object_ = nullptr;
  Group group_;
  Group* running_ = nullptr;  ///< of the thread that sends
  Payload payload_;
  uint64_t passed_ = 0, invocations_ = 0;
  uint64_t quad_ = 0;       ///< of the object, the next one
  bool has_drawn_ = false;  ///< something since the draw began or went on
  bool stopped_ = false;
};

}  // namespace softgen::render::ilk
