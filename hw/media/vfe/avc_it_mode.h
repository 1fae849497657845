// SPDX-License-Identifier: GPL-2.0-or-later
// Mode AVC_IT: a macroblock's thread gets its inline data as it is and its residual transformed. Inter ones get vectors and weights before it.
// intel-vaapi-driver i965_media_h264.c, i965_media_h264_vfe_state_extension(); shaders/h264/mc: intra_Header.inc and inter_Header.inc have the registers.
#pragma once

#include <vector>

#include "hw/media/vfe/mode.h"

namespace softgen::media::vfe {

class AvcItMode final : public ObjectMode {
 public:
  explicit AvcItMode(const VfePackets& packets) : packets_(packets) {}
  ExecResult execute(const ObjectCall& call) override;

 private:
  /// Makes data_ the registers behind the inline data.
  void put_data(const AvcItState& state, const AvcItMacroblock& mb, std::span<const uint32_t> dwords);

  const VfePackets& packets_;
  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> dwords_;
  std::vector<Grf> data_;
};

}  // namespace softgen::media::vfe
