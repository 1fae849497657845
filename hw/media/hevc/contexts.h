// SPDX-License-Identifier: GPL-2.0-or-later
// The context variables of HEVC's slice data (H.265 table 9-4) and their initial values.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/bits/cabac.h"

namespace softgen::media::hevc {

/// The first context of each syntax element.
enum ContextOffset : uint8_t {
  ctx_sao_merge = 0,
  ctx_sao_type = 1,
  ctx_split_cu = 2,
  ctx_transquant_bypass = 5,
  ctx_skip = 6,
  ctx_pred_mode = 9,
  ctx_part_mode = 10,
  ctx_prev_intra_luma = 14,
  ctx_intra_chroma = 15,
  ctx_root_cbf = 16,
  ctx_merge_flag = 17,
  ctx_merge_idx = 18,
  ctx_inter_pred = 19,
  ctx_ref_idx = 24,
  ctx_mvp = 26,
  ctx_split_transform = 27,
  ctx_cbf_luma = 30,
  ctx_cbf_chroma = 32,
  ctx_mvd_greater0 = 36,
  ctx_mvd_greater1 = 37,
  ctx_qp_delta = 38,
  ctx_transform_skip = 40,
  ctx_last_x = 42,
  ctx_last_y = 60,
  ctx_coded_sub_block = 78,
  ctx_significant = 82,
  ctx_greater1 = 124,
  ctx_greater2 = 148,
  context_count = 154,
};

using Contexts = std::array<CabacState, context_count>;

/// `init_type`: 0 to 2 (9.3.2.2); `qp`: SliceQpY.
void initialize_contexts(Contexts& contexts, unsigned init_type, int qp);

}  // namespace softgen::media::hevc
