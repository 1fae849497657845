// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vfe/vfe.h"

#include <utility>

#include "hw/base/log.h"
#include "hw/media/vfe/avc_it_mode.h"
#include "hw/media/vfe/vld_mode.h"

namespace softgen::media::vfe {

Vfe::Vfe(std::unique_ptr<const VfePackets> packets, const eu::Isa& isa, MessageTarget& shared, eu::FastPaths* fast_paths)
    : packets_(std::move(packets)),
      units_{.packets = *packets_, .shared = shared, .loader = eu::Loader(isa, fast_paths), .entries = {}, .threads = {}} {
  modes_[static_cast<size_t>(Mode::avc_it)] = std::make_unique<AvcItMode>(*packets_);
  modes_[static_cast<size_t>(Mode::generic)] = std::make_unique<GenericMode>();
  modes_[static_cast<size_t>(Mode::vld)] = std::make_unique<VldMode>(*packets_);
}

ExecResult Vfe::execute(const Packet& packet, const render::ilk::MediaContext& context, EngineEnv& env) {
  const VfeState state = packets_->state(context.state, context.bases, env.state_view());
  ObjectMode* const mode = modes_[static_cast<size_t>(state.mode)].get();
  if (!mode) {
    if (state.mode == Mode::reserved) guest_error("VFE_STATE with a reserved mode");
    else unimplemented("Ironlake: a mode of VFE", "mode {}", static_cast<unsigned>(state.mode));
    return ExecResult::done;
  }
  const MediaObject object = packets_->object(packet, context.bases);
  RootThreads threads(units_, state, context, env);
  return mode->execute({packet, object, state, context.state, threads, env});
}

}  // namespace softgen::media::vfe
