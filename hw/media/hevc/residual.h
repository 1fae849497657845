// SPDX-License-Identifier: GPL-2.0-or-later
// A transform block's coefficients: their syntax (H.265 7.3.8.11, 9.3.4.2.4 to 9.3.4.2.7) and their scaling (8.6.4.2).
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/bits/cabac.h"
#include "hw/media/hevc/contexts.h"
#include "hw/media/hevc/parameters.h"

namespace softgen::media::hevc {

constexpr unsigned max_transform = 32;

enum class Scan : uint8_t { diagonal, horizontal, vertical };

struct TransformBlock {
  uint8_t log2 = 2, component = 0;
  Scan scan = Scan::diagonal;
  bool is_intra = false, bypass = false;  ///< bypass: cu_transquant_bypass_flag; values are samples' differences then
  uint8_t qp = 0;                         ///< qP of 8.6.2: with QpBdOffset
  /// DST: of intra luma blocks of 4x4.
  bool is_sine() const { return is_intra && !component && log2 == 2; }
};

struct Coefficients {
  std::array<int16_t, max_transform * max_transform> values;  ///< rows of 1 << log2
  bool skip_transform = false;
  bool dc_only = false;           ///< none but the first is nonzero
  uint8_t columns = 0, rows = 0;  ///< beyond these all are 0
};

class ResidualReader {
 public:
  /// The decoder is copied while the reader lives: its state then stays in registers.
  ResidualReader(CabacDecoder& cabac, Contexts& contexts, const PictureParameters& picture)
      : cabac_(cabac), origin_(cabac), contexts_(contexts), picture_(picture) {}
  ~ResidualReader() { origin_ = cabac_; }
  ResidualReader(const ResidualReader&) = delete;
  ResidualReader& operator=(const ResidualReader&) = delete;
  void read(const TransformBlock& block, Coefficients& to);

 private:
  struct SubBlock;
  unsigned last_prefix(unsigned first_context, const TransformBlock& block);
  void find_significant(const TransformBlock& block, SubBlock& sub);
  void read_levels(const TransformBlock& block, SubBlock& sub);
  uint32_t remaining(unsigned rice);

  CabacDecoder cabac_;
  CabacDecoder& origin_;
  Contexts& contexts_;
  const PictureParameters& picture_;
  unsigned greater1_ = 1;  ///< greater1Ctx of the sub-block before
};

/// One transform block's coefficients.
void read_residual(CabacDecoder& cabac, Contexts& contexts, const PictureParameters& picture, const TransformBlock& block,
                   Coefficients& to);

}  // namespace softgen::media::hevc
