// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gpgpu/media.h"

#include <algorithm>
#include <cstring>

#include "hw/base/log.h"
#include "hw/eu/interp/run.h"
#include "hw/eu/program/work_counts.h"

namespace softgen::gpgpu {

void MediaThreads::set_data(std::span<const uint32_t> inline_data, uint64_t indirect_offset, uint32_t indirect_bytes) {
  inline_.assign((inline_data.size_bytes() + sizeof(Grf) - 1) / sizeof(Grf), Grf{});
  if (!inline_data.empty()) std::memcpy(inline_.data(), inline_data.data(), inline_data.size_bytes());
  if (indirect_bytes) indirect_ = read_constants(env_.view, kernel_.bases.indirect_object + indirect_offset, indirect_bytes);
}

ExecResult MediaThreads::run(Worker& worker, const MediaPosition& position) {
  eu::Thread& thread = worker.thread;
  thread.clear_registers();
  Grf& r0 = thread.grf(0);
  r0 = kernel_.header(0);
  const MediaPlaces& places = kernel_.places;
  r0.dw[1] = (position.x & 0xfff) | (position.y & 0xfff) << places.y_shift;
  r0.dw[places.color_dword] |= (position.color & 0xff) << places.color_shift;
  unsigned reg = Kernel::put(thread, 1, kernel_.curbe, kernel_.constant_offset, kernel_.thread_registers);
  reg = Kernel::put(thread, reg, inline_, 0, static_cast<uint32_t>(inline_.size()));
  Kernel::put(thread, reg, indirect_, 0, static_cast<uint32_t>(indirect_.size()));
  eu::ThreadStart start = kernel_.start;
  start.dispatch_mask = ~0u;  // media kernels have no channels of their own: every one is on
  thread.start(start);
  eu::count_threads(Work::cs_threads, *start.program, 1);
  ThreadEnv env{worker.view, kernel_.bases, env_.stop, {}, 0, kernel_.scratch_base, kernel_.scratch_size};
  switch (eu::run(thread, env, shared_)) {
    case eu::RunResult::aborted: return ExecResult::aborted;
    case eu::RunResult::blocked: guest_error("media thread that waits, but has no thread group"); return ExecResult::fault;
    default: return ExecResult::done;
  }
}

}  // namespace softgen::gpgpu
