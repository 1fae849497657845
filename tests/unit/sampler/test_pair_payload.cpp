// SPDX-License-Identifier: GPL-2.0-or-later
// SIMD4x2 messages, in the layout that Mesa's vec4 compiler gives them (brw_vec4_nir.cpp, nir_emit_texture), beside SIMD8 messages of the same parameters.
#include <random>
#include <vector>

#include "hw/eu/isa/gen5/isa.h"
#include "tests/unit/sampler/message_fixture.h"

using namespace softgen;
using namespace softgen::sampler;

namespace {

// hw/defs/gen5/messages.def.
constexpr uint32_t simd4x2 = 0, simd8 = 1, sample_l = 2, sample_d = 4, sample_l_c = 6, ld = 7, resinfo = 10;

struct Fixture : test::MessageFixture {
  Fixture() { set_random({1u << 17 | 1u << 14 | 3, 0, 0, 2u << 6 | 2u << 3 | 2}); }  // linear filters
  std::vector<Grf> sent(uint32_t type, uint32_t mode, uint32_t mask, bool header, const std::vector<Grf>& payload, size_t registers) {
    std::vector<Grf> response(registers, Grf{{1, 1, 1, 1, 1, 1, 1, 1}});
    const uint32_t descriptor = type << 12 | mode << 16 | (header ? 1u << 19 : 0) | static_cast<uint32_t>(payload.size()) << 25 |
                                static_cast<uint32_t>(registers) << 20;
    const MessageOp op = eu::gen5_isa().message(static_cast<unsigned>(Sfid::sampler), descriptor);
    const Message message{.op = op,
                          .exec_size = 8,
                          .exec_mask = mask,
                          .dispatch_mask = 0xff,
                          .payload = payload,
                          .payload2 = {},
                          .response = response,
                          .end_of_thread = false};
    unit.send(message, env);
    return response;
  }
};

}  // namespace

TEST_CASE("sampler: a load of two vertices in SIMD4x2 answers both in one register") {
  Fixture f;
  const auto response = f.sent(ld, simd4x2, 0xff, false, {Grf{{3, 5, 0, 0, 2, 1, 0, 0}}}, 1);
  // The tile's first column of 16 bytes.
  const uint32_t texels[2] = {f.view.load<uint32_t>(test::texels_at + 5 * 16 + 3 * 4),
                              f.view.load<uint32_t>(test::texels_at + 1 * 16 + 2 * 4)};
  for (unsigned v = 0; v < 2; ++v)
    for (unsigned c = 0; c < 4; ++c)
      CHECK(std::bit_cast<float>(response[0].dw[v * 4 + c]) == static_cast<float>(static_cast<double>(texels[v] >> 8 * c & 0xff) / 255));
}

TEST_CASE("sampler: SIMD4x2 messages equal SIMD8 messages with the same parameters") {
  const bool header = GENERATE(false, true);
  const auto [type, registers] = GENERATE(std::pair{sample_l, 2u}, std::pair{sample_d, 2u}, std::pair{sample_d, 3u},
                                          std::pair{sample_l_c, 2u}, std::pair{ld, 1u}, std::pair{resinfo, 1u});
  Fixture f;
  std::mt19937 random(11);
  INFO("type " << type << ", seed 11");
  for (unsigned round = 0; round < 20; ++round) {
    const size_t first = header ? 1 : 0;
    std::vector<Grf> pairs(first + registers), wide(first + registers * 4);
    if (header) {
      pairs[0] = wide[0] = {};
      pairs[0].dw[2] = wide[0].dw[2] = 0x230;  // offsets
      pairs[0].dw[3] = wide[0].dw[3] = static_cast<uint32_t>(test::sampler_at);
    }
    for (unsigned p = 0; p < registers * 4; ++p)
      for (unsigned v = 0; v < 2; ++v) {
        const bool integer = type == ld || type == resinfo;
        const uint32_t number = static_cast<uint32_t>(random() % 32);
        const uint32_t value =
            integer ? (p < 3 && type == ld ? number : 0) : std::bit_cast<uint32_t>(static_cast<float>(number) / 16 - 0.5f);
        pairs[first + p / 4].dw[v * 4 + p % 4] = value;
        for (unsigned lane = 0; lane < 4; ++lane) wide[first + p].dw[v * 4 + lane] = value;
      }
    const auto answer = f.sent(type, simd4x2, 0xff, header, pairs, 1), expected = f.sent(type, simd8, 0xff, header, wide, 4);
    for (unsigned v = 0; v < 2; ++v)
      for (unsigned c = 0; c < 4; ++c) CHECK(answer[0].dw[v * 4 + c] == expected[c].dw[v * 4]);
  }
}

TEST_CASE("sampler: of SIMD4x2 the components that are off, or that the header leaves out, keep what they were") {
  Fixture f;
  const std::vector<Grf> payload{Grf{{0, 0, 0x2000, 0}}, Grf{{3, 5, 0, 0, 2, 1, 0, 0}}};  // no green
  const auto all = f.sent(ld, simd4x2, 0xff, false, {payload[1]}, 1), some = f.sent(ld, simd4x2, 0x1f, true, payload, 1);
  for (unsigned i : {0u, 2u, 3u, 4u}) CHECK(some[0].dw[i] == all[0].dw[i]);
  for (unsigned i : {1u, 5u, 6u, 7u}) CHECK(some[0].dw[i] == 1);
}
