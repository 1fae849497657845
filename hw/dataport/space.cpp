// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/dataport/space.h"

#include <algorithm>
#include <array>

#include "hw/base/per_thread.h"
#include "hw/defs/messages/headers.h"
#include "hw/surface/binding.h"

namespace softgen::dataport {

namespace {

uint64_t bytes_of(const surface::Surface& s) {
  if (s.is_null()) return 0;
  if (s.is_buffer()) return s.entries * s.pitch;
  // Images have no byte order of their own for these messages: only their rows count.
  return uint64_t{s.pitch} * s.height;
}

/// What a walker's binding table index means to these messages.
struct Bound {
  uint64_t walk = 0, base = 0, size = 0;
  uint32_t index = 0, structure_pitch = 0;
};

bool is_stateless(uint32_t index) { return index == surface::stateless_index || index == surface::stateless_nc_index; }

}  // namespace

Space Space::bound(const Message& message, ThreadEnv& env) {
  const uint32_t index = message.op.binding.index;
  if (index == surface::slm_index) {
    Space slm(env.view, 0, env.slm.size());
    slm.slm_ = env.slm.data();
    return slm;
  }
  if (is_stateless(index)) {
    const uint64_t moved = message.header_present() ? message_header::DataPort{message.reg(0).dw}.scratch_space_base() : 0;
    const uint64_t limit = env.bases.general_size ? env.bases.general_size : uint64_t{1} << 48;
    return {env.view, env.bases.general_state + moved, limit > moved ? limit - moved : 0};
  }
  const auto decoded = [&]() -> Bound {
    const surface::Surface& s = surface::cached_surface(env.view, env.bases, message.op.binding);
    return {env.walk, s.base, bytes_of(s), index, s.type == surface::SurfaceType::structured_buffer ? s.pitch : 0};
  };
  const auto space = [&](const Bound& bound) {
    Space made(env.view, bound.base, bound.size);
    made.is_surface_ = true;
    made.structure_pitch_ = bound.structure_pitch;
    return made;
  };
  if (!env.walk || index == surface::bindless_index) return space(decoded());
  Bound& known = per_thread<std::array<Bound, 16>>()[index % 16];
  if (known.walk != env.walk || known.index != index) known = decoded();
  return space(known);
}

void Space::read(uint64_t offset, void* to, uint64_t n) {
  offset = within(offset);
  const uint64_t inside = offset < size_ ? std::min(n, size_ - offset) : 0;
  if (slm_) std::memcpy(to, slm_ + (inside ? offset : 0), inside);
  else view_->read(place(offset), to, inside);
  std::memset(static_cast<std::byte*>(to) + inside, 0, n - inside);
}

void Space::write(uint64_t offset, const void* from, uint64_t n) {
  offset = within(offset);
  const uint64_t inside = offset < size_ ? std::min(n, size_ - offset) : 0;
  if (slm_) std::memcpy(slm_ + (inside ? offset : 0), from, inside);
  else view_->write(place(offset), from, inside);
}

}  // namespace softgen::dataport
