// SPDX-License-Identifier: GPL-2.0-or-later
// Mode VLD: an object is a slice of MPEG-2, and each of its macroblocks, skipped ones too, a thread whose kernel quantises, transforms and predicts.
// The slice is parsed by hw/media/mpeg2.
#pragma once

#include <vector>

#include "hw/media/vfe/mode.h"

namespace softgen::media::vfe {

class VldMode final : public ObjectMode {
 public:
  /// `packets` outlive it.
  explicit VldMode(const VfePackets& packets) : packets_(packets) {}
  ExecResult execute(const ObjectCall& call) override;

 private:
  const VfePackets& packets_;
  std::vector<uint8_t> bytes_;
};

/// Which entry of the remap table a macroblock's kernel is (intel-vaapi-driver i965_media_mpeg2.c, i965_media_mpeg2_vld_state).
unsigned remap_index(const mpeg2::Macroblock& mb, bool is_frame);
/// What the thread gets as inline data.
VldMacroblock vld_macroblock(const mpeg2::PictureParams& picture, const mpeg2::Macroblock& mb);

}  // namespace softgen::media::vfe
