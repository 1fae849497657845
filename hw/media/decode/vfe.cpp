// SPDX-License-Identifier: GPL-2.0-or-later
// The media pipeline's packets and states: intel-vaapi-driver i965_media.c, i965_structs.h, shaders/h264/mc/SetHWScoreboard_header.inc.
#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen5/all.h"
#include "hw/defs/ids.h"
#include "hw/eu/program/loader.h"
#include "hw/media/decode/it_coefficient.h"
#include "hw/media/decode/mpeg2_coding.h"
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
    out.scratch_bytes = s.scratch_space_base_pointer ? eu::scratch_bytes(s.per_thread_scratch_space) : 0;
    return out;
  }

  uint64_t descriptor_address(const VfeState& state, unsigned index) const override {
    return strip_canonical(state.descriptors + uint64_t{index} * G::INTERFACE_DESCRIPTOR::dwords * sizeof(uint32_t));
  }
  Descriptor descriptor(uint64_t address, memory::View& view) const override {
    using Layout = typename G::INTERFACE_DESCRIPTOR;
    Descriptor out;
    out.address = address;
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
      return out;
    }
    const auto o = G::MEDIA_OBJECT::unpack(packet.dwords);
    out.descriptor = o.interface_descriptor_offset;
    out.indirect = at(o.indirect_data_start_address, o.indirect_data_length);
    return out;
  }

  VldState vld(const VfeState& state, memory::View& view) const override {
    VldState out;
    if (state.extended) {
      const auto s = load_structure<typename G::VFE_STATE_VLD>(view, state.extended);
      out.picture = mpeg2::picture_coding(s);
      out.picture.concealment_motion_vectors = s.concealment_motion_vectors;
      for (size_t i = 0; i < out.remap.size(); ++i) out.remap[i] = static_cast<uint8_t>(s.descriptor_remap[i]);
    } else {
      guest_error("VFE in mode VLD without an extended state");
    }
    out.picture.width = out.picture.height = mpeg2::max_blocks;
    return out;
  }

  VldSlice slice(const MediaObject& object, const mpeg2::PictureParams& picture) const override {
    const auto s = G::MPEG2_SLICE::unpack(object.inline_data);
    const uint32_t row = s.slice_vertical_position * picture.width, first = row + s.slice_horizontal_position;
    // The count is one less than the macroblocks: 127 is what drivers send for all of a row of 2048 samples.
    return {.params = {.first = first,
                       .end = std::min(first + s.macroblock_count + 1, row + picture.width),
                       .scale_code = static_cast<uint8_t>(s.quantizer_scale_code)},
            .first_bit = static_cast<uint8_t>(s.first_macroblock_bit_offset)};
  }

  Grf macroblock(const VldMacroblock& mb) const override {
    using Layout = typename G::MPEG2_MACROBLOCK;
    const mpeg2::PictureParams& picture = mb.picture;
    Layout out{};
    out.dct_type = mb.field_dct;
    // A second field of P may be predicted from the first, which is in the same frame. VFE's state has no order of the fields: bottom ones count as second.
    out.first_field = picture.structure != mpeg2::Structure::bottom || picture.type == mpeg2::CodingType::b;
    out.first_forward_field_select = mb.select[0][0], out.first_backward_field_select = mb.select[0][1];
    out.second_forward_field_select = mb.select[1][0], out.second_backward_field_select = mb.select[1][1];
    out.quantizer_scale_code = mb.scale_code, out.quantizer_scale_type = picture.q_scale_type;
    out.coded_block_pattern = mb.pattern;
    out.intra_dc_precision = picture.intra_dc_precision;
    out.picture_structure = static_cast<uint32_t>(picture.structure);
    out.horizontal_origin = mb.x, out.vertical_origin = mb.y;
    for (unsigned n = 0; n < 4; ++n) {
      const mpeg2::Vector& vector = mb.vector[n / 2][n % 2];
      out.horizontal_vector[n] = static_cast<int16_t>(vector.x), out.vertical_vector[n] = static_cast<int16_t>(vector.y);
    }
    const auto dwords = out.pack();
    static_assert(Layout::dwords == std::size(Grf{}.dw));
    Grf reg;
    std::ranges::copy(dwords, reg.dw);
    return reg;
  }

  AvcItState avc_it_state(const VfeState& state, memory::View& view) const override {
    using Layout = typename G::VFE_STATE_AVC;
    const auto s = load_structure<Layout>(view, state.extended);
    AvcItState out;
    for (size_t i = 0; i < out.remap.size(); ++i) out.remap[i] = static_cast<uint8_t>(s.descriptor_remap[i]);
    out.vectors = s.data_present != Layout::DataPresent::NONE;
    out.weights = s.data_present == Layout::DataPresent::MOTION_VECTORS_AND_WEIGHTS;
    out.weight_register = s.weight_grf_offset, out.residual_register = s.residual_grf_offset;
    if (s.residual_data_fix_offset) out.residual_dword = s.residual_data_offset;
    return out;
  }
  AvcItMacroblock avc_it_macroblock(std::span<const uint32_t> inline_data) const override {
    const auto in = G::AVC_IT_INLINE_DATA::unpack(inline_data);
    AvcItMacroblock out;
    if (!in.intra_macroblock) out.kind = AvcItKind::inter;
    else if (in.macroblock_type == bsd::type_pcm) out.kind = AvcItKind::pcm;
    else if (in.macroblock_type == 0) out.kind = in.transform_8x8 ? AvcItKind::intra8 : AvcItKind::intra4;
    out.transform8 = in.transform_8x8;
    out.pattern = static_cast<uint8_t>(in.coded_block_pattern);
    return out;
  }
  const bsd::CoefficientLayout& coefficients() const override { return coefficients_; }

  uint16_t thread_id(unsigned slot) const override {
    constexpr unsigned threads_of_eu = 6;
    typename G::THREAD_STATE s{};
    s.eu_id = slot / threads_of_eu, s.thread_id = slot % threads_of_eu;
    return static_cast<uint16_t>(s.pack()[0]);
  }
  SpawnedThread spawned_thread(const Grf& header) const override {
    const auto h = G::SPAWN_HEADER::unpack(header.dw);
    return {h.interface_descriptor_pointer, h.urb_offset, h.urb_registers + 1};
  }
  GatewayOpening gateway_opening(const Grf& header) const override {
    const auto h = G::GATEWAY_OPEN_HEADER::unpack(header.dw);
    return {h.first_register, 1u << h.size, static_cast<uint16_t>(h.key)};
  }
  Forwarded forwarded(const Grf& header) const override {
    using Layout = typename G::GATEWAY_FORWARD_HEADER;
    const auto h = Layout::unpack(header.dw);
    const unsigned bytes = h.length <= Layout::Length::_16_BYTES ? 1u << static_cast<unsigned>(h.length) : 0;
    return {static_cast<uint16_t>(h.recipient), static_cast<uint16_t>(h.key), h.offset, bytes};
  }

 private:
  const bsd::ItCoefficients<G> coefficients_{};
};

}  // namespace

template <class G>
std::unique_ptr<const VfePackets> make_vfe_packets() {
  return std::make_unique<Packets<G>>();
}
template std::unique_ptr<const VfePackets> make_vfe_packets<defs::Gen5>();

}  // namespace softgen::media::vfe
