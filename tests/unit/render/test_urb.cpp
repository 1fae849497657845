// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/log.h"
#include "hw/render/urb.h"
#include "tests/catch.h"

using namespace softgen;
using render::Urb;

namespace {

constexpr uint32_t simd8_write = 7, simd8_read = 8, mask_present = 1u << 15, per_slot_offset = 1u << 17;

Message message(uint32_t function, std::span<const Grf> payload, std::span<Grf> response = {}) {
  return {Sfid::urb, function, 0, 8, 0xff, 0xff, payload, {}, response, false};
}

}  // namespace

TEST_CASE("what SIMD8 messages write, each channel reads back from its own entry") {
  Urb urb;
  std::array<Grf, 5> payload{};
  for (unsigned ch = 0; ch < 8; ++ch) {
    payload[0].dw[ch] = urb.allocate(128);
    for (unsigned c = 0; c < 4; ++c) payload[1 + c].dw[ch] = 100 * ch + c;
  }
  REQUIRE(urb_message(message(simd8_write | 1 << 4, payload), urb) == SendResult::done);
  CHECK(urb.dwords(payload[0].dw[3], 4, 4)[2] == 302);
  std::array<Grf, 4> response{};
  REQUIRE(urb_message(message(simd8_read | 1 << 4, std::span(payload).first(1), response), urb) == SendResult::done);
  CHECK(response[1].dw[7] == 701);
}

TEST_CASE("channel masks and per-slot offsets select what is written") {
  Urb urb;
  std::array<Grf, 5> payload{};
  for (unsigned ch = 0; ch < 8; ++ch) {
    payload[0].dw[ch] = urb.allocate(256);
    payload[1].dw[ch] = ch % 2;         // OWords
    payload[2].dw[ch] = 2u << 16;       // the second component only
    payload[3].dw[ch] = 11;
    payload[4].dw[ch] = 22;
  }
  urb_message(message(simd8_write | mask_present | per_slot_offset, payload), urb);
  CHECK(urb.dwords(payload[0].dw[0], 0, 4)[1] == 22);
  CHECK(urb.dwords(payload[0].dw[0], 0, 4)[0] == 0);
  CHECK(urb.dwords(payload[0].dw[1], 4, 4)[1] == 22);
}

TEST_CASE("handles and offsets that lead out of the buffer do nothing") {
  Urb urb;
  urb.allocate(64);
  std::array<Grf, 2> payload{};
  for (unsigned ch = 0; ch < 8; ++ch) payload[0].dw[ch] = 0xffff;
  CHECK(urb_message(message(simd8_write | 0x7ff << 4, payload), urb) == SendResult::done);
  std::array<Grf, 1> response{};
  response[0].dw[0] = 5;
  CHECK(urb_message(message(simd8_read, std::span(payload).first(1), response), urb) == SendResult::done);
  CHECK(response[0].dw[0] == 0);
  set_log_sink({});
  CHECK(urb_message(message(simd8_write | mask_present, std::span(payload).first(1)), urb) == SendResult::failed);
}
