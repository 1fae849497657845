// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/render_engine.h"

#include "hw/base/log.h"
#include "hw/defs/command.h"

namespace softgen::render {

ExecResult RenderEngine::execute(const Packet& packet, EngineEnv&) {
  using defs::CommandId;
  if (state_.accept(packet)) return ExecResult::done;
  switch (packet.command->id) {
    case CommandId::STATE_PREFETCH:
    case CommandId::MEDIA_STATE_FLUSH: return ExecResult::done;  // every packet has finished before the next one starts
    default:
      unimplemented(packet.command->name, "at {:#x}: parsed, not executed", packet.address);
      return ExecResult::done;
  }
}

ExecResult RenderEngine::flush(const FlushRequest&, EngineEnv&) { return ExecResult::done; }

}  // namespace softgen::render
