// SPDX-License-Identifier: GPL-2.0-or-later
// Draws, walkers and media objects of the golden captures, straight into the render engine (no streamer), with some of their state changed: fields
// of packets, of structures in memory, bits of kernels, contents of buffers.
#include <cstdio>

#include "hw/base/log.h"
#include "hw/eu/program/thread.h"
#include "hw/gpgpu/gpgpu.h"
#include "hw/gt/parts.h"
#include "hw/gt/shared_functions.h"
#include "hw/mmio/register_file.h"
#include "hw/render/render_engine.h"
#include "tests/fuzz/liveness.h"
#include "tests/fuzz/scenes.h"
#include "tests/fuzz/surface_states.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::fuzz;
using defs::CommandId;

#ifndef FUZZ_PLATFORM
#define FUZZ_PLATFORM "kbl"
#define FUZZ_FOLDER ""
#endif

namespace {

class DrawTarget {
 public:
  DrawTarget() {
    quiet_log();
    for (const defs::Command& command : platform_.commands->commands)
      if (command.valid_on(defs::EngineClass::render) && std::string_view(command.name).starts_with("3DSTATE_") && command.dwords > 1)
        state_commands_.push_back(&command);
    view_.set_space(scenes_.all()[0].space);
  }

  void run(std::span<const uint8_t> bytes) {
    StateSource choice(bytes);
    const Scene& scene = choice.one_of(scenes_.all());
    StateSource in(bytes, *scene.addresses);
    in.take<uint16_t>();
    view_.set_space(scene.space);
    registers_.reset();
    if (scene.pooled && !in.one_in(16)) registers_.write(reg::GT_MODE, reg::field::GT_MODE_BINDING_TABLE_ALIGNMENT.mask() * 0x10001);
    engine_.reset_context();
    scene.state->save(image_);
    engine_.restore_context(image_);
    {
      LimitedRun limit(stop_);
      EngineEnv env{EngineId::rcs, view_, view_, registers_, stop_};
      for (unsigned n = changes(in); n; --n) change_packet(in, scene, env);
      for (unsigned n = changes(in); n; --n) change_memory(in, scene);
      small_rectangle(in, env);
      std::vector<uint32_t> packet = scene.packet;
      bound_work(in, *scene.action, packet);
      engine_.execute({0x1000, scene.action, packet}, env);
      if (DeferredWork* const work = engine_.deferred()) work->finish(env);
    }
    scenes_.memory().restore();
  }

 private:
  static unsigned changes(StateSource& in) {
    static constexpr uint8_t counts[] = {0, 0, 1, 1, 1, 2, 3, 8};
    return in.one_of(counts);
  }
  void change_packet(StateSource& in, const Scene& scene, EngineEnv& env) {
    const defs::Command& command = *in.one_of(state_commands_);
    const auto bound = scene.state->packet(command.id, 0);
    std::vector<uint32_t> packet(bound.begin(), bound.end());
    if (packet.size() < 2) packet.assign(std::max<size_t>(command.dwords, 2) + (command.variable ? in.below(16) : 0), 0);
    if (in.one_in(16)) in.fill(command, packet);
    else in.change(command, packet);
    StateSource::finish(command, packet);
    engine_.execute({0x1000, &command, packet}, env);
  }
  void change_memory(StateSource& in, const Scene& scene) {
    if (scene.places.empty() || in.one_in(6)) {
      // Contents: vertices, indices, constants, texels, commands.
      const uint64_t at = in.address() & ~uint64_t{3};
      for (unsigned n = 1 + in.below(16); n; --n)
        view_.store<uint32_t>(strip_canonical(at + in.below(64) * 4), in.one_in(2) ? in.float_bits() : in.take<uint32_t>());
      return;
    }
    const StatePlace& place = in.one_of(scene.places);
    std::vector<uint32_t> words(place.dwords);
    view_.read(place.address, words.data(), words.size() * 4);
    if (!place.structure) {
      const uint32_t bit = in.below(place.dwords * 32);
      if (in.one_in(4)) words[bit / 32] = in.take<uint32_t>();
      else words[bit / 32] ^= 1u << bit % 32;
    } else if (place.structure->dwords == 16 && in.one_in(3)) {
      const SurfaceState state = surface_state(in);
      std::ranges::copy(state, words.begin());
    } else {
      in.change(*place.structure, words);
    }
    view_.write(place.address, words.data(), words.size() * 4);
  }
  /// Few pixels, most often.
  void small_rectangle(StateSource& in, EngineEnv& env) {
    if (in.one_in(64)) return;
    static const defs::Command& command = *defs::find_platform(FUZZ_PLATFORM)->commands->find("3DSTATE_DRAWING_RECTANGLE");
    const uint32_t x = in.one_in(4) ? in.below(256) : 0, y = in.one_in(4) ? in.below(256) : 0;
    const uint32_t packet[] = {StateSource::header(command, 4), y << 16 | x, (y + 23) << 16 | (x + 23), 0};
    engine_.execute({0x1000, &command, packet}, env);
  }
  /// Few vertices and threads, most often; and one field changed, now and then.
  static void bound_work(StateSource& in, const defs::Command& command, std::vector<uint32_t>& packet) {
    if (command.id == CommandId::_3DPRIMITIVE && packet.size() >= 7) {
      packet[2] = std::min(packet[2], 48u), packet[4] = std::min(packet[4], 3u);
    } else if (command.id == CommandId::GPGPU_WALKER && packet.size() >= 15) {
      packet[7] = std::min(packet[7], packet[5] + 2), packet[10] = std::min(packet[10], packet[8] + 2),
      packet[12] = std::min(packet[12], packet[11] + 2);
    }
    if (!in.one_in(8)) return;
    const std::vector<uint32_t> before = packet;
    in.change(command, packet);
    StateSource::finish(command, packet);
    if (command.id == CommandId::_3DPRIMITIVE && !in.one_in(16)) packet[2] = before[2], packet[4] = before[4];
  }

  GuardedNowhere nowhere_;
  const defs::Platform& platform_ = *defs::find_platform(FUZZ_PLATFORM);
  const gt::Parts& parts_ = gt::parts_of(platform_);
  Scenes scenes_{FUZZ_CAPTURES FUZZ_FOLDER, platform_};
  memory::View view_{scenes_.memory(), nullptr};
  StopFlag stop_;
  mmio::RegisterFile registers_{*platform_.registers};
  gt::SharedFunctions functions_{parts_.sampler_state};
  gpgpu::Gpgpu gpgpu_{parts_.media_decoder(), parts_.isa(), nullptr, functions_};
  render::RenderEngine engine_{*platform_.commands, parts_.state_decoder(), parts_.isa(), nullptr, &functions_, &gpgpu_};
  std::vector<std::byte> image_ = std::vector<std::byte>(engine_.context_size());
  std::vector<const defs::Command*> state_commands_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static DrawTarget target;
  target.run({data, size});
  return 0;
}
