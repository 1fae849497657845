// SPDX-License-Identifier: GPL-2.0-or-later
// One hostile surface and one operation on it, for every unit that turns a surface state into addresses: data ports, sampler, output
// merger, fills, depth and stencil, color control, blits, pictures.
#include <algorithm>

#include "hw/base/denormals.h"
#include "hw/blitter/decode.h"
#include "hw/debug/picture.h"
#include "hw/defs/gen12/set.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/gen9/set.h"
#include "hw/defs/messages/gen9.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/gt/shared_functions.h"
#include "hw/mmio/register_file.h"
#include "hw/render/color_control.h"
#include "hw/render/depth_stencil.h"
#include "hw/render/fill.h"
#include "hw/render/output_merger.h"
#include "hw/render/state_decoder.h"
#include "tests/fuzz/bound_surfaces.h"

using namespace softgen;
using namespace softgen::fuzz;

namespace {

using defs::CommandId;
using render::PixelRect;

class SurfaceTarget {
 public:
  void run(std::span<const uint8_t> bytes) {
    for (const bool aux_map : {false, true}) {
      bound_.use_aux_map(aux_map);
      run_once(bytes);
    }
  }

 private:
  void run_once(std::span<const uint8_t> bytes) {
    StateSource in(bytes, bound_.map.addresses());
    bound_.bind(in, 1);
    {
      LimitedRun limit(bound_.stop);
      switch (in.below(8)) {
        case 0: data_port(in); break;
        case 1: sampler(in); break;
        case 2: colors(in); break;
        case 3: filled(in); break;
        case 4: depth_stencil(in); break;
        case 5: color_control(in); break;
        case 6: blit(in); break;
        default: picture(in); break;
      }
    }
    bound_.restore();
  }
  memory::View& view() { return bound_.map.view; }
  render::StopReasons stops() const { return {bound_.stop, StopFlag::reset}; }
  surface::Surface decoded() const { return bound_.bases.decode_surface(bound_.surface[0]); }

  void send(StateSource& in, Sfid sfid, uint32_t function, uint32_t registers, uint32_t answer, uint32_t channels) {
    const auto payload = bound_.payload(registers), response = bound_.response(answer);
    bound_.fill_registers(in, payload);
    const uint32_t mask = channels == 32 ? ~0u : (1u << channels) - 1;
    const MessageOp op = eu::gen9_isa().message(static_cast<unsigned>(sfid), function | answer << 20 | registers << 25);
    functions_.send({.op = op,
                     .exec_size = channels,
                     .exec_mask = mask,
                     .dispatch_mask = mask,
                     .payload = payload,
                     .payload2 = {},
                     .response = response,
                     .end_of_thread = false},
                    bound_.env);
  }
  void data_port(StateSource& in) {
    using namespace defs::gen9::message::dp_data1;
    static constexpr uint32_t types[] = {untyped_surface_read, untyped_surface_write, untyped_atomic,
                                         typed_surface_read,   typed_surface_write,   typed_atomic,
                                         media_block_read,     media_block_write,     untyped_atomic_float};
    const uint32_t type = in.one_of(types);
    const bool media = type == media_block_read || type == media_block_write;
    send(in, Sfid::dp_data1, type << 14 | in.below(64) << 8 | (media ? 1u << 19 : 0), 1 + in.below(11), in.below(9), in.one_in(2) ? 8 : 16);
  }
  void sampler(StateSource& in) {
    bound_.bind_samplers(in, 1);
    send(in, Sfid::sampler, (1 + in.below(2)) << 17 | in.below(32) << 12, 1 + in.below(11), 8, in.one_in(2) ? 8 : 16);
  }

  struct Place {
    uint32_t x, y, slice;
  };
  /// Within the level.
  static Place place_in(StateSource& in, const surface::Extent& extent, uint32_t slices) {
    const auto at = [&](uint32_t size) { return in.one_in(4) ? size - 1 - in.below(std::min(size, 8u)) : in.below(size); };
    return {at(extent.width), at(extent.height), in.below(std::min(slices, 4u))};
  }
  static PixelRect rect_in(StateSource& in, const surface::Extent& extent) {
    const Place from = in.one_in(3) ? Place{} : place_in(in, extent, 1);
    return {static_cast<int32_t>(from.x), static_cast<int32_t>(from.y),
            static_cast<int32_t>(std::min(extent.width, from.x + 1 + in.below(100))),
            static_cast<int32_t>(std::min(extent.height, from.y + 1 + in.below(36)))};
  }

  void colors(StateSource& in) {
    const render::RenderTarget rt(decoded());
    if (!rt.level || !rt.surface.format->is(surface::use_render)) return;
    change_packet(in, CommandId::_3DSTATE_PS_BLEND, "3DSTATE_PS_BLEND");
    const render::DrawState& state = refreshed();
    SamplerState words{};
    for (uint64_t at = blend_at; at < blend_at + 64; at += 16) {
      for (uint32_t& word : words) word = in.one_in(2) ? 0 : in.take<uint32_t>();
      bound_.map.memory.store(at, words);
    }
    render::OutputMerger merger(state);
    merger.set_target(0, decoder_->target_blend(view(), state, 0));
    render::PixelColor color;
    for (uint32_t& word : color.source0) word = in.float_bits();
    for (unsigned i = 0; i < 4; ++i) {
      const Place p = place_in(in, rt.level->extent(), rt.surface.view_extent);
      if (!rt.holds(p.x, p.y, p.slice)) continue;
      const uint32_t slice = p.slice + rt.surface.min_array_element;
      merger.write(view(), rt, merger.mode(rt, 0), p.x, p.y, p.slice, in.take<uint16_t>() & ((2u << (rt.surface.samples - 1)) - 1), color);
      merger.read(view(), rt, p.x, p.y, p.slice, in.below(rt.surface.samples));
      if (rt.mcs) rt.expand(view(), p.x, p.y, slice);
      if (merger.color_kernel(rt, 0)) {
        std::byte* rows[2];
        const uint32_t inside = rt.quad_rows(view(), p.x & ~1u, p.y & ~1u, slice, rows);
        for (unsigned pixel = 0; pixel < 4; ++pixel)
          if (inside >> pixel & 1) std::memcpy(rows[pixel / 2] + 4 * (pixel & 1), &color.source0[0], 4);
        // The kernels load and store both pixels of a row; in tiled targets (ColorPixels::owns_rows) also where one or both are outside.
        const bool owns_rows = inside && rt.surface.tiling != surface::Tiling::linear;
        if (owns_rows || (inside & 3) == 3) std::memset(rows[0], 0, 8);
        if (owns_rows || (inside & 12) == 12) std::memset(rows[1], 0, 8);
        uint64_t pixels = in.take<uint64_t>();
        for (unsigned n = 0; n < 64; ++n)
          if (!rt.holds((p.x & ~7u) + n % 8, (p.y & ~7u) + n / 8, p.slice)) pixels &= ~(uint64_t{1} << n);
        rt.fill_block(view(), p.x & ~7u, p.y & ~7u, slice, pixels, color.source0[0]);
      }
      if (merger.copies_words(rt, 0)) rt.write_words(view(), p.x & ~1u, p.y, slice, 3, {color.source0, color.source0});
    }
  }
  void filled(StateSource& in) {
    const render::RenderTarget rt(decoded());
    if (!rt.level || !rt.surface.format->is(surface::use_render) || rt.surface.format->block_bytes() > 16) return;
    std::byte texel[16];
    for (std::byte& byte : texel) byte = in.take<std::byte>();
    const PixelRect rect = rect_in(in, rt.level->extent());
    render::fill(view(), rt.surface, *rt.level, rect, rt.surface.min_array_element + in.below(2), in.below(rt.surface.samples), texel,
                 stops());
  }
  void color_control(StateSource& in) {
    const render::RenderTarget rt(decoded());
    if (!rt.level || !rt.surface.format->is(surface::use_render)) return;
    const Place p = place_in(in, rt.level->extent(), rt.surface.view_extent);
    const uint32_t slice = p.slice + rt.surface.min_array_element;
    if (rt.mcs) rt.mcs.write(view(), p.x, p.y, slice, rt.mcs.read(view(), p.x, p.y, slice) ^ in.take<uint64_t>());
    if (!rt.ccs) return;
    const PixelRect rect = rect_in(in, rt.level->extent());
    const surface::CcsRect codes{static_cast<uint32_t>(rect.x0), static_cast<uint32_t>(rect.y0), static_cast<uint32_t>(rect.x1),
                                 static_cast<uint32_t>(rect.y1)};
    switch (in.below(3)) {
      case 0: rt.ccs.fill(view(), codes, slice, surface::CcsCode::clear); break;
      case 1: rt.ccs.resolve(view(), codes, slice, in.one_in(2)); break;
      default: break;
    }
    const auto tile = [](uint32_t at) { return static_cast<int32_t>(at & ~63u); };
    PixelRect part{tile(p.x), tile(p.y), tile(p.x) + 64, tile(p.y) + 64};
    part.clip({0, 0, static_cast<int32_t>(rt.level->extent().width), static_cast<int32_t>(rt.level->extent().height)});
    render::TouchedPairs touched;
    touched.add(view(), rt, slice, part);
    touched.encode(view());
  }

  void depth_stencil(StateSource& in) {
    using Depth = gen9::_3DSTATE_DEPTH_BUFFER;
    static constexpr Depth::SurfaceFormat formats[] = {Depth::SurfaceFormat::D32_FLOAT, Depth::SurfaceFormat::D24_UNORM_X8_UINT,
                                                       Depth::SurfaceFormat::D16_UNORM};
    Depth d;
    d.surface_type = static_cast<Depth::SurfaceType>(1);
    d.surface_format = in.one_of(formats);
    d.depth_write_enable = d.stencil_write_enable = true;
    d.width = small_size(in) - 1, d.height = small_size(in) - 1;
    d.surface_pitch = 128 * (1 + in.below(6)) - 1;
    if (in.one_in(3)) d.surface_pitch += in.below(129) - 64u;
    d.surface_qpitch = in.below(64);
    d.surface_base_address = in.one_in(4) ? in.address() : in.address() & ~uint64_t{0xfff};
    auto depth = d.pack();
    change(in, "3DSTATE_DEPTH_BUFFER", depth);
    gen9::_3DSTATE_STENCIL_BUFFER s;
    s.stencil_buffer_enable = in.one_in(2);
    s.surface_pitch = 128 * (1 + in.below(6)) - 1;
    s.surface_base_address = in.address() & ~uint64_t{0xfff};
    s.surface_qpitch = in.below(64);
    auto stencil = s.pack();
    change(in, "3DSTATE_STENCIL_BUFFER", stencil);
    gen9::_3DSTATE_WM_DEPTH_STENCIL w;
    w.depth_test_enable = w.depth_buffer_write_enable = w.stencil_test_enable = w.stencil_buffer_write_enable = true;
    w.depth_test_function = static_cast<gen9::CompareFunction>(in.below(8));
    auto tests = w.pack();
    change(in, "3DSTATE_WM_DEPTH_STENCIL", tests);
    const unsigned samples = in.one_in(4) ? 1u << in.below(5) : 1;
    const render::DrawState& state = refreshed();
    const auto packet = store_.packet(CommandId::_3DSTATE_DEPTH_BUFFER);
    const render::DepthStencil unit(
        state, {surface::decode_depth_buffer<defs::Gen9>(packet, samples),
                surface::decode_stencil_buffer<defs::Gen9>(packet, store_.packet(CommandId::_3DSTATE_STENCIL_BUFFER), samples)});
    const surface::Extent extent{d.width + 1, d.height + 1, 1};
    if (in.one_in(2)) {
      render::DepthOperation op;
      op.clear_depth = op.clear_stencil = true;
      op.sample_mask = in.one_in(16) ? in.take<uint16_t>() : 1u << in.below(samples);
      op.whole_surface = true;
      unit.clear(
          view(),
          [&](const PixelRect& rect, const render::FillPart& part) {
            PixelRect band = rect_in(in, {static_cast<uint32_t>(rect.x1), static_cast<uint32_t>(rect.y1), 1});
            if (rect.empty() || bound_.stop.aborting()) return;
            part(view(), band);
          },
          stops(), op);
      return;
    }
    for (unsigned i = 0; i < 4; ++i) {
      const Place p = place_in(in, extent, 2);
      unit.test_and_write(view(), {p.x, p.y, p.slice, in.below(samples), in.take<uint16_t>() / 65535.0, in.one_in(2)}, std::nullopt);
      if (!unit.tests_blocks() || !unit.holds_block(p.x & ~7u, p.y & ~7u, p.slice)) continue;
      render::DepthKernel plane{};
      plane.c = in.take<uint16_t>() / 65535.0, plane.high = 1;
      unit.test_block(view(), unit.kernel(plane), {p.x & ~7u, p.y & ~7u, p.slice, 0.5, 0.5, true}, in.take<uint64_t>());
    }
  }

  void blit(StateSource& in) {
    static const std::vector<const defs::Command*> commands = [] {
      std::vector<const defs::Command*> all;
      for (const defs::CommandSet* set : {&defs::gen9::commands, &defs::gen12::commands})
        for (const defs::Command& command : set->commands) {
          const bool known = std::any_of(all.begin(), all.end(), [&](const defs::Command* one) { return one->id == command.id; });
          if (!known && command.valid_on(defs::EngineClass::copy) && command.match >> 29 == 2) all.push_back(&command);
        }
      return all;
    }();
    const defs::Command& command = *in.one_of(commands);
    std::vector<uint32_t> packet = in.packet(command, command.variable ? command.dwords + in.below(16) : 0);
    // Mostly small rectangles and pitches: they cross pages, too.
    if (!in.one_in(16))
      for (const defs::Field& field : command.fields) {
        const std::string_view name = field.name;
        const bool pitch = name.find("Pitch") != name.npos, coordinate = name.find(" X") != name.npos || name.find(" Y") != name.npos;
        if (field.width() >= 13 && field.width() <= 18 && (pitch || coordinate))
          StateSource::put(packet, field.start, field.width(), pitch ? in.number(11) : in.below(200));
      }
    StateSource::finish(command, packet);
    EngineEnv env{EngineId::bcs, view(), view(), registers_, bound_.stop};
    blitter_.reset_context();
    blitter_.execute({0, &command, packet}, env);
  }
  void picture(StateSource& in) {
    const surface::Surface s = decoded();
    if (s.is_null() || s.is_buffer()) return;
    const surface::Format* format = debug::picture_format(static_cast<uint32_t>(s.format->code));
    if (format) debug::read_picture(view(), {s.base, format, std::min(s.width, 40u), std::min(s.height, 34u), s.pitch, s.tiling});
  }

  template <size_t n>
  void change(StateSource& in, const char* name, std::array<uint32_t, n>& packet) {
    const defs::Command& command = *defs::gen9::commands.find(name);
    in.change_some(command, packet);
    StateSource::finish(command, packet);
    store_.accept({0, &command, packet});
  }
  void change_packet(StateSource& in, CommandId id, const char* name) {
    (void)id;
    std::array<uint32_t, 2> packet{};
    change(in, name, packet);
    std::array<uint32_t, 2> pointer{0, static_cast<uint32_t>(blend_at) | 1};
    const defs::Command& command = *defs::gen9::commands.find("3DSTATE_BLEND_STATE_POINTERS");
    StateSource::finish(command, pointer);
    store_.accept({0, &command, pointer});
  }
  const render::DrawState& refreshed() {
    decoder_->refresh(store_, state_);
    decoder_->read(store_, view(), state_);
    return state_;
  }

  static constexpr uint64_t blend_at = 0x1400;
  BoundSurfaces bound_;
  gt::SharedFunctions functions_{sampler::decode_state<defs::Gen9>};
  render::StateStore store_{defs::gen9::commands};
  render::DrawState state_;
  const std::unique_ptr<render::StateDecoder> decoder_ = render::make_state_decoder<defs::Gen9>();
  blitter::Blitter blitter_{blitter::decode<defs::Gen9>};
  mmio::RegisterFile registers_{softgen::defs::gen9::registers};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static SurfaceTarget target;
  target.run({data, size});
  return 0;
}
