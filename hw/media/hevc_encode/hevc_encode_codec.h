// SPDX-License-Identifier: GPL-2.0-or-later
// HEVC encoding: an HCP_PAK_OBJECT is a coding tree block whose modes and motion are chosen already. It is coded, and reconstructed as a decoder would:
// the picture and its motion go to memory and are the reference of later ones.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "hw/media/avc_encode/coded_stream.h"
#include "hw/media/codec.h"
#include "hw/media/hevc/picture_samples.h"
#include "hw/media/hevc/reference_pictures.h"
#include "hw/media/hevc_encode/hevc_encode_packets.h"
#include "hw/media/hevc_encode/slice_encoder.h"

namespace softgen::media {

namespace hevc {

class HevcEncoder final : public PacketCodec<HevcEncodePackets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore& state, EngineEnv& env) override;

 private:
  void begin(const PacketStore& state, EngineEnv& env);
  bool begin_slice(const PacketStore& state, EngineEnv& env);
  void end_slice(EngineEnv& env);
  void insert(const HeaderBits& header, EngineEnv& env);
  void code(const Packet& packet, const PacketStore& state, EngineEnv& env);

  bool in_slice_ = false, protects_ = false;
  std::optional<EncodePicture> picture_;
  SliceParameters slice_;
  PictureInfo info_;
  std::array<std::unique_ptr<PictureSamples>, 2> samples_;  ///< by sample size
  ReferencePictures references_;
  SourcePicture source_;
  std::vector<bool> loaded_;  ///< rows of CTBs of the source
  SliceEncoder slices_{info_};
  uint32_t next_ctb_ = 0;
  avc::CodedStream stream_;
  EncodeReport report_;
};

}  // namespace hevc

/// By a generation's traits.
template <class G>
std::unique_ptr<Codec> make_hevc_encoder(WorkerPool* pool);

}  // namespace softgen::media
