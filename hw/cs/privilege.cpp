// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/privilege.h"

#include "hw/base/bits.h"
#include "hw/defs/gen9/ids.h"

namespace softgen::cs {
namespace {

using defs::CommandId;

constexpr unsigned global_gtt_bit = 22, copy_to_global_bit = 21;

}  // namespace

bool is_privileged(const Packet& packet) {
  const uint32_t header = packet.dwords[0];
  switch (packet.command->id) {
    case CommandId::MI_ARB_ON_OFF:
    case CommandId::MI_DISPLAY_FLIP:
    case CommandId::MI_UPDATE_GTT:
    case CommandId::MI_SET_CONTEXT:
    case CommandId::MI_STORE_DATA_INDEX:
    case CommandId::MI_REPORT_HEAD:
    case CommandId::MI_FORCE_WAKEUP: return true;
    case CommandId::MI_STORE_DATA_IMM:
    case CommandId::MI_STORE_REGISTER_MEM:
    case CommandId::MI_LOAD_REGISTER_MEM:
    case CommandId::MI_SEMAPHORE_WAIT:
    case CommandId::MI_ATOMIC:
    case CommandId::MI_CONDITIONAL_BATCH_BUFFER_END:
    case CommandId::MI_CLFLUSH: return bit(header, global_gtt_bit);
    case CommandId::MI_COPY_MEM_MEM: return bit(header, global_gtt_bit) || bit(header, copy_to_global_bit);
    case CommandId::MI_REPORT_PERF_COUNT: return packet.dwords.size() > 1 && bit(packet.dwords[1], 0);
    default: return false;
  }
}

}  // namespace softgen::cs
