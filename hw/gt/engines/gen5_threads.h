// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's EUs as the units of its 3D pipeline use them: one thread after the other, on the streamer's thread.
#pragma once

#include "hw/eu/program/loader.h"
#include "hw/eu/program/thread.h"
#include "hw/render/ilk/thread.h"

namespace softgen::gt {

class Gen5Threads final : public render::ilk::ThreadRunner {
 public:
  /// `shared`: answers what is not the unit's own; outlives this. `fast_paths` may be null.
  Gen5Threads(const eu::Isa& isa, eu::FastPaths* fast_paths, MessageTarget& shared) : loader_(isa, fast_paths), shared_(shared) {}

  render::ilk::ThreadEnd run(const render::ilk::ThreadJob& job, render::ilk::UnitMessages& messages, EngineEnv& env) override;

 private:
  eu::Loader loader_;
  eu::Thread thread_;
  MessageTarget& shared_;
};

}  // namespace softgen::gt
