// SPDX-License-Identifier: GPL-2.0-or-later
// What VP8's encoder packets say, besides those that the decoder has, too. Implementations are in decode/.
#pragma once

#include <cstdint>
#include <memory>

#include "hw/media/codec.h"
#include "hw/media/coded_buffer.h"
#include "hw/media/vp8/picture.h"
#include "hw/media/vp8/vp8_packets.h"
#include "hw/media/vp8_encode/header_writer.h"

namespace softgen::media::vp8 {

/// MFX_VP8_PAK_OBJECT. Its mode, partition and vectors may be of a kind that its frame does not have.
struct PakObject {
  uint32_t x = 0, y = 0;  ///< in macroblocks, any
  bool drops = false;     ///< no coefficients are wanted
  Macroblock block;       ///< modes, reference and segment; of inter prediction: Mode::split, or any other
  Indirect vectors;       ///< of inter prediction: 16 pairs of 16 bits
};

/// MFX_VP8_ENCODER_CFG, MFX_VP8_BSP_BUF_BASE_ADDR_STATE.
struct FrameOutput {
  HeaderBits header;
  uint64_t header_address = 0, probabilities = 0;
  uint64_t statistics = 0;   ///< 0: they are not wanted
  bool counts_bits = false;  ///< the partitions' are wanted, too
  PakTarget target;          ///< of the final frame
  unsigned partitions = 1;   ///< of tokens: 1, 2, 4 or 8
  bool shown = true, discards = false;
  uint8_t version = 0;
  uint16_t width = 0, height = 0;  ///< of the frame header, with scales
};

class Vp8EncodePackets {
 public:
  virtual ~Vp8EncodePackets() = default;
  virtual FrameParams frame(const PacketStore& state) const = 0;
  virtual FrameSurfaces surfaces(const PacketStore& state) const = 0;
  /// Its destination is the picture that is encoded.
  virtual FrameSurfaces source(const PacketStore& state) const = 0;
  virtual FrameOutput output(const PacketStore& state) const = 0;
  virtual PakObject object(const Packet& packet, const PacketStore& state) const = 0;
  virtual void report(EngineEnv& env, uint32_t bytes, bool is_cut) const = 0;
};

}  // namespace softgen::media::vp8
