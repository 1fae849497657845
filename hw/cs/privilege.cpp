// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/privilege.h"

#include "hw/cs/decode/packets.h"

namespace softgen::cs {
namespace {

using defs::CommandId;

/// MI_SEMAPHORE_WAIT's and MI_ATOMIC's Memory Type.
template <typename Command>
bool is_global(const Packet& packet) {
  return typename Command::View(packet.dwords).memory_type() == Command::MemoryType::GLOBAL_GRAPHICS_ADDRESS;
}

template <typename Command>
bool uses_global_gtt(const Packet& packet) {
  return typename Command::View(packet.dwords).use_global_gtt();
}

}  // namespace

bool is_privileged(const Packet& packet) {
  switch (packet.command->id) {
    case CommandId::MI_ARB_ON_OFF:
    case CommandId::MI_DISPLAY_FLIP:
    case CommandId::MI_UPDATE_GTT:
    case CommandId::MI_SET_CONTEXT:
    case CommandId::MI_STORE_DATA_INDEX:
    case CommandId::MI_REPORT_HEAD:
    case CommandId::MI_FORCE_WAKEUP: return true;
    case CommandId::MI_STORE_DATA_IMM: return uses_global_gtt<packets::MI_STORE_DATA_IMM>(packet);
    case CommandId::MI_STORE_REGISTER_MEM: return uses_global_gtt<packets::MI_STORE_REGISTER_MEM>(packet);
    case CommandId::MI_LOAD_REGISTER_MEM: return uses_global_gtt<packets::MI_LOAD_REGISTER_MEM>(packet);
    case CommandId::MI_SEMAPHORE_WAIT: return is_global<packets::MI_SEMAPHORE_WAIT>(packet);
    case CommandId::MI_ATOMIC: return is_global<packets::MI_ATOMIC>(packet);
    case CommandId::MI_CONDITIONAL_BATCH_BUFFER_END: return uses_global_gtt<packets::MI_CONDITIONAL_BATCH_BUFFER_END>(packet);
    case CommandId::MI_CLFLUSH: return uses_global_gtt<packets::MI_CLFLUSH>(packet);
    case CommandId::MI_REPORT_PERF_COUNT: return uses_global_gtt<packets::MI_REPORT_PERF_COUNT>(packet);
    case CommandId::MI_COPY_MEM_MEM: {
      const packets::MI_COPY_MEM_MEM::View copy(packet.dwords);
      return copy.use_global_gtt_source() || copy.use_global_gtt_destination();
    }
    default: return false;
  }
}

}  // namespace softgen::cs
