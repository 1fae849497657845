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

class JpegDecoder final : public Codec {
 public:
  JpegDecoder(std::unique_ptr<const DecodePackets> packets, WorkerPool* pool) : packets_(std::move(packets)), pool_(pool) {}

  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  bool is_open() const override { return open_; }
  ExecResult close(const PacketStore& state, EngineEnv& env) override;
  void drop() override { open_ = false; }
  PictureStatus status() const override { return status_; }

 private:
  const std::unique_ptr<const DecodePackets> packets_;
  WorkerPool* const pool_;
  ScanDecoder scans_;
  Output output_;
  std::vector<uint8_t> bytes_;
  PictureStatus status_;
  bool open_ = false;
};

}  // namespace softgen::media::jpeg

namespace softgen::media {

/// By a generation's traits (defs::Gen9, Gen11, Gen12).
template <class G>
std::unique_ptr<Codec> make_jpeg_decoder(WorkerPool* pool);

}  // namespace softgen::media
