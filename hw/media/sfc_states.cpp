// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/sfc_states.h"

#include "hw/defs/command.h"
#include "hw/defs/ids.h"

namespace softgen::media {

bool SfcStates::keep(const Packet& packet) {
  using defs::CommandId;
  switch (packet.command->id) {
    case CommandId::SFC_LOCK:
    case CommandId::HCP_SFC_LOCK:
      // SFC is shared by VCS and VECS: nothing is left of an earlier frame.
      *this = {};
      keep_packet(packet.dwords, lock);
      return true;
    case CommandId::SFC_STATE:
    case CommandId::HCP_SFC_STATE: keep_packet(packet.dwords, state); return true;
    case CommandId::SFC_AVS_STATE:
    case CommandId::HCP_SFC_AVS_STATE: keep_packet(packet.dwords, avs); return true;
    case CommandId::SFC_AVS_LUMA_COEFF_TABLE:
    case CommandId::HCP_SFC_AVS_LUMA_COEFF_TABLE: keep_packet(packet.dwords, luma_taps); return true;
    case CommandId::SFC_AVS_CHROMA_COEFF_TABLE:
    case CommandId::HCP_SFC_AVS_CHROMA_COEFF_TABLE: keep_packet(packet.dwords, chroma_taps); return true;
    case CommandId::SFC_IEF_STATE:
    case CommandId::HCP_SFC_IEF_STATE: keep_packet(packet.dwords, ief); return true;
    case CommandId::SFC_FRAME_START:
    case CommandId::HCP_SFC_FRAME_START: started = 1; return true;
    default: return false;
  }
}

}  // namespace softgen::media
