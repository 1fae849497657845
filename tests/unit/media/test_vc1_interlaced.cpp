// SPDX-License-Identifier: GPL-2.0-or-later
// VC-1's field pictures and interlaced frames: vectors, and filters by field (SMPTE 421M, clause 10).
#include <random>

#include "hw/base/worker_pool.h"
#include "hw/media/vc1/field_motion.h"
#include "hw/media/vc1/filter.h"
#include "hw/media/vc1/frame_motion.h"
#include "hw/media/vc1/inter.h"
#include "tests/unit/media/vc1_rig.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::test;

namespace {

/// A P field of 2x2 macroblocks.
struct FieldRig : Vc1Rig {
  FieldRig() {
    picture.blocks.assign(4, Macroblock{});
    picture.params.type = PictureType::p;
    picture.params.coding = Coding::field;
    picture.params.field.two_references = true;
  }
  /// Of the second macroblock, whose left neighbour has `left`, from that or from the other field.
  FieldVector predicted(Vector left, bool left_opposite, bool other_field, unsigned direction = 0) {
    Macroblock& neighbour = picture.at(0, 0);
    (direction ? neighbour.backward : neighbour.forward).fill(left);
    neighbour.opposite[direction] = left_opposite ? 15 : 0;
    BitReader none;
    return predict_field_vector(none, picture, {1, 0, 0}, 0, true, direction, {.other_field = other_field});
  }
};

/// The differential of a code with `more` bits behind it.
FieldVectorData read(const PictureParams& params, const Code& code, const char* more) {
  BitWriter bits;
  bits.put(digits(code)), bits.put(more);
  BitReader reader(bits.bytes());
  FieldVectorData data;
  REQUIRE(read_field_vector_data(reader, params, data));
  REQUIRE(reader.left() < 8);
  return data;
}

}  // namespace

TEST_CASE("vc1: code tables of interlaced pictures are complete") {
  for (const auto& codes : field_modes) check_codes(codes);
  for (const auto& codes : mixed_field_modes) check_codes(codes);
  for (const auto& codes : frame_modes) check_codes(codes);
  for (const auto& codes : four_vector_frame_modes) check_codes(codes);
  for (const auto& codes : interlaced_patterns) check_codes(codes);
  for (const auto& codes : four_vector_patterns) check_codes(codes);
  for (const auto& codes : two_vector_patterns) check_codes(codes);
  for (const auto& codes : one_reference_vectors) check_codes(codes);
  for (const auto& codes : two_reference_vectors) check_codes(codes);
}

TEST_CASE("vc1: differentials of fields have sizes of their own, and name the field") {
  PictureParams params;
  params.coding = Coding::field;
  // Code i stands for x of (i + 1) % 9 bits and y of (i + 1) / 9 bits.
  FieldVectorData data = read(params, one_reference_vectors[0][9 + 3 - 1], "101 0");
  CHECK(data.x == -(2 + 4));
  CHECK(data.y == 1);
  params.field.wide_differentials = 3;
  data = read(params, one_reference_vectors[0][9 + 3 - 1], "1010 01");
  CHECK(data.x == 5 + 7);
  CHECK(data.y == -1);
  data = read(params, one_reference_vectors[0][71], "0 0000 0011 1000 0000");
  CHECK(data.x == 3);
  CHECK(data.y == 128);
  params.field = {.two_references = true};
  data = read(params, two_reference_vectors[0][9 * 5 + 1 - 1], "1 11");
  CHECK(data.x == -1);
  CHECK(data.y == -(2 + 1));
  CHECK(data.other_field);
  data = read(params, two_reference_vectors[0][125], "0 0000 0001 0000 0101");
  CHECK(data.y == 3);  // (5 + 1) / 2
  CHECK(data.other_field);
  params.motion.quarter = false;
  CHECK(read(params, two_reference_vectors[0][125], "0 0000 0001 0000 0100").y == 4);
}

TEST_CASE("vc1: vectors of the other field are scaled by the distance of the references") {  // tables 114 and 115
  FieldRig rig;
  CHECK(rig.predicted({40, -20}, true, false).vector == Vector{40, -20});
  CHECK(rig.predicted({40, -20}, true, false).opposite);
  CHECK_FALSE(rig.predicted({40, -20}, false, false).opposite);
  // From the same parity's field to the opposite one: a half in the first field without REFDIST.
  CHECK(rig.predicted({40, -20}, false, true).vector == Vector{20, -10});
  // Back: small ones twice, large ones by 219 / 256 and 37, and vertically 10.
  CHECK(rig.predicted({10, -6}, true, true).vector == Vector{20, -12});
  CHECK(rig.predicted({100, -40}, true, true).vector == Vector{(100 * 219 >> 8) + 37, (-40 * 219 >> 8) - 10});
  rig.picture.params.field.forward_distance = 9;  // as 3
  CHECK(rig.predicted({40, -20}, false, true).vector == Vector{40 * 224 >> 8, -20 * 224 >> 8});
  rig.picture.params.field.second = true;
  CHECK(rig.predicted({40, -20}, false, true).vector == Vector{40 * 32 >> 8, -20 * 32 >> 8});
  rig.picture.params.type = PictureType::b;
  rig.picture.params.field.second = false;
  CHECK(rig.predicted({40, -20}, true, true, 1).vector == Vector{40 * 171 >> 8, -20 * 171 >> 8});
  CHECK(rig.predicted({10, -6}, false, true, 1).vector == Vector{10 * 384 >> 8, -6 * 384 >> 8});
}

TEST_CASE("vc1: intra neighbours do not count in fields, and a picture's only reference is taken") {
  FieldRig rig;
  rig.picture.at(0, 0).intra = 63;
  CHECK(rig.predicted({40, -20}, false, false).vector == Vector{});
  CHECK(rig.predicted({40, -20}, false, false).opposite);  // of none, as many
  rig.picture.params.field.two_references = false;
  CHECK_FALSE(rig.predicted({}, false, false).opposite);
  rig.picture.params.field.bottom_reference = true;
  CHECK(rig.predicted({}, false, false).opposite);
}

TEST_CASE("vc1: two references halve the vertical range, and vectors up to the top field begin one step lower") {
  FieldRig rig;
  BitReader none;
  const auto predicted = [&](int y) { return predict_field_vector(none, rig.picture, {0, 0, 0}, 0, true, 0, {.y = y}).vector.y; };
  CHECK(predicted(63) == 63);
  CHECK(predicted(64) == -64);
  rig.picture.params.field.bottom = true;
  CHECK(predicted(64) == 64);
  CHECK(predicted(-64) == 64);
  rig.picture.params.field.two_references = false;
  CHECK(predicted(127) == 127);
  rig.picture.params.motion.quarter = false;
  CHECK(predicted(200) == 200);
}

TEST_CASE("vc1: four field vectors are combined from those of the field that most have") {
  const std::array<Vector, 4> vectors = {{{0, 8}, {4, 4}, {9, 2}, {100, 100}}};
  CHECK(combined_field_vector(vectors, 8).vector == Vector{4, 4});
  CHECK_FALSE(combined_field_vector(vectors, 8).opposite);
  CHECK(combined_field_vector(vectors, 7).vector == Vector{4, 4});
  CHECK(combined_field_vector(vectors, 7).opposite);
  CHECK(combined_field_vector(vectors, 3).vector == Vector{54, 51});
  CHECK_FALSE(combined_field_vector(vectors, 3).opposite);
  CHECK(combined_field_vector(vectors, 15).opposite);
}

TEST_CASE("vc1: direct vectors of fields keep the parity of the stored one") {
  FieldRig rig;
  rig.picture.stored = {{.vector = {40, -20}, .opposite = 1}, {}, {}, {}};
  rig.picture.params.motion.scale = 64;
  CHECK(direct_field_vectors(rig.picture, {0, 0, 0})[0].vector == Vector{});
  rig.picture.params.motion.has_stored = true;
  const auto found = direct_field_vectors(rig.picture, {0, 0, 0});
  CHECK(found[0].vector == Vector{10, -5});
  CHECK(found[1].vector == Vector{-30, 15});
  CHECK((found[0].opposite && found[1].opposite));
}

TEST_CASE("vc1: vectors of frames and of fields predict each other in interlaced frames") {
  FieldRig rig;
  rig.picture.params.coding = Coding::frame;
  rig.picture.params.field = {};
  Macroblock &left = rig.picture.at(0, 0), &own = rig.picture.at(1, 0);
  left.field_vectors = true;
  left.forward = {{{8, 4}, {10, 6}, {20, 10}, {31, 13}}};
  const auto predicted = [&](unsigned block) { return predict_frame_vector(rig.picture, {1, 0, 0}, block, 0, {}); };
  CHECK(predicted(0) == Vector{21, 10});  // the mean of both fields' in the right column
  own.field_vectors = true;
  CHECK(predicted(0) == Vector{10, 6});
  CHECK(predicted(2) == Vector{31, 13});
  left.field_vectors = own.field_vectors = false;
  CHECK(predicted(2) == Vector{0, 0});  // of the left one, and of both above in the macroblock
  // Above: the macroblock's own field, and of three the first that leads to the field of most.
  Macroblock& lower = rig.picture.at(1, 1);
  lower.field_vectors = own.field_vectors = true;
  own.forward = {{{1, 0}, {1, 0}, {2, 0}, {2, 0}}};
  rig.picture.at(0, 1).forward.fill({5, 4});  // the other field
  left.forward.fill({7, 0});
  CHECK(predict_frame_vector(rig.picture, {1, 1, 0}, 2, 0, {.x = 1}) == Vector{3, 0});
  rig.picture.at(1, 0).intra = 63;
  CHECK(predict_frame_vector(rig.picture, {1, 1, 0}, 2, 0, {}) == Vector{7, 0});
}

TEST_CASE("vc1: chroma's vectors of fields keep the field") {
  CHECK(field_chroma_component(4) == 4);
  CHECK(field_chroma_component(7) == 6);
  CHECK(field_chroma_component(8) == 2);
  CHECK(field_chroma_component(-4) == -8 + 6);
  CHECK(field_chroma_component(36) == 16 + 4);
}

TEST_CASE("vc1: interlaced frames are deblocked by field, with any number of threads") {
  Picture once;
  for (const unsigned workers : {0u, 3u})
    for (const bool changes_bottom : {false, true}) {
      std::mt19937 random(5);
      FieldRig rig;
      Picture& picture = rig.picture;
      picture.params.width = 3, picture.params.height = 4;
      picture.params.coding = Coding::frame;
      picture.params.quantizer.step = 31;
      picture.blocks.assign(12, Macroblock{});
      picture.begins_slice = {1, 0, 1, 0};
      picture.frame.resize(48, 64);
      for (Macroblock& block : picture.blocks) {
        block.field_transform = random() & 1;
        for (auto& kind : block.transform) kind = static_cast<TransformCode>(random() & 7);
      }
      for (Plane<uint8_t>* plane : {&picture.frame.luma, &picture.frame.chroma})
        for (uint32_t y = 0; y < plane->height(); ++y)
          for (uint32_t x = 0; x < 48; ++x) {
            const auto value = static_cast<uint8_t>(100 + x / 8 * 6 + y / 8 * 5 + random() % 3);
            *plane->at(x, y) = y % 2 && changes_bottom ? static_cast<uint8_t>(255 - value) : value;
          }
      const Picture before = picture;
      WorkerPool pool(workers);
      deblock_frame(picture, workers ? &pool : nullptr, rig.stop);
      if (once.frame.luma.height() == 0) once = picture;
      bool is_same = true, is_changed = false;
      for (uint32_t y = 0; y < 64; y += changes_bottom ? 2 : 1)
        for (uint32_t x = 0; x < 48; ++x) {
          is_same &= *picture.frame.luma.at(x, y) == *once.frame.luma.at(x, y);
          is_changed |= *picture.frame.luma.at(x, y) != *before.frame.luma.at(x, y);
        }
      CHECK(is_same);
      CHECK(is_changed);
    }
}
