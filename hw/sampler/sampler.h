// SPDX-License-Identifier: GPL-2.0-or-later
// The sampling engine's messages (SFID 2).
#pragma once

#include "hw/iface/message_target.h"
#include "hw/sampler/clear_colors.h"
#include "hw/sampler/state.h"

namespace softgen::sampler {

class Sampler : public MessageTarget {
 public:
  explicit Sampler(DecodeState decode) : decode_(decode) {}

  SendResult send(const Message& message, ThreadEnv& env) override;
  void direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) override;
  void invalidate_textures() override { clear_colors_.invalidate(); }
  void set_palettes(const TexturePalettes& palettes) override { palettes_ = palettes; }

 private:
  const DecodeState decode_;
  ClearColors clear_colors_;
  TexturePalettes palettes_{};
};

}  // namespace softgen::sampler
