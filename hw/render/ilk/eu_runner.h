// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the kernels of Ironlake's units on its EU.
#pragma once

#include "hw/eu/program/loader.h"
#include "hw/render/ilk/thread.h"

namespace softgen::render::ilk {

class EuRunner final : public ThreadRunner {
 public:
  /// `shared`: sampler and data ports; null: not there. `fast_paths` of programs; null: none. All outlive it.
  explicit EuRunner(const eu::Isa& isa, MessageTarget* shared = nullptr, eu::FastPaths* fast_paths = nullptr)
      : shared_(shared), loader_(isa, fast_paths) {}

  ThreadEnd run(const ThreadJob& job, UnitMessages& messages, EngineEnv& env) override;

 private:
  MessageTarget* shared_;
  eu::Loader loader_;
};

}  // namespace softgen::render::ilk
