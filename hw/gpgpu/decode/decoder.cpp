// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 2a (GPGPU_WALKER, MEDIA_*), vol 2d (INTERFACE_DESCRIPTOR_DATA); Mesa iris_state.c (iris_upload_gpgpu_walker).
#include "hw/gpgpu/decoder.h"

#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/eu/program/loader.h"
#include "hw/iface/decode/shader_bases.h"
#include "hw/mmio/register_file.h"
#include "hw/surface/surface.h"

namespace softgen::gpgpu {
namespace {

constexpr uint32_t last_register = 127;

/// Inline data from dword `first` on.
std::span<const uint32_t> inline_from(std::span<const uint32_t> packet, size_t first) {
  return packet.size() > first ? packet.subspan(first) : std::span<const uint32_t>();
}

/// The scoreboard's coordinates; where there is none, the packet has positions under other names.
MediaPosition position_of(const auto& c) {
  if constexpr (requires { c.x_position; }) return {c.x_position, c.y_position, c.block_color};
  else if constexpr (requires { c.scoredboard_y; }) return {c.scoreboard_x, c.scoredboard_y, c.scoreboard_color};
  else return {c.scoreboard_x, c.scoreboard_y, c.scoreboard_color};
}

void start(const auto& descriptor, KernelState& out) {
  using Descriptor = std::remove_cvref_t<decltype(descriptor)>;
  out.kernel = descriptor.kernel_start_pointer;
  out.bases.sampler_state = descriptor.sampler_state_pointer;
  out.bases.binding_table = descriptor.binding_table_pointer;
  out.alternate_float = descriptor.floating_point_mode == Descriptor::FloatingPointMode::ALTERNATE;
  out.rounding = static_cast<uint8_t>(descriptor.rounding_mode);
  out.keep_denorms = descriptor.denorm_mode == Descriptor::DenormMode::SETBYKERNEL;
  out.single_program_flow = descriptor.single_program_flow;
  const auto slm = static_cast<uint32_t>(descriptor.shared_local_memory_size);
  out.slm_bytes = slm ? 512u << std::min(slm, 7u) : 0;
  out.barrier = descriptor.barrier_enable;
  out.constant_offset = descriptor.constant_urb_entry_read_offset;
  out.cross_registers = std::min<uint32_t>(descriptor.cross_thread_constant_data_read_length, last_register);
  out.thread_registers = std::min<uint32_t>(descriptor.constant_urb_entry_read_length, last_register - out.cross_registers);
}

/// r0.1 has all three from Gen11 on, whose packets have a colour and no scoreboard (IGC, visa/BuildIRImpl.cpp, useNewR0Format()).
template <class G>
constexpr MediaPlaces media_places() {
  if constexpr (requires(typename G::MEDIA_OBJECT object) { object.block_color; })
    return {.y_shift = 12, .color_dword = 1, .color_shift = 24};
  return {};
}

/// G: the traits of a generation's packets.
template <class G>
class PacketDecoder final : public Decoder {
 public:
  WalkCommand walk(std::span<const uint32_t> packet) const override {
    const auto c = G::GPGPU_WALKER::unpack(packet);
    return {.predicated = c.predicate_enable,
            .end_in_registers = c.indirect_parameter_enable,
            .descriptor = c.interface_descriptor_offset,
            .channels = 8u << std::min(static_cast<unsigned>(c.simd_size), 2u),
            .width = c.thread_width_counter_maximum + 1,
            .height = c.thread_height_counter_maximum + 1,
            .depth = c.thread_depth_counter_maximum + 1,
            .first = {c.thread_group_id_starting_x, c.thread_group_id_starting_y, c.thread_group_id_starting_resume_z},
            .end = {c.thread_group_id_x_dimension, c.thread_group_id_y_dimension, c.thread_group_id_z_dimension},
            .right_mask = c.right_execution_mask,
            .bottom_mask = c.bottom_execution_mask,
            .indirect = {c.indirect_data_start_address, c.indirect_data_length}};
  }

  MediaWalkCommand media_walk(std::span<const uint32_t> packet) const override {
    constexpr size_t inline_data = 17;
    const auto c = G::MEDIA_OBJECT_WALKER::unpack(packet);
    return {.descriptor = c.interface_descriptor_offset,
            .indirect = {c.indirect_data_start_address, c.indirect_data_length},
            .inline_data = inline_from(packet, inline_data),
            .color_count_minus_one = c.color_count_minus_one,
            .middle_loop_extra_steps = c.middle_loop_extra_steps,
            .local_mid_loop_unit_y = c.local_mid_loop_unit_y,
            .mid_loop_unit_x = c.mid_loop_unit_x,
            .global_loop_exec_count = c.global_loop_exec_count,
            .local_loop_exec_count = c.local_loop_exec_count,
            .block_resolution_x = c.block_resolution_x,
            .block_resolution_y = c.block_resolution_y,
            .local_start_x = c.local_start_x,
            .local_start_y = c.local_start_y,
            .global_resolution_x = c.global_resolution_x,
            .global_resolution_y = c.global_resolution_y,
            .global_start_x = c.global_start_x,
            .global_start_y = c.global_start_y,
            .local_steps = {c.local_outer_loop_stride_x, c.local_outer_loop_stride_y, c.local_inner_loop_unit_x, c.local_inner_loop_unit_y},
            .global_steps = {c.global_outer_loop_stride_x, c.global_outer_loop_stride_y, c.global_inner_loop_unit_x,
                             c.global_inner_loop_unit_y}};
  }

  MediaObject media_object(defs::CommandId id, std::span<const uint32_t> packet) const override {
    if (id == defs::CommandId::MEDIA_OBJECT_PRT) {
      constexpr size_t inline_data = 4;
      const auto c = G::MEDIA_OBJECT_PRT::unpack(packet);
      if (c.children_present) unimplemented("media child threads");
      return {.descriptor = c.interface_descriptor_offset, .position = {}, .inline_data = inline_from(packet, inline_data), .indirect = {}};
    }
    if (id == defs::CommandId::MEDIA_OBJECT_GRPID) {
      constexpr size_t inline_data = 7;
      const auto c = G::MEDIA_OBJECT_GRPID::unpack(packet);
      unimplemented("MEDIA_OBJECT_GRPID", "threads of a group run alone: no barrier, no shared local memory");
      return {c.interface_descriptor_offset,
              position_of(c),
              inline_from(packet, inline_data),
              {c.indirect_data_start_address, c.indirect_data_length}};
    }
    constexpr size_t inline_data = 6;
    const auto c = G::MEDIA_OBJECT::unpack(packet);
    if (c.children_present) unimplemented("media child threads");
    return {c.interface_descriptor_offset,
            position_of(c),
            inline_from(packet, inline_data),
            {c.indirect_data_start_address, c.indirect_data_length}};
  }

  std::optional<KernelState> kernel(const StatePackets& state, EngineEnv& env, uint32_t index) const override {
    using Load = typename G::MEDIA_INTERFACE_DESCRIPTOR_LOAD;
    using Descriptor = typename G::INTERFACE_DESCRIPTOR_DATA;
    constexpr uint32_t size = Descriptor::dwords * 4;
    const auto load = Load::unpack(state.packet(Load::id));
    if ((uint64_t{index} + 1) * size > load.interface_descriptor_total_length) {
      guest_error("interface descriptor that was not loaded", "number {} of {} bytes", index, load.interface_descriptor_total_length);
      return std::nullopt;
    }
    KernelState out;
    out.bases = decode_bases<G>(state.packet(G::STATE_BASE_ADDRESS::id), state.packet(G::_3DSTATE_BINDING_TABLE_POOL_ALLOC::id));
    out.bases.decode_surface = surface::decode_surface<G>;
    out.places = media_places<G>();
    std::array<uint32_t, Descriptor::dwords> dwords;
    env.view.read(strip_canonical(out.bases.dynamic_state + load.interface_descriptor_data_start_address + uint64_t{index} * size),
                  dwords.data(), size);
    start(Descriptor::unpack(dwords), out);
    out.bases.binding_table <<= BindingTableForm<G>::shift(env.registers);
    const auto vfe = G::MEDIA_VFE_STATE::unpack(state.packet(G::MEDIA_VFE_STATE::id));
    out.max_threads = vfe.maximum_number_of_threads + 1;
    out.scratch_base = vfe.scratch_space_base_pointer;
    // A pointer of zero means that the client has no scratch space (iris leaves both fields 0 then).
    out.scratch_bytes = out.scratch_base || vfe.per_thread_scratch_space ? eu::scratch_bytes(vfe.per_thread_scratch_space) : 0;
    const auto curbe = G::MEDIA_CURBE_LOAD::unpack(state.packet(G::MEDIA_CURBE_LOAD::id));
    out.curbe_address = out.bases.dynamic_state + curbe.curbe_data_start_address, out.curbe_bytes = curbe.curbe_total_data_length;
    return out;
  }
};

}  // namespace

template <class G>
std::unique_ptr<const Decoder> make_decoder() {
  return std::make_unique<PacketDecoder<G>>();
}

template std::unique_ptr<const Decoder> make_decoder<defs::Gen9>();
template std::unique_ptr<const Decoder> make_decoder<defs::Gen11>();
template std::unique_ptr<const Decoder> make_decoder<defs::Gen12>();

}  // namespace softgen::gpgpu
