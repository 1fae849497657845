// SPDX-License-Identifier: GPL-2.0-or-later
// What the encoders of MFX read alike: inserted bytes, and where the coded picture goes.
#pragma once

#include <algorithm>

#include "hw/base/bits.h"
#include "hw/defs/ids.h"
#include "hw/media/coded_buffer.h"
#include "hw/media/decode/box_registers.h"
#include "hw/media/packet_store.h"
#include "hw/mmio/register_file.h"

namespace softgen::media {

/// Object: MFX_PAK_INSERT_OBJECT or HCP_PAK_INSERT_OBJECT.
template <class Object>
Insertion insertion_of(const Packet& packet) {
  constexpr size_t payload_start = 2;  // dwords before the bytes
  const typename Object::View object(packet.dwords);
  const auto payload = packet.dwords.subspan(std::min<size_t>(payload_start, packet.dwords.size()));
  Insertion out{.last_header = object.last_header(),
                .protect = object.emulation_byte_bits_insert_enable(),
                .skipped = object.skip_emulation_byte_count()};
  size_t end = payload.size_bytes();
  // 0 stands for all of the last dword.
  if (const uint32_t bits = object.data_bits_in_last_dw(); end && bits && bits < 32) {
    end -= 4 - (bits + 7) / 8;
    out.last_bits = (bits - 1) % 8 + 1;
  }
  const size_t begin = std::min<size_t>(object.data_byte_offset(), end);
  const auto* const bytes = reinterpret_cast<const uint8_t*>(payload.data());
  out.bytes.assign(bytes + begin, bytes + end);
  return out;
}

template <class G>
Insertion pak_insertion(const Packet& packet) {
  return insertion_of<typename G::MFX_PAK_INSERT_OBJECT>(packet);
}

/// The registers that drivers store behind a picture: its bytes with all that was inserted, the bits of what was coded, and what was wrong.
template <class G>
void report_coded(EngineEnv& env, uint32_t bytes, uint32_t bits, bool is_cut, bool lacks_code = false) {
  const BoxRegisters box = box_registers<G>(env.engine);
  env.registers.poke(box.mfc_bytes, bytes);
  env.registers.poke(box.mfc_element_bits, bits);
  env.registers.poke(box.mfc_image_status, (is_cut ? box.bits_violated.mask() : 0) | (lacks_code ? box.missing_code.mask() : 0));
}

template <class G>
PakTarget pak_target(const PacketStore& state) {
  const typename G::MFX_IND_OBJ_BASE_ADDR_STATE::View base(state.get(defs::CommandId::MFX_IND_OBJ_BASE_ADDR_STATE));
  return {.address = strip_canonical(base.mfc_indirect_pak_bse_object_address()),
          .bound = strip_canonical(base.mfc_indirect_pak_bse_object_upper_bound())};
}

}  // namespace softgen::media
