// SPDX-License-Identifier: GPL-2.0-or-later
// The render engine: 3D, GPGPU and media commands of RCS.
//
// Threads: all of this folder belongs to the thread that runs the streamer, with no mutex. Between the begin and the end of WorkerPool::for_each() the
// pool's threads read the draw, which is constant then, and write what is one thread's alone: the memory of their slot, and the objects or the tile
// of the index they took. Only PixelCounts and StopFlag are shared, which are atomics.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "hw/iface/engine.h"
#include "hw/render/draw.h"
#include "hw/render/state_decoder.h"
#include "hw/render/state_store.h"

namespace softgen::render {

class RenderEngine : public Engine {
 public:
  /// `commands`: whose state is kept. `decoder`: of that state; null: 3D is not there. `isa`: of shaders. `pool` null: all on the streamer's thread. `shared`: what SENDs of shaders reach besides URB and
  /// render targets; null: none. `gpgpu`: executes what is not 3D; null: not executed. `fast_paths` of its kernels; null: none. All outlive the engine.
  RenderEngine(const defs::CommandSet& commands, std::unique_ptr<StateDecoder> decoder, const eu::Isa& isa, WorkerPool* pool = nullptr,
               MessageTarget* shared = nullptr, Pipeline* gpgpu = nullptr, eu::FastPaths* fast_paths = nullptr)
      : shared_(shared), gpgpu_(gpgpu), store_(commands), decoder_(std::move(decoder)), drawer_(isa, fast_paths, pool, shared) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override;
  ExecResult flush(const FlushRequest& request, EngineEnv& env) override;
  DeferredWork* deferred() override { return drawer_.deferred(); }
  void place_packets(std::span<const defs::ContextPacket> places) override { store_.place(places); }
  void save_packets(std::span<uint32_t> page) override { store_.save_packets(page); }
  void restore_packet(const Packet& packet) override { store_.restore_packet(packet); }
  size_t context_size() const override { return store_.saved_size(); }
  void save_context(std::span<std::byte> image) override { store_.save(image); }
  void restore_context(std::span<const std::byte> image) override {
    store_.restore(image);
    invalidate_textures();
    give_palettes();
  }
  void reset_context() override {
    store_.reset();
    invalidate_textures();
    give_palettes();
  }

  const StateStore& state() const { return store_; }

  /// How long a draw is left alone before it is preempted; zero: no longer than a tile.
  void set_minimum_run(std::chrono::nanoseconds time) { drawer_.minimum_run = time; }

 private:
  ExecResult primitive(const Packet& packet, EngineEnv& env);
  ExecResult changed(const Packet& packet, EngineEnv& env);
  void select_tile_pass(EngineEnv& env);
  ExecResult pass_marker(const Packet& packet, EngineEnv& env);
  void invalidate_textures();
  void give_palettes();

  MessageTarget* shared_;
  Pipeline* gpgpu_;
  StateStore store_;
  std::unique_ptr<StateDecoder> decoder_;
  DrawState state_;
  Drawer drawer_;
  bool palettes_given_ = false;  ///< others than zeros
};

}  // namespace softgen::render
