// SPDX-License-Identifier: GPL-2.0-or-later
// From vertices to covered pixels: topologies, clipper, setup, scan conversion and tessellator, on states and coordinates where arithmetic breaks.
#include <cmath>

#include "hw/base/log.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/gen9/set.h"
#include "hw/render/assembly.h"
#include "hw/render/raster.h"
#include "hw/render/setup.h"
#include "hw/render/state_decoder.h"
#include "hw/render/tessellator.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/surface_states.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::fuzz;
using namespace softgen::render;

namespace {

class SetupTarget {
 public:
  SetupTarget() {
    quiet_log();
    for (const char* name : names) commands_.push_back(defs::gen9::commands.find(name));
  }

  void run(std::span<const uint8_t> bytes) {
    StateSource in(bytes, map_.addresses());
    if (in.one_in(8)) return tessellate_patch(in);
    store_.reset();
    for (const defs::Command* command : commands_) {
      std::vector<uint32_t> packet(command->dwords);
      in.change_some(*command, packet);
      StateSource::finish(*command, packet);
      if (command->id == defs::CommandId::_3DSTATE_RASTER && !in.one_in(4))
        packet[1] = (packet[1] & ~(3u << 16)) | 1u << 16;                                // CULLMODE_NONE
      if (command->id == defs::CommandId::_3DSTATE_SF && !in.one_in(4)) packet[1] |= 2;  // Viewport Transform Enable
      store_.accept({0, command, packet});
    }
    viewports(in);
    decoder_->refresh(store_, state_);
    decoder_->read(store_, map_.view, state_);
    const RasterState raster(state_, in.one_in(2) ? Stage::vs : Stage::gs);
    draw(in, raster);
    map_.memory.restore();
  }

 private:
  static constexpr const char* names[] = {
      "3DSTATE_RASTER",       "3DSTATE_SF",          "3DSTATE_CLIP",           "3DSTATE_SBE",
      "3DSTATE_SBE_SWIZ",     "3DSTATE_MULTISAMPLE", "3DSTATE_SAMPLE_PATTERN", "3DSTATE_DRAWING_RECTANGLE",
      "3DSTATE_LINE_STIPPLE", "3DSTATE_WM",          "3DSTATE_PS_EXTRA",       "3DSTATE_GS",
      "3DSTATE_DEPTH_BUFFER"};
  static constexpr uint32_t sf_clip = 0x0, cc = 0x400, scissors = 0x600;

  void viewports(StateSource& in) {
    static const defs::Structure &transform = structure("SF_CLIP_VIEWPORT"), &depth = structure("CC_VIEWPORT"),
                                 &scissor = structure("SCISSOR_RECT");
    std::array<uint32_t, 16> words{};
    gen9::SF_CLIP_VIEWPORT v;
    v.viewport_matrix_element_m00 = v.viewport_matrix_element_m30 = v.viewport_matrix_element_m11 = v.viewport_matrix_element_m31 = 32;
    v.viewport_matrix_element_m22 = v.viewport_matrix_element_m32 = 0.5;
    v.x_min_clip_guardband = v.y_min_clip_guardband = -8, v.x_max_clip_guardband = v.y_max_clip_guardband = 8;
    v.x_max_viewport = v.y_max_viewport = 63;
    words = v.pack();
    in.change_some(transform, words);
    map_.memory.store(sf_clip, words);
    std::array<uint32_t, 2> range{0, 0x3f80'0000}, rect{0, 0xffff'ffff};
    in.change_some(depth, range);
    in.change_some(scissor, rect);
    map_.memory.store(cc, range), map_.memory.store(scissors, rect);
    pointer("3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP", sf_clip), pointer("3DSTATE_VIEWPORT_STATE_POINTERS_CC", cc),
        pointer("3DSTATE_SCISSOR_STATE_POINTERS", scissors);
    const defs::Command* const rectangle = defs::gen9::commands.find("3DSTATE_DRAWING_RECTANGLE");
    if (in.one_in(4)) return;
    uint32_t all[] = {rectangle->match | 2, 0, 0x3fff'3fff, 0};
    store_.accept({0, rectangle, all});
  }
  void pointer(const char* name, uint32_t at) {
    const defs::Command* const command = defs::gen9::commands.find(name);
    const uint32_t packet[] = {command->match, at};
    store_.accept({0, command, packet});
  }

  void draw(StateSource& in, const RasterState& raster) {
    static constexpr unsigned vertex_dwords = 32, count = 6;
    const uint8_t kind = in.take<uint8_t>() & 3;
    for (std::array<uint32_t, vertex_dwords>& vertex : vertices_) {
      for (uint32_t& dword : vertex) dword = 0;
      vertex[1] = in.one_in(8) ? in.take<uint32_t>() : 0, vertex[2] = in.one_in(8) ? in.take<uint32_t>() : 0;
      vertex[3] = in.float_bits();
      for (unsigned i = 4; i < 8; ++i) vertex[i] = kind == 0 ? in.float_bits() : coordinate(in, i == 7, kind);
      for (unsigned i = 8; i < vertex_dwords; ++i) vertex[i] = in.float_bits();
    }
    std::array<Vertex, count> vertices;
    for (unsigned i = 0; i < count; ++i)
      vertices[i] = {i + 1, Vue(std::span<const uint32_t>(vertices_[i]).first(in.one_in(32) ? in.below(vertex_dwords) : vertex_dwords))};
    static const defs::Enumeration& topologies = *[] {
      for (const defs::Field& field : defs::gen9::commands.find("3DSTATE_VF_TOPOLOGY")->fields)
        if (field.enumeration) return field.enumeration;
      std::abort();
    }();
    const auto topology = static_cast<Topology>(in.one_of(topologies.values).value);
    objects_.clear();
    const ObjectType type = object_type(topology);
    if (type == ObjectType::patch) return;
    Assembler assembler(topology, {static_cast<uint8_t>(in.below(3)), static_cast<uint8_t>(in.below(2)), static_cast<uint8_t>(in.below(3))},
                        [&](const Object& object) {
                          if (objects_.size() < 8) objects_.push_back(primary_vertices(object, type));
                        });
    for (unsigned i = 0; i < count; ++i) {
      assembler.vertex(in.one_in(8) ? in.below(count) : i);
      if (in.one_in(16)) assembler.cut();
    }
    assembler.cut();
    prepared_.clear();
    Setup setup(state_, raster, Stage::vs);
    setup.prepare_all(without_adjacency(type), objects_, vertices, prepared_);
    for (const PreparedObject& object : prepared_.objects) {
      check(object.bounds);
      for (const Coverage& part : object.parts) cover(in, part, raster);
    }
  }
  /// A place on a screen of 64x64, or far outside.
  static uint32_t coordinate(StateSource& in, bool w, uint8_t kind) {
    if (in.one_in(12)) return in.float_bits();
    if (w) return std::bit_cast<uint32_t>(kind == 1 ? 1.0f : static_cast<float>(in.take<int16_t>()) / 4096);
    return std::bit_cast<uint32_t>(static_cast<float>(in.take<int16_t>()) / (kind == 3 ? 64 : 16384));
  }
  /// Pixels stand within what a render target may have (SKL PRM vol 2d, RENDER_SURFACE_STATE, Width).
  static void check(const PixelRect& bounds) {
    if (!bounds.empty() && (bounds.x0 < 0 || bounds.y0 < 0 || bounds.x1 > 16384 || bounds.y1 > 16384)) std::abort();
  }
  static void cover(StateSource& in, const Coverage& part, const RasterState& raster) {
    check(part.bounds);
    if (part.bounds.empty()) return;
    PartRaster scan(part, raster);
    // One tile of it.
    const auto tile_of = [&](int32_t from, int32_t to) {
      return (from + static_cast<int32_t>(in.below(static_cast<uint32_t>(to - from)))) & ~63;
    };
    const int32_t x = tile_of(part.bounds.x0, part.bounds.x1), y = tile_of(part.bounds.y0, part.bounds.y1);
    const PixelRect tile{x, y, x + 64, y + 64};
    const auto inside = [&](int32_t px, int32_t py) {
      if (px < part.bounds.x0 || py < part.bounds.y0 || px >= part.bounds.x1 || py >= part.bounds.y1 || px < x || py < y || px >= x + 64 ||
          py >= y + 64)
        std::abort();
    };
    unsigned left = 24;
    if (scan.by_blocks())
      scan.each_block(tile, [&](uint32_t bx, uint32_t by, uint64_t pixels) {
        const int first = std::countr_zero(pixels), last = 63 - std::countl_zero(pixels);
        for (const int pixel : {first, last}) inside(static_cast<int32_t>(bx) + pixel % 8, static_cast<int32_t>(by) + pixel / 8);
        return --left > 0;
      });
    else
      scan.each_quad(tile, [&](uint32_t qx, uint32_t qy, const QuadCoverage& quad) {
        for (unsigned i = 0; i < 4; ++i)
          if (quad[i]) inside(static_cast<int32_t>(qx + (i & 1)), static_cast<int32_t>(qy + (i >> 1)));
        return --left > 0;
      });
  }

  void tessellate_patch(StateSource& in) {
    static const defs::Command& command = *defs::gen9::commands.find("3DSTATE_TE");
    std::vector<uint32_t> packet(command.dwords);
    in.fill(command, packet);
    store_.accept({0, &command, packet});
    decoder_->refresh(store_, state_);
    const TessellationState& te = state_.tessellation;
    std::array<uint32_t, 8> header;
    const bool large = in.one_in(64);
    for (uint32_t& dword : header)
      dword = in.one_in(2) || large ? in.float_bits() : std::bit_cast<uint32_t>(static_cast<float>(in.take<uint8_t>()) / 32);
    TessellationFactors factors = patch_factors(te, header);
    if (!large) {
      // Few points: 4225 of them take long.
      const auto bound = [](float& f) { f = f > 8 ? 8 : f; };
      for (float& f : factors.outside) bound(f);
      for (float& f : factors.inside) bound(f);
    }
    tessellate(te, factors, patch_);
    if (patch_.points.size() > 65 * 65) std::abort();
    for (const uint16_t index : patch_.indices)
      if (index >= patch_.points.size()) std::abort();
  }

  GuardedNowhere nowhere_;
  GuestMap map_{16, 1};
  std::vector<const defs::Command*> commands_;
  StateStore store_{defs::gen9::commands};
  DrawState state_;
  const std::unique_ptr<StateDecoder> decoder_ = make_state_decoder<defs::Gen9>();
  std::array<std::array<uint32_t, 32>, 6> vertices_{};
  std::vector<Object> objects_;
  PreparedObjects prepared_;
  Tessellation patch_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static SetupTarget target;
  target.run({data, size});
  return 0;
}
