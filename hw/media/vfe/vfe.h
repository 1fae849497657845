// SPDX-License-Identifier: GPL-2.0-or-later
// VFE, the front end of Ironlake's media pipeline on the render ring: MEDIA_OBJECT and MEDIA_OBJECT_EX become threads, by the mode that VFE_STATE has.
#pragma once

#include <array>
#include <memory>

#include "hw/eu/isa/isa.h"
#include "hw/media/vfe/mode.h"
#include "hw/media/vfe/threads.h"
#include "hw/media/vfe/vfe_packets.h"
#include "hw/render/ilk/media_pipeline.h"

namespace softgen::media::vfe {

class Vfe final : public render::ilk::MediaPipeline {
 public:
  /// `isa`: of kernels. `shared`: sampler and data ports. `fast_paths` of programs; null: none. All outlive it.
  Vfe(std::unique_ptr<const VfePackets> packets, const eu::Isa& isa, MessageTarget& shared, eu::FastPaths* fast_paths = nullptr);

  ExecResult execute(const Packet& packet, const render::ilk::MediaContext& context, EngineEnv& env) override;
  void reset() override { units_.entries.clear(); }

 private:
  const std::unique_ptr<const VfePackets> packets_;
  ThreadUnits units_;
  std::array<std::unique_ptr<ObjectMode>, static_cast<size_t>(Mode::reserved) + 1> modes_;
};

}  // namespace softgen::media::vfe
