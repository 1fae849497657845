// SPDX-License-Identifier: GPL-2.0-or-later
// The direct MV buffers of a picture in graphics memory: what direct prediction reads of the colocated picture, and what is kept of this one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/iface/engine.h"
#include "hw/media/avc/motion_record.h"
#include "hw/media/avc/picture.h"

namespace softgen::media::avc {

/// Where a frame's records are; 0: there are none. The bottom field's are behind the top field's where both addresses are the same. Clients divide records of field
/// pictures alone (intel-vaapi-driver, dmv_bottom_flag): a frame's are written from `top` on.
struct MotionAddress {
  uint64_t top = 0, bottom = 0;
  bool divided() const { return bottom && bottom != top; }
};

struct MotionAddresses {
  std::array<MotionAddress, max_frames> read;
  MotionAddress write;
};

class MotionStore {
 public:
  void begin(const MotionAddresses& addresses);
  /// Those of a frame store, unless they have been read.
  void read(unsigned frame, const PictureParams& params, EngineEnv& env);
  const MotionBuffers& buffers() const { return buffers_; }
  /// Of a reference picture, from a macroblock on in decoding order; those before it stay as they are in memory.
  void write(const Picture& picture, uint32_t first, WorkerPool* pool, EngineEnv& env);

 private:
  MotionAddresses addresses_;
  std::array<std::vector<uint8_t>, max_frames> bytes_;
  MotionBuffers buffers_{};
  std::vector<uint8_t> records_;
};

}  // namespace softgen::media::avc
