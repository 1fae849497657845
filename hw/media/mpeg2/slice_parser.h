// SPDX-License-Identifier: GPL-2.0-or-later
// Parses one slice (ISO/IEC 13818-2, 6.2.4 and 6.2.5). A MacroblockSink receives its macroblocks in order, skipped ones too, with their motion vectors and DC
// coefficients already predicted.
#pragma once

#include <array>
#include <cstdint>

#include "hw/iface/engine.h"
#include "hw/media/bits/bit_reader.h"
#include "hw/media/mpeg2/motion.h"
#include "hw/media/mpeg2/picture.h"

namespace softgen::media::mpeg2 {

enum class SliceResult : uint8_t { whole, broken, aborted };

/// What blocks have: coefficients after inverse quantisation, or the levels as they are coded (of intra DC: with the prediction added, and less half of the
/// range, so that it is of samples around 0).
enum class BlockValues : uint8_t { coefficients, levels };

struct Macroblock {
  uint32_t address = 0;
  int type = 0;         ///< flags of macroblock_type; of skipped ones 0
  int pattern = 0;      ///< bit 5 - n: block n is coded
  bool broken = false;  ///< what is coded of the blocks is no code: prediction is all there is. Not of intra ones
  bool field_dct = false;
  uint8_t scale_code = 1;
  Motion motion;                                              ///< not of intra ones
  alignas(32) std::array<std::array<int16_t, 64>, 6> blocks;  ///< those of the pattern, in raster order
};

class MacroblockSink {
 public:
  virtual ~MacroblockSink() = default;
  /// May change the blocks. False: nothing more is wanted, and the slice is `aborted`.
  virtual bool macroblock(Macroblock& macroblock) = 0;
};

class SliceParser {
 public:
  SliceParser(const PictureParams& picture, BlockValues values, MacroblockSink& sink) : picture_(picture), values_(values), sink_(sink) {}

  SliceResult parse(BitReader bits, const SliceParams& slice, const StopFlag& stop);

 private:
  /// -1: broken.
  int read_increment();
  bool skip(uint32_t address);
  SliceResult read_macroblock(uint32_t address);
  bool read_modes();
  bool read_motion();
  bool read_blocks();
  bool read_one_block(unsigned index);
  int middle_dc() const;
  void reset_dc();

  const PictureParams& picture_;
  const BlockValues values_;
  MacroblockSink& sink_;
  BitReader bits_;
  unsigned scale_ = 0;
  VectorPredictors predictors_;
  std::array<int, 3> dc_{};
  Macroblock mb_;  ///< the motion's directions are those of a skipped one that follows
};

}  // namespace softgen::media::mpeg2
