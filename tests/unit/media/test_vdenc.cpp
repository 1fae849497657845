// SPDX-License-Identifier: GPL-2.0-or-later
// VDEnc by packets as iHD sends them (codechal_vdenc_avc.cpp).
#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include "hw/media/avc/deblock.h"
#include "hw/media/avc/slice.h"
#include "hw/media/bits/bit_reader.h"
#include "tests/catch.h"
#include "tests/unit/media/avc_encode_rig.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::avc;
using namespace softgen::media::avc::packet_test;

namespace {

/// Of a generation: the first box's registers (mhw_mmio_g9.h, _g11.h, _g12.h), and VDENC_WALKER_STATE's dwords (mhw_vdbox_vdenc_hwcmd_*.h).
template <class G>
struct Chip;
template <>
struct Chip<defs::Gen9> {
  static constexpr uint32_t byte_count = packet_test::byte_count, slice_count = packet_test::slice_count, walker = 4;
};
template <>
struct Chip<defs::Gen11> {
  static constexpr uint32_t byte_count = 0x1c'08a0, slice_count = 0x1c'0954, walker = 10;
};
template <>
struct Chip<defs::Gen12> {
  static constexpr uint32_t byte_count = 0x1c'08a0, slice_count = 0x1c'0954, walker = 27;
};

template <class G>
struct VdencRig : RigOf<G> {
  using RigOf<G>::run, RigOf<G>::begin;

  void slice(uint32_t row, bool last) {
    run(0x7103, 11, {{1, 2}, {3, 30 << 16}, {4, row << 24}, {6, uint32_t{last} << 19 | 1 << 13}});
    // A start code, the NAL unit's first byte, and the bit that first_mb_in_slice replaces.
    run(0x7048, {1u << 14 | 1 << 3 | 4 << 4 | 1 << 8, 0x6501'0000, 0});
    run(0x7087, Chip<G>::walker, {{1, row}, {2, row + 1}});
    run(0x7780, {2});
  }
  void picture() {
    begin(1 << 13);
    for (uint32_t row = 0; row < rows; ++row) slice(row, row + 1 == rows);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("vdenc: slices that are flushed one by one decode to the reconstruction", "", defs::Gen9, defs::Gen11, defs::Gen12) {
  VdencRig<TestType> rig;
  const uint32_t tools = GENERATE(0u, 1u, 2u);  // no transforms of 8x8, all, none of intra blocks
  rig.transform8 = tools != 0;
  rig.luma_intra_mask = tools == 2 ? 2 : 0;
  // One coefficient of a Hadamard transform of 8x8, four of 4x4.
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x)
      rig.view.store(source + y * pitch + x, static_cast<uint8_t>((std::popcount(x & 5) + std::popcount(y & 3)) % 2 ? 88 : 168));
  rig.picture();
  const uint32_t size = rig.registers.peek(Chip<TestType>::byte_count);
  REQUIRE(size > 12);
  REQUIRE(size < bound - coded);
  CHECK(rig.registers.peek(Chip<TestType>::slice_count) == rows);
  std::vector<uint8_t> bytes(size + 64);
  rig.view.read(coded, bytes.data(), bytes.size());
  for (uint32_t at = size; at < size + 64; ++at) CHECK(bytes[at] == (at < (size + 63) / 64 * 64 ? 0 : untouched));
  bytes.resize(size);

  Picture picture;
  PictureParams params;
  params.width_mbs = columns, params.frame_height_mbs = rows, params.cabac = true;
  params.transform_8x8 = rig.transform8;
  for (auto& list : params.scaling4) list.fill(16);
  for (auto& list : params.scaling8) list.fill(16);
  picture.begin(params);
  LevelScale scale;
  scale.set(params);
  static constexpr uint8_t start[4] = {0, 0, 1, 0x65};
  auto at = bytes.begin();
  for (uint32_t row = 0; row < rows; ++row) {
    REQUIRE(std::equal(start, start + 4, at));
    const auto next = std::search(at + 4, bytes.end(), start, start + 4);
    std::vector<uint8_t> nal(at + 4, next);
    nal.resize(strip_emulation(nal));
    // ue(first_mb), and ones up to the next byte: 0 is 1, 4 is 00101.
    CHECK(nal[0] == (row ? 0b0010'1111 : 0xff));
    SliceParams slice;
    slice.qp = 30, slice.first_mb = row * columns;
    const std::function<bool()> stop = [] { return false; };
    CHECK(decode_slice(picture, {slice, std::span(nal).subspan(1), scale, {}, {}, stop}) == SliceEnd::good);
    at = next;
  }
  CHECK(at == bytes.end());
  const auto of8 = std::ranges::count(picture.mbs, Kind::intra8, &Macroblock::kind);
  CHECK((of8 > 0) == (rig.transform8 && !rig.luma_intra_mask));
  for (uint32_t row = picture.progress.filtered; row < rows; ++row) deblock_row(picture, row);
  for (uint32_t y = 0; y < height * 3 / 2; ++y) {
    std::array<uint8_t, width> line;
    rig.view.read(reconstruction + y * pitch, line.data(), width);
    CHECK(std::equal(line.begin(), line.end(), y < height ? picture.frame.luma.row(y) : picture.frame.chroma.row(y - height)));
  }
}

TEMPLATE_TEST_CASE("vdenc: a picture whose last slice does not come ends with its flushes", "", defs::Gen9, defs::Gen11, defs::Gen12) {
  VdencRig<TestType> rig;
  rig.begin(1 << 13);
  rig.slice(0, false);
  CHECK(rig.video.in_picture());
  for (unsigned i = 0; i < 8 && rig.video.in_picture(); ++i) rig.run(0x7780, {2});
  CHECK_FALSE(rig.video.in_picture());
  CHECK(rig.registers.peek(Chip<TestType>::slice_count) == 1);
}

TEMPLATE_TEST_CASE("vdenc: packets with wrong bits do no harm", "", defs::Gen9, defs::Gen11, defs::Gen12) {
  std::mt19937 random(11);
  VdencRig<TestType> rig;
  rig.random = &random;
  for (unsigned round = 0; round < 40; ++round) rig.picture();
}
