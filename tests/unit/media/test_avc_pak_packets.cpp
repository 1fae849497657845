// SPDX-License-Identifier: GPL-2.0-or-later
// PAK objects as drivers send them (i965-va-driver, gen8_mfc.c), on Kaby Lake.
#include <random>
#include <vector>

#include "hw/base/log.h"
#include "tests/unit/media/avc_encode_rig.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::avc::packet_test;

namespace {

constexpr const char* name = "MFC_AVC_PAK_OBJECT";
constexpr uint32_t count = columns * rows, vectors = 0x3'8000, vectors_end = vectors + 0x1000;
constexpr uint32_t blocks = 7u << 17, by_block = 6u << 20, by_quarter = 4u << 20, whole_l0 = 1u << 8, intra16 = 1u << 13;

struct PakRig : Rig {
  void picture(uint32_t type) {
    clear_failure_counts();
    begin(0);
    run(0x7003, 26, {{6, vectors}, {9, vectors_end}, {21, coded}, {24, bound}});
    // Reference 0 is the source.
    run(0x7002, 68, {{4, reconstruction}, {7, source}, {19, source}});
    for (const uint32_t list : {0u, 1u}) run(0x7104, 10, {{1, list}, {2, 0x8080'8000}});
    run(0x7103, 11,
        {{1, type}, {2, type == 2 ? 0 : 1u << 16 | (type == 1 ? 1u << 24 : 0)}, {3, 1u << 29 | 30 << 16}, {6, 1u << 19 | 1 << 13}});
  }
  void object(uint32_t at, uint32_t kind, uint32_t offset = 0, uint32_t references = 0, uint32_t modes = 0) {
    run(0x7149, 12,
        {{1, 128},
         {2, offset},
         {3, blocks | kind},
         {4, 0xffffu << 16 | at / columns << 8 | at % columns},
         {5, 0xf'000f},
         {6, (at + 1 == count ? 1u << 26 : 0) | 30},
         {7, modes},
         {8, references}});
  }
  /// All macroblocks alike; what of it counts as the guest's error.
  uint64_t errors_of(uint32_t type, uint32_t kind, uint32_t offset = 0, uint32_t references = 0) {
    picture(type);
    for (uint32_t at = 0; at < count; ++at) object(at, kind, offset, references, 0x0222'2222);
    run(0x7780, {2});
    CHECK_FALSE(video.in_picture());
    CHECK(registers.peek(slice_count) == 1);
    CHECK(registers.peek(byte_count) > 0);
    return failure_count(Failure::guest_error, name);
  }
};

}  // namespace

TEST_CASE("avc pak: a picture like its reference has skipped macroblocks alone") {
  PakRig rig;
  for (uint32_t at = vectors; at < vectors_end; ++at) rig.view.store(at, uint8_t{0});
  CHECK(rig.errors_of(2, intra16) == 0);
  const uint32_t intra = rig.registers.peek(byte_count);
  CHECK(rig.errors_of(0, by_block | whole_l0) == 0);
  CHECK(rig.registers.peek(byte_count) * 4 < intra);
  for (uint32_t y = 0; y < height * 3 / 2; ++y)
    for (uint32_t x = 0; x < width; ++x)
      REQUIRE(rig.view.load<uint8_t>(reconstruction + y * pitch + x) == rig.view.load<uint8_t>(source + y * pitch + x));
}

TEST_CASE("avc pak: what objects must not have is counted") {
  PakRig rig;
  for (uint32_t at = vectors; at < vectors_end; ++at) rig.view.store(at, uint8_t{0x7f});
  INFO("vectors out of range");
  CHECK(rig.errors_of(0, by_block | whole_l0) >= count);
  CHECK(rig.errors_of(0, by_quarter | whole_l0) >= count);
  INFO("vectors beyond the bound, and beyond all memory");
  CHECK(rig.errors_of(0, by_block | whole_l0, vectors_end - vectors - 64) >= count);
  CHECK(rig.errors_of(0, by_block | whole_l0, 0x1fff'fff0) >= count);
  INFO("no such reference");
  CHECK(rig.errors_of(0, by_block | whole_l0, 0, 0x0505'0505) >= count);
  INFO("a type without a meaning, inter in an I picture");
  CHECK(rig.errors_of(1, by_block | 31u << 8) >= count);
  CHECK(rig.errors_of(2, by_block | whole_l0) >= count);
  INFO("not the slice's next");
  rig.picture(2);
  rig.object(3, intra16);
  CHECK(failure_count(Failure::guest_error, name) == 1);
  for (unsigned i = 0; i < 8 && rig.video.in_picture(); ++i) rig.run(0x7780, {2});
  CHECK_FALSE(rig.video.in_picture());
}

TEST_CASE("avc pak: packets with wrong bits do no harm") {
  std::mt19937 random(12);
  PakRig rig;
  rig.random = &random;
  for (unsigned round = 0; round < 60; ++round) {
    rig.picture(round % 3);
    for (uint32_t at = 0; at < count; ++at) rig.object(at, static_cast<uint32_t>(random()), static_cast<uint32_t>(random() % 0x2000));
    rig.run(0x7780, {2});
  }
}
