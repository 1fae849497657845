// SPDX-License-Identifier: GPL-2.0-or-later
// The AVC decoder's vectors against slow forms of H.264's equations, and the pool against one thread.
#include <algorithm>
#include <random>
#include <vector>

#include "hw/media/avc/deblock.h"
#include "hw/media/avc/edge_filter.h"
#include "hw/media/avc/motion.h"
#include "hw/media/avc/motion_record.h"
#include "hw/media/avc/slice.h"
#include "hw/media/avc/transform.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::avc;

namespace {

constexpr ptrdiff_t stride = 32;

using Area = std::array<uint8_t, 32 * 32>;

/// Steps of a few levels, which filters change, and some greater ones, which they leave.
Area smooth(std::mt19937& random) {
  Area area;
  int value = 128;
  for (uint8_t& sample : area) {
    value = std::clamp(value + static_cast<int>(random() % 7) - 3, 0, 255);
    sample = static_cast<uint8_t>(random() % 40 ? value : random());
  }
  return area;
}

std::vector<int> in_rows(const int16_t* c, unsigned n) {
  std::vector<int> v(c, c + n * n);
  const auto line = [n](int* at, unsigned step) {
    const auto e = [&](unsigned i) { return at[i * step]; };
    std::array<int, 8> out;
    if (n == 4) {
      const int a = e(0) + e(2), b = e(0) - e(2), c = (e(1) >> 1) - e(3), d = e(1) + (e(3) >> 1);
      out = {a + d, b + c, b - c, a - d};
    } else {
      const int a0 = e(0) + e(4), a2 = e(0) - e(4), a4 = (e(2) >> 1) - e(6), a6 = e(2) + (e(6) >> 1);
      const int b0 = a0 + a6, b2 = a2 + a4, b4 = a2 - a4, b6 = a0 - a6;
      const int a1 = -e(3) + e(5) - e(7) - (e(7) >> 1), a3 = e(1) + e(7) - e(3) - (e(3) >> 1);
      const int a5 = -e(1) + e(7) + e(5) + (e(5) >> 1), a7 = e(3) + e(5) + e(1) + (e(1) >> 1);
      const int b1 = a1 + (a7 >> 2), b7 = a7 - (a1 >> 2), b3 = a3 + (a5 >> 2), b5 = (a3 >> 2) - a5;
      out = {b0 + b7, b2 + b5, b4 + b3, b6 + b1, b6 - b1, b4 - b3, b2 - b5, b0 - b7};
    }
    for (unsigned i = 0; i < n; ++i) at[i * step] = out[i];
  };
  for (unsigned i = 0; i < n; ++i) line(v.data() + i * n, 1);
  for (unsigned i = 0; i < n; ++i) line(v.data() + i, n);
  return v;
}

uint8_t added(uint8_t sample, int residual) { return static_cast<uint8_t>(std::clamp(sample + ((residual + 32) >> 6), 0, 255)); }

/// A P slice of one macroblock type after the other, by bits of no meaning: what it decodes to is of no importance, but it must be the same on any threads.
struct Decoded {
  Picture picture;
  SliceEnd end;
};
Decoded decode(const PictureParams& params, std::span<const uint8_t> bytes, WorkerPool* pool) {
  Decoded result;
  result.picture.begin(params);
  for (Plane<uint8_t>* plane : {&result.picture.frame.luma, &result.picture.frame.chroma})
    for (uint32_t y = 0; y < plane->height(); ++y) std::fill_n(plane->row(y), plane->width(), uint8_t{128});
  LevelScale scale;
  scale.set(params);
  SliceParams slice;
  slice.type = SliceType::i;
  slice.qp = 30;
  const References references{};
  const MotionBuffers motion{};
  const std::function<bool()> stop = [] { return false; };
  result.end = decode_slice(result.picture, {slice, bytes, scale, references, motion, stop, pool});
  for (uint32_t row = result.picture.progress.filtered; row < result.picture.height / (params.mbaff ? 2 : 1); ++row)
    deblock_row(result.picture, row);
  return result;
}

/// A macroblock of the second view's B picture, whose order count is 16, and the frame stores of its references.
struct SecondView {
  static constexpr int8_t before = 0, other_view = 1, after = 2;  ///< at 8; the base view's picture of the same access unit; at 32
  SecondView() {
    PictureParams params;
    params.poc[before] = {8, 9}, params.poc[other_view] = {16, 17}, params.poc[after] = {32, 33};
    params.current_poc = {16, 17};
    params.direct_8x8_inference = true;
    picture.begin(params, false);
    slice.type = SliceType::b;
    slice.active = {2, 2};
    // intel-vaapi-driver marks the other view's picture as a long-term one (get_ref_idx_state_1).
    const RefEntry inter_view{.present = true, .long_term = true, .frame = other_view};
    slice.list[0][0] = slice.list[1][1] = inter_view;
    slice.list[0][1] = {.present = true, .frame = before};
    slice.list[1][0] = {.present = true, .frame = after};
    context.enter(0, 0, false);
  }
  Picture picture;
  SliceParams slice;
  MotionBuffers buffers{};
  Context context{picture, slice, 0};
  Motion motion{context, buffers};
};

}  // namespace

TEST_CASE("avc: temporal direct prediction in a second view takes the view's own reference") {
  SecondView view;
  Macroblock mb;
  mb.slice = 0;
  mb.ref = {{{0, 0, 0, 0}, {-1, -1, -1, -1}}};
  mb.picture[0].fill(SecondView::before * 4);
  mb.mv[0].fill({24, -8});
  std::array<uint8_t, MotionRecord::bytes> record{};
  write_record(mb, MotionRecord::Coding::frame, view.picture.params, record.data());
  view.buffers[SecondView::after] = record;
  view.motion.direct(15);
  CHECK(view.context.mb->ref[0] == std::array<int8_t, 4>{1, 1, 1, 1});
  CHECK(view.context.mb->ref[1] == std::array<int8_t, 4>{0, 0, 0, 0});
  CHECK(view.context.mb->mv[0][0] == Mv{8, -3});  // a third of the way
  CHECK(view.context.mb->mv[1][0] == Mv{-16, 5});
}

// The other view's picture is marked neither as a short-term nor as a long-term reference (H.8.4), and its distance is 0.
TEST_CASE("avc: implicit weights of the other view's picture come from its distance") {
  SecondView view;
  CHECK(view.motion.implicit_weights(0, 0) == std::array{64, 0});
  CHECK(view.motion.implicit_weights(1, 1) == std::array{0, 64});
  CHECK(view.motion.implicit_weights(0, 1) == std::array{32, 32});
  CHECK(view.motion.implicit_weights(1, 0) == std::array{43, 21});
  view.slice.list[0][1].long_term = true;
  CHECK(view.motion.implicit_weights(1, 0) == std::array{32, 32});
}

TEST_CASE("avc: edges are filtered in vectors as sample by sample") {
  std::mt19937 random(5);
  constexpr FilterParams slice{};
  for (unsigned round = 0; round < 400; ++round) {
    const Area before = smooth(random);
    Strengths strengths;
    for (uint8_t& s : strengths) s = static_cast<uint8_t>(round % 3 ? random() % 4 : 4);
    const std::array<Thresholds, 2> t{Thresholds(slice, static_cast<int>(random() % 52), 30),
                                      Thresholds(slice, static_cast<int>(random() % 52), 40)};
    constexpr ptrdiff_t at = 8 * stride + 8;
    Area rows = before, columns = before, chroma_rows = before, chroma_columns = before;
    filter_luma_rows(rows.data() + at, stride, strengths, t[0]);
    filter_luma_columns(columns.data() + at, stride, strengths, t[0]);
    filter_chroma_rows(chroma_rows.data() + at, stride, strengths, t);
    filter_chroma_columns(chroma_columns.data() + at, stride, strengths, t);
    Area expected_rows = before, expected_columns = before, expected_chroma_rows = before, expected_chroma_columns = before;
    for (ptrdiff_t i = 0; i < 16; ++i) {
      const uint8_t s = strengths[static_cast<size_t>(i / 4)];
      if (!s) continue;
      filter_luma_sample(expected_rows.data() + at + i, stride, s, t[0]);
      filter_luma_sample(expected_columns.data() + at + i * stride, 1, s, t[0]);
      filter_chroma_sample(expected_chroma_rows.data() + at + i, stride, s, t[static_cast<size_t>(i % 2)]);
      filter_chroma_sample(expected_chroma_columns.data() + at + i / 2 * stride + i % 2, 2, s, t[static_cast<size_t>(i % 2)]);
    }
    INFO("round " << round);
    REQUIRE(rows == expected_rows);
    REQUIRE(columns == expected_columns);
    REQUIRE(chroma_rows == expected_chroma_rows);
    REQUIRE(chroma_columns == expected_chroma_columns);
  }
}

TEST_CASE("avc: residuals are those of the equations, and coefficients are taken away") {
  std::mt19937 random(6);
  for (unsigned round = 0; round < 200; ++round) {
    alignas(32) std::array<int16_t, 64> first{}, second{};
    for (unsigned i = 0; i < 64; i += 1 + random() % 5) first[i] = static_cast<int16_t>(static_cast<int>(random() % 2001) - 1000);
    for (unsigned i = 0; i < 16; i += 1 + random() % 5) second[i] = static_cast<int16_t>(static_cast<int>(random() % 2001) - 1000);
    const Area before = smooth(random);
    const std::vector<int> large = in_rows(first.data(), 8), small = in_rows(first.data(), 4), other = in_rows(second.data(), 4);
    Area by8 = before, by4 = before, pairs = before, expected8 = before, expected4 = before, expected_pairs = before;
    for (unsigned y = 0; y < 8; ++y)
      for (unsigned x = 0; x < 8; ++x) {
        const size_t at = y * stride + x;
        expected8[at] = added(before[at], large[y * 8 + x]);
        if (x < 4 && y < 4) expected4[at] = added(before[at], small[y * 4 + x]);
        if (y < 4) expected_pairs[at] = added(before[at], (x % 2 ? other : small)[y * 4 + x / 2]);
      }
    std::array<int16_t, 64> copy = first;
    alignas(32) std::array<int16_t, 64> again = copy;
    add4(again.data(), by4.data(), stride);
    again = copy;
    add4(again.data(), second.data(), pairs.data(), stride);
    add8(first.data(), by8.data(), stride);
    REQUIRE(by8 == expected8);
    REQUIRE(by4 == expected4);
    REQUIRE(pairs == expected_pairs);
    REQUIRE(std::ranges::all_of(first, [](int16_t c) { return c == 0; }));
    REQUIRE(std::ranges::all_of(second, [](int16_t c) { return c == 0; }));
  }
}

TEST_CASE("avc: a slice is the same on one thread and on many") {
  WorkerPool pool(3);
  std::mt19937 random(9);
  for (unsigned round = 0; round < 40; ++round) {
    PictureParams params;
    params.width_mbs = 5 + round % 3, params.frame_height_mbs = 24;
    params.cabac = round % 2, params.mbaff = round % 4 >= 2, params.transform_8x8 = round % 8 >= 4;
    for (auto& list : params.scaling4) list.fill(16);
    for (auto& list : params.scaling8) list.fill(16);
    std::vector<uint8_t> bytes(6000);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    const Decoded one = decode(params, bytes, nullptr), many = decode(params, bytes, &pool);
    INFO("round " << round);
    REQUIRE(one.end == many.end);
    REQUIRE(one.picture.progress.filtered == many.picture.progress.filtered);
    for (uint32_t y = 0; y < one.picture.frame.luma.height(); ++y)
      REQUIRE(std::equal(one.picture.frame.luma.row(y), one.picture.frame.luma.row(y) + one.picture.frame.luma.width(),
                         many.picture.frame.luma.row(y)));
    for (uint32_t y = 0; y < one.picture.frame.chroma.height(); ++y)
      REQUIRE(std::equal(one.picture.frame.chroma.row(y), one.picture.frame.chroma.row(y) + one.picture.frame.chroma.width(),
                         many.picture.frame.chroma.row(y)));
  }
}

TEST_CASE("avc: a record's coding changes without its blocks") {
  Macroblock mb{};
  mb.slice = 0, mb.kind = Kind::inter;
  mb.ref[0] = {1, 0, 0, 0}, mb.ref[1] = {-1, -1, -1, -1};
  mb.picture[0] = {bottom_field, top_field, top_field, top_field};
  PictureParams params{};
  params.poc[0] = {6, 7};
  std::array<uint8_t, MotionRecord::bytes> bytes{};
  write_record(mb, MotionRecord::Coding::frame, params, bytes.data());
  bytes[MotionRecord::blocks_at] = with_coding(bytes[MotionRecord::blocks_at], MotionRecord::Coding::field_picture);
  const MotionRecord record(bytes.data());
  CHECK(record.coding() == MotionRecord::Coding::field_picture);
  CHECK(record.block(0).used);
  CHECK_FALSE(record.block(0).first_ref);
  CHECK(record.block(0).part == bottom_field);
  CHECK(record.block(0).poc == 7);
}
