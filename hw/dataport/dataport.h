// SPDX-License-Identifier: GPL-2.0-or-later
// The data ports' messages: data cache (SFID 10 and 12), constant cache (9), the sampler cache's data port (4), and what the render cache
// (5) does but for render targets, which are hw/render's. SKL PRM vol 2d ("Message Descriptor - …") and vol 7 ("Shared Functions - Data Port").
#pragma once

#include "hw/iface/message_target.h"

namespace softgen::dataport {

class DataPort : public MessageTarget {
 public:
  /// Stateless: threads of the host may share one.
  SendResult send(const Message& message, ThreadEnv& env) override;
  void direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) override;
};

}  // namespace softgen::dataport
