// SPDX-License-Identifier: GPL-2.0-or-later
// JPEG's packets as structs. Implementations are in hw/media/decode.
#pragma once

#include <memory>
#include <optional>

#include "hw/media/codec.h"
#include "hw/media/jpeg/picture.h"

namespace softgen::media::jpeg {

class DecodePackets {
 public:
  virtual ~DecodePackets() = default;
  /// None: not a picture that the engine decodes (counted).
  virtual std::optional<Structure> structure(const PacketStore& state) const = 0;
  virtual Target target(const PacketStore& state, const Structure& structure) const = 0;
  virtual Scan scan(const Packet& object, const PacketStore& state, const Structure& structure) const = 0;
  virtual Indirect data(const Packet& object, const PacketStore& state) const = 0;
};

}  // namespace softgen::media::jpeg
