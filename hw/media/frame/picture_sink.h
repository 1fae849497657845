// SPDX-License-Identifier: GPL-2.0-or-later
// A consumer behind a decoder, which takes pictures directly, without guest memory in between.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/iface/engine.h"

namespace softgen::media {

/// Samples in host memory.
struct HostPlane {
  const uint8_t* samples = nullptr;
  size_t stride = 0;   ///< bytes between rows
  unsigned step = 1;   ///< bytes between samples
  unsigned bytes = 1;  ///< a sample: 1 or 2
  unsigned bits = 8;   ///< of it: 8 of 1 byte, 8 to 16 of 2, the lower ones
};

/// A picture that has ended. Its chroma planes have (width + chroma_step_x - 1) / chroma_step_x columns, and rows alike.
struct HostPicture {
  uint32_t width = 0, height = 0;  ///< samples of luma, whole blocks
  unsigned chroma_step_x = 2, chroma_step_y = 2;
  std::array<HostPlane, 3> planes;  ///< Y, Cb, Cr; without samples: there is no chroma

  bool is_grey() const { return !planes[1].samples; }
};

class PictureSink {
 public:
  virtual ~PictureSink() = default;
  /// Whether pictures go to their surfaces, too.
  virtual bool keeps_surface() const = 0;
  /// Whether take() has a use for the picture.
  virtual bool is_awaiting() const = 0;
  /// Once for a picture, when all of it is there. Work that is to be dropped leaves the rest out.
  virtual void take(const HostPicture& picture, EngineEnv& env) = 0;
};

}  // namespace softgen::media
