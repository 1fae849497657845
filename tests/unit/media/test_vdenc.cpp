// SPDX-License-Identifier: GPL-2.0-or-later
// VDEnc by packets as iHD sends them (codechal_vdenc_avc.cpp), on Kaby Lake.
#include <algorithm>
#include <random>
#include <vector>

#include "hw/defs/gen9/all.h"
#include "hw/media/avc/deblock.h"
#include "hw/media/avc/slice.h"
#include "hw/media/bits/bit_reader.h"
#include "hw/media/video.h"
#include "hw/mmio/register_file.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::media;

namespace {

constexpr uint32_t columns = 4, rows = 2, width = columns * 16, height = rows * 16, pitch = 64;
constexpr uint64_t source = 0x1'0000, reconstruction = 0x2'0000, coded = 0x3'0000, bound = coded + 0x4000, end = 0x4'0000;
constexpr uint32_t byte_count = 0x128a0, slice_count = 0x12954;
constexpr uint8_t untouched = 0xcc;

struct Rig : memory::test::Mapped {
  Rig()
      : Mapped(source, end),
        registers(defs::gen9::registers),
        env{EngineId::vcs0, view, view, registers, stop},
        video(make_huc_decoder<defs::Gen9>(), make_video_packets<defs::Gen9>(), nullptr) {
    quiet_log();
    for (uint64_t at = source; at < reconstruction; ++at) view.store(at, static_cast<uint8_t>(at % pitch * 3 + at / pitch * 2));
    for (uint64_t at = reconstruction; at < end; ++at) view.store(at, untouched);
  }
  /// Sets the packet's length.
  void run(uint32_t opcode, std::vector<uint32_t> dwords) {
    dwords.insert(dwords.begin(), opcode << 16 | static_cast<uint32_t>(dwords.size() - 1));
    const defs::Command* command = defs::gen9::commands.find(defs::EngineClass::video, dwords[0]);
    REQUIRE(command);
    if (random) {
      const size_t at = 1 + (*random)() % (dwords.size() - 1);
      if ((*random)() % 4 == 0) dwords[at] ^= 1u << (*random)() % 32;
    }
    CHECK(video.execute({0x1000, command, dwords}, env) == ExecResult::done);
  }
  void run(uint32_t opcode, size_t dwords, std::initializer_list<std::pair<size_t, uint32_t>> values) {
    std::vector<uint32_t> packet(dwords - 1);
    for (const auto& [at, value] : values) packet[at - 1] = value;
    run(opcode, packet);
  }
  void begin() {
    run(0x7000, 5, {{1, 2 | 1 << 4 | 1 << 9 | 1 << 13 | 1 << 17}});
    for (const uint32_t id : {0u, 4u})
      run(0x7001, 6, {{1, id}, {2, (height - 1) << 18 | (width - 1) << 4}, {3, 4u << 28 | 1 << 27 | (pitch - 1) << 3}, {4, height}});
    run(0x7002, 68, {{4, reconstruction}, {7, source}});
    run(0x7003, 26, {{21, coded}, {24, bound}});
    run(0x7100, 21, {{2, (rows - 1) << 16 | (columns - 1)}, {4, 1 << 2 | 1 << 7 | 1 << 10}});
    run(0x7085, 35, {});
    for (uint32_t kind = 0; kind < 4; ++kind) {
      std::vector<uint32_t> matrix(17, 0x1010'1010);
      matrix[0] = kind;
      run(0x7007, matrix);
    }
  }
  void slice(uint32_t row, bool last) {
    run(0x7103, 11, {{1, 2}, {3, 30 << 16}, {4, row << 24}, {6, uint32_t{last} << 19 | 1 << 13}});
    // A start code, the NAL unit's first byte, and the bit that first_mb_in_slice replaces.
    run(0x7048, {1u << 14 | 1 << 3 | 4 << 4 | 1 << 8, 0x6501'0000, 0});
    run(0x7087, 4, {{1, row}, {2, row + 1}});
    run(0x7780, {2});
  }
  void picture() {
    begin();
    for (uint32_t row = 0; row < rows; ++row) slice(row, row + 1 == rows);
  }

  std::mt19937* random = nullptr;
  mmio::RegisterFile registers;
  StopFlag stop;
  EngineEnv env;
  Video video;
};

}  // namespace

TEST_CASE("vdenc: slices that are flushed one by one decode to the reconstruction") {
  using namespace avc;
  Rig rig;
  rig.picture();
  const uint32_t size = rig.registers.peek(byte_count);
  REQUIRE(size > 12);
  REQUIRE(size < bound - coded);
  CHECK(rig.registers.peek(slice_count) == rows);
  std::vector<uint8_t> bytes(size + 64);
  rig.view.read(coded, bytes.data(), bytes.size());
  for (uint32_t at = size; at < size + 64; ++at) CHECK(bytes[at] == (at < (size + 63) / 64 * 64 ? 0 : untouched));
  bytes.resize(size);

  Picture picture;
  PictureParams params;
  params.width_mbs = columns, params.frame_height_mbs = rows, params.cabac = true;
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
  for (uint32_t row = picture.progress.filtered; row < rows; ++row) deblock_row(picture, row);
  for (uint32_t y = 0; y < height * 3 / 2; ++y) {
    std::array<uint8_t, width> line;
    rig.view.read(reconstruction + y * pitch, line.data(), width);
    CHECK(std::equal(line.begin(), line.end(), y < height ? picture.frame.luma.row(y) : picture.frame.chroma.row(y - height)));
  }
}

TEST_CASE("vdenc: a picture whose last slice does not come ends with its flushes") {
  Rig rig;
  rig.begin();
  rig.slice(0, false);
  CHECK(rig.video.in_picture());
  for (unsigned i = 0; i < 8 && rig.video.in_picture(); ++i) rig.run(0x7780, {2});
  CHECK_FALSE(rig.video.in_picture());
  CHECK(rig.registers.peek(slice_count) == 1);
}

TEST_CASE("vdenc: packets with wrong bits do no harm") {
  std::mt19937 random(11);
  Rig rig;
  rig.random = &random;
  for (unsigned round = 0; round < 40; ++round) rig.picture();
}
