// SPDX-License-Identifier: GPL-2.0-or-later
// Slice data (H.265 7.3.8): parses it, derives modes, motion and QPs, and has the samples made.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/iface/engine.h"
#include "hw/media/bits/cabac.h"
#include "hw/media/hevc/slice_state.h"

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

class SliceDecoder : private SliceState {
 public:
  explicit SliceDecoder(PictureInfo& info) : SliceState(info) {}

  /// `sink`: gets what samples are made of, with `slice`. `data`: slice data, without emulation prevention. What a dependent slice segment takes from
  /// the segment before it is kept from call to call.
  SliceResult decode(const SliceParameters& slice, std::span<const uint8_t> data, std::span<const StoredMotion> collocated,
                     Reconstructor& sink, const StopFlag& stop);

 private:
  bool bin(unsigned context) { return cabac_.decode(contexts_[context]); }

  /// False: the slice ends here.
  bool leave_ctb(uint32_t ctb, uint32_t& next, bool& is_broken);
  void read_sao(uint32_t ctb);
  void read_sao_component(SaoParameters& sao, unsigned component);
  void quadtree(int x, int y, unsigned log2, unsigned depth);
  bool read_split(int x, int y, unsigned log2, unsigned depth);

  void coding_unit(int x, int y, unsigned log2, unsigned depth);
  void coded_unit(CodingUnit& unit);
  PartMode read_part_mode(const CodingUnit& unit);
  void read_pcm(const CodingUnit& unit);
  void read_intra_modes(CodingUnit& unit);
  void predict_units(CodingUnit& unit, bool is_skipped);
  unsigned read_merge_index();
  Motion read_motion(const CodingUnit& unit, const PredictionBlock& block);
  unsigned read_reference(unsigned list);
  Mv read_mvd();
  uint32_t exp_golomb(unsigned order);

  void transform_tree(const CodingUnit& unit, const TransformNode& node);
  void transform_unit(const CodingUnit& unit, const TransformNode& node, bool cbf_luma, bool cbf_chroma);
  void transform_component(const CodingUnit& unit, unsigned component, int x, int y, unsigned log2, unsigned mode, bool coded);
  void read_qp_delta();

  Reconstructor* sink_ = nullptr;
  CabacDecoder cabac_;
  Coefficients coefficients_;
};

}  // namespace softgen::media::hevc
