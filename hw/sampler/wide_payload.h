// SPDX-License-Identifier: GPL-2.0-or-later
// Messages whose parameters have 16 bits (SIMD8H, SIMD16H) as the messages with parameters of 32 bits that say the same.
#pragma once

#include <array>

#include "hw/iface/message_target.h"

namespace softgen::sampler {

class WidePayload {
 public:
  /// Null is returned by reason() where the message has such a form; else what is missing.
  static const char* reason(const MessageOp& op);
  /// `message`: with half parameters, for which reason() has none; outlives this object.
  explicit WidePayload(const Message& message);
  Message message() const;

 private:
  static constexpr unsigned max_parameters = defs::parameter_letters.size(), max_registers = 2;  // of one parameter
  const Message& narrow_;
  MessageOp op_;
  size_t count_ = 0;
  std::array<Grf, 1 + max_parameters * max_registers> registers_{};
};

}  // namespace softgen::sampler
