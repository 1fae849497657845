// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the rows of a picture may be stored in any order.
#pragma once

#include <cstdint>

#include "hw/base/worker_pool.h"
#include "hw/media/frame/frame.h"

namespace softgen::media {

/// The pool to store rows with. Null where a guest has put chroma's rows among luma's: then the order decides what stays.
inline WorkerPool* pool_for_rows(const PictureMap& to, WorkerPool* pool) {
  const PlaneLayout &luma = to.luma.layout(), &chroma = to.chroma.layout();
  const auto end = [](const PlaneLayout& plane) { return plane.first_row + uint64_t{plane.height} * plane.row_step; };
  const bool is_shared = to.chroma.is_open() && luma.base == chroma.base && luma.first_row < end(chroma) && chroma.first_row < end(luma);
  return is_shared ? nullptr : pool;
}

}  // namespace softgen::media
