// SPDX-License-Identifier: GPL-2.0-or-later
// VP9 encoding: an HCP_VP9_PAK_OBJECT is a superblock whose blocks, modes and motion are chosen already. It is coded, and reconstructed as a decoder would:
// the picture, its motion and its probabilities go to memory and are what later ones refer to.
#pragma once

#include <vector>

#include "hw/media/vp9/picture_memory.h"
#include "hw/media/vp9_encode/tile_encoder.h"
#include "hw/media/vp9_encode/vp9_encode_packets.h"

namespace softgen::media {

class Vp9Encoder final : public PacketCodec<Vp9EncodePackets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore& state, EngineEnv& env) override;

 private:
  void begin(const PacketStore& state, EngineEnv& env);
  void insert(const Insertion& insertion);
  /// At the first superblock: the headers are written, and the first tile begins.
  void begin_data(EngineEnv& env);
  void code(const Packet& packet, const PacketStore& state, EngineEnv& env);
  void code_next(const vp9::SuperblockRecord& record, EngineEnv& env);
  void begin_tile(EngineEnv& env);
  void end_tile(EngineEnv& env);
  /// The tile's first and last row, in units of 8 samples.
  uint32_t row_of_tile(unsigned tile) const;
  uint32_t column_of_tile(unsigned tile) const;
  void load_source(uint32_t row, uint32_t column);
  void adapt_probabilities();
  void append(std::span<const uint8_t> bytes, EngineEnv& env) {
    report_.bytes += static_cast<uint32_t>(coded_.append(env.view, job_->coded, bytes));
  }

  std::optional<Vp9EncodeJob> job_;
  std::vector<uint8_t> uncompressed_;  ///< the header, as it is inserted
  bool in_data_ = false;
  vp9::PictureMemory memory_;
  PictureMap source_map_;
  vp9::FrameState frame_;
  vp9::Probabilities before_{};
  vp9::Planes<uint8_t> planes_, source_;
  vp9::TileEncoder tile_{frame_, planes_, source_};
  unsigned tile_x_ = 0, tile_y_ = 0;
  uint32_t row_ = 0, column_ = 0;  ///< of the superblock that comes next; beyond the picture: there is none
  CodedBuffer coded_;
  vp9::EncodeReport report_;
};

}  // namespace softgen::media
