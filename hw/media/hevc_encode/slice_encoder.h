// SPDX-License-Identifier: GPL-2.0-or-later
// Slice data (H.265 7.3.8) of coding trees whose modes and motion are chosen: predicts, quantizes and reconstructs each coding unit, then writes it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/media/avc_encode/cabac_encoder.h"
#include "hw/media/hevc/picture_samples.h"
#include "hw/media/hevc/slice_state.h"
#include "hw/media/hevc_encode/quantizer.h"
#include "hw/media/hevc_encode/source_picture.h"
#include "hw/media/hevc_encode/unit_record.h"

namespace softgen::media::hevc {

/// What a picture's slices are made with. All outlives them.
struct EncodeInput {
  const SourcePicture* source = nullptr;
  const ForwardQuantizer* quantizer = nullptr;
  PictureSamples* samples = nullptr;
};

class SliceEncoder : private SliceState {
 public:
  explicit SliceEncoder(PictureInfo& info) : SliceState(info) {}
  void set_input(const EncodeInput& input) { input_ = input; }

  /// `slice`, which stays until end(), gets bits of `to`, which is aligned to a byte. False: not a slice that can be there.
  bool begin(const SliceParameters& slice, std::span<const StoredMotion> collocated, avc::GolombWriter& to);
  /// The CTB that follows. A tree that has too few units gets others; false: it had.
  bool encode(uint32_t ctb, const TreeRecord& tree);
  /// The end of the slice, to a whole byte.
  void end();
  /// Of all units since begin().
  uint32_t qp_sum() const { return qp_sum_; }

 private:
  struct CodedMotion {
    int merge = -1;  ///< index; negative: not merged
    Motion motion;
    std::array<Mv, 2> difference;
    std::array<bool, 2> candidate{};
  };
  struct CodedMode {
    int candidate = -1;  ///< of the three; negative: `rest`
    uint8_t rest = 0;
  };
  /// Nodes of the transform tree, parents first.
  struct CodedNode {
    bool splits = false;
    std::array<bool, 3> coded{};  ///< by component; chroma's: of all below
    std::array<bool, 3> skip_transform{};
    std::array<uint32_t, 3> levels{};  ///< where they begin in levels_
  };

  void bin(unsigned context, bool value) { cabac_->encode(contexts_[context], value); }
  void write_no_sao(uint32_t ctb);
  void quadtree(int x, int y, unsigned log2, unsigned depth, unsigned path);
  void coding_unit(int x, int y, unsigned log2, unsigned depth);
  CodingUnit unit_of(const UnitRecord& record, int x, int y, unsigned log2, unsigned depth) const;

  // unit_modes.cpp
  void choose_modes(CodingUnit& unit, const UnitRecord& record);
  void choose_motion(CodingUnit& unit, const UnitRecord& record);
  Motion legal_motion(const UnitRecord& record, const PredictionBlock& block) const;
  CodedMotion code_motion(const PredictionBlock& block, const Motion& motion) const;
  // transform_coder.cpp
  /// By component: whether a block below has levels.
  std::array<bool, 3> code_tree(const CodingUnit& unit, const UnitRecord& record, const TransformNode& node, unsigned offset);
  CodedNode code_leaf(const CodingUnit& unit, const TransformNode& node, const std::array<bool, 3>& skips);
  bool code_block(const CodingUnit& unit, unsigned component, int x, int y, unsigned log2, unsigned mode, CodedNode& to);
  // unit_writer.cpp
  void write_unit(const CodingUnit& unit, bool is_skipped);
  void write_part_mode(const CodingUnit& unit);
  void write_intra_modes(const CodingUnit& unit);
  void write_motion(const CodingUnit& unit, const PredictionBlock& block, const CodedMotion& coded, bool is_skipped);
  void write_merge_index(unsigned index);
  void write_reference(unsigned list, unsigned index);
  void write_mvd(Mv difference);
  void write_exp_golomb(uint32_t value, unsigned order);
  void write_tree(const CodingUnit& unit, const TransformNode& node);
  void write_leaf(const CodingUnit& unit, const TransformNode& node, const CodedNode& coded);
  void write_qp_delta();

  EncodeInput input_;
  avc::GolombWriter* bits_ = nullptr;
  std::optional<avc::CabacEncoder> cabac_;
  bool is_first_ = true;
  const TreeRecord* tree_ = nullptr;
  size_t next_unit_ = 0;
  uint32_t qp_sum_ = 0;
  uint8_t chroma_index_ = 4;
  std::array<CodedMotion, 4> motions_;
  std::array<CodedMode, 4> modes_;
  std::vector<CodedNode> nodes_;
  size_t next_node_ = 0;
  std::vector<int16_t> levels_;
  Coefficients coefficients_;
};

}  // namespace softgen::media::hevc
