// SPDX-License-Identifier: GPL-2.0-or-later
// The sampling engine's messages (SFID 2).
#pragma once

#include "hw/iface/message_target.h"

namespace softgen::sampler {

class Sampler : public MessageTarget {
 public:
  SendResult send(const Message& message, ThreadEnv& env) override;
  void direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) override;
};

}  // namespace softgen::sampler
