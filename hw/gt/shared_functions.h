// SPDX-License-Identifier: GPL-2.0-or-later
// The EU's view of the chip: which unit answers a SEND. Units that are missing are counted and answer with zeros.
#pragma once

#include <algorithm>

#include "hw/base/log.h"
#include "hw/iface/message_target.h"
#include "hw/sampler/sampler.h"

namespace softgen::gt {

class SharedFunctions : public MessageTarget {
 public:
  SendResult send(const Message& message, ThreadEnv& env) override {
    if (message.sfid == Sfid::sampler) return sampler_.send(message, env);
    if (message.sfid == Sfid::gateway && env.gateway) return env.gateway->send(message, env);
    unimplemented("shared function", "SFID {}: reads give zero, writes are dropped", static_cast<unsigned>(message.sfid));
    std::fill(message.response.begin(), message.response.end(), Grf{});
    return SendResult::done;
  }

 private:
  sampler::Sampler sampler_;
};

}  // namespace softgen::gt
