// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/messages.h"

#include <algorithm>

#include "hw/base/log.h"

namespace softgen::render {
SendResult RenderMessages::send(const Message& message, ThreadEnv& env) {
  ThreadOwner& owner = *static_cast<ThreadOwner*>(env.owner);
  switch (message.op.sfid) {
    case Sfid::null: return SendResult::done;
    case Sfid::thread_spawner: return SendResult::done;  // end of a root thread: nothing is kept for it here
    case Sfid::urb:
      if (owner.urb) return urb_message(message, *owner.urb);
      break;
    case Sfid::gateway:
      if (!owner.barrier || message.op.kind != MessageKind::barrier) break;
      ++owner.barrier->arrived;
      return SendResult::done;
    case Sfid::dp_render:
      if (owner.pixels && message.op.kind == MessageKind::render_target_write) return owner.pixels->render_target_write(message);
      if (owner.pixels && message.op.kind == MessageKind::render_target_read) return owner.pixels->render_target_read(message);
      break;
    case Sfid::pixel_interpolator:
      if (owner.pixels) return owner.pixels->interpolate(message);
      break;
    default: break;
  }
  if (owner.shared) return owner.shared->send(message, env);
  unimplemented("shared function", "SFID {} has no unit behind it: reads give zero", static_cast<unsigned>(message.op.sfid));
  std::fill(message.response.begin(), message.response.end(), Grf{});
  return SendResult::done;
}

void RenderMessages::direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) {
  ThreadOwner& owner = *static_cast<ThreadOwner*>(env.owner);
  const bool port = form.op.sfid == Sfid::dp_constant || form.op.sfid == Sfid::dp_data0 || form.op.sfid == Sfid::dp_data1;
  if ((form.op.sfid == Sfid::sampler || port) && owner.shared) owner.shared->direct(form, env, answer);
  if (form.op.sfid == Sfid::urb && owner.urb) urb_direct(form, *owner.urb, answer);
  if (owner.pixels && form.op.kind == MessageKind::render_target_write) owner.pixels->direct_write(form, answer);
}

}  // namespace softgen::render
