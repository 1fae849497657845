// SPDX-License-Identifier: GPL-2.0-or-later
// What HCP's packets say of an HEVC picture that PAK objects encode, without any generation's layouts. Implementations are in hw/media/decode.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/media/codec.h"
#include "hw/media/coded_buffer.h"
#include "hw/media/frame/frame.h"
#include "hw/media/hevc/hevc_packets.h"
#include "hw/media/hevc_encode/quantizer.h"
#include "hw/media/hevc_encode/unit_record.h"

namespace softgen::media::hevc {

struct EncodePicture : HevcPicture {
  PictureLayout source;
  uint64_t source_base = 0;
  ForwardQuantizer quantizer;
};

struct HeaderBits : Insertion {
  bool is_counted = true;  ///< in the picture's size
};

struct EncodeReport {
  uint32_t bytes = 0, slice_bytes = 0, slice_bits = 0, qp = 0;  ///< slice: without what was inserted; qp: of all coding units
  bool is_cut = false;
};

class HevcEncodePackets {
 public:
  virtual ~HevcEncodePackets() = default;
  /// None: not a picture that the engine encodes (counted). All of it is in range.
  virtual std::optional<EncodePicture> picture(const PacketStore& state) const = 0;
  virtual SliceParameters slice(const PacketStore& state, EncodePicture& picture) const = 0;  ///< sets the picture's rounding
  virtual bool is_insertion(const Packet& object) const = 0;
  virtual HeaderBits insertion(const Packet& object) const = 0;
  /// Without its units, which read_units() reads once it is known to be in the picture.
  virtual TreeRecord tree(const Packet& object) const = 0;
  virtual void read_units(const Packet& object, const PacketStore& state, const PictureParameters& picture, EngineEnv& env,
                          TreeRecord& to) const = 0;
  virtual PakTarget target(const PacketStore& state) const = 0;
  virtual bool protects_slice_data(const PacketStore& state) const = 0;
  virtual void report(EngineEnv& env, const EncodeReport& report) const = 0;
};

}  // namespace softgen::media::hevc
