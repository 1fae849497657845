// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 2a (MEDIA_VFE_STATE, MEDIA_CURBE_LOAD, MEDIA_INTERFACE_DESCRIPTOR_LOAD), vol 2d (INTERFACE_DESCRIPTOR_DATA), vol 7 ("Media
// GPGPU Pipeline", thread payloads); Mesa iris_state.c (iris_upload_gpgpu_walker).
#include "hw/gpgpu/kernel.h"

#include <algorithm>
#include <array>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen9/common.h"
#include "hw/defs/gen9/gpgpu.h"
#include "hw/defs/ids.h"

namespace softgen::gpgpu {

namespace gen9 = defs::gen9;

namespace {

constexpr uint32_t register_bytes = sizeof(Grf), last_register = 127;

void load_vfe(const gen9::MEDIA_VFE_STATE& vfe, Kernel& kernel) {
  kernel.max_threads = vfe.maximum_number_of_threads + 1;
  kernel.scratch_base = vfe.scratch_space_base_pointer;
  // A pointer of zero means that the client has no scratch space (iris leaves both fields 0 then).
  kernel.scratch_size = kernel.scratch_base || vfe.per_thread_scratch_space ? eu::scratch_bytes(vfe.per_thread_scratch_space) : 0;
}

void load_descriptor(const gen9::INTERFACE_DESCRIPTOR_DATA& descriptor, Kernel& kernel) {
  kernel.bases.sampler_state = descriptor.sampler_state_pointer;
  kernel.bases.binding_table = descriptor.binding_table_pointer;
  kernel.start.alt_mode = static_cast<uint32_t>(descriptor.floating_point_mode) == 1;
  kernel.start.rounding = static_cast<uint8_t>(descriptor.rounding_mode);
  kernel.start.keep_denorms = static_cast<uint32_t>(descriptor.denorm_mode) == 1;
  kernel.start.single_program_flow = descriptor.single_program_flow;
  const auto slm = static_cast<uint32_t>(descriptor.shared_local_memory_size);
  kernel.slm_size = slm ? 512u << std::min(slm, 7u) : 0;
  kernel.barrier = descriptor.barrier_enable;
  kernel.constant_offset = descriptor.constant_urb_entry_read_offset;
  kernel.cross_registers = std::min<uint32_t>(descriptor.cross_thread_constant_data_read_length, last_register);
  kernel.thread_registers = std::min<uint32_t>(descriptor.constant_urb_entry_read_length, last_register - kernel.cross_registers);
}

}  // namespace

std::vector<Grf> read_constants(memory::View& view, uint64_t address, uint32_t bytes) {
  bytes = std::min(bytes, 128u << 10);
  std::vector<Grf> data((bytes + register_bytes - 1) / register_bytes);
  view.read(strip_canonical(address), data.data(), bytes);
  return data;
}

Grf Kernel::header(uint32_t fftid) const {
  Grf r0{};
  r0.dw[3] = bases.sampler_state;
  r0.dw[4] = bases.binding_table;
  eu::put_scratch(r0, scratch_base, scratch_size, fftid);
  return r0;
}

unsigned Kernel::put(eu::Thread& thread, unsigned first, const std::vector<Grf>& data, uint64_t offset, uint32_t count) {
  if (!count) return first;
  count = std::min(count, last_register + 1 - std::min(first, last_register + 1));
  const uint64_t size = data.size(), there = offset < size ? std::min<uint64_t>(count, size - offset) : 0;
  Grf* const to = thread.regs.grf + first;
  const Grf* const from = data.data() + (there ? offset : 0);
  // They are few: calls would cost more.
  for (uint64_t i = 0; i < there; ++i) to[i] = from[i];
  if (there < count) std::fill_n(to + there, count - there, Grf{});
  return first + count;
}

std::optional<Kernel> load_kernel(const StatePackets& state, eu::Loader& loader, EngineEnv& env, uint32_t index) {
  memory::View& view = env.view;
  using defs::CommandId;
  const auto load = gen9::MEDIA_INTERFACE_DESCRIPTOR_LOAD::unpack(state.packet(CommandId::MEDIA_INTERFACE_DESCRIPTOR_LOAD));
  constexpr uint32_t size = gen9::INTERFACE_DESCRIPTOR_DATA::dwords * 4;
  if ((uint64_t{index} + 1) * size > load.interface_descriptor_total_length) {
    guest_error("interface descriptor that was not loaded", "number {} of {} bytes", index, load.interface_descriptor_total_length);
    return std::nullopt;
  }
  Kernel kernel;
  kernel.bases = eu::decode_bases(state.packet(CommandId::STATE_BASE_ADDRESS));
  std::array<uint32_t, gen9::INTERFACE_DESCRIPTOR_DATA::dwords> dwords;
  view.read(strip_canonical(kernel.bases.dynamic_state + load.interface_descriptor_data_start_address + uint64_t{index} * size), dwords.data(), size);
  const auto descriptor = gen9::INTERFACE_DESCRIPTOR_DATA::unpack(dwords);
  load_vfe(gen9::MEDIA_VFE_STATE::unpack(state.packet(CommandId::MEDIA_VFE_STATE)), kernel);
  load_descriptor(descriptor, kernel);
  const auto curbe = gen9::MEDIA_CURBE_LOAD::unpack(state.packet(CommandId::MEDIA_CURBE_LOAD));
  kernel.curbe = read_constants(view, kernel.bases.dynamic_state + curbe.curbe_data_start_address, curbe.curbe_total_data_length);
  kernel.program = loader.load(view, kernel.bases, descriptor.kernel_start_pointer, env.stop);
  kernel.start.program = kernel.program.get();
  return kernel;
}

}  // namespace softgen::gpgpu
