// SPDX-License-Identifier: GPL-2.0-or-later
// The GPGPU and media pipeline of the render engine: its commands that start threads. Their state is kept by the front (StatePackets).
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "hw/gpgpu/media.h"
#include "hw/gpgpu/walker.h"

namespace softgen::gpgpu {

class Gpgpu : public Pipeline {
 public:
  /// `decoder`: of packets; null: the pipeline is not there. `isa`: of kernels. `pool` null: all on the streamer's thread. `shared`: sampler, data ports, ….
  /// The others outlive it.
  Gpgpu(std::unique_ptr<const Decoder> decoder, const eu::Isa& isa, WorkerPool* pool, MessageTarget& shared,
        eu::FastPaths* fast_paths = nullptr)
      : decoder_(std::move(decoder)), workers_(pool), shared_(shared), loader_(isa, fast_paths) {}

  ExecResult execute(const Packet& packet, StatePackets& state, EngineEnv& env) override;

 private:
  ExecResult start(const Packet& packet, StatePackets& state, EngineEnv& env);
  ExecResult walk(const Packet& packet, StatePackets& state, EngineEnv& env);
  /// Threads of one kernel, one after the other: `threads(run)` calls run(position) for each.
  ExecResult media(const MediaObject& object, const StatePackets& state, EngineEnv& env,
                   const std::function<ExecResult(const std::function<ExecResult(const MediaPosition&)>&)>& threads);
  ExecResult media_object(const MediaObject& object, const StatePackets& state, EngineEnv& env);
  ExecResult media_walker(const Packet& packet, StatePackets& state, EngineEnv& env);

  std::unique_ptr<const Decoder> decoder_;
  Workers workers_;
  MessageTarget& shared_;
  eu::Loader loader_;
};

}  // namespace softgen::gpgpu
