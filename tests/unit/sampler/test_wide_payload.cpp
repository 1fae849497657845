// SPDX-License-Identifier: GPL-2.0-or-later
// Messages with parameters of 16 bits, in the layout that Mesa's lower_sampler_logical_send() gives them, beside those with 32 bits.
#include <algorithm>
#include <random>
#include <string_view>
#include <vector>

#include "hw/base/log.h"
#include "hw/eu/isa/gen11/isa.h"
#include "hw/surface/format.h"
#include "tests/unit/sampler/message_fixture.h"

using namespace softgen;
using namespace softgen::sampler;

namespace {

// Mesa brw_eu_defines.h: BRW_SAMPLER_SIMD_MODE_*, GFX10_SAMPLER_SIMD_MODE_SIMD8H and _SIMD16H; brw_eu.h, brw_sampler_desc().
uint32_t descriptor(uint32_t type, uint32_t mode, bool header, size_t length, size_t response) {
  return type << 12 | (mode & 3) << 17 | mode >> 2 << 29 | (header ? 1u << 19 : 0) | std::min(static_cast<uint32_t>(length), 15u) << 25 |
         static_cast<uint32_t>(response) << 20;
}
constexpr uint32_t simd8 = 1, simd16 = 2, simd8h = 5, simd16h = 6;

struct Fixture : test::MessageFixture {
  Fixture() { set_random({1u << 17 | 1u << 14, 0, 0, 2u << 6 | 2u << 3 | 2}); }  // linear filters
  std::vector<Grf> sent(uint32_t type, uint32_t mode, bool header, const std::vector<Grf>& payload) {
    std::vector<Grf> response(8);
    const MessageOp op =
        eu::gen11_isa().message(static_cast<unsigned>(Sfid::sampler), descriptor(type, mode, header, payload.size(), response.size()));
    const Message message{.op = op,
                          .exec_size = op.simd,
                          .exec_mask = (1u << op.simd) - 1,
                          .dispatch_mask = (1u << op.simd) - 1,
                          .payload = payload,
                          .payload2 = {},
                          .response = response,
                          .end_of_thread = false};
    unit.send(message, env);
    return response;
  }
};

struct Type {
  uint32_t code;
  std::string_view parameters;  ///< h: half, w: signed, u: unsigned
};
constexpr Type types[] = {{0, "hhhhh"},  {1, "hhhhhh"},  {2, "hhhhh"},  {3, "hhhhhh"}, {4, "hhhhhhhhhhh"}, {5, "hhhhhhh"},
                          {6, "hhhhhh"}, {7, "wwww"},    {8, "hhhh"},   {9, "hhhh"},   {10, "u"},          {16, "hhhhh"},
                          {17, "hhwwh"}, {18, "hhhwwh"}, {20, "hhhhh"}, {24, "hhhh"},  {25, "hhhhh"},      {26, "www"},
                          {29, "www"},   {30, "uuwww"},  {31, "uwww"},  {11, ""}};

bool same(const std::vector<Grf>& a, const std::vector<Grf>& b) { return std::memcmp(a.data(), b.data(), a.size() * sizeof(Grf)) == 0; }

}  // namespace

TEST_CASE("sampler: messages with parameters of 16 bits equal those with 32 bits that say the same") {
  const bool wide_mode = GENERATE(false, true), header = GENERATE(false, true);
  const unsigned channels = wide_mode ? 16 : 8, registers = channels / 8;
  Fixture f;
  std::mt19937 random(11);
  for (const Type& type : types) {
    INFO("type " << type.code << ", " << channels << " channels");
    for (unsigned round = 0; round < 20; ++round) {
      const size_t count = round % 4 == 3 ? type.parameters.size() / 2 : type.parameters.size(), first = header ? 1 : 0;
      std::vector<Grf> narrow(first + count), wide(first + count * registers);
      if (header) {
        narrow[0] = wide[0] = {};
        narrow[0].dw[2] = wide[0].dw[2] = 0x0000'1230;  // offsets, and no red
        narrow[0].dw[3] = wide[0].dw[3] = static_cast<uint32_t>(test::sampler_at);
      }
      for (size_t p = 0; p < count; ++p)
        for (unsigned lane = 0; lane < channels; ++lane) {
          const auto number = static_cast<int16_t>(static_cast<int>(random() % 40) - 4);
          const float value = static_cast<float>(random() % 512) / 256 - 0.5f;
          uint16_t code = static_cast<uint16_t>(number);
          uint32_t dword = static_cast<uint32_t>(int32_t{number});
          if (type.parameters[p] == 'h') code = surface::float_to_half(value), dword = std::bit_cast<uint32_t>(value);
          if (type.parameters[p] == 'u') dword = code;
          narrow[first + p].dw[lane / 2] |= uint32_t{code} << 16 * (lane % 2);
          wide[first + p * registers + lane / 8].dw[lane % 8] = dword;
        }
      CHECK(same(f.sent(type.code, wide_mode ? simd16h : simd8h, header, narrow),
                 f.sent(type.code, wide_mode ? simd16 : simd8, header, wide)));
    }
  }
}

TEST_CASE("sampler: of SIMD8H, too, each parameter begins a register") {
  Fixture f;
  // ld of (3, 5), level 0, by 16-bit words; what else the registers hold is not looked at.
  std::vector<Grf> payload(3);
  for (unsigned i = 0; i < 4; ++i) payload[0].dw[i] = 0x0003'0003, payload[1].dw[i] = 0x0005'0005;
  for (unsigned i = 4; i < 8; ++i) payload[0].dw[i] = payload[1].dw[i] = payload[2].dw[i] = 0x7777'7777;
  const auto response = f.sent(test::ld_type, simd8h, false, payload);
  const auto texel = f.view.load<uint32_t>(test::texels_at + 5 * 16 + 3 * 4);  // the tile's first column of 16 bytes
  for (unsigned c = 0; c < 4; ++c)
    for (unsigned lane = 0; lane < 8; ++lane)
      CHECK(std::bit_cast<float>(response[c].dw[lane]) == static_cast<float>(static_cast<double>(texel >> 8 * c & 0xff) / 255));
}

TEST_CASE("sampler: MCS codes of 64 bits in parameters of 16 bits are counted as missing") {
  Fixture f;
  const uint64_t before = failure_count(Failure::unimplemented, "sampler message");
  for (const Grf& r : f.sent(28, simd8h, false, std::vector<Grf>(6))) CHECK(r.dw[0] == 0);
  CHECK(failure_count(Failure::unimplemented, "sampler message") == before + 1);
}
