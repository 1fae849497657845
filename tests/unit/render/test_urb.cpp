// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <random>
#include <vector>

#include "hw/base/log.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/render/urb.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using render::Urb;

namespace {

constexpr uint32_t simd8_write = 7, simd8_read = 8, mask_present = 1u << 15, per_slot_offset = 1u << 17;

SendResult send(Urb& urb, uint32_t function, std::span<const Grf> payload, std::span<Grf> response = {}) {
  const MessageOp op = eu::gen9_isa().message(static_cast<unsigned>(Sfid::urb), function);
  return urb_message({op, 8, 0xff, 0xff, payload, {}, response, false}, urb);
}

}  // namespace

TEST_CASE("what SIMD8 messages write, each channel reads back from its own entry") {
  Urb urb;
  std::array<Grf, 5> payload{};
  for (unsigned ch = 0; ch < 8; ++ch) {
    payload[0].dw[ch] = urb.allocate(128);
    for (unsigned c = 0; c < 4; ++c) payload[1 + c].dw[ch] = 100 * ch + c;
  }
  REQUIRE(send(urb, simd8_write | 1 << 4, payload) == SendResult::done);
  CHECK(urb.dwords(payload[0].dw[3], 4, 4)[2] == 302);
  std::array<Grf, 4> response{};
  REQUIRE(send(urb, simd8_read | 1 << 4, std::span(payload).first(1), response) == SendResult::done);
  CHECK(response[1].dw[7] == 701);
}

TEST_CASE("a write of all channels equals writes of single channels, whatever their entries") {
  std::mt19937 random(5);
  for (unsigned round = 0; round < 400; ++round) {
    Urb urb;
    const uint32_t first = urb.allocate(64 * 64);
    const unsigned components = 1 + random() % 15, stride = random() % 3, offset = random() % 4;
    std::vector<Grf> payload(1 + components);
    for (unsigned ch = 0; ch < 8; ++ch) {
      payload[0].dw[ch] = random() % 8 ? first + ch * stride : random() % 70;
      for (unsigned c = 0; c < components; ++c) payload[1 + c].dw[ch] = 1 + random();
    }
    Urb expected;
    expected.allocate(64 * 64);
    for (unsigned ch = 0; ch < 8; ++ch) {
      const auto cell = expected.dwords(payload[0].dw[ch], 4 * offset, components);
      for (size_t c = 0; c < cell.size(); ++c) cell[c] = payload[1 + c].dw[ch];
    }
    REQUIRE(send(urb, simd8_write | offset << 4, payload) == SendResult::done);
    const auto a = urb.dwords(first, 0, 64 * 16), b = expected.dwords(first, 0, 64 * 16);
    CAPTURE(round, components, stride, offset);
    REQUIRE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
}

TEST_CASE("channel masks and per-slot offsets select what is written") {
  Urb urb;
  std::array<Grf, 5> payload{};
  for (unsigned ch = 0; ch < 8; ++ch) {
    payload[0].dw[ch] = urb.allocate(256);
    payload[1].dw[ch] = ch % 2;    // OWords
    payload[2].dw[ch] = 2u << 16;  // the second component only
    payload[3].dw[ch] = 11;
    payload[4].dw[ch] = 22;
  }
  send(urb, simd8_write | mask_present | per_slot_offset, payload);
  CHECK(urb.dwords(payload[0].dw[0], 0, 4)[1] == 22);
  CHECK(urb.dwords(payload[0].dw[0], 0, 4)[0] == 0);
  CHECK(urb.dwords(payload[0].dw[1], 4, 4)[1] == 22);
}

TEST_CASE("handles and offsets outside of the buffer have no effect") {
  Urb urb;
  urb.allocate(64);
  std::array<Grf, 2> payload{};
  for (unsigned ch = 0; ch < 8; ++ch) payload[0].dw[ch] = 0xffff;
  CHECK(send(urb, simd8_write | 0x7ff << 4, payload) == SendResult::done);
  std::array<Grf, 1> response{};
  response[0].dw[0] = 5;
  CHECK(send(urb, simd8_read, std::span(payload).first(1), response) == SendResult::done);
  CHECK(response[0].dw[0] == 0);
  quiet_log();
  CHECK(send(urb, simd8_write | mask_present, std::span(payload).first(1)) == SendResult::failed);
}

TEST_CASE("interleaved SIMD4x2 messages split their registers between two entries") {
  Urb urb;
  constexpr uint32_t write_hword = 0, read_oword = 3, interleaved = 1u << 15;
  std::array<Grf, 3> payload{};
  payload[0].dw[0] = urb.allocate(128);
  payload[0].dw[1] = urb.allocate(128);
  payload[0].dw[5] = 0xff00 & ~(1u << 8);  // all but the first component of the first entry
  for (unsigned i = 0; i < 8; ++i) payload[1].dw[i] = 10 + i, payload[2].dw[i] = 20 + i;
  send(urb, write_hword | interleaved | 1 << 4, payload);
  CHECK(urb.dwords(payload[0].dw[0], 8, 8)[0] == 0);
  CHECK(urb.dwords(payload[0].dw[0], 8, 8)[5] == 21);
  CHECK(urb.dwords(payload[0].dw[1], 8, 8)[0] == 14);
  CHECK(urb.dwords(payload[0].dw[1], 8, 8)[7] == 27);
  std::array<Grf, 1> response{};
  send(urb, read_oword | interleaved | 3 << 4, std::span(payload).first(1), response);
  CHECK(response[0].dw[1] == 21);
  CHECK(response[0].dw[6] == 26);
}

TEST_CASE("released entries are zero when allocated again, older ones keep their content") {
  Urb urb;
  const uint32_t kept = urb.allocate(64);
  urb.dwords(kept, 0, 1)[0] = 1;
  const uint32_t mark = urb.mark(), gone = urb.allocate(200);
  urb.dwords(gone, 0, 1)[0] = 2;
  urb.release(mark);
  CHECK(urb.dwords(gone, 0, 1).empty());
  CHECK(urb.allocate(64) == gone);
  CHECK(urb.dwords(gone, 0, 1)[0] == 0);
  CHECK(urb.dwords(kept, 0, 1)[0] == 1);
  while (urb.allocate(32768)) {}
  CHECK(urb.dwords(0, 0, 1).empty());
}
