// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of the MPEG-2 decoder against the standard's own definitions.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "hw/media/mpeg2/block.h"
#include "hw/media/mpeg2/idct.h"
#include "hw/media/mpeg2/motion.h"
#include "hw/media/mpeg2/slice.h"
#include "hw/media/mpeg2/vlc.h"
#include "tests/catch.h"
#include "tests/unit/media/bit_writer.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::mpeg2;
using media::test::BitWriter;

namespace {

/// The transform by its definition (annex A).
double exact(const int16_t* block, unsigned x, unsigned y) {
  double sum = 0;
  for (unsigned v = 0; v < 8; ++v)
    for (unsigned u = 0; u < 8; ++u)
      sum += (u ? 1 : std::numbers::sqrt2 / 2) * (v ? 1 : std::numbers::sqrt2 / 2) * block[v * 8 + u] *
             std::cos((2 * x + 1) * u * std::numbers::pi / 16) * std::cos((2 * y + 1) * v * std::numbers::pi / 16);
  return sum / 4;
}

template <size_t size>
void check_prefix_free(const std::array<VlcEntry, size>& table, size_t unused) {
  CHECK(static_cast<size_t>(std::count_if(table.begin(), table.end(), [](VlcEntry e) { return !e.length; })) == unused);
}

PictureParams small_picture() {
  PictureParams picture;
  picture.width = 2, picture.height = 2;
  picture.frame_pred_frame_dct = true;
  picture.f_code = {{{1, 1}, {1, 1}}};
  for (auto& matrix : picture.matrix) matrix.fill(16);
  return picture;
}

/// An intra macroblock whose six blocks have no coefficient but a DC that is as predicted.
void write_flat(BitWriter& bits) {
  bits.put("1");
  for (unsigned i = 0; i < 4; ++i) bits.put("100"), bits.put("10");
  for (unsigned i = 0; i < 2; ++i) bits.put("00"), bits.put("10");
}

struct Rig {
  PictureParams picture = small_picture();
  References references;
  Frame<uint8_t> frame;
  std::vector<uint8_t> done;
  StopFlag stop;
  SliceResult decode(BitWriter& bits, SliceParams slice) {
    frame.resize(picture.width * 16, picture.height * 16);
    done.assign(picture.width * picture.height, 0);
    return SliceDecoder(picture, references, frame, done).decode(BitReader(bits.bytes()), slice, stop);
  }
};

}  // namespace

TEST_CASE("mpeg2: the inverse transform is within IEEE 1180's error of one") {
  std::mt19937 random(1);
  for (unsigned n = 0; n < 2000; ++n) {
    int16_t block[64] = {}, result[64];
    const unsigned count = 1 + random() % 64;
    for (unsigned i = 0; i < count; ++i) block[random() % 64] = static_cast<int16_t>(static_cast<int>(random() % 601) - 300);
    std::copy_n(block, 64, result);
    inverse_dct(result);
    for (unsigned i = 0; i < 64; ++i) REQUIRE(std::abs(result[i] - exact(block, i % 8, i / 8)) <= 1.0);
  }
}

TEST_CASE("mpeg2: the transform of a DC alone is flat, and of nothing nothing") {
  for (int dc = -2048; dc < 2048; dc += 7) {
    int16_t block[64] = {};
    block[0] = static_cast<int16_t>(dc);
    inverse_dct(block);
    for (const int16_t value : block) REQUIRE(value == block[0]);
    CHECK(std::abs(block[0] - dc / 8.0) <= 1.0);
  }
}

TEST_CASE("mpeg2: code tables leave only the words that the standard leaves") {
  check_prefix_free(mb_types[0], 16);  // 00
  check_prefix_free(mb_types[1], 1);   // 000000
  check_prefix_free(mb_types[2], 1);
  check_prefix_free(block_patterns, 2);  // 0000 0000 and 4:2:0's unused 0000 0000 1
  check_prefix_free(motion_codes, 12);   // 0000 0000 to 0000 0010 11
  check_prefix_free(dc_sizes[0], 0);
  check_prefix_free(dc_sizes[1], 0);
  // Every code has a value of its own.
  for (const CoefficientTable& table : coefficients) {
    std::vector<unsigned> seen(66 * 64);
    for (uint32_t word = 0; word < 65536; word += 1) {
      const CoefficientEntry& entry = table.find(word);
      if (!entry.length) continue;
      const uint32_t prefix = word >> (16 - entry.length) << (16 - entry.length);
      if (prefix == word) ++seen[entry.run * 64 + entry.level];
    }
    CHECK(std::count(seen.begin(), seen.end(), 1u) == 113);  // 111 pairs, the end and the escape
    CHECK(std::count_if(seen.begin(), seen.end(), [](unsigned n) { return n > 1; }) == 0);
  }
}

TEST_CASE("mpeg2: coefficients are dequantised, saturated, and their sum made odd") {
  PictureParams picture = small_picture();
  BitWriter bits;
  bits.put("11"), bits.put("0100"), bits.put("0"), bits.put("10");  // -1; run 0, level 2; end
  int16_t block[64] = {};
  BitReader reader(bits.bytes());
  REQUIRE(read_block(reader, picture, false, 4, block));
  CHECK(block[0] == -6);  // (2 * 1 + 1) * 4 * 16 / 32
  CHECK(block[1] == 10);
  CHECK(block[63] == 1);
  BitWriter large;
  large.put("0000 01"), large.put("000000"), large.put("0111 1111 1111"), large.put("10");
  std::fill_n(block, 64, int16_t{0});
  reader = BitReader(large.bytes());
  REQUIRE(read_block(reader, picture, false, 62, block));
  CHECK(block[0] == 2047);
  CHECK(block[63] == 0);
}

TEST_CASE("mpeg2: more coefficients than 64, unknown codes and a level of 0 break a block") {
  for (const char* code :
       {"0000 01 111111 0000 0000 0001 0000 01 000001 0000 0000 0001", "0000 0000 0000 0000", "0000 01 000000 0000 0000 0000"}) {
    BitWriter bits;
    bits.put(code);
    int16_t block[64] = {};
    BitReader reader(bits.bytes());
    CHECK_FALSE(read_block(reader, small_picture(), false, 4, block));
  }
}

TEST_CASE("mpeg2: vectors wrap at their range, and fields of a frame count field rows") {
  PictureParams picture = small_picture();
  Motion motion;
  VectorPredictors predictors{};
  predictors[0][0] = {15, -16};
  BitWriter bits;
  bits.put("01 0"), bits.put("01 1");  // +1, -1: range is -16 to 15
  BitReader reader(bits.bytes());
  REQUIRE(read_vectors(reader, picture, 0, motion, predictors));
  CHECK(motion.vector[0][0].x == -16);
  CHECK(motion.vector[0][0].y == 15);
  CHECK(predictors[0][1].x == -16);
  motion.type = MotionType::field;
  predictors[0][0] = predictors[0][1] = {0, 6};
  BitWriter fields;
  fields.put("1"), fields.put("1"), fields.put("01 0"), fields.put("0"), fields.put("1"), fields.put("1");
  reader = BitReader(fields.bytes());
  REQUIRE(read_vectors(reader, picture, 0, motion, predictors));
  CHECK(motion.select[0] == std::array<uint8_t, 2>{1, 0});
  CHECK(motion.vector[0][0].y == 4);
  CHECK(predictors[0][0].y == 8);
  CHECK(predictors[0][1].y == 6);
}

TEST_CASE("mpeg2: a slice begins where its packet says, whatever its first increment says") {
  Rig rig;
  BitWriter bits;
  bits.put("011"), write_flat(bits), bits.put("1"), write_flat(bits);
  CHECK(rig.decode(bits, {2, 4, 1}) == SliceResult::whole);
  CHECK(rig.done == std::vector<uint8_t>{0, 0, 1, 1});
  CHECK(*rig.frame.luma.at(0, 16) == 128);
  CHECK(*rig.frame.chroma.at(31, 15) == 128);
}

TEST_CASE("mpeg2: a slice does not leave its end, and a broken one says so") {
  Rig rig;
  BitWriter bits;
  for (unsigned i = 0; i < 4; ++i) bits.put("1"), write_flat(bits);
  CHECK(rig.decode(bits, {0, 2, 1}) == SliceResult::broken);
  CHECK(rig.done == std::vector<uint8_t>{1, 1, 0, 0});
  BitWriter bad;
  bad.put("1"), bad.put("00");
  CHECK(rig.decode(bad, {0, 4, 1}) == SliceResult::broken);
  CHECK(rig.decode(bits, {9, 4, 1}) == SliceResult::broken);
}
