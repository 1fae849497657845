// SPDX-License-Identifier: GPL-2.0-or-later
// What MPEG-2's encoder packets say besides those of the decoder. Implementations are in decode/.
#pragma once

#include <memory>
#include <optional>

#include "hw/media/codec.h"
#include "hw/media/coded_buffer.h"
#include "hw/media/mpeg2/motion.h"
#include "hw/media/mpeg2/mpeg2_packets.h"
#include "hw/media/mpeg2/quantiser.h"

namespace softgen::media::mpeg2 {

/// MFC_MPEG2_PAK_OBJECT.
struct PakObject {
  uint32_t x = 0, y = 0;  ///< in macroblocks, any
  bool intra = false, first = false, last = false, first_in_group = false;
  bool may_skip = true, drops_blocks = false;  ///< may be, and is to be, a skipped one
  uint8_t scale_code = 1;                      ///< 1 to 31
  unsigned pattern = 0;                        ///< blocks that may be coded, bit 5: block 0
  std::array<bool, 2> used{};                  ///< forward, backward
  std::array<Vector, 2> vector;                ///< of the frame, half samples, any
};

/// MFC_MPEG2_SLICEGROUP_STATE.
struct SliceGroup {
  bool has_intra_flag = false, intra = false;  ///< of the slices' headers
  bool first_is_inserted = false;              ///< the header of its first slice is among the inserted bytes
};

class Mpeg2EncodePackets {
 public:
  virtual ~Mpeg2EncodePackets() = default;
  /// What the decoder's packets have, too.
  virtual const Mpeg2Packets& shared() const = 0;
  /// Its destination is the picture that is encoded.
  virtual SurfaceSet source(const PacketStore& state) const = 0;
  virtual Quantiser quantiser(const PacketStore& state) const = 0;
  virtual bool is_insertion(const Packet& packet) const = 0;
  virtual Insertion insertion(const Packet& packet) const = 0;
  virtual PakObject object(const Packet& packet, const PictureParams& picture) const = 0;
  virtual SliceGroup group(const PacketStore& state) const = 0;
  virtual PakTarget target(const PacketStore& state) const = 0;
  virtual void report(EngineEnv& env, uint32_t bytes, uint32_t coefficient_bits, bool is_cut) const = 0;
};

}  // namespace softgen::media::mpeg2
