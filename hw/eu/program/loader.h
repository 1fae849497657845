// SPDX-License-Identifier: GPL-2.0-or-later
// What every unit that dispatches threads needs: programs from guest memory, the scratch fields of r0.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "hw/eu/program/program.h"
#include "hw/iface/message_target.h"
#include "hw/memory/view.h"

namespace softgen::eu {

/// Bytes of a "Per Thread Scratch Space" field: 1 KiB to 2 MiB (SKL PRM vol 2a, MEDIA_VFE_STATE, 3DSTATE_PS).
constexpr uint32_t scratch_bytes(uint32_t field) { return 1024u << (field < 11 ? field : 11); }

/// r0.3[3:0] (per thread scratch space), r0.5[31:10] (this thread's scratch space, from General State Base) and r0.5[9:0] (FFTID), which
/// messages to scratch space bring along as their header. `base` and `size` as in ThreadEnv; size 0: no scratch space.
void put_scratch(Grf& r0, uint64_t base, uint32_t size, uint32_t fftid);

/// Kernels of guest memory, decoded once. Any thread, one at a time.
class Loader {
 public:
  /// `fast_paths` of its programs; may be null.
  Loader(const Isa& isa, FastPaths* fast_paths) : isa_(isa), cache_(fast_paths) {}

  /// The program at `offset` from Instruction Base Address. Decoding a kernel of Program::max_bytes takes a while: when `stop` says that the
  /// work is dropped, the program is one that fails at once.
  std::shared_ptr<const Program> load(memory::View& view, const ShaderBases& bases, uint64_t offset, const StopFlag& stop);

 private:
  const Isa& isa_;
  ProgramCache cache_;
  Mutex mutex_;
  std::vector<std::byte> buffer_ SG_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, std::weak_ptr<const Program>> last_ SG_GUARDED_BY(mutex_);  ///< found at an address
};

}  // namespace softgen::eu
