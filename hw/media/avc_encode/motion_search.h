// SPDX-License-Identifier: GPL-2.0-or-later
// Which vectors predict a P macroblock from reference 0.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/avc/context.h"
#include "hw/media/avc/motion.h"
#include "hw/media/avc_encode/coded_macroblock.h"
#include "hw/media/avc_encode/search_planes.h"

namespace softgen::media::avc {

/// Largest magnitudes, in quarter samples.
struct MvRange {
  int across = 0, down = 0;
};

struct MotionChoice {
  Shape shape = Shape::whole;
  std::array<Mv, 4> mv{};
  uint32_t cost = 0;
};

class MotionSearch {
 public:
  MotionSearch(Context& context, const Motion& motion, const SearchPlanes& planes, MvRange range, uint32_t lambda)
      : c_(context), motion_(motion), planes_(planes), range_(range), lambda_(lambda) {}
  /// Of the context's macroblock, whose references are 0; changes its vectors. `source`: its luma.
  MotionChoice choose(const Block& source);

 private:
  struct Found {
    Mv mv;
    uint32_t cost;
  };
  struct Bounds {
    int left, top, right, bottom;  ///< of vectors, in quarter samples
  };
  Bounds bounds(const Partition& part) const;
  Found search(const Block& source, const Partition& part, Mv predicted, std::span<const Mv> starts) const;
  uint32_t vector_cost(Mv mv, Mv predicted) const;
  MotionChoice divided(const Block& source, Shape shape, Mv start, uint32_t limit);

  Context& c_;
  const Motion& motion_;
  const SearchPlanes& planes_;
  const MvRange range_;
  const uint32_t lambda_;
};

}  // namespace softgen::media::avc
