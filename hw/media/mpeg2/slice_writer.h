// SPDX-License-Identifier: GPL-2.0-or-later
// The syntax of slices and macroblocks (ISO/IEC 13818-2, 6.2.4 to 6.2.6), written. Frame pictures, frame prediction, frame DCT.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/bits/bit_writer.h"
#include "hw/media/mpeg2/motion.h"
#include "hw/media/mpeg2/picture.h"

namespace softgen::media::mpeg2 {

constexpr unsigned blocks_per_macroblock = 6;
using Levels = std::array<std::array<int16_t, 64>, blocks_per_macroblock>;

/// A macroblock as it is to be written.
struct CodedMacroblock {
  bool intra = false;
  bool may_skip = true;    ///< written as a skipped one where the syntax has it so
  uint8_t scale_code = 1;  ///< 1 to 31
  Motion motion;           ///< of the frame; vectors within the range of f_code. Intra: unused
  unsigned pattern = 0;    ///< bit 5: block 0; intra: all
  Levels levels;           ///< raster order; of the blocks in the pattern
};

struct SliceHeader {
  uint32_t row = 0;
  uint8_t scale_code = 1;
  bool has_intra_flag = false, intra = false;
  bool is_inserted = false;  ///< its bytes are there already
};

class SliceWriter {
 public:
  explicit SliceWriter(const PictureParams& picture) : picture_(picture) {}

  void begin(const SliceHeader& header);
  /// `last`: of the slice. `column`: right of the one before. Inter blocks in the pattern have a level that is not 0. False: it is a skipped one.
  bool macroblock(const CodedMacroblock& coded, uint32_t column, bool last);
  /// Ends the slice: whole bytes. Skipped macroblocks that were not said to be its last get a last one.
  void end();
  BitWriter& bits() { return bits_; }
  uint64_t coefficient_bits() const { return coefficient_bits_; }

 private:
  bool skips(const CodedMacroblock& coded) const;
  void reset_dc() { dc_.fill(1 << (7 + picture_.intra_dc_precision)); }
  void write_increment(uint32_t increment);
  void write_modes(const CodedMacroblock& coded, int type);
  void write_intra(const CodedMacroblock& coded);
  void write_inter(const CodedMacroblock& coded);
  void write_vector(unsigned direction, Vector vector);
  void write_component(unsigned f_code, int delta);
  void write_dc(unsigned component, int level);
  void write_block(const std::array<int16_t, 64>& levels, bool intra);

  const PictureParams picture_;
  BitWriter bits_;
  uint64_t coefficient_bits_ = 0;
  bool first_ = true;     ///< of the slice
  uint32_t skipped_ = 0;  ///< since the last one that was written
  uint8_t scale_code_ = 0;
  std::array<int, 3> dc_{};
  std::array<Vector, 2> predictors_{};
  std::array<bool, 2> directions_{};  ///< of the macroblock before; none: intra
};

}  // namespace softgen::media::mpeg2
