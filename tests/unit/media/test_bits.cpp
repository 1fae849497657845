// SPDX-License-Identifier: GPL-2.0-or-later
// Readers of bits against writers of the test, which follow the standards' own encoders.
#include <random>
#include <utility>
#include <vector>

#include "hw/media/bits/bit_reader.h"
#include "hw/media/bits/bool_decoder.h"
#include "tests/catch.h"

using namespace softgen::media;

namespace {

/// RFC 6386, section 7.3.
class BoolEncoder {
 public:
  void put(bool bit, uint8_t probability) {
    const uint32_t split = 1 + ((range_ - 1) * probability >> 8);
    if (bit) low_ += split, range_ -= split;
    else range_ = split;
    for (; range_ < 128; range_ <<= 1) {
      if (low_ & uint32_t{1} << 31) carry();
      low_ <<= 1;
      if (--count_ == 0) bytes_.push_back(static_cast<uint8_t>(low_ >> 24)), low_ &= (1 << 24) - 1, count_ = 8;
    }
  }
  std::vector<uint8_t> finish() {
    int bits = count_;
    uint32_t low = low_;
    if (low & uint32_t{1} << (32 - bits)) carry();
    low <<= bits & 7;
    for (bits >>= 3; --bits >= 0;) low <<= 8;
    for (bits = 4; --bits >= 0; low <<= 8) bytes_.push_back(static_cast<uint8_t>(low >> 24));
    return bytes_;
  }

 private:
  void carry() {
    size_t i = bytes_.size();
    while (i && bytes_[--i] == 255) bytes_[i] = 0;
    if (!bytes_.empty()) ++bytes_[i];
  }
  std::vector<uint8_t> bytes_;
  uint32_t range_ = 255, low_ = 0;
  int count_ = 24;
};

}  // namespace

TEST_CASE("bits: fixed lengths and Exp-Golomb codes") {
  // 101, ue: 1 (0), 010 (1), 00111 (6), 00100 (3, se: 2), then 00101 (4, se: -2).
  const std::vector<uint8_t> bytes{0b10110100, 0b01110010, 0b00010100};
  BitReader reader(bytes);
  CHECK(reader.take(3) == 5);
  CHECK(reader.unsigned_golomb() == 0);
  CHECK(reader.unsigned_golomb() == 1);
  CHECK(reader.unsigned_golomb() == 6);
  CHECK(reader.signed_golomb() == 2);
  CHECK(reader.signed_golomb() == -2);
  CHECK_FALSE(reader.over());
  CHECK(reader.take(32) == 0);
  CHECK(reader.over());
  BitReader zeros;
  CHECK(zeros.unsigned_golomb() == ~0u);
  CHECK(zeros.over());
}

TEST_CASE("bits: any position and length") {
  std::mt19937 random(5);
  std::vector<uint8_t> bytes(64);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  for (int round = 0; round < 2000; ++round) {
    const unsigned at = random() % 500, count = 1 + random() % 32;
    uint32_t expected = 0;
    for (unsigned i = 0; i < count; ++i) expected = expected << 1 | (at + i < 512 ? bytes[(at + i) / 8] >> (7 - (at + i) % 8) & 1u : 0u);
    BitReader reader(bytes, at);
    REQUIRE(reader.take(count) == expected);
    REQUIRE(reader.over() == (at + count > 512));
  }
}

TEST_CASE("bits: emulation prevention bytes are removed") {
  std::vector<uint8_t> bytes{0, 0, 3, 1, 0, 0, 3, 0, 0, 3, 3, 0, 3};
  bytes.resize(strip_emulation(bytes));
  CHECK(bytes == std::vector<uint8_t>{0, 0, 1, 0, 0, 0, 0, 3, 0, 3});
}

TEST_CASE("emulation prevention: as byte by byte, in streams of few values") {
  std::mt19937 random(5);
  for (unsigned i = 0; i < 2000; ++i) {
    std::vector<uint8_t> bytes(random() % 64), expected;
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % 4 ? random() % 2 * 3 : random() % 8);
    unsigned zeros = 0;
    for (const uint8_t byte : bytes) {
      const bool removed = zeros >= 2 && byte == 3;
      if (!removed) expected.push_back(byte);
      zeros = byte ? 0 : zeros + 1;
    }
    bytes.resize(strip_emulation(bytes));
    REQUIRE(bytes == expected);
  }
}

TEST_CASE("bool decoder: decodes what RFC 6386's encoder writes, from any place on") {
  std::mt19937 random(3);
  std::vector<std::pair<bool, uint8_t>> symbols(5000);
  BoolEncoder encoder;
  for (auto& [bit, probability] : symbols) {
    probability = static_cast<uint8_t>(1 + random() % 255);
    bit = random() % 256 >= probability;
    encoder.put(bit, probability);
  }
  const std::vector<uint8_t> bytes = encoder.finish();
  BoolDecoder decoder(bytes);
  bool equal = true;
  for (const auto& [bit, probability] : symbols) equal &= decoder.decode(probability) == bit;
  CHECK(equal);
  CHECK_FALSE(decoder.over());
  for (int i = 0; i < 100; ++i) decoder.flag();
  CHECK(decoder.over());
}
