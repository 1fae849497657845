// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/dataport/dataport.h"

#include <algorithm>
#include <atomic>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/dataport/messages.h"

namespace softgen::dataport {
namespace {

// Message types, descriptor [18:14] (Mesa brw_eu_defines.h, *_DATAPORT_*; SKL PRM vol 7).
enum ReadOnlyType : uint32_t { ro_oword_block = 0, ro_unaligned_oword_block = 1, ro_oword_dual_block = 2, ro_dword_scattered = 3, ro_media_block = 4 };
enum RenderType : uint32_t { rc_media_block_read = 4, rc_fence = 7, rc_media_block_write = 10 };
enum Data0Type : uint32_t {
  d0_oword_block_read = 0,
  d0_unaligned_oword_block_read = 1,
  d0_oword_dual_block_read = 2,
  d0_dword_scattered_read = 3,
  d0_byte_scattered_read = 4,
  d0_qword_scattered_read = 5,
  d0_fence = 7,
  d0_oword_block_write = 8,
  d0_oword_dual_block_write = 10,
  d0_dword_scattered_write = 11,
  d0_byte_scattered_write = 12,
  d0_qword_scattered_write = 13,
};

constexpr auto read = Direction::read, write = Direction::write;

/// All earlier messages of the thread have been answered, so only the host's own order is left to keep. The answer, if one is asked for,
/// has no meaning.
SendResult fence(const Message& m) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::fill(m.response.begin(), m.response.end(), Grf{});
  return SendResult::done;
}

SendResult missing(const Message& m, uint32_t type) {
  unimplemented("data port message", "SFID {} type {:#x}: reads give zero, writes are dropped", static_cast<unsigned>(m.sfid), type);
  std::fill(m.response.begin(), m.response.end(), Grf{});
  return SendResult::done;
}

SendResult read_only(const Message& m, ThreadEnv& env, uint32_t type) {
  switch (type) {
    case ro_oword_block: return oword_block(m, Space::bound(m, env), read, false);
    case ro_unaligned_oword_block: return oword_block(m, Space::bound(m, env), read, true);
    case ro_oword_dual_block: return oword_dual_block(m, Space::bound(m, env), read);
    case ro_dword_scattered: return dword_scattered(m, Space::bound(m, env), read);
    case ro_media_block: return media_block(m, env, read);
    default: return missing(m, type);
  }
}

SendResult render_cache(const Message& m, ThreadEnv& env, uint32_t type) {
  switch (type) {
    case rc_media_block_read: return media_block(m, env, read);
    case rc_fence: return fence(m);
    case rc_media_block_write: return media_block(m, env, write);
    default: return missing(m, type);
  }
}

SendResult data0(const Message& m, ThreadEnv& env, uint32_t type) {
  if (bit(m.descriptor, 18)) return scratch_block(m, env);
  switch (type) {
    case d0_oword_block_read: return oword_block(m, Space::bound(m, env), read, false);
    case d0_unaligned_oword_block_read: return oword_block(m, Space::bound(m, env), read, true);
    case d0_oword_dual_block_read: return oword_dual_block(m, Space::bound(m, env), read);
    case d0_dword_scattered_read: return dword_scattered(m, Space::bound(m, env), read);
    case d0_byte_scattered_read: return byte_scattered(m, Space::bound(m, env), read);
    case d0_qword_scattered_read: return qword_scattered(m, Space::bound(m, env), read);
    case d0_fence: return fence(m);
    case d0_oword_block_write: return oword_block(m, Space::bound(m, env), write, false);
    case d0_oword_dual_block_write: return oword_dual_block(m, Space::bound(m, env), write);
    case d0_dword_scattered_write: return dword_scattered(m, Space::bound(m, env), write);
    case d0_byte_scattered_write: return byte_scattered(m, Space::bound(m, env), write);
    case d0_qword_scattered_write: return qword_scattered(m, Space::bound(m, env), write);
    default: return missing(m, type);
  }
}

SendResult data1(const Message& m, ThreadEnv& env, uint32_t type) {
  switch (type) {
    case d1_untyped_surface_read: return untyped_surface(m, Space::bound(m, env), read);
    case d1_untyped_surface_write: return untyped_surface(m, Space::bound(m, env), write);
    case d1_untyped_atomic:
    case d1_atomic_counter: return untyped_atomic(m, Space::bound(m, env), false);
    case d1_untyped_atomic_simd4x2:
    case d1_atomic_counter_simd4x2: return untyped_atomic(m, Space::bound(m, env), true);
    case d1_untyped_atomic_float: return untyped_atomic_float(m, Space::bound(m, env));
    case d1_typed_surface_read: return typed_surface(m, env, read);
    case d1_typed_surface_write: return typed_surface(m, env, write);
    case d1_typed_atomic: return typed_atomic(m, env, false);
    case d1_typed_atomic_simd4x2: return typed_atomic(m, env, true);
    case d1_media_block_read: return media_block(m, env, read);
    case d1_media_block_write: return media_block(m, env, write);
    case d1_a64_scattered_read: return a64_scattered(m, env, read);
    case d1_a64_scattered_write: return a64_scattered(m, env, write);
    case d1_a64_untyped_surface_read: return a64_untyped_surface(m, env, read);
    case d1_a64_untyped_surface_write: return a64_untyped_surface(m, env, write);
    case d1_a64_untyped_atomic: return a64_atomic(m, env);
    case d1_a64_untyped_atomic_float: return a64_atomic_float(m, env);
    case d1_a64_oword_block_read: return a64_oword_block(m, env, read);
    case d1_a64_oword_block_write: return a64_oword_block(m, env, write);
    default: return missing(m, type);
  }
}

}  // namespace

SendResult DataPort::send(const Message& m, ThreadEnv& env) {
  const uint32_t type = bits(m.descriptor, 18u, 14u);
  switch (m.sfid) {
    case Sfid::dp_sampler:
    case Sfid::dp_constant: return read_only(m, env, type);
    case Sfid::dp_render: return render_cache(m, env, type & 0xf);
    case Sfid::dp_data0: return data0(m, env, type);
    case Sfid::dp_data1: return data1(m, env, type);
    default: return missing(m, type);
  }
}

}  // namespace softgen::dataport
