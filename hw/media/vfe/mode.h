// SPDX-License-Identifier: GPL-2.0-or-later
// The modes of VFE. A mode turns a MEDIA_OBJECT into thread requests. To add one, derive from ObjectMode and register it in Vfe's constructor.
#pragma once

#include "hw/media/vfe/threads.h"
#include "hw/media/vfe/vfe_packets.h"

namespace softgen::media::vfe {

/// One packet in its mode.
struct ObjectCall {
  const Packet& packet;
  const MediaObject& object;
  const VfeState& state;
  StatePackets& packets;  ///< with the place where a packet's progress is kept
  RootThreads& threads;
  EngineEnv& env;
};

class ObjectMode {
 public:
  virtual ~ObjectMode() = default;
  virtual ExecResult execute(const ObjectCall& call) = 0;
};

/// Inline and indirect data reach the thread as they are.
class GenericMode final : public ObjectMode {
 public:
  ExecResult execute(const ObjectCall& call) override;

 private:
  std::vector<uint8_t> bytes_;
};

/// Dwords as registers, the last one filled up with zeros.
std::vector<Grf> registers_of(std::span<const uint32_t> dwords);

}  // namespace softgen::media::vfe
