// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of the VC-1 decoder against the standard's own definitions (SMPTE 421M).
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "hw/media/vc1/coefficients.h"
#include "hw/media/vc1/filter.h"
#include "hw/media/vc1/inter.h"
#include "hw/media/vc1/motion.h"
#include "hw/media/vc1/slice.h"
#include "hw/media/vc1/transform.h"
#include "hw/media/vc1/vlc.h"
#include "tests/catch.h"
#include "tests/unit/media/bit_writer.h"
#include "tests/unit/media/vc1_rig.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::test;
using Rig = Vc1Rig;

namespace {

constexpr int t8[8][8] = {{12, 12, 12, 12, 12, 12, 12, 12}, {16, 15, 9, 4, -4, -9, -15, -16},     {16, 6, -6, -16, -16, -6, 6, 16},
                          {15, -4, -16, -9, 9, 16, 4, -15}, {12, -12, -12, 12, 12, -12, -12, 12}, {9, -16, 4, 15, -15, -4, 16, -9},
                          {6, -16, 16, -6, -6, 16, -16, 6}, {4, -9, 15, -16, 16, -15, 9, -4}};
constexpr int t4[4][4] = {{17, 17, 17, 17}, {22, 10, -10, -22}, {17, -17, -17, 17}, {10, -22, 22, -10}};

int basis(unsigned size, unsigned i, unsigned at) { return size == 8 ? t8[i][at] : t4[i][at]; }

/// The products of annex A's matrices, with its rounding.
std::vector<int> by_matrices(const int16_t* block, unsigned width, unsigned height) {
  std::vector<int> rows(64), result(64);
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < width; ++x) {
      int sum = 4;
      for (unsigned i = 0; i < width; ++i) sum += block[8 * y + i] * basis(width, i, x);
      rows[8 * y + x] = sum >> 3;
    }
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < width; ++x) {
      int sum = 64 + (height == 8 && y > 3);
      for (unsigned i = 0; i < height; ++i) sum += rows[8 * i + x] * basis(height, i, y);
      result[8 * y + x] = sum >> 7;
    }
  return result;
}

/// An intra macroblock of an I picture without AC coefficients, and a differential of 0 for each DC.
void put_flat(BitWriter& bits) {
  bits.put(digits(intra_patterns[0]));
  for (unsigned block = 0; block < 6; ++block) bits.put(digits((block < 4 ? dc_luma : dc_chroma)[0][0]));
}

}  // namespace

TEST_CASE("vc1: the inverse transforms are annex A's") {
  std::mt19937 random(1);
  for (const unsigned width : {4u, 8u})
    for (const unsigned height : {4u, 8u})
      for (unsigned n = 0; n < 500; ++n) {
        int16_t block[64] = {};
        for (unsigned i = 0; i < 1 + random() % 20; ++i)
          block[random() % height * 8 + random() % width] = static_cast<int16_t>(static_cast<int>(random() % 801) - 400);
        const std::vector<int> expected = by_matrices(block, width, height);
        inverse_transform(block, width, height);
        for (unsigned y = 0; y < height; ++y)
          for (unsigned x = 0; x < width; ++x) REQUIRE(block[8 * y + x] == expected[8 * y + x]);
      }
}

TEST_CASE("vc1: code tables are complete") {
  check_codes(intra_patterns);
  for (const auto& codes : inter_patterns) check_codes(codes);
  for (const auto& codes : macroblock_transforms) check_codes(codes);
  for (const auto& codes : block_transforms) check_codes(codes);
  for (const auto& codes : subblock_patterns) check_codes(codes);
  for (const auto& codes : vectors) check_codes(codes);
  for (const auto* tables : {&dc_luma, &dc_chroma})
    for (const auto& codes : *tables) check_codes(codes);
  for (unsigned set = 0; set < coding_sets; ++set) {
    const bool is_mid_rate = set / 2 * 2 == mid_rate_set;
    check_codes(coefficient_codes[set].codes, is_mid_rate ? 1u << 23 : 0);  // MPEG-4's table: nine bits are unused
    size_t levels = 1;
    for (const auto& runs : coefficient_codes[set].levels)
      for (const uint8_t level : runs) levels += level;
    CHECK(coefficient_codes[set].codes.size() == levels);
  }
}

TEST_CASE("vc1: escapes add to levels and runs, or have both, whose sizes the first one states") {
  PictureParams params;
  params.quantizer = {.step = 10, .low_index = false};
  const CoefficientTable& table = tables().coefficients[low_motion_set];
  const auto& codes = coefficient_codes[low_motion_set].codes;
  const std::string escape = digits(codes.back());
  BitWriter bits;
  bits.put(escape), bits.put("1"), bits.put(digits(codes[0])), bits.put("1");         // run 0, level 1: level + the highest of run 0
  bits.put(escape), bits.put("01"), bits.put(digits(codes[0])), bits.put("0");        // run + the longest of level 1, + 1
  bits.put(escape), bits.put("00 0"), bits.put("0001 01"), bits.put("0011 1 10010");  // levels of 5 bits, runs of 4
  bits.put(escape), bits.put("00 1"), bits.put("0001 0 00101");
  BitReader reader(bits.bytes());
  CoefficientReader coefficients(reader, params);
  int16_t block[64] = {};
  REQUIRE(coefficients.read_intra(false, Scan::intra, block));
  std::vector<int> levels;
  for (const int16_t level : block)
    if (level) levels.push_back(level);
  std::ranges::sort(levels);
  std::vector<int> expected = {-1 - static_cast<int>(table.max_level(false, 0)), 1, -18, 5};
  std::ranges::sort(expected);
  CHECK(levels == expected);
}

TEST_CASE("vc1: more coefficients than a block has break the slice") {
  PictureParams params;
  params.quantizer.step = 10;
  const auto& codes = coefficient_codes[low_motion_set].codes;
  BitWriter bits;
  for (unsigned i = 0; i < 64; ++i) bits.put(digits(codes[0])), bits.put("0");
  BitReader reader(bits.bytes());
  CoefficientReader coefficients(reader, params);
  int16_t block[64] = {};
  CHECK_FALSE(coefficients.read_intra(false, Scan::intra, block));
}

TEST_CASE("vc1: DC differentials of small quantizers have bits of their own") {
  PictureParams params;
  for (const unsigned step : {1u, 2u, 3u}) {
    BitWriter bits;
    bits.put(digits(dc_luma[0][3])), bits.put(step == 1 ? "01" : step == 2 ? "1" : ""), bits.put("1");
    bits.put(digits(dc_luma[0][dc_escape])), bits.put(step == 1 ? "10 0000 0001" : step == 2 ? "1 0000 0001" : "1000 0001"), bits.put("0");
    BitReader reader(bits.bytes());
    CoefficientReader coefficients(reader, params);
    int value = 0;
    REQUIRE(coefficients.read_dc(false, step, value));
    CHECK(value == (step == 1 ? -10 : step == 2 ? -6 : -3));  // 3 << 2 | 1, less 3; 3 << 1 | 1, less 1
    REQUIRE(coefficients.read_dc(false, step, value));
    CHECK(value == (step == 1 ? 513 : step == 2 ? 257 : 129));
  }
}

TEST_CASE("vc1: dequantisation") {
  PictureParams params;
  BitReader reader;
  params.quantizer = {.step = 5, .half_step = true, .uniform = false};
  const CoefficientReader coefficients(reader, params);
  CHECK(coefficients.dequantise(3, {5, false}) == 3 * 11 + 5);
  CHECK(coefficients.dequantise(-3, {7, true}) == -3 * 14 - 7);
  CHECK(coefficients.dequantise(0, {5, false}) == 0);
}

TEST_CASE("vc1: an I picture of predicted DC is grey") {
  Rig rig;
  BitWriter bits;
  for (unsigned i = 0; i < 4; ++i) put_flat(bits);
  CHECK(rig.decode(bits) == SliceResult::whole);
  CHECK(rig.is_flat(128));
}

TEST_CASE("vc1: a stream that ends leaves macroblocks out, slices have to be inside of the picture, and a stop request ends them") {
  Rig rig;
  BitWriter bits;
  for (unsigned i = 0; i < 3; ++i) put_flat(bits);
  for (unsigned i = 0; i < 16; ++i) bits.put("0000 0000");
  CHECK(rig.decode(bits) != SliceResult::aborted);
  BitWriter none;
  CHECK(rig.decode(none) == SliceResult::broken);
  CHECK_FALSE(rig.picture.at(0, 0).done);
  CHECK(rig.decode(bits, 2, 5) == SliceResult::broken);
  CHECK(rig.decode(bits, 1, 1) == SliceResult::broken);
  rig.stop.request(StopFlag::reset);
  CHECK(rig.decode(bits) == SliceResult::aborted);
}

TEST_CASE("vc1: skipped macroblocks of a P picture without reference are grey, changed by intensity compensation") {
  for (const bool compensates : {false, true}) {
    Rig rig;
    rig.picture.params.type = PictureType::p;
    if (compensates) rig.picture.params.motion.compensation[0][0] = Compensation{.scale = 32, .shift = 10};
    rig.picture.flags.assign(4, plane_skip);
    BitWriter bits;
    bits.put("1");
    CHECK(rig.decode(bits) == SliceResult::whole);
    CHECK(*rig.picture.frame.luma.at(5, 5) == (compensates ? 138 : 128));
    CHECK(*rig.picture.frame.chroma.at(5, 5) == 128);
  }
}

TEST_CASE("vc1: intensity compensation and range reduction by their formulas") {  // 8.3.8, 8.1.1.4
  CHECK(compensated({.scale = 0, .shift = 0}, false, 10) == 245);
  CHECK(compensated({.scale = 0, .shift = 40}, false, 10) == 255);
  CHECK(compensated({.scale = 16, .shift = 3}, false, 100) == (48 * 100 + 3 * 64 + 32) / 64);
  CHECK(compensated({.scale = 16, .shift = 63}, false, 100) == (48 * 100 - 64 + 32) / 64);
  CHECK(compensated({.scale = 16, .shift = 3}, true, 100) == (48 * -28 + 128 * 64 + 32) / 64);
  for (const RangeChange change : {RangeChange::down, RangeChange::up}) {
    Rig rig;
    rig.picture.params.type = PictureType::p;
    rig.picture.params.motion.range_change = change;
    // Compensation after the change of range; the missing reference is 128 for either.
    rig.picture.params.motion.compensation[0][0] = Compensation{.scale = 32, .shift = 1};
    rig.picture.flags.assign(4, plane_skip);
    BitWriter bits;
    CHECK(rig.decode(bits) == SliceResult::whole);
    CHECK(*rig.picture.frame.luma.at(0, 0) == 129);
  }
}

TEST_CASE("vc1: four vectors are combined without the intra ones, halves towards 0") {
  const std::array<Vector, 4> vectors = {{{1, -8}, {4, 6}, {-7, 3}, {20, 2}}};
  Vector found;
  REQUIRE(combined_vector(vectors, 0, found));
  CHECK(found == Vector{2, 2});  // (1 + 4) / 2, (2 + 3) / 2
  REQUIRE(combined_vector(vectors, 8, found));
  CHECK(found == Vector{1, 3});
  REQUIRE(combined_vector(vectors, 10, found));
  CHECK(found == Vector{-3, -2});  // -6 / 2, -5 / 2
  CHECK_FALSE(combined_vector(vectors, 11, found));
  CHECK(chroma_vector({3, -5}) == Vector{2, -2});
}

TEST_CASE("vc1: vectors wrap at their range, and prediction is pulled back") {
  Rig rig;
  rig.picture.blocks.assign(4, Macroblock{});
  BitWriter none;
  BitReader bits(none.bytes());
  CHECK(predict_vector(bits, rig.picture, {0, 0, 0}, 0, true, {.x = 255, .y = -128}) == Vector{255, -128});
  CHECK(predict_vector(bits, rig.picture, {0, 0, 0}, 0, true, {.x = 256, .y = 128}) == Vector{-256, -128});
  // The second macroblock is at 64 quarter samples; it may begin up to 60 outside.
  rig.picture.at(0, 0).forward.fill({-200, 90});
  CHECK(predict_vector(bits, rig.picture, {1, 0, 0}, 0, true, {}) == Vector{-124, 90});
}

TEST_CASE("vc1: direct vectors are parts of the stored one") {
  Rig rig;
  rig.picture.stored = {{.vector = {40, -20}}, {}, {}, {}};
  rig.picture.params.motion.scale = 64;
  CHECK(direct_vectors(rig.picture, {0, 0, 0})[0] == Vector{});
  rig.picture.params.motion.has_stored = true;
  const auto found = direct_vectors(rig.picture, {0, 0, 0});
  CHECK(found[0] == Vector{10, -5});
  CHECK(found[1] == Vector{-30, 15});
}

TEST_CASE("vc1: which pictures are smoothed") {  // 8.5.1
  PictureParams params;
  params.advanced = params.overlap = true;
  for (const unsigned step : {8u, 9u}) {
    params.quantizer.step = static_cast<uint8_t>(step);
    for (const PictureType type : {PictureType::i, PictureType::p, PictureType::b, PictureType::bi}) {
      params.type = type;
      CHECK(params.smooths() == (params.is_intra() || (type == PictureType::p && step == 9)));
    }
  }
  params.overlap = false;
  for (const PictureType type : {PictureType::i, PictureType::p}) {
    params.type = type;
    CHECK_FALSE(params.smooths());
  }
}

TEST_CASE("vc1: filters give the same samples for any number of threads, and change edges only") {
  Picture once;
  for (const unsigned workers : {0u, 3u}) {
    std::mt19937 random(7);
    Rig rig;
    Picture& picture = rig.picture;
    picture.params.width = 3, picture.params.height = 5;
    picture.params.type = PictureType::p;
    picture.params.loop_filter = picture.params.overlap = true;
    picture.params.quantizer.step = 31;
    picture.blocks.assign(15, Macroblock{});
    picture.begins_slice = {1, 0, 1, 0, 0};
    picture.frame.resize(48, 80), picture.differences.resize(48, 80);
    for (Macroblock& block : picture.blocks) {
      block.intra = static_cast<uint8_t>(random() & 63);
      for (auto& kind : block.transform) kind = TransformCode::quarters;
      for (auto& coded : block.subblocks) coded = static_cast<uint8_t>(random() & 15);
    }
    for (uint32_t y = 0; y < 80; ++y)
      for (uint32_t x = 0; x < 48; ++x) {
        *picture.frame.luma.at(x, y) = static_cast<uint8_t>(100 + (x / 8 + y / 8) % 2 * 12 + random() % 3);
        *picture.frame.chroma.at(x, y / 2) = static_cast<uint8_t>(random());
        *picture.differences.luma.at(x, y) = static_cast<int16_t>(static_cast<int>(random() % 300) - 150);
        *picture.differences.chroma.at(x, y / 2) = static_cast<int16_t>(static_cast<int>(random() % 300) - 150);
      }
    WorkerPool pool(workers);
    smooth(picture, &pool, rig.stop);
    deblock(picture, &pool, rig.stop);
    if (!workers) {
      once = picture;
      continue;
    }
    for (uint32_t y = 0; y < 80; ++y) {
      CHECK(std::equal(picture.frame.luma.row(y), picture.frame.luma.row(y) + 48, once.frame.luma.row(y)));
      CHECK(std::equal(picture.frame.chroma.row(y / 2), picture.frame.chroma.row(y / 2) + 48, once.frame.chroma.row(y / 2)));
    }
  }
}

TEST_CASE("vc1: deblocking of one edge") {  // 8.6.4
  Rig rig;
  Picture& picture = rig.picture;
  picture.params.width = picture.params.height = 1;
  picture.blocks.assign(1, Macroblock{});
  picture.begins_slice = {1};
  picture.frame.resize(16, 16);
  for (uint32_t y = 0; y < 16; ++y)
    for (uint32_t x = 0; x < 16; ++x) *picture.frame.luma.at(x, y) = x < 8 ? 100 : 110, *picture.frame.chroma.at(x, y / 2) = 128;
  for (const bool is_strong : {false, true}) {
    picture.params.quantizer.step = is_strong ? 5 : 4;
    deblock(picture, nullptr, rig.stop);
    // The steepness is (2 * -10 - 5 * -10 + 4) >> 3 = 4, its neighbours' (2 * 0 - 5 * 0 + 4) >> 3 = 0: 5 * 4 >> 3 = 2.
    CHECK(*picture.frame.luma.at(7, 3) == (is_strong ? 102 : 100));
    CHECK(*picture.frame.luma.at(8, 3) == (is_strong ? 108 : 110));
    CHECK(*picture.frame.luma.at(6, 3) == 100);
  }
}
