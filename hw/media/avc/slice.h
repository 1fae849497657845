// SPDX-License-Identifier: GPL-2.0-or-later
// slice_data (H.264 7.3.4).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "hw/base/worker_pool.h"
#include "hw/media/avc/context.h"
#include "hw/media/avc/inter.h"
#include "hw/media/avc/motion_record.h"
#include "hw/media/avc/transform.h"

namespace softgen::media::avc {

enum class SliceEnd : uint8_t { good, broken, stopped };

/// What a slice is decoded with.
struct SliceInput {
  const SliceParams& params;
  std::span<const uint8_t> data;  ///< from slice_data on, without emulation prevention
  const LevelScale& scale;
  const References& references;
  const MotionBuffers& motion;
  const std::function<bool()>& stop;  ///< asked once per some rows
  WorkerPool* pool = nullptr;         ///< null: the caller's thread alone
};

/// Decodes into `picture`, as its next slice.
SliceEnd decode_slice(Picture& picture, const SliceInput& input);

}  // namespace softgen::media::avc
