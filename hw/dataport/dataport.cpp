// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/dataport/dataport.h"

#include <algorithm>
#include <atomic>

#include "hw/base/log.h"
#include "hw/dataport/messages.h"

namespace softgen::dataport {
namespace {

constexpr auto read = Direction::read, write = Direction::write;

/// All earlier messages of the thread have been answered, so only the host's own order is left to keep. The answer, if one is asked for,
/// has no meaning.
SendResult memory_fence(const Message& m) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::fill(m.response.begin(), m.response.end(), Grf{});
  return SendResult::done;
}

SendResult missing(const Message& m) {
  unimplemented("data port message", "SFID {} type {:#x}: reads give zero, writes are dropped", static_cast<unsigned>(m.op.sfid),
                m.op.type);
  std::fill(m.response.begin(), m.response.end(), Grf{});
  return SendResult::done;
}

}  // namespace

SendResult DataPort::send(const Message& m, ThreadEnv& env) {
  using enum MessageKind;
  switch (m.op.kind) {
    case oword_block_read: return oword_block(m, Space::bound(m, env), read, m.op.byte_offset);
    case unaligned_oword_block_read: return oword_block(m, Space::bound(m, env), read, true);
    case oword_block_write: return oword_block(m, Space::bound(m, env), write, m.op.byte_offset);
    case oword_dual_block_read: return oword_dual_block(m, Space::bound(m, env), read);
    case oword_dual_block_write: return oword_dual_block(m, Space::bound(m, env), write);
    case dword_scattered_read: return dword_scattered(m, Space::bound(m, env), read);
    case dword_scattered_write: return dword_scattered(m, Space::bound(m, env), write);
    case byte_scattered_read: return byte_scattered(m, Space::bound(m, env), read);
    case byte_scattered_write: return byte_scattered(m, Space::bound(m, env), write);
    case qword_scattered_read: return qword_scattered(m, Space::bound(m, env), read);
    case qword_scattered_write: return qword_scattered(m, Space::bound(m, env), write);
    case scratch_read:
    case scratch_write: return scratch_block(m, env);
    case media_block_read: return media_block(m, env, read);
    case media_block_write: return media_block(m, env, write);
    case avc_loop_filter_read: return avc_loop_filter(m, Space::bound(m, env));
    case fence: return memory_fence(m);
    case untyped_read: return untyped_surface(m, Space::bound(m, env), read);
    case untyped_write: return untyped_surface(m, Space::bound(m, env), write);
    case MessageKind::untyped_atomic: return dataport::untyped_atomic(m, Space::bound(m, env));
    case MessageKind::untyped_atomic_float: return dataport::untyped_atomic_float(m, Space::bound(m, env));
    case typed_read: return typed_surface(m, env, read);
    case typed_write: return typed_surface(m, env, write);
    case MessageKind::typed_atomic: return dataport::typed_atomic(m, env);
    case a64_scattered_read: return a64_scattered(m, env, read);
    case a64_scattered_write: return a64_scattered(m, env, write);
    case a64_untyped_read: return a64_untyped_surface(m, env, read);
    case a64_untyped_write: return a64_untyped_surface(m, env, write);
    case MessageKind::a64_atomic: return dataport::a64_atomic(m, env);
    case MessageKind::a64_atomic_float: return dataport::a64_atomic_float(m, env);
    case a64_oword_block_read: return a64_oword_block(m, env, read);
    case a64_oword_block_write: return a64_oword_block(m, env, write);
    default: return missing(m);
  }
}

}  // namespace softgen::dataport
