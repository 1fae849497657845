// SPDX-License-Identifier: GPL-2.0-or-later
// What the H.264 encoder writes is what our decoder reads, and its reconstruction is the decoder's.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <random>
#include <vector>

#include "hw/media/avc/deblock.h"
#include "hw/media/avc/slice.h"
#include "hw/media/avc_encode/slice_encoder.h"
#include "hw/media/bits/bit_reader.h"
#include "tests/catch.h"
#include "tests/unit/media/avc_encode_pictures.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::avc;
using namespace softgen::media::avc::test;

namespace {

struct Round {
  PictureParams params;
  uint8_t qp = 26;
  unsigned noise = 0;
  EncodeTools tools;
};

/// Macroblocks that have transforms of 8x8.
struct Transformed {
  unsigned intra = 0, inter = 0;
};

/// An I and two P pictures of two slices.
Transformed check(const Round& round, std::mt19937& random) {
  Transformed found;
  Reference reference;
  References references{};
  LevelScale scale;
  scale.set(round.params);
  Quantizer quantizer;
  quantizer.set(scale);
  Picture encoded, decoded;
  const MotionBuffers motion{};
  for (unsigned n = 0; n < 3; ++n) {
    const Frame<uint8_t> frame = source(random, round.noise, n * 3);
    SearchPlanes planes;
    if (n) {
      reference.set(encoded.frame);
      references[0] = &reference.map;
      REQUIRE(planes.load(reference.map.luma, width, height, reference.stop));
    }
    encoded.begin(round.params), decoded.begin(round.params);
    for (unsigned part = 0; part < 2; ++part) {
      SliceParams slice;
      slice.type = n ? SliceType::p : SliceType::i;
      slice.qp = round.qp;
      slice.first_mb = part ? 5 : 0, slice.next_mb = part ? columns * rows : 5;
      slice.active[0] = static_cast<uint8_t>(n);
      slice.list[0][0].present = n != 0;
      GolombWriter bits;
      const std::function<bool()> stop = [] { return false; };
      REQUIRE(encode_slice(encoded, slice, {{frame, scale, quantizer, references, motion}, planes, {511, 255}, round.tools}, stop, bits));
      std::vector<uint8_t> bytes;
      EmulationPrevention().add(bits.bytes(), true, bytes);
      bytes.resize(strip_emulation(bytes));
      REQUIRE(std::ranges::equal(bytes, bits.bytes()));
      REQUIRE(decode_slice(decoded, {slice, bytes, scale, references, motion, stop}) == SliceEnd::good);
    }
    for (uint32_t row = 0; row < rows; ++row) deblock_row(encoded, row);
    for (uint32_t row = decoded.progress.filtered; row < rows; ++row) deblock_row(decoded, row);
    CHECK(equal(encoded.frame.luma, decoded.frame.luma));
    CHECK(equal(encoded.frame.chroma, decoded.frame.chroma));
    // An error of at most the quantizer's step (table of Qstep: 0.625 * 2^(QP / 6)) in each sample.
    const unsigned step = (5u << round.qp / 6) / 8 + 1;
    CHECK(distance(frame.luma, encoded.frame.luma) < uint64_t{width} * height * step * step);
    for (const Macroblock& mb : decoded.mbs)
      if (mb.transform8) ++(mb.intra() ? found.intra : found.inter);
  }
  return found;
}

}  // namespace

TEST_CASE("avc encode: the decoder reads what is written, and has the same samples") {
  std::mt19937 random(7);
  Transformed all;
  for (const bool cabac : {false, true})
    for (const uint8_t qp : {uint8_t{1}, uint8_t{14}, uint8_t{26}, uint8_t{40}, uint8_t{51}})
      for (const unsigned noise : {0u, 12u, 200u})
        for (const bool flat : {true, false}) {
          INFO("cabac " << cabac << " qp " << int{qp} << " noise " << noise << " flat " << flat);
          Round round{.qp = qp, .noise = noise};
          PictureParams& p = round.params;
          p.width_mbs = columns, p.frame_height_mbs = rows, p.cabac = cabac;
          p.transform_8x8 = qp % 2, p.constrained_intra = noise == 12, p.chroma_qp_offset = {-2, 3};
          for (auto& list : p.scaling4)
            for (uint8_t& value : list) value = static_cast<uint8_t>(flat ? 16 : 12 + random() % 12);
          for (auto& list : p.scaling8) list.fill(16);
          round.tools = {p.transform_8x8, p.transform_8x8};
          const Transformed found = check(round, random);
          if (!p.transform_8x8) CHECK(found.intra + found.inter == 0);
          else all.intra += found.intra, all.inter += found.inter;
        }
  CHECK(all.intra > 20);
  CHECK(all.inter > 20);
}

TEST_CASE("avc encode: differences are transformed in vectors as sample by sample") {
  std::mt19937 random(3);
  std::array<uint8_t, 512> a, b, spread_a, spread_b;
  for (unsigned round = 0; round < 50; ++round) {
    for (unsigned i = 0; i < 256; ++i) {
      a[i] = static_cast<uint8_t>(round % 5 ? random() : random() % 2 * 255),
      b[i] = static_cast<uint8_t>(round % 5 ? random() : 255 - a[i]);
      spread_a[i * 2] = a[i], spread_b[i * 2] = b[i];
    }
    for (const unsigned size : {4u, 8u, 16u})
      CHECK(satd({a.data(), 16}, {b.data(), 16}, size, size) == satd({spread_a.data(), 32, 2}, {spread_b.data(), 32, 2}, size, size));
  }
}

TEST_CASE("avc encode: differences of 8x8 are transformed as their definition says") {
  std::mt19937 random(5);
  std::array<uint8_t, 256> a, b;
  for (unsigned round = 0; round < 50; ++round) {
    for (unsigned i = 0; i < 256; ++i) {
      a[i] = static_cast<uint8_t>(round % 5 ? random() : random() % 2 * 255);
      b[i] = static_cast<uint8_t>(round % 5 ? random() : 255 - a[i]);
    }
    uint32_t sum = 0;
    for (unsigned block = 0; block < 4; ++block)
      for (unsigned u = 0; u < 64; ++u) {
        int coefficient = 0;
        for (unsigned i = 0; i < 64; ++i) {
          const unsigned at = (block / 2 * 8 + i / 8) * 16 + block % 2 * 8 + i % 8;
          coefficient += std::popcount(u & i) % 2 ? b[at] - a[at] : a[at] - b[at];
        }
        sum += static_cast<uint32_t>(std::abs(coefficient));
      }
    CHECK(satd8({a.data(), 16}, {b.data(), 16}, 16, 16) == sum / 4);
  }
}

TEST_CASE("avc encode: emulation prevention carries over from piece to piece") {
  EmulationPrevention prevention;
  std::vector<uint8_t> out;
  prevention.add(std::vector<uint8_t>{0, 0, 1, 0x65, 0}, false, out);
  prevention.add(std::vector<uint8_t>{0, 2, 0, 0}, true, out);
  prevention.add(std::vector<uint8_t>{0, 0, 4}, true, out);
  CHECK(out == std::vector<uint8_t>{0, 0, 1, 0x65, 0, 0, 3, 2, 0, 0, 3, 0, 0, 4});
}
