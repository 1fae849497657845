// SPDX-License-Identifier: GPL-2.0-or-later
// Root threads of the media pipeline. A mode of VFE describes a thread (ThreadRequest); RootThreads builds its payload and runs it.
//
// Payload (intel-vaapi-driver's kernels: shaders/mpeg2/vld, shaders/post_processing/gen5_6/Common/common.inc, shaders/h264/ildb):
//   r0      .0 URB handle, .2 interface descriptor, .3 sampler states and scratch size, .4 binding table, .5 scratch space and FFTID, .6 thread's number
//   r1...   constants: what the descriptor names of the CS unit's entry
//   then    inline data, then indirect data or, in other modes than generic, the data that the mode derives from it
#pragma once

#include <span>

#include "hw/media/vfe/kernels.h"

namespace softgen::media::vfe {

struct ThreadRequest {
  unsigned descriptor = 0;
  std::span<const Grf> inline_data, data;
};

/// Starts threads for one packet. Each runs to its end on the calling host thread, together with the threads that it starts (ThreadFamily), before the next
/// request is taken. So no thread ever has to wait for the scoreboard.
class RootThreads {
 public:
  RootThreads(ThreadUnits& units, const VfeState& state, const render::ilk::MediaContext& context, EngineEnv& env);

  ExecResult start(const ThreadRequest& request);

 private:
  /// Returns the number of registers.
  unsigned put_payload(const ThreadRequest& request, const Kernel& kernel, uint32_t handle);

  ThreadUnits& units_;
  const VfeState& state_;
  const render::ilk::MediaContext& context_;
  EngineEnv& env_;
  Kernels kernels_;
};

}  // namespace softgen::media::vfe
