// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/ilk/front_end.h"

#include <algorithm>

#include "hw/render/ilk/clip_test.h"
#include "hw/render/ilk/vertex_shading.h"

namespace softgen::render::ilk {
namespace {

constexpr uint32_t single_mask = 0x0f;  // GS and CLIP threads

/// Dword 2 of a CLIP thread's r0: of a polygon's triangle also whether its first and its last side are edges (Mesa brw_clip_unfilled.c, merge_edgeflags).
uint32_t clip_header(const StageObject& object, const ClipDecision& decision) {
  constexpr unsigned planes = 26, user_flags = 14, first_edge = 8, last_edge = 9;
  uint32_t edges = 0;
  if (object.topology == Topology::polygon) edges = (object.object.edges & 1u) << first_edge | (object.object.edges >> 2 & 1u) << last_edge;
  return uint32_t{decision.clip} << planes | uint32_t{decision.user} << user_flags | edges | static_cast<uint32_t>(object.topology);
}

DrawCall draw_call(const Primitive& p) {
  return {.topology = p.topology,
          .indexed = p.indexed,
          .vertex_count = p.vertex_count,
          .start_vertex = p.start_vertex,
          .instance_count = p.instance_count,
          .start_instance = p.start_instance,
          .base_vertex = p.base_vertex};
}

/// Quads are objects of the GS alone: without it they are triangles.
class QuadAssembler {
 public:
  QuadAssembler(bool strip, Assembler::Emit emit) : strip_(strip), emit_(std::move(emit)) {}
  void vertex(uint32_t v) {
    window_[count_++] = v;
    if (count_ < 4) return;
    // A strip's quads go round: of Mesa's brw_compile_ff_gs.c, whose polygon takes vertices 2, 3, 0, 1 with the strip's last one first.
    Object object{};
    object.vertices[0] = window_[0], object.vertices[1] = window_[1];
    object.vertices[2] = window_[strip_ ? 3 : 2], object.vertices[3] = window_[strip_ ? 2 : 3];
    object.count = 4, object.edges = 7;
    emit_(object);
    count_ = strip_ ? 2 : 0;
    if (strip_) window_[0] = window_[2], window_[1] = window_[3];
  }
  void cut() { count_ = 0; }

 private:
  bool strip_;
  Assembler::Emit emit_;
  std::array<uint32_t, 4> window_{};
  unsigned count_ = 0;
};

/// Feeds the indices of one instance. False: it was stopped.
template <typename To, typename Stopped>
bool feed(VertexFetch& fetch, uint32_t count, To& to, Stopped&& stopped) {
  for (uint32_t n = 0; n < count; ++n) {
    if (n % 64 == 0 && stopped()) return false;
    const uint64_t index = fetch.index(n);
    if (index == VertexFetch::cut) to.cut();
    else to.vertex(static_cast<uint32_t>(index));
  }
  to.cut();
  return !stopped();
}

}  // namespace

FrontEnd::FrontEnd(const DrawContext& context, ObjectSink next, std::function<void()> draw_list)
    : context_(context),
      next_(std::move(next)),
      draw_list_(std::move(draw_list)),
      vs_entries_(context.state.urb.vs, context.state.vs, 2, "VS"),
      gs_entries_(context.state.gs.enable ? UrbEntries(context.state.urb.gs, context.state.gs, 1, "GS")
                                          : UrbEntries({}, ThreadUnit{}, 0, "GS")),
      clip_entries_(context.state.clip.enable ? UrbEntries(context.state.urb.clip, context.state.clip, 1, "CLIP")
                                              : UrbEntries({}, ThreadUnit{}, 0, "CLIP")) {}

FrontEnd::~FrontEnd() = default;

bool FrontEnd::draw(const Primitive& primitive) {
  if (vs_entries_.count() == 0) return true;
  topology_ = primitive.topology;
  fetch_.emplace(context_.state.draw, context_.env.vertex_view(), draw_call(primitive));
  vertices_ = std::make_unique<VertexShading>(context_, vs_entries_, *fetch_);
  const auto emit = [this](const Object& object) { assembled(object); };
  const auto ended = [this] { return stopped(); };
  const bool quads = context_.state.gs.enable && (topology_ == Topology::quad_list || topology_ == Topology::quad_strip);
  for (instance_ = 0; instance_ < primitive.instance_count; ++instance_) {
    bool done;
    if (quads) {
      QuadAssembler assembler(topology_ == Topology::quad_strip, emit);
      done = feed(*fetch_, primitive.vertex_count, assembler, ended);
    } else {
      Assembler assembler(topology_, context_.state.draw.raster.provoking, emit);
      done = feed(*fetch_, primitive.vertex_count, assembler, ended);
    }
    counts_.vertices += primitive.vertex_count;
    flush();
    if (!done || stopped()) return false;
  }
  return true;
}

void FrontEnd::assembled(const Object& object) {
  Object kept = object;
  for (unsigned i = 0; i < object.count; ++i) {
    const auto [at, fresh] = batch_.slots.try_emplace(object.vertices[i], static_cast<uint32_t>(batch_.names.size()));
    if (fresh) batch_.names.push_back({object.vertices[i], instance_});
    kept.vertices[i] = at->second;
  }
  batch_.objects.push_back(kept);
  ++counts_.primitives;
  if (batch_.names.size() >= batch_vertices || batch_.objects.size() >= objects_per_batch) flush();
}

void FrontEnd::flush() {
  const bool drawn = batch_number_++ < context_.progress.batches;
  const FrontCounts before = counts_;
  object_number_ = 0;
  if (!drawn && !stopped()) shade();
  for (const Object& object : batch_.objects) {
    if (drawn) break;
    if (stopped()) break;
    StageObject one = stage_object(topology_, object, [this](uint32_t slot) { return shaded(slot); });
    if (context_.state.gs.enable) shade_geometry(one);
    else clip(one);
  }
  if (!drawn) {
    end_list();
    if (context_.preempted) counts_ = before;  // the batch is shaded again
    if (!stopped()) context_.progress = {.batches = batch_number_};
    stop_if_asked();
  }
  batch_.objects.clear(), batch_.slots.clear(), batch_.names.clear();
}

void FrontEnd::emit(const StageObject& object) {
  if (object_number_++ < context_.progress.objects || stopped()) return;
  next_(object);
  if (++listed_ < objects_per_list) return;
  end_list();
  stop_if_asked();
}

void FrontEnd::end_list() {
  listed_ = 0;
  if (stopped()) return;
  draw_list_();
  if (!stopped()) context_.progress.objects = object_number_, context_.progress.tiles = 0;
}

/// At the end of a list or batch, so that each part of a draw gets on.
void FrontEnd::stop_if_asked() {
  if (!stopped() && context_.asked_to_stop()) context_.preempted = true;
}

Vue FrontEnd::shaded(uint32_t slot) const {
  return Vue(std::span(batch_.shaded).subspan(size_t{slot} * vs_entries_.dwords(), vs_entries_.dwords()));
}

void FrontEnd::shade() {
  batch_.shaded.resize(batch_.names.size() * vs_entries_.dwords());
  if (!vertices_->shade(batch_.names, batch_.shaded)) stopped_ = true;
  counts_.vs += context_.state.vs.enable ? batch_.names.size() : 0;
}

ThreadEnd FrontEnd::run(Unit unit, const ThreadUnit& state, uint32_t dispatch_mask, UnitMessages& messages) {
  const ShaderBases own = unit_bases(context_.state, state);
  const ThreadJob job{unit, state, state.kernel, own, payload_.registers(), 8, dispatch_mask, context_.number};
  const ThreadEnd end = context_.runner.run(job, messages, context_.env);
  stopped_ = stopped_ || end == ThreadEnd::aborted;
  return end;
}

void FrontEnd::shade_geometry(const StageObject& object) {
  const GeometryUnitState& gs = context_.state.gs;
  if (gs_entries_.count() == 0) return;
  ++counts_.gs;
  payload_.begin(gs, 0);
  payload_[0].dw[0] = gs_entries_.next();
  payload_[0].dw[2] = static_cast<uint32_t>(object.topology);
  payload_.add_constants(gs, context_.constants);
  for (const Vue& v : object.vues()) payload_.add_vertex(gs, v.dwords());
  EmittingThread thread(context_.urb, gs_entries_);
  if (run(Unit::gs, gs, single_mask, thread) != ThreadEnd::finished) return;
  counts_.gs_primitives += thread.primitives();
  if (gs.rendering) thread.each_object(context_.state.draw.raster.provoking, [this](const StageObject& one) { clip(one); });
}

void FrontEnd::clip(const StageObject& object) {
  const ClipUnitState& state = context_.state.clip;
  ++counts_.clipped;
  if (object.type == ObjectType::rectangle || !state.enable) {
    if (state.enable && state.mode == ClipMode::reject_all) return;
    ++counts_.clip_primitives;
    return emit(object);
  }
  const ClipDecision decision = clip_decision(object.vues(), state);
  if (decision.fate == ClipFate::rejected) return;
  if (decision.fate == ClipFate::thread) return clip_thread(object, clip_header(object, decision));
  ++counts_.clip_primitives;
  emit(object);
}

void FrontEnd::clip_thread(const StageObject& object, uint32_t header) {
  const ClipUnitState& state = context_.state.clip;
  if (clip_entries_.count() == 0) return;
  payload_.begin(state, 0);
  payload_[0].dw[0] = clip_entries_.next();
  payload_[0].dw[2] = header;
  payload_.add_constants(state, context_.constants);
  for (const Vue& v : object.vues()) payload_.add_vertex(state, v.dwords());
  EmittingThread thread(context_.urb, clip_entries_);
  if (run(Unit::clip, state, single_mask, thread) != ThreadEnd::finished) return;
  counts_.clip_primitives += thread.primitives();
  thread.each_object(context_.state.draw.raster.provoking, [this](const StageObject& one) { emit(one); });
}

}  // namespace softgen::render::ilk
