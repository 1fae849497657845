// SPDX-License-Identifier: GPL-2.0-or-later
// H.264 by PAK objects: what is written of objects, legal and not, is what our decoder reads, with the same samples and motion.
#include <algorithm>
#include <random>
#include <vector>

#include "hw/media/avc/deblock.h"
#include "hw/media/avc/motion_record.h"
#include "hw/media/avc/slice.h"
#include "hw/media/avc/tables.h"
#include "hw/media/avc_encode/pak_slice.h"
#include "hw/media/bits/bit_reader.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/media/avc_encode_pictures.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::avc;
using namespace softgen::media::avc::test;

namespace {

constexpr uint32_t count = columns * rows;

struct Round {
  PictureParams params;
  bool direct_spatial = false;
  bool legal = true;
  unsigned noise = 0;
};

Mv vector(std::mt19937& random, int range) {
  const auto one = [&] { return static_cast<int16_t>(static_cast<int>(random() % static_cast<unsigned>(2 * range + 1)) - range); };
  return {one(), one()};
}

PakMacroblock object(std::mt19937& random, SliceType type, const Round& round) {
  static constexpr Kind kinds[] = {Kind::intra4, Kind::intra8, Kind::intra16, Kind::pcm,
                                   Kind::inter,  Kind::inter,  Kind::inter,   Kind::inter};
  PakMacroblock out;
  out.kind = kinds[random() % 8];
  if (out.kind == Kind::pcm && random() % 4) out.kind = Kind::inter;
  if (round.legal && type == SliceType::i && out.kind == Kind::inter) out.kind = Kind::intra16;
  if (round.legal && out.kind == Kind::intra8 && !round.params.transform_8x8) out.kind = Kind::intra4;
  out.transform8 = random() % 2, out.may_skip = random() % 4;
  out.direct = static_cast<uint8_t>(random() % 3 ? 15 : random() & 15);
  out.qp = static_cast<uint8_t>(random() % 3 ? 26 : random() % 52);
  if (random() % 4 == 0) out.mask = {.luma = static_cast<uint16_t>(random()), .chroma = {static_cast<uint8_t>(random() & 15), 0}, .dc = 5};
  if (random() % 8 == 0) out.mask = {.luma = 0, .chroma = {}, .dc = 0};
  // Modes without their samples become DC.
  for (uint8_t& mode : out.intra_mode) mode = static_cast<uint8_t>(random() % (round.legal ? 9 : 16));
  out.chroma_mode = static_cast<uint8_t>(random() % 4);
  out.shape = static_cast<Shape>(random() % 4);
  const unsigned pictures = round.legal ? 2 : 4;
  const Mv all = vector(random, 40);
  for (unsigned i = 0; i < 4; ++i) {
    out.lists[i] = type == SliceType::b ? static_cast<uint8_t>(1 + random() % 3) : list0;
    out.sub_shape[i] = static_cast<uint8_t>(random() % 4);
    for (unsigned list = 0; list < 2; ++list) out.ref[list][i] = static_cast<uint8_t>(random() % pictures);
  }
  const int range = round.legal ? 60 : 2000;
  for (auto& list : out.vectors)
    for (Mv& mv : list) mv = random() % 3 ? all : vector(random, range);
  // What skipping and direct prediction take.
  if (random() % 4 == 0) {
    for (auto& list : out.vectors) list.fill({});
    for (auto& list : out.ref) list.fill(0);
    if (type == SliceType::b) out.lists.fill(both);
  }
  return out;
}

/// One of two slices, with two references in each list, of which `stored` are there.
SliceParams slice_of(SliceType type, const Round& round, unsigned part, unsigned stored) {
  SliceParams slice;
  slice.type = type;
  slice.qp = 26, slice.direct_spatial = round.direct_spatial;
  slice.first_mb = part ? 5 : 0, slice.next_mb = part ? count : 5;
  slice.luma_denominator = slice.chroma_denominator = 5;
  for (unsigned list = 0; list < 2; ++list) {
    if (type == SliceType::i || (list && type == SliceType::p)) continue;
    slice.active[list] = 2;
    for (unsigned i = 0; i < 2; ++i) {
      slice.list[list][i] = {.present = true, .frame = static_cast<uint8_t>(list ? (stored - 1 + i) % stored : stored - 1 - i % stored)};
      for (Weight& weight : slice.weights[list][i]) weight = {static_cast<int16_t>(28 + i * 5), static_cast<int16_t>(i)};
    }
  }
  return slice;
}

/// An I, two P and two B pictures of two slices; the pictures before them are their references.
void check(const Round& round, std::mt19937& random) {
  std::array<Reference, 3> stored;
  std::array<std::vector<uint8_t>, 3> records;
  LevelScale scale;
  Quantizer quantizer;
  Picture encoded, decoded;
  PictureParams params = round.params;
  for (unsigned i = 0; i < 3; ++i) params.poc[i] = {static_cast<int32_t>(i * 8), static_cast<int32_t>(i * 8)};
  scale.set(params);
  quantizer.set(scale);
  static constexpr SliceType types[] = {SliceType::i, SliceType::p, SliceType::p, SliceType::b, SliceType::b};
  for (unsigned n = 0; n < 5; ++n) {
    const SliceType type = types[n];
    const auto poc = static_cast<int32_t>(n < 3 ? n * 8 : 8 + n);
    params.current_poc = {poc, poc};
    const Frame<uint8_t> frame = source(random, round.noise, n * 3);
    References references{};
    MotionBuffers motion{};
    for (unsigned i = 0; i < std::min(n, 3u); ++i) references[i * 4] = &stored[i].map, motion[i] = records[i];
    encoded.begin(params), decoded.begin(params);
    for (unsigned part = 0; part < 2; ++part) {
      const SliceParams slice = slice_of(type, round, part, std::min(n, 3u));
      GolombWriter bits;
      PakSlice pak(encoded, slice, {frame, scale, quantizer, references, motion}, bits);
      bool is_last = false;
      for (uint32_t at = slice.first_mb; at < slice.next_mb; ++at) {
        CHECK((!is_last && pak.next() == at));
        PakMacroblock one = object(random, type, round);
        one.last = at + 1 == slice.next_mb;
        is_last = pak.code(one);
      }
      CHECK(is_last);
      const std::function<bool()> stop = [] { return false; };
      REQUIRE(decode_slice(decoded, {slice, bits.bytes(), scale, references, motion, stop}) == SliceEnd::good);
    }
    for (uint32_t row = 0; row < rows; ++row) deblock_row(encoded, row);
    for (uint32_t row = decoded.progress.filtered; row < rows; ++row) deblock_row(decoded, row);
    CHECK(equal(encoded.frame.luma, decoded.frame.luma));
    CHECK(equal(encoded.frame.chroma, decoded.frame.chroma));
    std::vector<uint8_t> of_decoder(count * MotionRecord::bytes), of_encoder(of_decoder.size());
    for (uint32_t i = 0; i < count; ++i) {
      write_record(encoded.mbs[i], MotionRecord::Coding::frame, params, &of_encoder[i * MotionRecord::bytes]);
      write_record(decoded.mbs[i], MotionRecord::Coding::frame, params, &of_decoder[i * MotionRecord::bytes]);
    }
    CHECK(of_encoder == of_decoder);
    if (n >= 3) continue;
    stored[n].set(encoded.frame);
    records[n] = of_encoder;
  }
}

Round round_of(unsigned bits) {
  Round round{.direct_spatial = (bits & 1) != 0, .noise = bits & 2 ? 40u : 0u};
  PictureParams& p = round.params;
  p.width_mbs = columns, p.frame_height_mbs = rows;
  p.cabac = bits & 4, p.transform_8x8 = bits & 8, p.direct_8x8_inference = bits & 16, p.constrained_intra = bits & 32;
  p.weighted_pred = bits & 2, p.weighted_bipred = static_cast<uint8_t>(bits / 2 % 3);
  p.chroma_qp_offset = {-2, 3};
  for (auto& list : p.scaling4) list.fill(16);
  for (auto& list : p.scaling8) list.fill(16);
  return round;
}

}  // namespace

TEST_CASE("avc pak: legal objects decode to the reconstruction") {
  quiet_log();
  std::mt19937 random(5);
  for (unsigned bits = 0; bits < 64; ++bits) {
    INFO("round " << bits);
    for (unsigned again = 0; again < 3; ++again) check(round_of(bits), random);
  }
}

TEST_CASE("avc pak: other objects make a stream that decodes to the reconstruction, too") {
  quiet_log();
  std::mt19937 random(6);
  for (unsigned bits = 0; bits < 64; ++bits) {
    INFO("round " << bits);
    Round round = round_of(bits);
    round.legal = false;
    check(round, random);
  }
}
