// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of dwords with random masks, addresses and sizes, compared with a model that moves one dword at a time.
#include <algorithm>
#include <random>
#include <vector>

#include "hw/eu/isa/gen9/isa.h"
#include "tests/catch.h"
#include "tests/unit/dataport/fixture.h"

using namespace softgen;
using namespace softgen::dataport::test;

namespace {

constexpr uint32_t selects = 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16;
constexpr uint64_t ahead = 0xf00;  // of the page's end: most surfaces lie in two pages

/// RAW, of so many bytes.
std::array<uint32_t, 16> raw(uint32_t size) {
  const uint32_t last = size - 1;
  return {4u << 29 | 0x1ffu << 18, 0, (last >> 7 & 0x3fff) << 16 | (last & 0x7f), (last >> 21) << 21, 0, 0, 0, selects, pixels + ahead};
}

enum class Kind { untyped, a64_untyped, byte_scattered, dword_scattered, a64_scattered };

struct Case {
  Kind kind;
  bool write, header;
  unsigned lanes, off, exec_mask;
  std::vector<uint32_t> offsets;  ///< bytes, by lane
  unsigned count() const {
    return kind == Kind::untyped || kind == Kind::a64_untyped ? 4u - static_cast<unsigned>(__builtin_popcount(off)) : 1;
  }
  bool wide() const { return kind == Kind::a64_untyped || kind == Kind::a64_scattered; }
  bool aligned() const { return kind == Kind::untyped || kind == Kind::a64_untyped; }
};

Case random_case(std::mt19937& random, uint32_t size) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random()) % n; };
  Case c{static_cast<Kind>(below(5)),
         below(2) != 0,
         below(3) == 0,
         below(2) ? 16u : 8u,
         below(2) ? (0xeu << below(4) & 0xf) : below(15),
         0,
         {}};
  const bool plain = below(4) == 0;  // what buffers are copied with
  if (plain) c.kind = Kind::untyped, c.header = false, c.off = 0xeu << below(4) & 0xf;
  c.exec_mask = plain || below(2) ? (1u << c.lanes) - 1 : static_cast<uint32_t>(random()) & ((1u << c.lanes) - 1);
  const bool linear = plain || below(3) != 0;
  uint32_t first = below(size + 64), step = plain || below(2) ? c.count() * 4 : below(5) * 4;
  if (c.kind == Kind::dword_scattered) first &= ~3u;
  for (unsigned lane = 0; lane < c.lanes; lane++) {
    uint32_t offset = linear ? first + lane * step : below(size + 64);
    if (c.kind == Kind::dword_scattered) offset &= ~3u;
    c.offsets.push_back(offset);
  }
  return c;
}

struct Sent {
  std::vector<Grf> payload;
  uint32_t descriptor = 0;
  Sfid sfid = Sfid::dp_data1;
  size_t data = 0;  ///< register of the data
};

Sent message_of(const Case& c, std::mt19937& random) {
  Sent s;
  const unsigned registers = c.lanes / 8, address_registers = registers * (c.wide() ? 2 : 1);
  s.data = c.header + address_registers;
  s.payload.resize(s.data + (c.write ? c.count() * registers : 0));
  for (Grf& g : s.payload)
    for (uint32_t& dword : g.dw) dword = static_cast<uint32_t>(random());
  if (c.header) s.payload[0].dw[7] = 0xffff;
  // The header's offset counts elements, as the channels' do.
  const bool has_global = c.header && (c.kind == Kind::byte_scattered || c.kind == Kind::dword_scattered);
  const uint32_t global = has_global ? static_cast<uint32_t>(random()) % 400 : 0;
  if (has_global) s.payload[0].dw[2] = global;
  for (unsigned lane = 0; lane < c.lanes; lane++) {
    const uint64_t at = pixels + ahead + c.offsets[lane];
    if (c.wide()) std::memcpy(&s.payload[c.header + lane / 4].dw[lane % 4 * 2], &at, 8);
    else s.payload[c.header + lane / 8].dw[lane % 8] = (c.kind == Kind::dword_scattered ? c.offsets[lane] / 4 : c.offsets[lane]) - global;
  }
  const uint32_t simd = c.lanes == 16 ? 1 : 2;
  uint32_t type = 0, control = 0;
  switch (c.kind) {
    case Kind::untyped: type = c.write ? 0x09 : 0x01, control = simd << 4 | c.off; break;
    case Kind::a64_untyped: type = c.write ? 0x19 : 0x11, control = simd << 4 | c.off; break;
    case Kind::a64_scattered: type = c.write ? 0x1a : 0x10, control = (c.lanes == 16) << 4 | 1; break;
    case Kind::byte_scattered: s.sfid = Sfid::dp_data0, type = c.write ? 12 : 4, control = 2 << 2 | (c.lanes == 16); break;
    case Kind::dword_scattered: s.sfid = Sfid::dp_data0, type = c.write ? 11 : 3, control = 2 | (c.lanes == 16); break;
  }
  const size_t answer = c.write ? 0 : size_t{c.count()} * registers;
  s.descriptor = type << 14 | control << 8 | (c.header ? 1u : 0u) << 19 | static_cast<uint32_t>(answer) << 20 |
                 static_cast<uint32_t>(s.payload.size()) << 25;
  return s;
}

/// Uses the port's direct answer for messages of this form, if there is one and it accepts the message.
bool directly(Fixture& f, const Sent& s, const Case& c, std::vector<Grf>& answer) {
  constexpr unsigned sent = 10, answered = 60;
  std::vector<Grf> registers(128);
  std::copy(s.payload.begin(), s.payload.end(), registers.begin() + sent);
  std::copy(answer.begin(), answer.end(), registers.begin() + answered);
  const auto count = [](const std::vector<Grf>& v) { return static_cast<unsigned>(v.size()); };
  DirectAnswer function;
  f.port.direct({eu::gen9_isa().message(static_cast<unsigned>(s.sfid), s.descriptor),
                 {sent, count(s.payload)},
                 {},
                 {answered, count(answer)},
                 c.lanes,
                 false},
                f.env, function);
  if (!function.function || !function.function(function, registers.data(), c.exec_mask, f.env)) return false;
  std::copy_n(registers.begin() + answered, answer.size(), answer.begin());
  return true;
}

}  // namespace

TEST_CASE("messages of dwords equal a model that moves one dword at a time") {
  const uint32_t seed = 3;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  unsigned direct = 0;
  for (const uint32_t size : {64u, 256u, 1000u, 3000u}) {
    Fixture f(raw(size));
    // A64 messages see all of the two pages.
    std::vector<uint8_t> memory(8192 - ahead);
    for (unsigned round = 0; round < 3000; round++) {
      const Case c = random_case(random, size);
      Sent s = message_of(c, random);
      std::vector<Grf> answer(s.descriptor >> 20 & 31), expected;
      for (Grf& g : answer) std::fill(g.dw, g.dw + 8, 0x55555555u);
      expected = answer;
      f.env.walk = round % 4 ? size : 0;
      if (round % 3 == 0 && directly(f, s, c, answer)) direct++;
      else
        REQUIRE(f.port.send({eu::gen9_isa().message(static_cast<unsigned>(s.sfid), s.descriptor),
                             c.lanes,
                             c.exec_mask,
                             c.exec_mask,
                             s.payload,
                             {},
                             answer,
                             false},
                            f.env) == SendResult::done);
      const uint32_t limit = c.wide() ? static_cast<uint32_t>(memory.size()) : size;
      for (unsigned lane = 0; lane < c.lanes; lane++) {
        if (!(c.exec_mask >> lane & 1)) continue;
        unsigned number = 0;
        for (unsigned dword = 0; dword < 4; dword++) {
          if (c.aligned() ? c.off >> dword & 1 : dword != 0) continue;
          const uint32_t at = (c.aligned() ? c.offsets[lane] & ~3u : c.offsets[lane]) + 4 * dword;
          const size_t reg = number++ * c.lanes / 8 + lane / 8;
          uint32_t value = 0;
          if (c.write && at + 4 <= limit) std::memcpy(&memory[at], &s.payload[s.data + reg].dw[lane % 8], 4);
          if (c.write) continue;
          if (at + 4 <= limit) std::memcpy(&value, &memory[at], 4);
          expected[reg].dw[lane % 8] = value;
        }
      }
      std::vector<uint8_t> now(memory.size());
      f.view.read(pixels + ahead, now.data(), now.size());
      INFO("size " << size << " round " << round << " kind " << static_cast<int>(c.kind) << " lanes " << c.lanes << " mask " << c.exec_mask
                   << " off " << c.off);
      REQUIRE(std::memcmp(answer.data(), expected.data(), answer.size() * sizeof(Grf)) == 0);
      REQUIRE(now == memory);
    }
  }
  CHECK(direct > 300);
}

TEST_CASE("offsets into shared local memory have sixteen bits") {
  Fixture f(raw(64));
  std::array<std::byte, 1024> slm{};
  f.env.slm = slm;
  constexpr uint32_t local = 0x10000000, slm_index = 254, simd8_one_dword = 2u << 12 | 0xeu << 8;
  std::vector<Grf> sent(2), received(1);
  for (uint32_t lane = 0; lane < 8; ++lane) sent[0].dw[lane] = local + 512 + 8 * lane, sent[1].dw[lane] = lane + 1;
  const auto message = [&](uint32_t type, std::span<const Grf> payload, std::span<Grf> answer) {
    return f.port.send({eu::gen9_isa().message(static_cast<unsigned>(Sfid::dp_data1), type << 14 | simd8_one_dword | slm_index),
                        8,
                        0xff,
                        0xff,
                        payload,
                        {},
                        answer,
                        false},
                       f.env);
  };
  CHECK(message(0x09, sent, {}) == SendResult::done);
  CHECK(message(0x01, std::span(sent).first(1), received) == SendResult::done);
  for (uint32_t lane = 0; lane < 8; ++lane) {
    CHECK(slm[512 + 8 * lane] == static_cast<std::byte>(lane + 1));
    CHECK(received[0].dw[lane] == lane + 1);
  }
}

TEST_CASE("constants read directly equal those read by a message") {
  const uint32_t seed = 9;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  constexpr uint32_t size = 0x2f4;  // as uniforms of a few dwords, no whole number of blocks
  Fixture f(raw(size));
  f.env.walk = 77;
  for (uint32_t at = 0; at < size; at += 4) f.view.store(pixels + ahead + at, static_cast<uint32_t>(random()));
  unsigned direct = 0;
  for (unsigned round = 0; round < 2000; round++) {
    const uint32_t code = random() % 5, type = random() % 2;
    const size_t answer = code == 4 ? 4 : code == 3 ? 2 : 1;
    std::vector<Grf> registers(128), expected(answer);
    for (Grf& g : registers)
      for (uint32_t& dword : g.dw) dword = static_cast<uint32_t>(random());
    registers[5].dw[2] = static_cast<uint32_t>(type ? random() % (size + 64) : random() % (size / 16 + 4));
    std::copy_n(registers.begin() + 20, answer, expected.begin());
    const uint32_t descriptor = type << 14 | code << 8 | 1u << 19 | static_cast<uint32_t>(answer) << 20 | 1u << 25;
    const Sfid sfid = random() % 2 ? Sfid::dp_constant : Sfid::dp_data0;
    REQUIRE(
        f.port.send(
            {eu::gen9_isa().message(static_cast<unsigned>(sfid), descriptor), 16, 0xffff, 0xffff, {&registers[5], 1}, {}, expected, false},
            f.env) == SendResult::done);
    DirectAnswer function;
    f.port.direct(
        {eu::gen9_isa().message(static_cast<unsigned>(sfid), descriptor), {5, 1}, {}, {20, static_cast<unsigned>(answer)}, 16, false},
        f.env, function);
    REQUIRE(function.function);
    REQUIRE(function.function(function, registers.data(), 0xffff, f.env));
    direct++;
    CHECK(std::memcmp(&registers[20], expected.data(), answer * sizeof(Grf)) == 0);
  }
  CHECK(direct > 1000);
}
