// SPDX-License-Identifier: GPL-2.0-or-later
// The EU's view of the chip: which unit answers a SEND. Units that are missing are counted and answer with zeros.
// All host threads of an engine send at the same time, with no lock: the data port has no state, and the sampler's changes only while none runs,
// but for what it guards itself. invalidate_textures() and set_palettes() come from the streamer's thread, when all draws are finished.
#pragma once

#include <algorithm>

#include "hw/base/log.h"
#include "hw/dataport/dataport.h"
#include "hw/iface/message_target.h"
#include "hw/sampler/sampler.h"
#include "hw/vme/vme.h"

namespace softgen::gt {

class SharedFunctions : public MessageTarget {
 public:
  /// `decode`: of the platform (hw/gt/parts.h).
  explicit SharedFunctions(sampler::DecodeState decode) : sampler_(decode) {}

  SendResult send(const Message& message, ThreadEnv& env) override {
    switch (message.op.sfid) {
      case Sfid::null: return SendResult::done;
      case Sfid::sampler: return sampler_.send(message, env);
      case Sfid::gateway:
        if (env.gateway) return env.gateway->send(message, env);
        break;
      case Sfid::thread_spawner:
        if (message.op.kind == MessageKind::spawn_thread) break;
        return SendResult::done;  // the end of a root thread: it holds no resources here
      case Sfid::dp_sampler:
      case Sfid::dp_render:
      case Sfid::dp_constant:
      case Sfid::dp_data0:
      case Sfid::dp_data1: return data_port_.send(message, env);
      case Sfid::vme:
      case Sfid::cre: vme::answer(message, env); return SendResult::done;
      default: break;
    }
    unimplemented("shared function", "SFID {}: reads give zero, writes are dropped", static_cast<unsigned>(message.op.sfid));
    std::fill(message.response.begin(), message.response.end(), Grf{});
    return SendResult::done;
  }
  void direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) override {
    switch (form.op.sfid) {
      case Sfid::sampler: return sampler_.direct(form, env, answer);
      case Sfid::dp_constant:
      case Sfid::dp_data0:
      case Sfid::dp_data1: return data_port_.direct(form, env, answer);
      case Sfid::thread_spawner:
        answer.silent = true, answer.function = [](const DirectAnswer&, Grf*, uint32_t, ThreadEnv&) { return true; };
        return;
      default: return;
    }
  }

  void invalidate_textures() override { sampler_.invalidate_textures(); }
  void set_palettes(const TexturePalettes& palettes) override { sampler_.set_palettes(palettes); }

 private:
  sampler::Sampler sampler_;
  dataport::DataPort data_port_;
};

}  // namespace softgen::gt
