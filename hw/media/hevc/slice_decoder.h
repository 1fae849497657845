// SPDX-License-Identifier: GPL-2.0-or-later
// Slice data (H.265 7.3.8): parses it, derives modes, motion and QPs, and has the samples made.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/iface/engine.h"
#include "hw/media/bits/cabac.h"
#include "hw/media/hevc/contexts.h"
#include "hw/media/hevc/intra.h"
#include "hw/media/hevc/motion.h"
#include "hw/media/hevc/picture_info.h"
#include "hw/media/hevc/residual.h"

namespace softgen::media::hevc {

/// Makes the samples. Coordinates are the component's own samples (0 luma, 1 Cb, 2 Cr), all within the picture.
class Reconstructor {
 public:
  virtual ~Reconstructor() = default;
  virtual void predict_intra(unsigned component, int x, int y, unsigned log2, unsigned mode, const IntraPresence& presence) = 0;
  virtual void predict_inter(const Rectangle& block, const Motion& motion, const SliceParameters& slice) = 0;
  /// `sine`: DST.
  virtual void add_residuals(const TransformBlock& block, int x, int y, bool sine, const Coefficients& coefficients) = 0;
  virtual void store(unsigned component, int x, int y, unsigned log2, const uint16_t* samples) = 0;
  virtual void end_ctb() {}
};

enum class SliceResult : uint8_t { whole, broken, aborted };

class SliceDecoder {
 public:
  explicit SliceDecoder(PictureInfo& info) : info_(info) {}

  /// `sink`: gets what samples are made of, with `slice`. `data`: slice data, without emulation prevention. What a dependent slice segment takes from
  /// the segment before it is kept from call to call.
  SliceResult decode(const SliceParameters& slice, std::span<const uint8_t> data, std::span<const StoredMotion> collocated,
                     Reconstructor& sink, const StopFlag& stop);

 private:
  enum class PartMode : uint8_t { whole, two_rows, two_columns, quarters, upper_quarter, lower_quarter, left_quarter, right_quarter };
  struct CodingUnit {
    int x, y;
    unsigned log2, depth;
    bool is_intra, bypass, is_merged;
    PartMode part;
    std::array<uint8_t, 4> luma_modes;
    uint8_t chroma_mode;
    int size() const { return 1 << log2; }
  };
  /// Of a node of the transform tree.
  struct Node {
    int x, y, base_x, base_y;  ///< base: the parent's
    unsigned log2, depth, index;
    bool cbf_cb, cbf_cr;
  };
  /// Of the quantization group.
  struct Quantization {
    int qp = 26;         ///< QpY of the coding unit
    int previous = 26;   ///< of the last one before: qPY_PREV
    int predicted = 26;  ///< qPY_PRED
    bool coded = false;  ///< IsCuQpDeltaCoded
  };

  bool bin(unsigned context) { return cabac_.decode(contexts_[context]); }
  const PictureParameters& picture() const { return info_.parameters(); }

  bool begin_slice(const SliceParameters& slice);
  void enter_ctb(uint32_t ctb, bool is_first);
  /// False: the slice ends here.
  bool leave_ctb(uint32_t ctb, uint32_t& next, bool& is_broken);
  void initialize();
  void store_motion(uint32_t ctb);
  void read_sao(uint32_t ctb);
  void read_sao_component(SaoParameters& sao, unsigned component);
  void quadtree(int x, int y, unsigned log2, unsigned depth);
  bool read_split(int x, int y, unsigned log2, unsigned depth);
  void begin_quantization_group(int x, int y);

  void coding_unit(int x, int y, unsigned log2, unsigned depth);
  void coded_unit(CodingUnit& unit);
  PartMode read_part_mode(const CodingUnit& unit);
  void read_pcm(const CodingUnit& unit);
  void read_intra_modes(CodingUnit& unit);
  void intra_candidates(const CodingUnit& unit, int x, int y, std::array<uint8_t, 3>& to) const;
  void predict_units(CodingUnit& unit, bool is_skipped);
  void prediction_unit(CodingUnit& unit, const PredictionBlock& block, bool is_skipped);
  unsigned read_merge_index();
  Motion read_motion(const CodingUnit& unit, const PredictionBlock& block);
  unsigned read_reference(unsigned list);
  Mv read_mvd();
  uint32_t exp_golomb(unsigned order);
  void mark_cells(const CodingUnit& unit, uint8_t flags);

  void transform_tree(const CodingUnit& unit, const Node& node);
  void transform_unit(const CodingUnit& unit, const Node& node, bool cbf_luma, bool cbf_chroma);
  void transform_block(const CodingUnit& unit, unsigned component, int x, int y, unsigned log2, unsigned mode, bool coded);
  void read_qp_delta();
  unsigned component_qp(unsigned component) const;
  IntraPresence presence_of(int x, int y, int size) const;

  void mark_edges(int x, int y, int width, int height, Edge kind);
  void finish_edges(const CodingUnit& unit);
  uint8_t strength_of(size_t cell, size_t neighbour, uint8_t kind) const;

  PictureInfo& info_;
  Reconstructor* sink_ = nullptr;
  const SliceParameters* slice_ = nullptr;
  int32_t slice_address_ = -1;
  CabacDecoder cabac_;
  Contexts contexts_{}, row_contexts_{}, segment_contexts_{};  ///< the current ones; WPP's; for a dependent slice segment
  MotionPredictor predictor_;
  Quantization quantization_;
  Coefficients coefficients_;
};

}  // namespace softgen::media::hevc
