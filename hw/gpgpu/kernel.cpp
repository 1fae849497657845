// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Media GPGPU Pipeline", thread payloads.
#include "hw/gpgpu/kernel.h"

#include <algorithm>

#include "hw/base/bits.h"

namespace softgen::gpgpu {

namespace {

constexpr uint32_t register_bytes = sizeof(Grf), last_register = 127;

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

Kernel load_kernel(const KernelState& state, eu::Loader& loader, EngineEnv& env) {
  Kernel kernel;
  kernel.bases = state.bases;
  kernel.start.alt_mode = state.alternate_float;
  kernel.start.rounding = state.rounding;
  kernel.start.keep_denorms = state.keep_denorms;
  kernel.start.single_program_flow = state.single_program_flow;
  kernel.scratch_base = state.scratch_base, kernel.scratch_size = state.scratch_bytes;
  kernel.max_threads = state.max_threads;
  kernel.slm_size = state.slm_bytes;
  kernel.barrier = state.barrier;
  kernel.places = state.places;
  kernel.constant_offset = state.constant_offset;
  kernel.cross_registers = state.cross_registers, kernel.thread_registers = state.thread_registers;
  kernel.curbe = read_constants(env.view, state.curbe_address, state.curbe_bytes);
  kernel.program = loader.load(env.view, kernel.bases, state.kernel, env.stop);
  kernel.start.program = kernel.program.get();
  return kernel;
}

}  // namespace softgen::gpgpu
