// SPDX-License-Identifier: GPL-2.0-or-later
// Motion JPEG, encode: the driver's headers and the coded scan into a buffer, and their size into a register.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "hw/media/codec.h"
#include "hw/media/coded_buffer.h"
#include "hw/media/jpeg/encoder.h"
#include "hw/media/jpeg/jpeg_packets.h"

namespace softgen::media::jpeg {

/// MFC_JPEG_SCAN_OBJECT.
struct ScanStart {
  bool after_header = false;  ///< the scan waits for the last header
  bool last = false;          ///< EOI follows
};

class EncodePackets {
 public:
  virtual ~EncodePackets() = default;
  /// None: not a picture that the engine encodes (counted).
  virtual std::optional<EncodedScan> scan(const Packet& object, const PacketStore& state) const = 0;
  virtual ScanStart start(const Packet& object) const = 0;
  virtual Insertion insertion(const Packet& object) const = 0;
  virtual bool is_insertion(const Packet& object) const = 0;
  virtual PakTarget target(const PacketStore& state) const = 0;
  /// The registers of the picture's size.
  virtual void report(EngineEnv& env, uint32_t bytes, uint32_t coefficient_bits, bool lacks_code, bool is_cut) const = 0;
};

class JpegEncoder final : public PacketCodec<EncodePackets> {
 public:
  using PacketCodec::PacketCodec;
  ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) override;
  ExecResult close(const PacketStore& state, EngineEnv& env) override;

 private:
  ExecResult encode(const PacketStore& state, EngineEnv& env);
  void append(const PacketStore& state, EngineEnv& env, std::span<const uint8_t> bytes);

  ScanEncoder encoder_;
  std::optional<EncodedScan> waiting_;  ///< a scan that waits for the last header
  ScanStart start_;
  CodedBuffer coded_;
  bool lacks_code_ = false;
  uint64_t bits_ = 0;  ///< of the picture so far
};

}  // namespace softgen::media::jpeg

namespace softgen::media {

/// By a generation's traits (defs::Gen9, Gen11, Gen12).
template <class G>
std::unique_ptr<Codec> make_jpeg_encoder();

}  // namespace softgen::media
