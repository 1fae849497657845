// SPDX-License-Identifier: GPL-2.0-or-later
// What decoding and encoding of slice data (H.265 7.3.8) have in common: which contexts, candidates, QPs and edges follow from what came before.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/media/hevc/contexts.h"
#include "hw/media/hevc/intra.h"
#include "hw/media/hevc/motion.h"
#include "hw/media/hevc/picture_info.h"
#include "hw/media/hevc/residual.h"

namespace softgen::media::hevc {

/// Table 7-10.
enum class PartMode : uint8_t { whole, two_rows, two_columns, quarters, upper_quarter, lower_quarter, left_quarter, right_quarter };

struct CodingUnit {
  int x, y;
  unsigned log2, depth;
  bool is_intra = true, bypass = false, is_merged = false;
  PartMode part = PartMode::whole;
  std::array<uint8_t, 4> luma_modes{intra_dc, intra_dc, intra_dc, intra_dc};
  uint8_t chroma_mode = intra_dc;
  int size() const { return 1 << log2; }
  bool has_quarters() const { return part == PartMode::quarters; }
};

/// Of a node of the transform tree.
struct TransformNode {
  int x, y, base_x, base_y;  ///< base: the parent's
  unsigned log2, depth, index;
  bool cbf_cb, cbf_cr;

  static TransformNode root(const CodingUnit& unit) { return {unit.x, unit.y, unit.x, unit.y, unit.log2, 0, 0, true, true}; }
  TransformNode child(unsigned i) const {
    const int half = 1 << (log2 - 1);
    return {x + static_cast<int>(i & 1) * half, y + static_cast<int>(i >> 1) * half, x, y, log2 - 1, depth + 1, i, cbf_cb, cbf_cr};
  }
  /// Four luma blocks of 4x4 share their chroma blocks, which follow the last of them.
  bool has_chroma() const { return log2 > 2 || index == 3; }
  int chroma_x() const { return log2 == 2 ? base_x : x; }
  int chroma_y() const { return log2 == 2 ? base_y : y; }
  unsigned chroma_log2() const { return log2 == 2 ? 2 : log2 - 1; }
};

class SliceState {
 protected:
  /// Of the quantization group.
  struct Quantization {
    int qp = 26;         ///< QpY of the coding unit
    int previous = 26;   ///< of the last one before: qPY_PREV
    int predicted = 26;  ///< qPY_PRED
    bool coded = false;  ///< IsCuQpDeltaCoded
  };
  struct PredictionBlocks {
    std::array<PredictionBlock, 4> at;
    unsigned count = 0;
    std::span<const PredictionBlock> all() const { return std::span(at).first(count); }
  };

  explicit SliceState(PictureInfo& info) : info_(info) {}
  const PictureParameters& picture() const { return info_.parameters(); }

  /// False: not one that can be there.
  bool begin_slice(const SliceParameters& slice, std::span<const StoredMotion> collocated);
  /// 9.3.1, 9.3.2: contexts and the QP before a CTB; `is_first`: of the slice segment.
  void enter_ctb(uint32_t ctb, bool is_first);
  /// Of a tile.
  bool starts_row(uint32_t ctb) const;
  /// After a CTB's coding units.
  void keep_contexts(uint32_t ctb);
  void store_motion(uint32_t ctb);

  bool fits(int x, int y, int size) const {
    return x + size <= static_cast<int>(picture().width) && y + size <= static_cast<int>(picture().height);
  }
  unsigned split_context(int x, int y, unsigned depth) const;
  unsigned skip_context(int x, int y) const;
  bool begins_quantization_group(unsigned log2) const { return log2 + picture().max_qp_delta_depth >= picture().log2_ctb; }
  void begin_quantization_group(int x, int y);
  /// The QP after cu_qp_delta.
  void change_qp(int delta);
  /// qP of 8.6.2.
  unsigned component_qp(unsigned component) const;

  /// Before a coding unit's own elements, and after all of it.
  void begin_unit(const CodingUnit& unit, bool is_skipped);
  void end_unit(const CodingUnit& unit);
  void mark_cells(const CodingUnit& unit, uint8_t flags);
  void intra_candidates(const CodingUnit& unit, int x, int y, std::array<uint8_t, 3>& to) const;
  void set_intra_mode(int x, int y, int size, unsigned mode);
  static PredictionBlocks blocks_of(const CodingUnit& unit);
  void set_motion(const PredictionBlock& block, const Motion& motion);
  /// Whether a node of the transform tree splits, where no flag says so.
  std::optional<bool> inferred_split(const CodingUnit& unit, const TransformNode& node) const;
  /// Before a leaf's blocks.
  void begin_leaf(const TransformNode& node, bool cbf_luma);
  static unsigned part_of(const CodingUnit& unit, const TransformNode& node);
  /// At luma samples (x, y); `log2`: of the component's block.
  TransformBlock transform_block(const CodingUnit& unit, unsigned component, unsigned log2, unsigned mode) const;
  IntraPresence presence_of(int x, int y, int size) const;

  PictureInfo& info_;
  const SliceParameters* slice_ = nullptr;
  int32_t slice_address_ = -1;
  Contexts contexts_{}, row_contexts_{}, segment_contexts_{};  ///< the current ones; WPP's; for a dependent slice segment
  MotionPredictor predictor_;
  Quantization quantization_;

 private:
  void initialize();
  void mark_edges(int x, int y, int width, int height, Edge kind);
  void finish_edges(const CodingUnit& unit);
  uint8_t strength_of(size_t cell, size_t neighbour, uint8_t kind) const;
};

/// 8.4.3, for 4:2:0: of intra_chroma_pred_mode (4: luma's).
constexpr uint8_t chroma_mode_of(unsigned index, uint8_t luma) {
  constexpr uint8_t modes[4] = {intra_planar, intra_vertical, intra_horizontal, intra_dc};
  if (index > 3) return luma;
  return modes[index] == luma ? 34 : modes[index];
}

}  // namespace softgen::media::hevc
