// SPDX-License-Identifier: GPL-2.0-or-later
// The registers that all VME messages have (M0 to M3) as plain values, within their ranges.
#pragma once

#include <array>
#include <cstdint>

#include "hw/iface/message_target.h"

namespace softgen::vme {

constexpr int block_size = 16, max_window = 64, min_window = 20;
constexpr unsigned sub_blocks = 16;  ///< blocks of 4x4, in the order of H.264 (figure 6-10)

/// Quarter samples.
struct Vector {
  int x = 0, y = 0;
  bool operator==(const Vector&) const = default;
};

/// Of two halves of a dword.
Vector vector_of(uint32_t dword);
uint32_t dword_of(Vector vector);

enum class Measure : uint8_t { sad, haar, haar_without_dc };
enum class Precision : uint8_t { whole, half, quarter };
enum class Mode : uint8_t { b16x16, b16x8, b8x16, b8x8 };

/// Of the integer search.
struct SearchFields {
  std::array<Vector, 2> window;                               ///< its upper left corner, from the source block on; whole samples
  int window_width = min_window, window_height = min_window;  ///< multiples of 4
  unsigned search_control = 0, partitions_off = 0;
  bool adaptive = false;
  unsigned max_vectors = 0, path_length = 0, max_units = 0;
  std::array<Vector, 2> start;  ///< search units
};

/// Of the refinement.
struct RefineFields {
  Precision precision = Precision::whole;
  bool bilinear = false, bidirectional = false;
  unsigned backward_weight = 32;  ///< of 64
};

/// Of the skip and intra check.
struct CheckFields {
  Measure intra = Measure::sad;
  unsigned intra_off = 0, neighbours = 0;  ///< shapes that are not tried; samples that are there
  bool skip = false, skip_by_quarter = false, chroma = false, transforms = false;
  unsigned skip_centers = 0;             ///< of M4: a bit each, by block and direction
  std::array<unsigned, 7> thresholds{};  ///< of coefficients whose row and column add up to the index
};

/// Of shapes and modes, and of vectors as far from their cost center.
class Costs {
 public:
  explicit Costs(const Message& message);
  unsigned intra_cost(unsigned shape) const { return intra_[shape]; }
  unsigned mode_cost(Mode mode) const { return modes_[static_cast<unsigned>(mode)]; }
  unsigned backward_cost() const { return backward_; }
  unsigned vector_cost(unsigned block8, unsigned direction, Vector vector) const;

 private:
  unsigned distance_cost(unsigned distance) const;

  std::array<unsigned, 3> intra_{};  ///< 16x16, 8x8, 4x4
  std::array<unsigned, 4> modes_{};
  std::array<unsigned, 8> vectors_{};  ///< at distances 0, 1, 2, 4 … 64
  unsigned backward_ = 0, scale_ = 0;
  std::array<std::array<Vector, 2>, 4> centers_{};  ///< by 8x8 block, direction
};

struct Request : SearchFields, RefineFields, CheckFields, Costs {
  explicit Request(const Message& message);

  int source_x = 0, source_y = 0;
  Measure inter = Measure::sad;
  uint32_t reference_ids = 0;     ///< a byte for each 8x8 block: forward, backward
  bool as_backward = false;       ///< what is predicted from a forward reference is answered as a backward prediction
  const char* missing = nullptr;  ///< what of it is not there
};

}  // namespace softgen::vme
