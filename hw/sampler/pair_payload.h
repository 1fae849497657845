// SPDX-License-Identifier: GPL-2.0-or-later
// SIMD4x2 messages as the SIMD8 messages that say the same. Mesa brw_vec4_nir.cpp (nir_emit_texture): parameters 4n to 4n + 3 are the dwords of
// either half of register n, a half for each vertex; so are the four components of the answer.
#pragma once

#include <array>

#include "hw/iface/message_target.h"

namespace softgen::sampler {

class PairPayload {
 public:
  /// `message`: a sampler's, of SIMD4x2; outlives this object. Either vertex has a quad of its own, whose four pixels are the same: an implicit LOD
  /// has no differences (chosen; vertex kernels ask for a LOD).
  explicit PairPayload(const Message& message);
  /// Answered into registers of this object.
  Message message();
  /// To the response's components whose channels are on and which the header's mask does not leave out.
  void store() const;

 private:
  static constexpr unsigned vertices = 2, components = 4, quad = 4;
  static constexpr unsigned max_parameters = defs::parameter_letters.size();

  const Message& pairs_;
  MessageOp op_;
  uint32_t disabled_ = 0;  ///< components
  size_t count_ = 0;
  std::array<Grf, 1 + max_parameters> registers_{};
  std::array<Grf, components> answer_{};
};

}  // namespace softgen::sampler
