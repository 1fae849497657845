// SPDX-License-Identifier: GPL-2.0-or-later
// Where the SENDs of 3D threads go: URB and render target writes to this folder, the rest to the shared functions that gt plugged in.
#pragma once

#include "hw/iface/message_target.h"
#include "hw/render/urb.h"

namespace softgen::render {

/// The messages of pixel shader threads to the units that know their pixels.
class PixelSink {
 public:
  virtual ~PixelSink() = default;
  virtual SendResult render_target_write(const Message& message) = 0;
  virtual SendResult render_target_read(const Message& message) = 0;
  virtual SendResult interpolate(const Message& message) = 0;
  virtual void direct_write(const MessageForm& form, DirectAnswer& answer) = 0;
};

/// The barrier of the threads of one patch: counts the gateway messages that reached it.
struct Barrier {
  unsigned arrived = 0;
};

/// The units that answer the threads of one dispatch; null: the stage has no such unit.
struct ThreadUnits {
  Urb* urb = nullptr;
  PixelSink* pixels = nullptr;
  MessageTarget* shared = nullptr;
  Barrier* barrier = nullptr;
};

class RenderMessages : public MessageTarget {
 public:
  explicit RenderMessages(const ThreadUnits& units) : units_(units) {}

  SendResult send(const Message& message, ThreadEnv& env) override;
  void direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) override;

 private:
  const ThreadUnits units_;
};

}  // namespace softgen::render
