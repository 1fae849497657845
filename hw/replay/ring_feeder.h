// SPDX-License-Identifier: GPL-2.0-or-later
// Ring writes of classic captures, on platforms that run rings: the commands go into a ring behind the memory that the capture fills, as a driver writes
// them there (i915 gt/intel_ring_submission.c, xcs_resume).
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "hw/gt/device.h"
#include "hw/replay/image.h"

namespace softgen::replay {

class RingFeeder {
 public:
  /// Both outlive it.
  RingFeeder(Image& image, gt::Device& device) : image_(image), device_(device) {}
  /// Appends the commands and moves TAIL. Throws ImageError when a capture has more of them than the ring holds, or for an engine that is not there.
  void submit(EngineId engine, std::span<const uint32_t> commands);

 private:
  struct Ring {
    uint32_t start = 0, tail = 0;
  };
  Ring& ring(EngineId engine);
  void set(EngineId engine, uint32_t relative, uint32_t value);

  Image& image_;
  gt::Device& device_;
  std::map<EngineId, Ring> rings_;
};

}  // namespace softgen::replay
