// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gpgpu/gpgpu.h"

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/defs/command.h"
#include "hw/defs/ids.h"
#include "hw/mmio/register_file.h"

namespace softgen::gpgpu {

namespace gen9 = defs::gen9;
using defs::CommandId;
namespace {

/// Of StatePackets::progress(): where a preempted walk goes on.
constexpr size_t next_group = 0, visited_threads = 0;

/// Inline data from dword `first` on.
std::span<const uint32_t> behind(const Packet& packet, size_t first) {
  return packet.dwords.size() > first ? packet.dwords.subspan(first) : std::span<const uint32_t>();
}

}  // namespace

ExecResult Gpgpu::walk(const Packet& packet, StatePackets& state, EngineEnv& env) {
  const auto command = gen9::GPGPU_WALKER::unpack(packet.dwords);
  if (command.predicate_enable && !env.predicate) return ExecResult::done;
  auto kernel = load_kernel(state, loader_, env, command.interface_descriptor_offset);
  if (!kernel) return ExecResult::done;
  Walk walk(command, std::move(*kernel), shared_, env);
  const ExecResult result = walk.run(workers_, state.resumes(packet) ? state.progress()[next_group] : 0);
  state.progress()[next_group] = walk.next();
  state.keep_progress(packet, result == ExecResult::preempted);
  const uint32_t counter = reg::GPGPU_THREADS_DISPATCHED(0);
  env.registers.poke64(counter, env.registers.peek64(counter) + walk.invocations());
  return result;
}

ExecResult Gpgpu::media(const MediaObject& object, const StatePackets& state, EngineEnv& env,
                        const std::function<ExecResult(const std::function<ExecResult(const MediaPosition&)>&)>& threads) {
  auto kernel = load_kernel(state, loader_, env, object.descriptor);
  if (!kernel) return ExecResult::done;
  MediaThreads media(std::move(*kernel), shared_, env);
  media.set_data(object.inline_data, object.indirect_offset, object.indirect_bytes);
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
  const auto command = gen9::MEDIA_OBJECT_WALKER::unpack(packet.dwords);
  MediaObject object;
  object.descriptor = command.interface_descriptor_offset;
  object.inline_data = behind(packet, 17);
  object.indirect_offset = command.indirect_data_start_address;
  object.indirect_bytes = command.indirect_data_length;
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
  MediaObject object;
  switch (packet.command->id) {
    case CommandId::GPGPU_WALKER: return walk(packet, state, env);
    case CommandId::MEDIA_OBJECT_WALKER: return media_walker(packet, state, env);
    case CommandId::MEDIA_OBJECT: {
      const auto command = gen9::MEDIA_OBJECT::unpack(packet.dwords);
      if (command.children_present) unimplemented("media child threads");
      object = {command.interface_descriptor_offset, {command.scoreboard_x, command.scoredboard_y, command.scoreboard_color},
                behind(packet, 6), command.indirect_data_start_address, command.indirect_data_length};
      return media_object(object, state, env);
    }
    case CommandId::MEDIA_OBJECT_PRT: {
      const auto command = gen9::MEDIA_OBJECT_PRT::unpack(packet.dwords);
      if (command.children_present) unimplemented("media child threads");
      object.descriptor = command.interface_descriptor_offset;
      object.inline_data = behind(packet, 4);
      return media_object(object, state, env);
    }
    case CommandId::MEDIA_OBJECT_GRPID: {
      const auto command = gen9::MEDIA_OBJECT_GRPID::unpack(packet.dwords);
      unimplemented("MEDIA_OBJECT_GRPID", "threads of a group run alone: no barrier, no shared local memory");
      object = {command.interface_descriptor_offset, {command.scoreboard_x, command.scoreboard_y, command.scoreboard_color},
                behind(packet, 7), command.indirect_data_start_address, command.indirect_data_length};
      return media_object(object, state, env);
    }
    default: return ExecResult::done;
  }
}

}  // namespace softgen::gpgpu
