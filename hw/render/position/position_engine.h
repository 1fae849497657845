// SPDX-License-Identifier: GPL-2.0-or-later
// The position-only pipe (ICL PRM vol 9, "POSH Pipeline Overview"): executes the packets of POCS. Vertices are fetched and shaded, objects
// clipped and set up, and what of them is seen is recorded; no pixel is drawn. Belongs to the thread that runs POCS's streamer.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "hw/base/worker_pool.h"
#include "hw/iface/engine.h"
#include "hw/render/kernel.h"
#include "hw/render/position/visibility_writer.h"
#include "hw/render/state_decoder.h"
#include "hw/render/state_store.h"
#include "hw/render/urb.h"
#include "hw/render/vertex_stage.h"

namespace softgen::render {

class PositionEngine : public Engine {
 public:
  /// As RenderEngine. `decoder`: its own. `pool`: whose threads render at the same time; scratch space of the engine's thread is behind theirs.
  /// `shared`: no other engine's, as caches that packets invalidate are not shared.
  PositionEngine(const defs::CommandSet& commands, std::unique_ptr<StateDecoder> decoder, const eu::Isa& isa, WorkerPool* pool = nullptr,
                 MessageTarget* shared = nullptr, eu::FastPaths* fast_paths = nullptr)
      : store_(commands), decoder_(std::move(decoder)), kernels_(isa, fast_paths), shared_(shared), slot_(slots_of(pool)) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override;
  ExecResult flush(const FlushRequest& request, EngineEnv& env) override;
  void place_packets(std::span<const defs::ContextPacket> places) override { store_.place(places); }
  void save_packets(std::span<uint32_t> page) override { store_.save_packets(page); }
  void restore_packet(const Packet& packet) override { store_.restore_packet(packet); }
  size_t context_size() const override { return store_.saved_size() + VisibilityWriter::saved_size; }
  void save_context(std::span<std::byte> image) override;
  void restore_context(std::span<const std::byte> image) override;
  void reset_context() override;

  const StateStore& state() const { return store_; }
  /// How long a draw is left alone before it is preempted; zero: no longer than a batch.
  void set_minimum_run(std::chrono::nanoseconds time) { minimum_run_ = time; }

 private:
  class Draw;
  void changed(defs::CommandId id, EngineEnv& env);
  void decode(EngineEnv& env);
  RecordPages pages(EngineEnv& env) const;
  ExecResult primitive(const Packet& packet, EngineEnv& env);
  void invalidate_textures();

  StateStore store_;
  std::unique_ptr<StateDecoder> decoder_;
  DrawState state_;
  VisibilityWriter writer_;
  KernelLoader kernels_;
  MessageTarget* shared_;
  const uint32_t slot_;
  Urb urb_;
  eu::Thread thread_;
  VertexScratch vertices_;
  std::chrono::nanoseconds minimum_run_ = std::chrono::milliseconds(20);  ///< as Drawer's
};

}  // namespace softgen::render
