// SPDX-License-Identifier: GPL-2.0-or-later
// The media pipeline's packets and states: intel-vaapi-driver i965_media.c, i965_structs.h, shaders/h264/mc/SetHWScoreboard_header.inc.
#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen5/all.h"
#include "hw/defs/ids.h"
#include "hw/media/vfe/vfe_packets.h"
#include "hw/memory/structure.h"

namespace softgen::media::vfe {
namespace {

using memory::load_structure;

template <class G>
Mode mode_of(typename G::VFE_STATE::VFEMode mode) {
  using Field = typename G::VFE_STATE::VFEMode;
  switch (mode) {
    case Field::GENERIC: return Mode::generic;
    case Field::VLD: return Mode::vld;
    case Field::IS: return Mode::is;
    case Field::AVC_MC: return Mode::avc_mc;
    case Field::AVC_IT: return Mode::avc_it;
  }
  return Mode::reserved;
}

template <class G>
class Packets final : public VfePackets {
 public:
  VfeState state(const StatePackets& packets, const ShaderBases& bases, memory::View& view) const override {
    using Pointers = typename G::MEDIA_STATE_POINTERS;
    const auto pointers = Pointers::unpack(packets.packet(Pointers::id));
    const auto s = load_structure<typename G::VFE_STATE>(view, strip_canonical(bases.general_state + pointers.vfe_state_pointer));
    VfeState out;
    out.mode = mode_of<G>(s.vfe_mode);
    out.children = s.children_present;
    out.entries = s.number_of_urb_entries, out.entry_rows = s.urb_entry_allocation_size + 1;
    out.max_threads = s.maximum_number_of_threads + 1;
    out.descriptors = strip_canonical(bases.general_state + s.interface_descriptor_base);
    if (pointers.extended_vfe_state_enable && s.extended_vfe_state_present)
      out.extended = strip_canonical(bases.general_state + pointers.extended_vfe_state_pointer);
    out.scratch_base = s.scratch_space_base_pointer;
    // A power of two from 1 KiB on, as in the 3D pipeline's unit states.
    constexpr uint32_t most = 11;
    out.scratch_bytes = s.scratch_space_base_pointer ? 1024u << std::min(s.per_thread_scratch_space, most) : 0;
    return out;
  }

  Descriptor descriptor(const VfeState& state, unsigned index, memory::View& view) const override {
    using Layout = typename G::INTERFACE_DESCRIPTOR;
    Descriptor out;
    out.address = strip_canonical(state.descriptors + uint64_t{index} * Layout::dwords * sizeof(uint32_t));
    const auto d = load_structure<Layout>(view, out.address);
    out.kernel = d.kernel_start_pointer;
    out.single_program_flow = d.single_program_flow;
    out.alternate_float = d.floating_point_mode == Layout::FloatingPointMode::ALTERNATE;
    out.constant_offset = d.constant_urb_entry_read_offset, out.constant_length = d.constant_urb_entry_read_length;
    out.samplers = d.sampler_state_pointer;
    out.binding_table = d.binding_table_pointer;
    if (d.illegal_opcode_exception_enable || d.mask_stack_exception_enable || d.software_exception_enable)
      unimplemented("Ironlake: exceptions of media threads");
    return out;
  }

  MediaObject object(const Packet& packet, const ShaderBases& bases) const override {
    constexpr size_t fixed_dwords = 4;
    MediaObject out;
    if (packet.dwords.size() > fixed_dwords) out.inline_data = packet.dwords.subspan(fixed_dwords);
    const auto at = [&](uint32_t offset, uint32_t bytes) {
      const uint64_t end = bases.indirect_size ? bases.indirect_object + bases.indirect_size : 0;
      return Indirect{bases.indirect_object + offset, end, bytes};
    };
    if (packet.command->id == defs::CommandId::MEDIA_OBJECT_EX) {
      const auto o = G::MEDIA_OBJECT_EX::unpack(packet.dwords);
      out.indirect = at(o.indirect_data_start_address, o.indirect_data_length);
      out.scoreboard = {.used = o.use_scoreboard,
                        .x = o.scoreboard_x,
                        .y = o.scoreboard_y,
                        .mask = static_cast<uint8_t>(o.scoreboard_mask_low | o.scoreboard_mask_high << 4)};
      return out;
    }
    const auto o = G::MEDIA_OBJECT::unpack(packet.dwords);
    out.descriptor = o.interface_descriptor_offset;
    out.indirect = at(o.indirect_data_start_address, o.indirect_data_length);
    return out;
  }
};

}  // namespace

template <class G>
std::unique_ptr<const VfePackets> make_vfe_packets() {
  return std::make_unique<Packets<G>>();
}
template std::unique_ptr<const VfePackets> make_vfe_packets<defs::Gen5>();

}  // namespace softgen::media::vfe
