// SPDX-License-Identifier: GPL-2.0-or-later
// What the bit stream decoder's packets say, and what its records are in memory, without any generation's layouts. Implementation: decode/bsd.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "hw/media/avc/motion_store.h"
#include "hw/media/avc/params.h"
#include "hw/media/bsd/ildb_macroblock.h"
#include "hw/media/bsd/it_data.h"
#include "hw/media/bsd/it_macroblock.h"
#include "hw/media/codec.h"

namespace softgen::media::bsd {

/// AVC_BSD_IMG_STATE and what follows it once per picture.
struct PictureState {
  avc::PictureParams params;
  avc::MotionAddresses motion;
  uint64_t commands = 0, data = 0, edges = 0;  ///< the buffers that are written
  uint32_t command_header = 0;
  unsigned residual_offset = 0;  ///< in dwords, at most max_residual_offset
  uint8_t chroma_format = 1;
  /// In decoding order, else by rows of macroblocks: they differ in MBAFF. Deblocking data is in decoding order, where kernels look for it.
  bool commands_in_decoding_order = false, data_in_decoding_order = false;
  bool writes_edges = false;
  /// A picture that has macroblocks, and not more than the engine can count.
  bool valid = false;
};

struct SliceState : Indirect {
  avc::SliceParams params;
  bool weighted = false;  ///< of P slices: explicit
  uint8_t weighted_bipred = 0;
  bool inter_concealment = false;
  bool phantom = false;  ///< no data: what comes before its first macroblock is concealed, and the picture ends if that is all
};

class BsdPackets : public CoefficientLayout {
 public:
  static constexpr size_t record_dwords = 16;
  using Record = std::array<uint32_t, record_dwords>;

  virtual PictureState picture(const PacketStore& state) const = 0;
  virtual SliceState slice(const Packet& packet, const PacketStore& state) const = 0;
  /// A macroblock's command. `bytes`, `offset`: its IT data, from the buffer's base on.
  virtual Record command(const ItMacroblock& mb, const PictureState& picture, uint32_t bytes, uint32_t offset) const = 0;
  virtual Record edges(const IldbMacroblock& mb) const = 0;
};

/// Of Gen5 (defs::Gen5).
template <class G>
std::unique_ptr<const BsdPackets> make_bsd_packets();

}  // namespace softgen::media::bsd
