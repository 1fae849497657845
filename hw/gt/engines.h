// SPDX-License-Identifier: GPL-2.0-or-later
// What executes the packets of a device's streamers: a part of the platform, made with the device.
#pragma once

#include <memory>

#include "hw/base/worker_pool.h"
#include "hw/defs/platform.h"
#include "hw/eu/jit/engine.h"
#include "hw/iface/engine.h"

namespace softgen::gt {

struct Parts;

/// What engines are made of; all of it outlives them.
struct EngineConfig {
  const defs::Platform& platform;
  const Parts& parts;
  eu::FastPaths& compiler;  ///< of the kernels that EUs run
  WorkerPool* pool;         ///< null: all on the streamers' threads
  bool preempt_always;      ///< gt::Config::preempt_always
};

class Engines {
 public:
  virtual ~Engines() = default;
  /// Null: packets of such an engine are not executed on this platform.
  virtual Engine* of(EngineId id) = 0;
  /// The state of the render engine's running context, by packets; null: the engine does not keep it so.
  virtual const StatePackets* render_state() const = 0;
};

using MakeEngines = std::unique_ptr<Engines> (*)(const EngineConfig& config);

}  // namespace softgen::gt
