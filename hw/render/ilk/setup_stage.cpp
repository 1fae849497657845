// SPDX-License-Identifier: GPL-2.0-or-later
// Payload: Mesa brw_compile_sf.c; intel-vaapi-driver shaders/render/exa_sf.g4a.
#include "hw/render/ilk/setup_stage.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace softgen::render::ilk {
namespace {

constexpr uint32_t setup_mask = 0xff;
constexpr uint32_t sprite_bit = 1 << 16;  // BRW_SPRITE_POINT_ENABLE

unsigned corners(ObjectType type) { return type == ObjectType::point ? 1 : type == ObjectType::line ? 2 : 3; }

uint32_t word(float value) { return std::bit_cast<uint32_t>(value); }

/// A header and a position, as Setup reads a vertex.
using PlacedVertex = std::array<uint32_t, 8>;

}  // namespace

RasterState placed_raster(const DrawState& state) { return RasterState(state, Stage::vs); }

SetupStage::SetupStage(const DrawContext& context, const RasterState& raster, PixelList& out)
    : context_(context),
      out_(out),
      entries_(context.state.urb.sf, context.state.sf, 1, "SF"),
      setup_(context.state.draw, raster, Stage::vs) {
  out_.plane_dwords = entries_.dwords();
}

/// The nearest of the places that vertices can have.
float SetupStage::on_grid(double pixels) const {
  constexpr double most = 1 << 20;
  if (!(std::abs(pixels) < most)) return static_cast<float>(pixels);
  const double step = context_.state.sf.four_bits ? 16 : subpixels;
  return static_cast<float>(std::floor(pixels * step + 0.5) / step);
}

SetupStage::Place SetupStage::place(const Vue& vertex) const {
  const SetupUnitState& sf = context_.state.sf;
  double x = vertex.position(0), y = vertex.position(1), z = vertex.position(2);
  if (sf.transform) {
    x = x * sf.viewport.m00 + sf.viewport.m30;
    y = y * sf.viewport.m11 + sf.viewport.m31;
    z = z * sf.viewport.m22 + sf.viewport.m32;
  }
  // Setup's pixels are sampled at their halves, Ironlake's at the biases.
  x += sf.origin_x + 0.5 - sf.bias_x;
  y += sf.origin_y + 0.5 - sf.bias_y;
  return {on_grid(x), on_grid(y), static_cast<float>(z), vertex.position(3)};
}

/// A triangle's or rectangle's vertices in the order that its thread gets them: an odd triangle of a strip has two exchanged, so that it turns as the others
/// do; then they go round until the topmost is the first (va's kernel expects a rectangle's upper left corner there; Mesa's: "ordered according to
/// y-coordinate").
StageObject SetupStage::turned(const StageObject& object, std::array<Place, 3>& places) {
  std::array<uint8_t, 3> order{0, 1, 2};
  if (object.object.reversed) std::swap(order[0], order[1]);
  const auto topmost = std::ranges::min_element(order, {}, [&](uint8_t i) { return places[i].y; }) - order.begin();
  StageObject out = object;
  std::array<Place, 3> from = places;
  for (uint8_t i = 0; i < 3; ++i) {
    const uint8_t source = order[static_cast<size_t>(topmost + i) % 3];
    out.vertices[i] = object.vertices[source], places[i] = from[source];
    if (source == object.object.provoking) out.object.provoking = i;
  }
  out.object.reversed = false;
  return out;
}

float SetupStage::point_width(const Vue& vertex) const {
  constexpr uint32_t mask = 0x7ff;  // U8.3 in bits 18:8 (Mesa, emit_psiz_and_flags)
  const uint32_t eighths = vertex.dword(3) >> 8 & mask;
  return eighths ? static_cast<float>(eighths) / 8 : 1;
}

float SetupStage::drawn_width(const Vue& vertex) const {
  const PointState& point = context_.state.draw.raster.point;
  return !point.width_from_state ? point_width(vertex) : point.width > 0 ? point.width : 1;
}

void SetupStage::prepare(const StageObject& incoming) {
  const unsigned count = corners(incoming.type);
  if (incoming.object.count < count) return;
  std::array<Place, 3> places{};
  std::array<PlacedVertex, 3> dwords{};
  std::array<Vue, 3> vues;
  for (unsigned i = 0; i < count; ++i) {
    const Vue& vertex = incoming.vertices[i];
    const Place& p = places[i] = place(vertex);
    dwords[i] = {0, vertex.layer(), 0, word(point_width(vertex)), word(p.x), word(p.y), word(p.z), word(p.one_over_w)};
    vues[i] = Vue(dwords[i]);
  }
  Object placed = incoming.object;
  placed.count = static_cast<uint8_t>(count);
  placed.provoking = std::min<uint8_t>(placed.provoking, static_cast<uint8_t>(count - 1));
  const size_t index = out_.prepared.objects.size();
  setup_.prepare(incoming.type, placed, std::span(vues).first(count), out_.prepared);
  if (out_.prepared.objects.size() == index) return;
  StageObject object = incoming;
  object.object = placed;
  if (count == 3) object = turned(object, places);
  const size_t planes = out_.planes.size();
  out_.planes.resize(planes + out_.plane_dwords);
  if (context_.state.wm.dispatch && !run_thread(object, std::span(places).first(count), std::span(out_.planes).subspan(planes))) {
    out_.planes.resize(planes);
    return;
  }
  // Planes of a point count from its upper left corner: Mesa's sprite coordinates are 0 there (brw_emit_point_sprite_setup).
  const float corner = object.type == ObjectType::point ? drawn_width(object.vertices[0]) / 2 : 0;
  out_.entries.push_back({.prepared = index,
                          .x = places[0].x - corner - 0.5f,
                          .y = places[0].y - corner - 0.5f,
                          .line = object.type == ObjectType::line,
                          .topology = object.topology});
}

/// r1 and r2.
void SetupStage::put_differences(const StageObject& object, std::span<const Place> places) {
  Grf& r1 = payload_.add();
  r1.dw[0] = static_cast<uint32_t>(object.topology) | (context_.state.sf.sprites && object.type == ObjectType::point ? sprite_bit : 0);
  r1.dw[1] = object.object.provoking;
  const Place& first = places[0];
  const Place second = places[std::min<size_t>(1, places.size() - 1)], third = places[places.size() - 1];
  float dx0 = second.x - first.x, dy0 = second.y - first.y, dx2 = third.x - first.x, dy2 = third.y - first.y;
  float determinant = dx0 * dy2 - dx2 * dy0;
  if (object.type == ObjectType::line) determinant = dx0 * dx0 + dy0 * dy0, dx2 = dy2 = 0;
  if (object.type == ObjectType::point) {
    // A point has its width in place of a difference: sprite coordinates run over it.
    dx0 = drawn_width(object.vertices[0]);
    dy0 = dx2 = dy2 = 0, determinant = 1;
  }
  r1.dw[2] = word(determinant), r1.dw[3] = word(dx0), r1.dw[4] = word(dx2), r1.dw[5] = word(dy0), r1.dw[6] = word(dy2);
  Grf& r2 = payload_.add();
  for (size_t i = 0; i < places.size(); ++i) r2.dw[2 * i] = word(places[i].z), r2.dw[2 * i + 1] = word(places[i].one_over_w);
}

/// False: there are no planes.
bool SetupStage::run_thread(const StageObject& object, std::span<const Place> places, std::span<uint32_t> planes) {
  const SetupUnitState& sf = context_.state.sf;
  if (entries_.count() == 0) return false;
  const uint32_t handle = entries_.next();
  payload_.begin(sf, 0);
  payload_[0].dw[0] = handle;
  put_differences(object, places);
  payload_.add_constants(sf, context_.constants);
  for (size_t i = 0; i < places.size(); ++i) payload_.add_vertex(sf, object.vertices[i].dwords());
  const ShaderBases bases = unit_bases(context_.state, sf);
  EntryMessages messages(context_.urb, 1);
  std::ranges::fill(context_.urb.dwords(handle, 0, planes.size()), 0);
  const ThreadJob job{Unit::sf, sf, sf.kernel, bases, payload_.registers(), 8, setup_mask, context_.number};
  if (context_.runner.run(job, messages, context_.env) != ThreadEnd::finished) return false;
  context_.urb.read(handle, 0, planes);
  return true;
}

}  // namespace softgen::render::ilk
