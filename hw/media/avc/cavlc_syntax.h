// SPDX-License-Identifier: GPL-2.0-or-later
// Syntax elements of slice data in Exp-Golomb codes and CAVLC (H.264 9.1, 9.2). The members are as in CabacSyntax.
#pragma once

#include <algorithm>
#include <span>

#include "hw/media/avc/context.h"
#include "hw/media/avc/levels.h"
#include "hw/media/bits/bit_reader.h"

namespace softgen::media::avc {

class CavlcSyntax {
 public:
  static constexpr bool is_cabac = false;
  CavlcSyntax(Context& context, std::span<const uint8_t> bytes, unsigned bit_offset);

  bool over() const { return reader_.over(); }
  /// more_rbsp_data(): there is more than the stop bit and zeros.
  bool more() const { return reader_.position() < end_; }
  unsigned skip_run() { return reader_.unsigned_golomb(); }
  bool flag() { return reader_.flag(); }
  bool peek_flag() const { return reader_.peek(1); }
  unsigned mb_type() { return reader_.unsigned_golomb(); }
  unsigned sub_type() { return reader_.unsigned_golomb(); }
  unsigned ref_idx(unsigned list, unsigned quarter);
  /// Legal ones have 16 bits (A.3.1); others are clamped, so that their sum with the prediction does not overflow.
  int mvd(unsigned, unsigned, unsigned) { return std::clamp(reader_.signed_golomb(), -0x1'0000, 0xffff); }
  bool transform8() { return reader_.flag(); }
  unsigned cbp(bool intra);
  int qp_delta() { return reader_.signed_golomb(); }
  unsigned chroma_mode() { return reader_.unsigned_golomb(); }
  int intra_mode() { return reader_.flag() ? -1 : static_cast<int>(reader_.take(3)); }
  unsigned residual(Cat cat, unsigned plane, unsigned block, unsigned size, Levels& levels);
  bool pcm(std::span<uint8_t> samples);

 private:
  unsigned coeff_token(Cat cat, unsigned plane, unsigned block);
  void read_levels(unsigned count, unsigned trailing, Levels& levels);

  Context& c_;
  BitReader reader_;
  uint64_t end_ = 0;
};

}  // namespace softgen::media::avc
