// SPDX-License-Identifier: GPL-2.0-or-later
// Messages to VME and CRE (integer search, refinement, skip and intra check): any payloads over three surfaces, which are small pictures or anything. A
// message answers the same when it is sent again, also from several threads, and its costs are those of what it answers.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/defs/messages/headers.h"
#include "hw/vme/request.h"
#include "hw/vme/surface.h"
#include "hw/vme/vme.h"
#include "tests/fuzz/bound_surfaces.h"
#include "tests/fuzz/require.h"

namespace softgen::fuzz {
namespace {

constexpr uint32_t max_registers = 10, max_answer = 11, max_messages = 4;

struct Sent {
  MessageOp op;
  std::vector<Grf> payload, answer;
};

class VmeTarget {
  using Media = defs::gen9::MEDIA_SURFACE_STATE;

 public:
  void run(std::span<const uint8_t> bytes) {
    // Under ASan the largest search takes some milliseconds.
    static constexpr int64_t enough_ms = 1000;
    StateSource in(bytes, bound_.map.addresses());
    LimitedRun limit(bound_.stop, enough_ms);
    for (uint32_t i = 0; i < BoundSurfaces::surfaces; ++i) bind(in, i);
    std::vector<Sent> list(1 + in.below(max_messages));
    for (Sent& one : list) {
      one = any_message(in);
      send(one);
      check(one);
    }
    if (in.one_in(4)) {
      pool_.for_each(2 * list.size(), [&](size_t index, unsigned) {
        const Sent& one = list[index % list.size()];
        std::vector<Grf> answer(one.answer.size());
        // Views keep pages that they have found: one for each.
        memory::View view(bound_.map.memory, nullptr);
        view.set_space(bound_.map.space);
        ThreadEnv env{view, bound_.bases, bound_.stop};
        vme::answer(message(one, one.payload, answer), env);
        require(std::equal(answer.begin(), answer.end(), one.answer.begin(),
                           [](const Grf& a, const Grf& b) { return std::ranges::equal(a.dw, b.dw); }),
                "threads get the same answers");
      });
    }
    bound_.restore();
  }

 private:
  static Message message(const Sent& one, std::span<const Grf> payload, std::span<Grf> answer) {
    return {.op = one.op,
            .exec_size = 8,
            .exec_mask = 0xff,
            .dispatch_mask = 0xff,
            .payload = payload,
            .payload2 = {},
            .response = answer,
            .end_of_thread = false};
  }

  void bind(StateSource& in, uint32_t index) {
    Media state{};
    state.surface_format = Media::SurfaceFormat::PLANAR_420_8;
    const bool is_picture = !in.one_in(4);
    if (is_picture) {
      static constexpr Media::TileMode modes[] = {Media::TileMode::LINEAR, Media::TileMode::YMAJOR, Media::TileMode::XMAJOR};
      state.tile_mode = in.one_of(modes);
      state.width = 1 + in.below(96), state.height = 1 + in.below(64), state.surface_pitch = 511;
      state.interleave_chroma = !in.one_in(4), state.y_offset_for_u_cb = state.height + 1;
      state.surface_base_address = in.below(8) * page_size;
    } else {
      std::array<uint32_t, 16> dwords{};
      in.fill(structure("MEDIA_SURFACE_STATE"), dwords);
      state = Media::unpack(dwords);
      if (!in.one_in(8)) state.surface_format = Media::SurfaceFormat::PLANAR_420_8;
      state.surface_base_address = in.address();
    }
    bound_.map.memory.store(BoundSurfaces::first_state + index * 64, state.pack());
  }

  Sent any_message(StateSource& in) {
    static constexpr MessageKind kinds[] = {MessageKind::vme_integer, MessageKind::vme_fraction, MessageKind::vme_skip_intra};
    Sent one;
    one.op.kind = in.one_of(kinds);
    one.op.sfid = one.op.kind == MessageKind::vme_integer ? Sfid::vme : Sfid::cre;
    one.op.streams = one.op.kind == MessageKind::vme_integer && in.one_in(3) ? static_cast<uint8_t>(in.below(4)) : 0;
    one.op.binding.index = static_cast<uint8_t>(in.one_in(16) ? in.take<uint8_t>() : in.below(4));
    one.payload.resize(in.one_in(16) ? 1 + in.below(max_registers) : max_registers);
    one.answer.resize(in.one_in(16) ? in.below(max_answer + 1) : 7 + in.below(5));
    bound_.fill_registers(in, one.payload);
    if (!in.one_in(4) && one.payload.size() == max_registers) make_plausible(in, one);
    return one;
  }

  /// A source within the picture, vectors and windows near it, costs that are small.
  static void make_plausible(StateSource& in, Sent& one) {
    const auto near = [&](int range) {
      return static_cast<uint32_t>(static_cast<int>(in.below(static_cast<uint32_t>(2 * range))) - range) & 0xffff;
    };
    auto& place = one.payload[0].dw;
    for (unsigned i = 0; i < 2; ++i) place[i] = near(100) | near(80) << 16;
    place[2] = in.below(6) * 16 | in.below(4) << 20;
    // Blocks of 16x16, no fields; all partitions, or the whole block alone.
    place[3] = (in.take<uint32_t>() & 0x80ff'7f3c) | (in.one_in(2) ? 0 : 0x7e00'0000);
    place[5] = (in.one_in(2) ? 48u << 16 | 40u << 24 : in.take<uint32_t>());
    auto& control = one.payload[1].dw;
    control[0] = in.below(4), control[1] = in.below(33) | (in.one_in(2) ? 0 : 32u << 16);
    control[2] = in.below(65) | in.below(65) << 8 | in.take<uint8_t>() << 16;
    control[6] = in.one_in(4) ? in.take<uint32_t>() : 0;
    for (unsigned i = 0; i < 5 && in.one_in(2); ++i) one.payload[2].dw[i] = in.one_in(2) ? 0 : in.take<uint32_t>();
    if (in.one_in(2)) std::fill_n(std::begin(one.payload[2].dw), 5, 0u);
    if (one.op.kind == MessageKind::vme_integer) return;
    for (unsigned reg = 4; reg < 8; ++reg)
      for (uint32_t& vector : one.payload[reg].dw) vector = near(120) | near(120) << 16;
  }

  /// The registers end where inaccessible pages begin.
  void send(Sent& one) {
    const auto payload = bound_.payload(one.payload.size()), answer = bound_.response(one.answer.size());
    std::ranges::copy(one.payload, payload.begin());
    vme::answer(message(one, payload, answer), bound_.env);
    std::ranges::copy(answer, one.answer.begin());
    require(std::equal(payload.begin(), payload.end(), one.payload.begin(),
                       [](const Grf& a, const Grf& b) { return std::ranges::equal(a.dw, b.dw); }),
            "the payload stays");
  }

  static uint32_t half(const Grf& reg, unsigned i) { return reg.dw[i / 2] >> i % 2 * 16 & 0xffff; }

  /// Where nothing but distortions costs.
  void check(const Sent& one) {
    if (one.answer.size() < 7 || one.payload.size() < max_registers || bound_.stop.aborting()) return;
    const auto& costs = one.payload[2].dw;
    if (std::any_of(std::begin(costs), std::begin(costs) + 5, [](uint32_t dword) { return dword != 0; })) return;
    const uint32_t cost = half(one.answer[0], 4);
    if (cost == 0xffff || one.op.kind == MessageKind::vme_skip_intra) return;
    uint32_t parts = 0;
    for (unsigned i = 0; i < 16; ++i) parts += half(one.answer[5], i);
    if (one.op.kind == MessageKind::vme_fraction) return require(parts == cost, "a refinement costs what its parts do");
    check_search(one, cost);
  }
  void check_search(const Sent& one, uint32_t cost) {
    // What is missing here (fields, blocks of other sizes) is answered by zeros.
    if (vme::Request(message(one, one.payload, {})).missing) return;
    const message_header::VmePlace place{one.payload[0].dw};
    const auto& choice = one.answer[0].dw;
    const bool is_whole = !(choice[0] & 3), is_forward = !(choice[6] >> 16 & 0xff);
    if (!is_whole || !is_forward || one.op.streams) return;
    const vme::Surface source = vme::load_surface(bound_.env, one.op.binding.index);
    const vme::Surface reference = vme::load_surface(bound_.env, one.op.binding.index + 1 + (one.payload[1].dw[6] & 15) * 2);
    if (!source.is_there() || !reference.is_there()) return;
    const uint32_t vector = one.answer[1].dw[0];
    const int x = static_cast<int>(place.source_x()), y = static_cast<int>(place.source_y());
    const int dx = static_cast<int16_t>(vector) / 4, dy = static_cast<int16_t>(vector >> 16) / 4;
    std::array<uint8_t, 256> a, b;
    source.fetch(bound_.map.view, x, y, 16, 16, a.data(), 16);
    reference.fetch(bound_.map.view, x + dx, y + dy, 16, 16, b.data(), 16);
    uint32_t sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += static_cast<uint32_t>(std::abs(a[i] - b[i]));
    require(sum == cost, "a search costs the difference at its vector");
  }

  BoundSurfaces bound_;
  WorkerPool pool_{2};
};

}  // namespace
}  // namespace softgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static softgen::fuzz::VmeTarget target;
  target.run({data, size});
  return 0;
}
