// SPDX-License-Identifier: GPL-2.0-or-later
// Any message to any shared function: descriptors, payloads and three bound surfaces chosen from the tables.
#include "hw/defs/gen9/all.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/gt/shared_functions.h"
#include "tests/fuzz/bound_surfaces.h"

using namespace softgen;
using namespace softgen::fuzz;

namespace {

/// VME reads other surface states, and does nothing with a message that is too short.
void make_vme(StateSource& in, BoundSurfaces& bound, uint32_t& function, uint32_t& registers, uint32_t& answer) {
  using Media = defs::gen9::MEDIA_SURFACE_STATE;
  for (uint32_t i = 0; i < BoundSurfaces::surfaces; ++i) {
    Media state{};
    state.surface_format = Media::SurfaceFormat::PLANAR_420_8;
    state.tile_mode = static_cast<Media::TileMode>(in.below(4));
    state.width = in.below(1 << 14), state.height = in.one_in(2) ? in.below(64) : in.below(1 << 14);
    state.surface_pitch = in.one_in(2) ? in.below(512) : in.below(1 << 18);
    state.surface_base_address = in.address();
    bound.map.memory.store(BoundSurfaces::first_state + i * 64, state.pack());
  }
  function = (function & ~(3u << 13)) | (1 + in.below(3)) << 13;
  registers = std::max(registers, 6 + in.below(5)), answer = std::max(answer, 7u);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static BoundSurfaces bound;
  static gt::SharedFunctions functions{sampler::decode_state<defs::Gen9>};
  StateSource in({data, size}, bound.map.addresses());
  bound.bind(in, BoundSurfaces::surfaces);
  bound.bind_samplers(in, 2);
  static constexpr Sfid sfids[] = {Sfid::sampler,     Sfid::sampler,        Sfid::dp_sampler, Sfid::dp_render,
                                   Sfid::dp_constant, Sfid::dp_data0,       Sfid::dp_data1,   Sfid::dp_data1,
                                   Sfid::gateway,     Sfid::thread_spawner, Sfid::vme,        Sfid::cre};
  static constexpr uint32_t widths[] = {1, 8, 8, 16, 16, 2, 4, 32};
  LimitedRun run(bound.stop);
  for (unsigned messages = 1 + (in.take<uint8_t>() & 3); messages; --messages) {
    const Sfid sfid = in.one_of(sfids);
    uint32_t registers = 1 + in.below(11), answer = in.below(17);
    const uint32_t split = in.one_in(4) ? in.below(9) : 0, width = in.one_of(widths);
    uint32_t function = in.take<uint32_t>() & 0x7'ffff;
    // Most often one of the three surfaces; else shared local memory, stateless, bindless, any entry.
    if (!in.one_in(8)) function = (function & ~0xffu) | in.below(BoundSurfaces::surfaces);
    else if (in.one_in(2)) function = (function & ~0xffu) | (252 + in.below(4));
    if (sfid == Sfid::sampler && !in.one_in(8)) function = (function & ~(3u << 17)) | (1 + in.below(2)) << 17;  // SIMD8 or SIMD16
    if ((sfid == Sfid::vme || sfid == Sfid::cre) && !in.one_in(8)) make_vme(in, bound, function, registers, answer);
    const uint32_t header = in.one_in(3) ? 1u << 19 : 0;
    const auto payload = bound.payload(registers), payload2 = bound.payload2(split), response = bound.response(answer);
    bound.fill_registers(in, payload);
    bound.fill_registers(in, payload2);
    if (sfid == Sfid::vme || sfid == Sfid::cre) payload[0].dw[3] &= in.one_in(4) ? ~0u : ~0xffu;  // blocks of 16x16
    if (header && !in.one_in(8)) payload[0].dw[3] = 0;                                            // the sampler table stays
    const uint32_t dispatch = in.one_in(2) ? ~0u : in.take<uint32_t>(), mask = in.one_in(2) ? dispatch : in.take<uint32_t>();
    const uint32_t channels = width == 32 ? ~0u : (1u << width) - 1;
    const MessageOp op = eu::gen9_isa().message(static_cast<unsigned>(sfid), function | header | answer << 20 | registers << 25,
                                                in.one_in(4) ? in.take<uint32_t>() : 0);
    const Message message{.op = op,
                          .exec_size = width,
                          .exec_mask = mask & channels,
                          .dispatch_mask = dispatch & channels,
                          .payload = payload,
                          .payload2 = payload2,
                          .response = response,
                          .end_of_thread = false};
    functions.send(message, bound.env);
  }
  bound.restore();
  return 0;
}
