// SPDX-License-Identifier: GPL-2.0-or-later
// What the packets of the encoder say for H.264, without any generation's layouts. Implementations are in hw/media/decode.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/media/avc/avc_packets.h"
#include "hw/media/avc_encode/macroblock_encoder.h"
#include "hw/media/avc_encode/pak_slice.h"
#include "hw/media/codec.h"
#include "hw/media/coded_buffer.h"
#include "hw/media/frame/frame.h"

namespace softgen::media::avc {

/// A picture in memory; base 0: there is none.
struct EncodeSurface : PictureLayout {
  uint64_t base = 0;
};

struct EncodePicture {
  PictureState state;  ///< the reconstruction and its references
  EncodeSurface source, scaled;
  bool filtered = false;    ///< the loop filter's output is written
  bool by_objects = false;  ///< a PAK object for each macroblock, else VDEnc decides
  MvRange range;            ///< of VDEnc
  EncodeTools tools;        ///< of VDEnc
};

struct HeaderBits : Insertion {
  /// Of a slice header: first_mb_in_slice, which takes the place of the bit behind the NAL unit's first byte.
  std::optional<uint32_t> first_mb;
};

struct EncodeTarget : PakTarget {
  uint64_t offset = 0;    ///< of the slice
  bool by_slice = false;  ///< each slice has its own offset, else the first
};

struct EncodeReport {
  uint32_t bytes = 0, bits = 0, qp = 0, slices = 0;
  bool is_cut = false;
};

class AvcEncodePackets {
 public:
  virtual ~AvcEncodePackets() = default;
  /// None: not a picture that the engine encodes (counted).
  virtual std::optional<EncodePicture> picture(const PacketStore& state) const = 0;
  virtual bool is_header(const Packet& object) const = 0;
  virtual HeaderBits header(const Packet& object, const PacketStore& state, const PictureParams& picture) const = 0;
  /// A slice whose macroblocks are in the picture; none: not one that the engine encodes.
  virtual std::optional<SliceParams> slice(const Packet& object, const PacketStore& state, const PictureParams& picture) const = 0;
  /// A slice of PAK objects; none: it begins outside of the picture.
  virtual std::optional<SliceParams> pak_slice(const PacketStore& state, const PictureParams& picture) const = 0;
  virtual bool is_macroblock(const Packet& object) const = 0;
  virtual PakMacroblock macroblock(const Packet& object, const PacketStore& state, SliceType slice, EngineEnv& env) const = 0;
  virtual bool is_last_slice(const PacketStore& state) const = 0;
  virtual bool protects_slice_data(const PacketStore& state) const = 0;
  virtual EncodeTarget target(const PacketStore& state) const = 0;
  virtual void report(EngineEnv& env, const EncodeReport& report) const = 0;
};

}  // namespace softgen::media::avc
