// SPDX-License-Identifier: GPL-2.0-or-later
// JPEG: its transform against the formula, and scans of our encoder through our decoder.
#include <cmath>
#include <numbers>
#include <random>

#include "hw/media/jpeg/encoder.h"
#include "hw/media/jpeg/output.h"
#include "hw/media/jpeg/scan_decoder.h"
#include "hw/media/jpeg/transform.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/media/jpeg_tables.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::jpeg;
using namespace softgen::media::jpeg::test;

namespace {

double basis(int n, int x) { return (n ? 1 : std::numbers::sqrt2 / 2) / 2 * std::cos((2 * x + 1) * n * std::numbers::pi / 16); }

/// T.81 A.3.3, as it is written.
double inverse_at(const Block& block, int x, int y) {
  double sum = 0;
  for (int v = 0; v < 8; ++v)
    for (int u = 0; u < 8; ++u) sum += basis(u, x) * basis(v, y) * block[static_cast<size_t>(v * 8 + u)];
  return sum;
}

constexpr uint64_t memory_start = 0x1'0000, memory_end = 0x1f'0000, luma_at = 0x2'0000, chroma_row = 512;

struct Rig : memory::test::Mapped {
  Rig() : Mapped(memory_start, memory_end) { quiet_log(); }

  StopFlag stop;

  /// Smooth, so that the loss is small.
  static uint8_t pixel(unsigned plane, uint32_t x, uint32_t y) {
    return static_cast<uint8_t>(128 + 90 * std::sin(0.11 * x + plane) + 30 * std::cos(0.07 * y * (plane + 1)));
  }
  PlaneLayout plane(uint32_t first_row) const {
    return {.base = luma_at, .pitch = 512, .tiling = surface::Tiling::y, .first_row = first_row};
  }
  void fill(uint32_t width, uint32_t height) {
    PlaneMap map;
    for (const bool chroma : {false, true}) {
      PlaneLayout layout = plane(chroma ? chroma_row : 0);
      layout.element = 1, layout.width = chroma ? (width + 1) / 2 * 2 : width, layout.height = chroma ? (height + 1) / 2 : height;
      map.open(view, stop, layout, Access::write);
      for (uint32_t y = 0; y < layout.height; ++y)
        for (uint32_t x = 0; x < layout.width; ++x) {
          const uint8_t value = chroma ? pixel(1 + x % 2, x / 2, y) : pixel(0, x, y);
          map.store(x, y, 1, 1, reinterpret_cast<const std::byte*>(&value), 0);
        }
    }
  }
};

EncodedScan nv12_scan(const Rig& rig, uint32_t width, uint32_t height, uint32_t interval) {
  EncodedScan scan;
  scan.structure = {.components = 3,
                    .samplings = {Sampling{2, 2}, {}, {}},
                    .columns = (width + 15) / 16,
                    .rows = (height + 15) / 16,
                    .pixels_wide = width,
                    .pixels_high = height};
  scan.luma = rig.plane(0), scan.chroma = rig.plane(chroma_row);
  for (auto& matrix : scan.matrices) matrix.fill(2);
  scan.tables.fill(flat_tables().encoder);
  scan.dc_table = scan.ac_table = {0, 1, 1};
  scan.units = scan.structure.columns * scan.structure.rows, scan.interval = interval;
  return scan;
}

std::vector<uint8_t> encoded(Rig& rig, const EncodedScan& scan) {
  ScanEncoder encoder;
  encoder.begin(rig.view, rig.stop, scan);
  while (encoder.row()) {}
  CHECK_FALSE(encoder.lacks_code());
  encoder.writer().marker(0xd9);
  return encoder.writer().bytes();
}

Scan decoded_scan(const EncodedScan& from) {
  Scan scan{.components = 7, .interleaved = true, .units = from.units, .interval = from.interval};
  scan.tables.fill(flat_tables().decoder);
  for (auto& matrix : scan.matrices) matrix.fill(2);
  return scan;
}

}  // namespace

TEST_CASE("the inverse transform is within one of the formula", "[jpeg]") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    Block block{};
    unsigned last = 0;
    for (unsigned i = 0; i < 64; i += 1 + random() % (1 + round % 16)) {
      block[scan_order[i]] = static_cast<int16_t>(static_cast<int>(random() % 401) - 200);
      if (block[scan_order[i]]) last = i;
      if (round % 4 == 0 && i > 2) break;
    }
    std::array<uint8_t, 64> out;
    inverse_transform(block, last, out.data(), 8);
    for (int i = 0; i < 64; ++i) {
      const double exact = std::clamp(inverse_at(block, i % 8, i / 8) + 128, 0.0, 255.0);
      INFO("round " << round << ", sample " << i);
      REQUIRE(std::abs(out[static_cast<size_t>(i)] - exact) < 0.75);
    }
  }
}

TEST_CASE("the forward transform is the inverse's", "[jpeg]") {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    std::array<uint8_t, 64> samples, back;
    for (auto& sample : samples) sample = static_cast<uint8_t>(random());
    Block block;
    forward_transform(samples, block);
    for (auto& value : block) value = static_cast<int16_t>((value + 4) >> 3);
    inverse_transform(block, 63, back.data(), 8);
    for (size_t i = 0; i < 64; ++i) REQUIRE(std::abs(samples[i] - back[i]) <= 2);
  }
}

TEST_CASE("largest coefficients do not overflow the transform", "[jpeg]") {
  for (const int sign : {-1, 1}) {
    Block block;
    block.fill(static_cast<int16_t>(sign * max_coefficient));
    std::array<uint8_t, 64> out;
    inverse_transform(block, 63, out.data(), 8);
    CHECK(out[0] == (sign > 0 ? 255 : 0));
  }
}

TEST_CASE("scans of the encoder come back, with restarts and odd sizes", "[jpeg]") {
  const auto [width, height, interval] =
      GENERATE(table<uint32_t, uint32_t, uint32_t>({{64, 48, 0}, {177, 143, 0}, {35, 17, 1}, {177, 143, 5}, {16, 16, 0}}));
  Rig rig;
  rig.fill(width, height);
  const EncodedScan scan = nv12_scan(rig, width, height, interval);
  std::vector<uint8_t> bytes = encoded(rig, scan);
  ScanDecoder decoder;
  decoder.begin(scan.structure);
  REQUIRE(decoder.decode(decoded_scan(scan), bytes, rig.stop));
  CHECK(decoder.lost() == 0);
  for (unsigned i = 0; i < 3; ++i)
    for (uint32_t y = 0; y < scan.structure.real_height(i); ++y)
      for (uint32_t x = 0; x < scan.structure.real_width(i); ++x) REQUIRE(std::abs(*decoder.plane(i).at(x, y) - Rig::pixel(i, x, y)) <= 5);
}

TEST_CASE("a broken stream loses no more than its restart interval", "[jpeg]") {
  Rig rig;
  rig.fill(128, 64);
  const EncodedScan scan = nv12_scan(rig, 128, 64, 8);
  std::vector<uint8_t> bytes = encoded(rig, scan);
  // Code 0xff has no symbol.
  for (size_t i = 0, restarts = 0; i + 1 < bytes.size() && restarts < 2; ++i) {
    if (bytes[i] == 0xff && (bytes[i + 1] & 0xf8) == 0xd0) {
      ++restarts;
      if (restarts == 1) bytes[i + 2] = bytes[i + 4] = 0xff, bytes[i + 3] = bytes[i + 5] = 0;
    }
  }
  ScanDecoder decoder;
  decoder.begin(scan.structure);
  REQUIRE(decoder.decode(decoded_scan(scan), bytes, rig.stop));
  CHECK(decoder.lost() > 0);
  CHECK(decoder.lost() <= 8);
  CHECK(*decoder.plane(0).at(0, 20) == 128);
  CHECK(std::abs(*decoder.plane(0).at(5, 60) - Rig::pixel(0, 5, 60)) <= 5);
}

TEST_CASE("rotated pictures, and layouts of surfaces", "[jpeg]") {
  const auto rotation = GENERATE(Rotation::none, Rotation::right, Rotation::left, Rotation::half);
  const auto layout = GENERATE(Layout::planar, Layout::nv12, Layout::yuy2, Layout::uyvy);
  constexpr uint32_t width = 48, height = 32;
  Rig rig;
  rig.fill(width, height);
  const EncodedScan scan = nv12_scan(rig, width, height, 0);
  std::vector<uint8_t> bytes = encoded(rig, scan);
  ScanDecoder decoder;
  decoder.begin(scan.structure);
  REQUIRE(decoder.decode(decoded_scan(scan), bytes, rig.stop));

  const bool turned = rotation == Rotation::right || rotation == Rotation::left;
  Target target{.layout = layout, .rotation = rotation, .width = turned ? height : width, .height = turned ? width : height};
  for (unsigned i = 0; i < 3; ++i)
    target.planes[i] = {.base = 0x10'0000, .pitch = 256, .tiling = surface::Tiling::linear, .first_row = 64 * i};
  Output().store(decoder, target, rig.view, rig.stop, nullptr);

  const auto at = [&](unsigned row, unsigned byte) { return rig.view.load<uint8_t>(0x10'0000 + row * 256 + byte); };
  const auto source = [&](unsigned plane, uint32_t x, uint32_t y) {
    const uint32_t w = plane ? width / 2 : width, h = plane ? height / 2 : height;
    switch (rotation) {
      case Rotation::right: return *decoder.plane(plane).at(y, h - 1 - x);
      case Rotation::left: return *decoder.plane(plane).at(w - 1 - y, x);
      case Rotation::half: return *decoder.plane(plane).at(w - 1 - x, h - 1 - y);
      default: return *decoder.plane(plane).at(x, y);
    }
  };
  for (uint32_t y = 0; y < target.height; ++y)
    for (uint32_t x = 0; x < target.width; ++x) {
      const bool packed = layout == Layout::yuy2 || layout == Layout::uyvy;
      REQUIRE(at(y, packed ? 2 * x + (layout == Layout::uyvy) : x) == source(0, x, y));
      for (unsigned i = 1; i < 3; ++i) {
        const uint8_t chroma = packed                     ? at(y, x / 2 * 4 + (layout == Layout::yuy2) + 2 * (i - 1))
                               : layout == Layout::planar ? at(64 * i + y / 2, x / 2)
                                                          : at(64 + y / 2, x / 2 * 2 + i - 1);
        REQUIRE(chroma == source(i, x / 2, y / 2));
      }
    }
}
