// SPDX-License-Identifier: GPL-2.0-or-later
// A decoded picture into its surface: rotation, chroma in the sampling of the surface's layout.
#pragma once

#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/media/jpeg/scan_decoder.h"

namespace softgen::media::jpeg {

class Output {
 public:
  /// `pool` null: on the caller's thread.
  void store(const ScanDecoder& picture, const Target& target, memory::View& view, const StopFlag& stop, WorkerPool* pool);

 private:
  struct Source {
    const Plane<uint8_t>* plane;
    uint32_t width, height;  ///< without padding
    Rotation rotation;
    bool turned() const { return rotation == Rotation::right || rotation == Rotation::left; }
    uint32_t columns() const { return turned() ? height : width; }
    uint32_t rows() const { return turned() ? width : height; }
  };
  /// How a row of a component is made: of the rotated plane, in the target's sampling.
  struct Resampling {
    Source source;
    uint32_t columns, rows;
    bool average;
  };
  static void rotated_row(const Source& source, uint32_t y, uint8_t* to);
  static void row_of(const Resampling& from, uint32_t y, uint8_t* to, std::vector<uint8_t>& scratch);
  void rows(uint32_t count, WorkerPool* pool, const std::function<void(uint32_t row, std::vector<uint8_t>& scratch)>& body);

  std::array<PlaneMap, 3> maps_;
  std::vector<std::vector<uint8_t>> scratch_;
};

}  // namespace softgen::media::jpeg
