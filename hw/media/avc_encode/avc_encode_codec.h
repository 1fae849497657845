// SPDX-License-Identifier: GPL-2.0-or-later
// H.264 encoding, by VDEnc or by PAK objects: the driver's headers and the slices' data into a buffer, the reconstructed picture into its surface.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "hw/media/avc/stored_pictures.h"
#include "hw/media/avc_encode/avc_encode_packets.h"
#include "hw/media/avc_encode/coded_stream.h"
#include "hw/media/avc_encode/slice_encoder.h"
#include "hw/media/codec.h"
#include "hw/media/coded_buffer.h"

namespace softgen::media::avc {

class AvcEncoder final : public PacketCodec<AvcEncodePackets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore& state, EngineEnv& env) override;
  void drop() override { PacketCodec::drop(), pak_.reset(); }

 private:
  ExecResult begin(const PacketStore& state, EngineEnv& env);
  void insert(const HeaderBits& header, EngineEnv& env);
  ExecResult encode(const SliceParams& slice, bool protect, EngineEnv& env);
  ExecResult macroblock(const Packet& packet, const PacketStore& state, EngineEnv& env);
  CodeInput code_input() const { return {source_, scale_, quantizer_, stored_.references(), stored_.motion()}; }
  /// VDEnc's planes of reference 0. False: a stop request ended it.
  bool load_planes(const SliceParams& slice, EngineEnv& env);
  void store_scaled(EngineEnv& env);

  bool between_slices_ = true, is_last_ = false;
  unsigned flushes_ = 0;  ///< since the last object
  std::optional<EncodePicture> params_;
  Picture picture_;
  Frame<uint8_t> source_;
  LevelScale scale_;
  Quantizer quantizer_;
  SearchPlanes planes_;
  unsigned planes_of_ = 0;  ///< frame store
  StoredPictures stored_;
  std::unique_ptr<PakSlice> pak_;  ///< null between slices
  CodedStream stream_;
  EncodeReport report_;
};

}  // namespace softgen::media::avc

namespace softgen::media {

/// By a generation's traits.
template <class G>
std::unique_ptr<Codec> make_avc_encoder();

}  // namespace softgen::media
