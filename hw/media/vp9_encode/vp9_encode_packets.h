// SPDX-License-Identifier: GPL-2.0-or-later
// What HCP's packets say of a VP9 picture that PAK objects encode, without any generation's layouts. Implementations are in hw/media/decode.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hw/media/codec.h"
#include "hw/media/coded_buffer.h"
#include "hw/media/vp9/probabilities.h"
#include "hw/media/vp9/vp9_packets.h"
#include "hw/media/vp9_encode/unit_record.h"

namespace softgen::media {

namespace vp9 {

/// A field of the uncompressed header that the engine fills in.
struct HeaderField {
  uint32_t bit = 0, bits = 0, value = 0;
  bool only_if_set = false;  ///< if its first bit is 1 already: it says that the rest is there
};

struct EncodeReport {
  uint32_t bytes = 0, tile_bytes = 0;
  bool is_cut = false;
};

}  // namespace vp9

/// A picture: segments have its quantizers and filter levels, as a decoder finds them.
struct Vp9EncodeJob : Vp9Job {
  vp9::CompressedHeader header;
  Vp9Surface source;
  std::vector<vp9::HeaderField> fields;
  uint32_t size_bit = 0;  ///< where the 16 bits of the compressed header's size are; 0: nowhere
  PakTarget coded;
};

class Vp9EncodePackets {
 public:
  virtual ~Vp9EncodePackets() = default;
  /// None: not a picture that the engine encodes (counted). All of it is in range.
  virtual std::optional<Vp9EncodeJob> job(const PacketStore& state, EngineEnv& env) const = 0;
  virtual bool is_insertion(const Packet& object) const = 0;
  virtual Insertion insertion(const Packet& object) const = 0;
  /// Without its units, which read_units() reads once it is known to be in the picture.
  virtual vp9::SuperblockRecord superblock(const Packet& object) const = 0;
  /// `index`: of the superblock, row by row.
  virtual void read_units(const Packet& object, const PacketStore& state, uint32_t index, EngineEnv& env,
                          vp9::SuperblockRecord& to) const = 0;
  virtual void report(EngineEnv& env, const vp9::EncodeReport& report) const = 0;
};

/// By a generation's traits. Null: not built for it.
template <class G>
std::unique_ptr<Codec> make_vp9_encoder();

}  // namespace softgen::media
