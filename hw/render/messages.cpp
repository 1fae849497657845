// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/messages.h"

#include <algorithm>

#include "hw/base/log.h"

namespace softgen::render {
SendResult RenderMessages::send(const Message& message, ThreadEnv& env) {
  switch (message.op.sfid) {
    case Sfid::null: return SendResult::done;
    case Sfid::thread_spawner: return SendResult::done;  // end of a root thread: it holds no resources here
    case Sfid::urb:
      if (units_.urb) return urb_message(message, *units_.urb);
      break;
    case Sfid::gateway:
      if (!units_.barrier || message.op.kind != MessageKind::barrier) break;
      ++units_.barrier->arrived;
      return SendResult::done;
    case Sfid::dp_render:
      if (units_.pixels && message.op.kind == MessageKind::render_target_write) return units_.pixels->render_target_write(message);
      if (units_.pixels && message.op.kind == MessageKind::render_target_read) return units_.pixels->render_target_read(message);
      break;
    case Sfid::pixel_interpolator:
      if (units_.pixels) return units_.pixels->interpolate(message);
      break;
    default: break;
  }
  if (units_.shared) return units_.shared->send(message, env);
  unimplemented("shared function", "no unit for SFID {}: reads give zero", static_cast<unsigned>(message.op.sfid));
  std::fill(message.response.begin(), message.response.end(), Grf{});
  return SendResult::done;
}

void RenderMessages::direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) {
  const bool port = form.op.sfid == Sfid::dp_constant || form.op.sfid == Sfid::dp_data0 || form.op.sfid == Sfid::dp_data1;
  if ((form.op.sfid == Sfid::sampler || port) && units_.shared) units_.shared->direct(form, env, answer);
  if (form.op.sfid == Sfid::urb && units_.urb) urb_direct(form, *units_.urb, answer);
  if (units_.pixels && form.op.kind == MessageKind::render_target_write) units_.pixels->direct_write(form, answer);
}

}  // namespace softgen::render
