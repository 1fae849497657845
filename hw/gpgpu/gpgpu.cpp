// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gpgpu/gpgpu.h"

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/defs/command.h"
#include "hw/defs/ids.h"
#include "hw/mmio/register_file.h"

namespace softgen::gpgpu {

using defs::CommandId;
namespace {

/// Of StatePackets::progress(): where a preempted walk resumes.
constexpr size_t next_group = 0, visited_threads = 0;

}  // namespace

ExecResult Gpgpu::walk(const Packet& packet, StatePackets& state, EngineEnv& env) {
  const WalkCommand command = decoder_->walk(packet.dwords);
  if (command.predicated && !env.predicate) return ExecResult::done;
  const auto kernel = decoder_->kernel(state, env, command.descriptor);
  if (!kernel) return ExecResult::done;
  Walk walk(command, load_kernel(*kernel, loader_, env), shared_, env);
  const ExecResult result = walk.run(workers_, state.resumes(packet) ? state.progress()[next_group] : 0);
  state.progress()[next_group] = walk.next();
  state.keep_progress(packet, result == ExecResult::preempted);
  env.registers.add64(reg::GPGPU_THREADS_DISPATCHED(0), walk.invocations());
  return result;
}

ExecResult Gpgpu::media(const MediaObject& object, const StatePackets& state, EngineEnv& env,
                        const std::function<ExecResult(const std::function<ExecResult(const MediaPosition&)>&)>& threads) {
  const auto kernel = decoder_->kernel(state, env, object.descriptor);
  if (!kernel) return ExecResult::done;
  MediaThreads media(load_kernel(*kernel, loader_, env), shared_, env);
  media.set_data(object.inline_data, object.indirect.offset, object.indirect.bytes);
  ExecResult result = ExecResult::done;
  workers_.run(env.view, 1, [&](Worker& worker, unsigned) {
    result = threads([&](const MediaPosition& position) { return media.run(worker, position); });
  });
  return result;
}

ExecResult Gpgpu::media_object(const MediaObject& object, const StatePackets& state, EngineEnv& env) {
  return media(object, state, env, [&](const auto& run) { return run(object.position); });
}

ExecResult Gpgpu::media_walker(const Packet& packet, StatePackets& state, EngineEnv& env) {
  const MediaWalkCommand command = decoder_->media_walk(packet.dwords);
  const MediaObject object{command.descriptor, {}, command.inline_data, command.indirect};
  uint64_t visited = state.resumes(packet) ? state.progress()[visited_threads] : 0;
  const ExecResult result = media(object, state, env, [&](const auto& run) { return MediaWalk(command).run(env.stop, visited, run); });
  state.progress()[visited_threads] = visited;
  state.keep_progress(packet, result == ExecResult::preempted);
  return result;
}

ExecResult Gpgpu::execute(const Packet& packet, StatePackets& state, EngineEnv& env) {
  const StageClock clock(TimedStage::compute);
  const ExecResult result = start(packet, state, env);
  count_work(Work::walkers, result != ExecResult::preempted);
  return result;
}

ExecResult Gpgpu::start(const Packet& packet, StatePackets& state, EngineEnv& env) {
  if (!decoder_) {
    unimplemented(packet.command->name, "at {:#x}: its packets have no decoder", packet.address);
    return ExecResult::done;
  }
  switch (packet.command->id) {
    case CommandId::GPGPU_WALKER: return walk(packet, state, env);
    case CommandId::MEDIA_OBJECT_WALKER: return media_walker(packet, state, env);
    case CommandId::MEDIA_OBJECT:
    case CommandId::MEDIA_OBJECT_PRT:
    case CommandId::MEDIA_OBJECT_GRPID: return media_object(decoder_->media_object(packet.command->id, packet.dwords), state, env);
    default: return ExecResult::done;
  }
}

}  // namespace softgen::gpgpu
