// SPDX-License-Identifier: GPL-2.0-or-later
// A picture on its way through the bit stream decoder: slices are parsed by hw/media/avc's reader, and each macroblock becomes a command, IT data and, when
// the picture is flushed, deblocking data in graphics memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/media/avc/motion_store.h"
#include "hw/media/avc/picture.h"
#include "hw/media/avc/transform.h"
#include "hw/media/bsd/bsd_packets.h"

namespace softgen::media::bsd {

class BsdPicture {
 public:
  explicit BsdPicture(const BsdPackets& packets) : packets_(packets) {}

  /// `next`: the macroblock, in decoding order, that the first slice to come is expected to begin with. Records of those before it are in memory, and stay.
  void begin(const PictureState& state, uint32_t next);
  /// Parses a slice, after what is missing before it. False: a stop request ended it.
  bool slice(const SliceState& slice, EngineEnv& env);
  /// Deblocking data of what there is, and the records of a reference picture. The same on return.
  bool flush(EngineEnv& env);

  uint32_t next() const { return next_; }
  bool is_complete() const { return next_ >= total(); }
  PictureStatus status() const { return status_; }

 private:
  uint32_t total() const { return picture_.width * picture_.height; }
  uint64_t slot(bool decoding_order, uint32_t x, uint32_t y) const;
  bool conceal(uint32_t end, EngineEnv& env);
  template <class Syntax>
  bool parse(const SliceState& slice, std::span<const uint8_t> data, uint16_t id, EngineEnv& env);
  void write(const ItMacroblock& mb, avc::Residual& residual, uint32_t x, uint32_t y, EngineEnv& env);

  const BsdPackets& packets_;
  PictureState state_;
  avc::Picture picture_;
  avc::LevelScale scale_;
  avc::MotionStore motion_;
  std::vector<avc::Residual> residuals_;  ///< of a row; without coefficients between slices
  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> data_;
  avc::Residual none_;
  uint32_t first_ = 0, next_ = 0;
  int reference_ = -1;  ///< that the last slice's missing macroblocks are concealed from
  PictureStatus status_;
};

}  // namespace softgen::media::bsd
