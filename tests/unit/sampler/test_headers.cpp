// SPDX-License-Identifier: GPL-2.0-or-later
// What a message's header asks for: the mask of pixels without null tiles, in the form that Mesa's lower_sampler_logical_send() wants it, and samplers
// that count from a base of their own.
#include <algorithm>
#include <bit>
#include <vector>

#include "hw/eu/isa/gen11/isa.h"
#include "tests/unit/memory/tables.h"
#include "tests/unit/sampler/message_fixture.h"

using namespace softgen;
using namespace softgen::sampler;

namespace {

constexpr uint32_t sample_lz = 24, gather4 = 8, ld = 7, ld_lz = 26, null_mask = 1u << 23;
constexpr uint64_t low = 0x10'0000, tiles = 0xf000'0000'0000;

/// Two rows of 16 texels, the second of which is in a null tile.
struct Fixture {
  memory::SparseMemory host{16 << 20};
  memory::test::Tables tables{host};
  memory::TlbGeneration generation;
  uint64_t pml4 = tables.new_table();
  memory::AddressSpace space = memory::AddressSpace::ppgtt48(pml4, generation);
  memory::View view{host, nullptr};
  ShaderBases bases;
  StopFlag stop;
  ThreadEnv env{view, bases, stop};
  Sampler unit{decode_state<defs::Gen9>};

  Fixture() {
    // Tables of three levels, a page each, and behind them the states and the tile that is there.
    for (uint64_t page = 0; page < 0x4'0000; page += 0x1000) tables.map(pml4, low + page, 0x80'0000 + page);
    space.tiled = {.enabled = true, .mask = 0xf, .data = 0xf, .root = low, .null_tile = 0, .invalid_tile = 1};
    view.set_space(space);
    view.store<uint64_t>(low + (tiles >> 35 & 511) * 8, low + 0x1000);
    view.store<uint64_t>(low + 0x1000, low + 0x2000);
    view.store<uint32_t>(low + 0x2000, static_cast<uint32_t>((low + 0x1'0000) >> 16));
    for (uint64_t x = 0; x < 16; ++x) view.store<uint32_t>(tiles + 4 * x, 0xffff'ffff);
    bases.decode_surface = surface::decode_surface<defs::Gen9>;
    bases.binding_table = static_cast<uint32_t>(low + 0x4000);
    bases.sampler_state = static_cast<uint32_t>(low + 0x5000);
    view.store<uint32_t>(low + 0x4000, static_cast<uint32_t>(low + 0x4040));
    test::SurfaceState s{};
    s.surface_type = test::SurfaceState::SurfaceType::SURFTYPE_2D;
    s.surface_format = defs::gen9::SurfaceFormat::R8G8B8A8_UNORM;
    s.width = 15, s.height = 1, s.surface_pitch = 0xffff;
    s.surface_base_address = tiles;
    using Select = defs::gen9::ShaderChannelSelect;
    s.shader_channel_select_red = Select::SCS_RED, s.shader_channel_select_green = Select::SCS_GREEN;
    s.shader_channel_select_blue = Select::SCS_BLUE, s.shader_channel_select_alpha = Select::SCS_ALPHA;
    const auto dwords = s.pack();
    view.write(low + 0x4040, dwords.data(), sizeof dwords);
    const StateDwords linear{1u << 17 | 1u << 14, 0, 0, 2u << 6 | 2u << 3 | 2};
    view.write(bases.sampler_state, linear.data(), sizeof linear);
  }
  /// `rows`: the second coordinate by channel. Returns the response, with a register more than the message asks for.
  std::vector<Grf> sent(uint32_t type, const std::vector<float>& rows, uint32_t header, unsigned parameters, uint32_t enabled = 0xffff) {
    const auto channels = static_cast<unsigned>(rows.size());
    const unsigned registers = channels / 8;
    std::vector<Grf> payload(1 + size_t{parameters} * registers), response(11, Grf{{7, 7, 7, 7, 7, 7, 7, 7}});
    payload[0].dw[2] = header, payload[0].dw[3] = bases.sampler_state;
    const bool whole = type == ld || type == ld_lz;
    for (unsigned i = 0; i < channels; ++i) {
      payload[1 + i / 8].dw[i % 8] = whole ? 3 : std::bit_cast<uint32_t>(0.5f);
      payload[1 + registers + i / 8].dw[i % 8] = whole ? static_cast<uint32_t>(rows[i]) : std::bit_cast<uint32_t>(rows[i]);
    }
    const uint32_t descriptor =
        type << 12 | (channels == 16 ? 2u : 1u) << 17 | 1u << 19 | static_cast<uint32_t>(payload.size()) << 25 | 11u << 20;
    const MessageOp op = eu::gen11_isa().message(static_cast<unsigned>(Sfid::sampler), descriptor);
    const Message message{.op = op,
                          .exec_size = channels,
                          .exec_mask = enabled & ((1u << channels) - 1),
                          .dispatch_mask = (1u << channels) - 1,
                          .payload = payload,
                          .payload2 = {},
                          .response = response,
                          .end_of_thread = false};
    unit.send(message, env);
    return response;
  }
};

}  // namespace

TEST_CASE("sampler: loads say which pixels have no texel in a null tile") {
  Fixture f;
  const uint32_t type = GENERATE(ld, ld_lz);
  const auto r = f.sent(type, {0, 1, 0, 0, 1, 1, 0, 1}, null_mask, 3);
  CHECK(r[4].dw[0] == 0xff4d);
  for (unsigned i = 0; i < 8; ++i) CHECK(r[0].dw[i] == (0x4d >> i & 1 ? test::one : 0));
  // Of sixteen channels, and two components alone, Mesa reads the register behind them; a channel that is off is not null.
  const auto two = f.sent(type, {0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0}, null_mask | 0xc000, 3, 0xfffd);
  CHECK((two[4].dw[0] == 0xf04f && two[5].dw[0] == 7));
  CHECK(f.sent(type, {0, 1, 0, 0, 1, 1, 0, 1}, 0, 3)[4].dw[0] == 7);
}

TEST_CASE("sampler: filters and gathers that touch a null tile say so") {
  Fixture f;
  // Rows' centres, and between them.
  const std::vector<float> rows = {0.25f, 0.5f, 0.75f, 0.1f, 0.25f, 0.3f, 1, 0};
  const auto sampled = f.sent(sample_lz, rows, null_mask, 3);
  CHECK(sampled[4].dw[0] == 0xff99);
  CHECK((sampled[0].dw[0] == test::one && sampled[0].dw[2] == 0));
  const float half = std::bit_cast<float>(sampled[0].dw[1]);
  CHECK((half > 0.49f && half < 0.51f));
  const auto gathered = f.sent(gather4, {-1, 0.5f, 0.75f, 0.1f, -1, 0.3f, 1, 0}, null_mask, 2);
  CHECK(gathered[4].dw[0] == 0xff99);
  CHECK((gathered[0].dw[1] == 0 && gathered[3].dw[1] == test::one));
}

TEST_CASE("sampler: without tiled resources all pixels are there") {
  Fixture f;
  f.space.tiled.enabled = false;
  for (uint64_t page = 0; page < 0x2'0000; page += 0x1000) f.tables.map(f.pml4, tiles + page, 0x90'0000 + page);
  f.view.set_space(f.space);
  CHECK(f.sent(sample_lz, {0.25f, 0.5f, 0.75f, 0.1f, 0.25f, 0.3f, 1, 0}, null_mask, 3)[4].dw[0] == 0xffff);
  CHECK(f.sent(ld, std::vector<float>(16, 1), null_mask, 3)[8].dw[0] == 0xffff);
}

// Mesa brw_lower_logical_sends.cpp, use_bindless_sampler_offset.
TEST_CASE("sampler: a header's bit 0 makes its pointer count from the base of bindless samplers") {
  Fixture f;
  f.bases.bindless_sampler = low + 0x6000;  // zeros: nearest filters
  const uint32_t table = f.bases.sampler_state;
  const auto red = [&](uint32_t pointer) {
    f.bases.sampler_state = pointer;
    return f.sent(sample_lz, std::vector<float>(8, 0.5f), 0, 3)[0].dw[0];
  };
  const uint32_t filtered = red(table), nearest = red(1);
  CHECK((filtered != 0 && nearest == 0));
  // Beyond its size samplers are zeros, wherever it is; without such a base the bit says nothing.
  f.bases.bindless_sampler = low, f.bases.bindless_samplers = 0x5000;
  CHECK(red(0x5001) == 0);
  f.bases.bindless_samplers = 0x6000;
  CHECK(red(0x5001) == filtered);
  f.bases.bindless_sampler.reset();
  CHECK(red(table | 1) == filtered);
}
