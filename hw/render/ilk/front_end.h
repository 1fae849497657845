// SPDX-License-Identifier: GPL-2.0-or-later
// A draw from its vertices to the objects that setup takes: vertex fetch, VS threads, GS threads, the clipper and its threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hw/render/ilk/hosts.h"
#include "hw/render/ilk/payload.h"
#include "hw/render/ilk/stage_object.h"
#include "hw/render/ilk/state.h"
#include "hw/render/ilk/thread.h"
#include "hw/render/ilk/urb.h"
#include "hw/render/vertex_fetch.h"

namespace softgen::render::ilk {

/// How far a draw has come. One that is preempted begins again there: what comes before is assembled, but neither shaded nor drawn once more.
struct DrawProgress {
  uint64_t batches = 0;  ///< of vertices, all of whose objects are drawn
  uint64_t objects = 0;  ///< that are drawn of the next batch: those of whole lists
  uint64_t tiles = 0;    ///< that are drawn of the next list
};

/// What the units of a draw share.
struct DrawContext {
  const State& state;
  EngineEnv& env;
  ThreadRunner& runner;
  Urb& urb;
  Constants constants;
  DrawProgress& progress;
  bool& preempted;   ///< the draw stands at `progress`
  uint64_t number;   ///< of the draw: ThreadJob::draw
  DrawHosts& hosts;  ///< that see what `env.view` sees

  bool stopped() const { return preempted || env.stop.aborting(); }
  bool asked_to_stop() const { return env.stop.reasons() & (StopFlag::preempt | StopFlag::pause | StopFlag::dropping); }
};

/// For the statistics registers.
struct FrontCounts {
  uint64_t vertices = 0, primitives = 0, vs = 0, gs = 0, gs_primitives = 0, clipped = 0, clip_primitives = 0;
};

/// Objects of a list, which are drawn together.
constexpr size_t objects_per_list = 1024;

class VertexShading;

class FrontEnd {
 public:
  /// `next` gets the objects that are not drawn yet, in order; `draw_list` draws those that it has got since the last call, from tile
  /// `progress.tiles` on; where it stops, it says so in the context. All outlive it.
  FrontEnd(const DrawContext& context, ObjectSink next, std::function<void()> draw_list);

  ~FrontEnd();
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;

  /// False: the draw is dropped, as the stop flag says, or preempted.
  bool draw(const Primitive& primitive);
  const FrontCounts& counts() const { return counts_; }

 private:
  static constexpr size_t batch_vertices = 1024;

  void assembled(const Object& object);
  void flush();
  void shade();
  Vue shaded(uint32_t slot) const;
  void shade_geometry(const StageObject& object);
  void clip(const StageObject& object);
  void clip_thread(const StageObject& object, uint32_t header);
  ThreadEnd run(Unit unit, const ThreadUnit& state, uint32_t dispatch_mask, UnitMessages& messages);
  void emit(const StageObject& object);
  void end_list();
  void stop_if_asked();
  bool stopped() const { return stopped_ || context_.stopped(); }

  const DrawContext& context_;
  const ObjectSink next_;
  const std::function<void()> draw_list_;
  UrbEntries vs_entries_, gs_entries_, clip_entries_;
  std::optional<VertexFetch> fetch_;
  std::unique_ptr<VertexShading> vertices_;
  Topology topology_{};
  uint32_t instance_ = 0;
  uint64_t batch_number_ = 0, object_number_ = 0;  ///< object: of the batch
  size_t listed_ = 0;                              ///< objects that next_ has got
  bool stopped_ = false;
  Payload payload_;
  FrontCounts counts_;
  struct {
    std::vector<Object> objects;                   ///< whose vertices are slots
    std::unordered_map<uint32_t, uint32_t> slots;  ///< by vertex index
    std::vector<VertexName> names;                 ///< of slots
    std::vector<uint32_t> shaded;                  ///< their entries, one after the other
  } batch_;
};

}  // namespace softgen::render::ilk
