// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the kernels of Ironlake's units on its EU.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/eu/program/loader.h"
#include "hw/render/ilk/thread.h"

namespace softgen::render::ilk {

class EuRunner final : public ThreadRunner {
 public:
  /// `shared`: sampler and data ports; null: not there. `fast_paths` of programs; null: none. All outlive it.
  explicit EuRunner(const eu::Isa& isa, MessageTarget* shared = nullptr, eu::FastPaths* fast_paths = nullptr)
      : shared_(shared), loader_(isa, fast_paths) {}

  ThreadEnd run(const ThreadJob& job, UnitMessages& messages, EngineEnv& env) override;
  bool sends_one_color(const ThreadJob& job, unsigned first, EngineEnv& env) override;

 private:
  using Program = std::shared_ptr<const eu::Program>;
  /// The program of a job's kernel, which stays as long as its draw.
  const eu::Program* program(const ThreadJob& job, EngineEnv& env);

  MessageTarget* shared_;
  eu::Loader loader_;
  Mutex mutex_;
  uint64_t draw_ SG_GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<uint32_t, Program>> programs_ SG_GUARDED_BY(mutex_);  ///< by kernel offset: those of the draw's units
};

}  // namespace softgen::render::ilk
