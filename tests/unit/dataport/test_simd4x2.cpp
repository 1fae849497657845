// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/catch.h"
#include "tests/unit/dataport/fixture.h"

using namespace softgen;
using namespace softgen::dataport::test;

namespace {

constexpr uint32_t selects = 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16;
constexpr uint32_t untyped_read = 0x01, untyped_atomic = 0x03, typed_read = 0x05, typed_atomic = 0x07, untyped_write = 0x09,
                   typed_write = 0x0d;
constexpr uint32_t wants_answer = 1 << 5, atomic_add = 7, atomic_cmpwr = 14;

/// RAW, 256 bytes.
struct Raw : Fixture {
  Raw() : Fixture({4u << 29 | 0x1ffu << 18, 0, 1 << 16 | 127, 0, 0, 0, 0, selects, pixels}) {}
};
/// R32_UINT, 8x4, linear.
struct Texels : Fixture {
  Texels() : Fixture({1u << 29 | 0xd7u << 18 | 1 << 16 | 1 << 14, 0, 3 << 16 | 7, 63, 0, 0, 0, selects, pixels}) {}
};

}  // namespace

TEST_CASE("SIMD4x2 untyped messages: an address and four dwords per half") {
  Raw f;
  const std::array<Grf, 2> payload{Grf{{16, 9, 9, 9, 48, 9, 9, 9}}, Grf{{1, 2, 3, 4, 5, 6, 7, 8}}};
  // z is off: it keeps its place in the register, and what memory held.
  CHECK(f.send(untyped_write, 0x4, false, 8, 0xff, payload, {}) == SendResult::done);
  CHECK(f.view.load<uint32_t>(pixels + 20) == 2);
  CHECK(f.view.load<uint32_t>(pixels + 24) == 0);
  CHECK(f.view.load<uint32_t>(pixels + 28) == 4);
  CHECK(f.view.load<uint32_t>(pixels + 48) == 5);
  // The second half is not enabled.
  Grf answer{{77, 77, 77, 77, 77, 77, 77, 77}};
  CHECK(f.send(untyped_read, 0, false, 8, 0x0f, std::span(payload).first(1), std::span(&answer, 1)) == SendResult::done);
  CHECK(answer.dw[0] == 1);
  CHECK(answer.dw[2] == 0);
  CHECK(answer.dw[3] == 4);
  CHECK(answer.dw[4] == 77);
}

TEST_CASE("SIMD4x2 untyped atomics: operands side by side") {
  Raw f;
  f.view.store<uint32_t>(pixels + 16, 100);
  f.view.store<uint32_t>(pixels + 48, 200);
  const std::array<Grf, 2> payload{Grf{{16, 0, 0, 0, 48, 0, 0, 0}}, Grf{{200, 7, 0, 0, 200, 8, 0, 0}}};
  Grf answer{};
  CHECK(f.send(untyped_atomic, wants_answer | atomic_cmpwr, false, 8, 0xff, payload, std::span(&answer, 1)) == SendResult::done);
  CHECK(answer.dw[0] == 100);
  CHECK(answer.dw[4] == 200);
  CHECK(f.view.load<uint32_t>(pixels + 16) == 100);
  CHECK(f.view.load<uint32_t>(pixels + 48) == 8);
}

TEST_CASE("SIMD4x2 typed messages: the coordinates are a half's dwords") {
  Texels f;
  // x only is on.
  const std::array<Grf, 3> payload{Grf{}, Grf{{3, 1, 0, 0, 5, 2, 0, 0}}, Grf{{41, 0, 0, 0, 42, 0, 0, 0}}};
  CHECK(f.send(typed_write, 0xe, true, 8, 0xff, payload, {}) == SendResult::done);
  CHECK(f.view.load<uint32_t>(pixels + 64 + 12) == 41);
  CHECK(f.view.load<uint32_t>(pixels + 128 + 20) == 42);
  Grf answer{};
  CHECK(f.send(typed_atomic, wants_answer | atomic_add, true, 8, 0xff, payload, std::span(&answer, 1)) == SendResult::done);
  CHECK(answer.dw[0] == 41);
  CHECK(answer.dw[4] == 42);
  CHECK(f.send(typed_read, 0, true, 8, 0xff, std::span(payload).first(2), std::span(&answer, 1)) == SendResult::done);
  CHECK(answer.dw[0] == 82);
  CHECK(answer.dw[3] == 1);
  CHECK(answer.dw[4] == 84);
}
