// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel as KernelState describes it, ready to start threads of.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/eu/program/loader.h"
#include "hw/eu/program/thread.h"
#include "hw/gpgpu/decoder.h"
#include "hw/iface/engine.h"
#include "hw/iface/message_target.h"
#include "hw/memory/view.h"

namespace softgen::gpgpu {

/// Bytes of memory as registers, the last one filled up with zeros: at most 128 KiB, which is what the commands' lengths can say.
std::vector<Grf> read_constants(memory::View& view, uint64_t address, uint32_t bytes);

struct Kernel {
  std::shared_ptr<const eu::Program> program;
  ShaderBases bases;
  eu::ThreadStart start;
  uint64_t scratch_base = 0;
  uint32_t scratch_size = 0;  ///< bytes a thread; 0: none
  uint32_t max_threads = 1;   ///< that may run at the same time: FFTIDs, scratch spaces
  uint32_t slm_size = 0;      ///< bytes a group
  bool barrier = false;
  MediaPlaces places;
  uint32_t constant_offset = 0;  ///< registers in the CURBE that are left out
  /// Constants for all threads of a group alike come first, in memory and in the payload; of indirect data they come last in the payload (what
  /// IGC compiles for compute-runtime: local ids from r1 on, arguments after them).
  uint32_t cross_registers = 0;
  uint32_t thread_registers = 0;  ///< for each thread its own, after those; media threads: for all
  std::vector<Grf> curbe;

  /// r0 but for what the walker or command puts in: sampler and binding table pointers, scratch space.
  Grf header(uint32_t fftid) const;
  /// Registers from r`first` on, from `data` starting at its register `offset`. Returns the register after them.
  static unsigned put(eu::Thread& thread, unsigned first, const std::vector<Grf>& data, uint64_t offset, uint32_t count);
};

Kernel load_kernel(const KernelState& state, eu::Loader& loader, EngineEnv& env);

}  // namespace softgen::gpgpu
