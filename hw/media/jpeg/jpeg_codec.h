// SPDX-License-Identifier: GPL-2.0-or-later
// Motion JPEG, decode: scans into planes, and at the picture's end the planes into the surface.
#pragma once

#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/media/codec.h"
#include "hw/media/jpeg/jpeg_packets.h"
#include "hw/media/jpeg/output.h"
#include "hw/media/jpeg/scan_decoder.h"

namespace softgen::media::jpeg {

class JpegDecoder final : public PacketCodec<DecodePackets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore& state, EngineEnv& env) override;

 private:
  ScanDecoder scans_;
  Output output_;
  std::vector<uint8_t> bytes_;
};

}  // namespace softgen::media::jpeg

namespace softgen::media {

/// By a generation's traits (defs::Gen9, Gen11, Gen12).
template <class G>
std::unique_ptr<Codec> make_jpeg_decoder(WorkerPool* pool);

}  // namespace softgen::media
