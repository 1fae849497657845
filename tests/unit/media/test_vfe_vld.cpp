// SPDX-License-Identifier: GPL-2.0-or-later
// VFE in mode VLD: slices of MPEG-2, written bit by bit, and the registers that their macroblocks' threads get.
#include <algorithm>
#include <random>

#include "hw/base/log.h"
#include "hw/media/mpeg2/vlc.h"
#include "hw/media/vfe/vld_mode.h"
#include "tests/quiet_log.h"
#include "tests/unit/media/bit_writer.h"
#include "tests/unit/media/vfe_rig.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::vfe;
using namespace softgen::media::vfe::test;
using media::test::BitWriter;
using mpeg2::MotionType;

namespace {

struct VldRig : VfeRig {
  VldRig() {
    vfe.vfe_mode = gen5::VFE_STATE::VFEMode::VLD, vfe.extended_vfe_state_present = true;
    vld.f_code_0_0 = vld.f_code_0_1 = vld.f_code_1_0 = vld.f_code_1_1 = 1;
    vld.picture_structure = gen5::VFE_STATE_VLD::PictureStructure::FRAME;
    vld.frame_prediction_frame_dct = true;
    for (uint32_t i = 0; i < 16; ++i) vld.descriptor_remap[i] = i;
    // Each says in which descriptor it was found.
    for (unsigned i = 0; i < 16; ++i) {
      std::vector<eu::Instruction> code;
      send_registers(code, 0, 14);
      auto rest = sending_kernel(14, 12);
      code.insert(code.end(), rest.begin(), rest.end());
      set_kernel(i, code);
    }
  }
  ExecResult slice(const BitWriter& bits, uint32_t x = 0, uint32_t y = 0, uint32_t count = 127) {
    put(extended_at, vld);
    if (!is_set_) set_state(), is_set_ = true;
    view.write(data_at, bits.bytes().data(), bits.bytes().size());
    gen5::MEDIA_OBJECT o;
    o.indirect_data_length = static_cast<uint32_t>(bits.bytes().size()), o.indirect_data_start_address = data_at;
    gen5::MPEG2_SLICE s;
    s.slice_horizontal_position = x, s.slice_vertical_position = y, s.macroblock_count = count, s.quantizer_scale_code = 7;
    const auto inline_data = s.pack();
    return object(o, {inline_data.begin(), inline_data.end()});
  }
  struct Thread {
    unsigned descriptor;
    gen5::MPEG2_MACROBLOCK mb;
    std::vector<int16_t> levels;
  };
  std::vector<Thread> threads() const {
    std::vector<Thread> found;
    for (size_t i = 0; i + 1 < sent.size(); i += 2) {
      std::vector<Grf> regs(sent[i].payload.begin() + 1, sent[i].payload.end());
      regs.insert(regs.end(), sent[i + 1].payload.begin() + 1, sent[i + 1].payload.end());
      Thread t;
      t.descriptor = (regs[0].dw[2] - descriptors_at) / 16;
      t.mb = gen5::MPEG2_MACROBLOCK::unpack(regs[1].dw);
      for (size_t r = 2; r < regs.size(); ++r)
        for (const uint32_t dw : regs[r].dw)
          t.levels.push_back(static_cast<int16_t>(dw)), t.levels.push_back(static_cast<int16_t>(dw >> 16));
      found.push_back(t);
    }
    return found;
  }

  gen5::VFE_STATE_VLD vld;

 private:
  bool is_set_ = false;
};

void flat_blocks(BitWriter& bits, unsigned first = 0) {
  for (unsigned i = first; i < 6; ++i) bits.put(i < 4 ? "100" : "00"), bits.put("10");
}
void flat_macroblock(BitWriter& bits) { bits.put("1 1"), flat_blocks(bits); }

}  // namespace

TEST_CASE("vfe vld: an intra macroblock's thread has its place, quantiser and levels") {
  VldRig rig;
  rig.vld.picture_coding_type = gen5::VFE_STATE_VLD::PictureCodingType::I;
  rig.vld.intra_dc_precision = 2, rig.vld.quantizer_scale_type = 1;
  BitWriter bits;
  bits.put("1 01 00011"), bits.put("101 101  11 1  10"), flat_blocks(bits, 1);  // quantiser 3; DC +5; -1 behind it
  flat_macroblock(bits);
  CHECK(rig.slice(bits, 4, 3) == ExecResult::done);
  const auto threads = rig.threads();
  REQUIRE(threads.size() == 2);
  for (unsigned n = 0; n < 2; ++n) {
    const auto& t = threads[n];
    CHECK(t.descriptor == 0);
    CHECK(t.mb.horizontal_origin == (4 + n) * 16);
    CHECK(t.mb.vertical_origin == 48);
    CHECK(t.mb.quantizer_scale_code == 3);
    CHECK(t.mb.quantizer_scale_type == 1);
    CHECK(t.mb.intra_dc_precision == 2);
    CHECK(t.mb.picture_structure == 3);
    CHECK(t.mb.coded_block_pattern == 0x3f);
    CHECK(t.mb.dct_type == 0);
    // DC counts from the middle, and predicts that of the blocks that follow.
    for (unsigned block = 0; block < 6; ++block) CHECK(t.levels[64 * block] == (block < 4 ? 5 : 0));
    CHECK(t.levels[1] == (n == 0 ? -1 : 0));
    CHECK(std::count(t.levels.begin(), t.levels.end(), 0) == 24 * 16 - (n == 0 ? 5 : 4));
  }
}

TEST_CASE("vfe vld: predicted macroblocks bring their coded blocks one behind the other, and skipped ones have threads, too") {
  VldRig rig;
  rig.vld.picture_coding_type = gen5::VFE_STATE_VLD::PictureCodingType::P;
  BitWriter bits;
  bits.put("1 1 010 011 1011"), bits.put("10 10");  // moved by (1, -1); Y1 alone: 1
  bits.put("011 001 1 1");                          // one is left out; then without a change of the vector
  CHECK(rig.slice(bits) == ExecResult::done);
  const auto threads = rig.threads();
  REQUIRE(threads.size() == 3);
  for (const auto& t : threads) CHECK(t.descriptor == 1);
  CHECK(threads[0].mb.coded_block_pattern == 16);
  CHECK(threads[0].mb.horizontal_vector[0] == 1);
  CHECK(threads[0].mb.vertical_vector[0] == -1);
  CHECK(threads[0].levels[0] == 1);
  CHECK(threads[1].mb.horizontal_origin == 16);
  for (unsigned n = 1; n < 3; ++n) {
    CHECK(threads[n].mb.coded_block_pattern == 0);
    CHECK(threads[n].mb.horizontal_vector[0] == 0);
    CHECK(threads[n].mb.quantizer_scale_code == 7);
  }
  CHECK(threads[2].mb.horizontal_origin == 32);
}

TEST_CASE("vfe vld: kernels by class of prediction") {
  mpeg2::Macroblock mb;
  mb.type = mpeg2::mb_intra;
  CHECK(remap_index(mb, true) == 0);
  mb.field_dct = true;
  CHECK(remap_index(mb, true) == 8);
  mb.type = 0, mb.field_dct = false;
  constexpr std::array<std::array<bool, 2>, 3> used = {{{true, false}, {false, true}, {true, true}}};
  constexpr unsigned of_directions[3] = {1, 4, 6};
  for (unsigned n = 0; n < 3; ++n) {
    mb.motion.used = used[n];
    mb.motion.type = MotionType::frame;
    CHECK(remap_index(mb, true) == of_directions[n]);
    mb.motion.type = MotionType::field;
    CHECK(remap_index(mb, true) == of_directions[n] + 1);
    CHECK(remap_index(mb, false) == of_directions[n]);
    mb.motion.type = MotionType::half_field;
    CHECK(remap_index(mb, false) == of_directions[n] + 1);
  }
  mb.motion.used = {true, false}, mb.motion.type = MotionType::dual_prime;
  CHECK(remap_index(mb, true) == 3);
  CHECK(remap_index(mb, false) == 3);
}

TEST_CASE("vfe vld: dual prime has the vectors of both parities") {
  mpeg2::PictureParams picture;
  picture.width = 16, picture.top_field_first = true;
  mpeg2::Macroblock mb;
  mb.address = 18, mb.motion.type = MotionType::dual_prime, mb.motion.used = {true, false};
  mb.motion.vector[0][0] = {4, -6}, mb.motion.differential = {1, 0};
  VldMacroblock out = vld_macroblock(picture, mb);
  CHECK(out.x == 32);
  CHECK(out.y == 16);
  // ISO 13818-2, 7.6.3.6: half the vector from the field before, one and a half of it across the next; rows of the other parity lie half a row off.
  const int expected[2][2][2] = {{{4, -6}, {2 + 1, -3 - 1}}, {{4, -6}, {6 + 1, -9 + 1}}};
  for (unsigned field = 0; field < 2; ++field)
    for (unsigned other = 0; other < 2; ++other) {
      CHECK(out.vector[field][other].x == expected[field][other][0]);
      CHECK(out.vector[field][other].y == expected[field][other][1]);
      CHECK(out.select[field][other] == (field ^ other));
    }
  picture.structure = mpeg2::Structure::bottom;
  VldMacroblock of_field = vld_macroblock(picture, mb);
  CHECK(of_field.vector[0][1].x == 3);
  CHECK(of_field.vector[0][1].y == -3 + 1);
  CHECK(of_field.select[0] == std::array<uint8_t, 2>{1, 0});
}

TEST_CASE("vfe vld: a slice ends after its count of macroblocks and in its row") {
  quiet_log();
  for (const auto& [x, count, threads] : {std::array{0u, 2u, 3u}, std::array{254u, 127u, 2u}}) {
    VldRig rig;
    rig.vld.picture_coding_type = gen5::VFE_STATE_VLD::PictureCodingType::I;
    BitWriter bits;
    for (unsigned i = 0; i < 6; ++i) flat_macroblock(bits);
    CHECK(rig.slice(bits, x, 1, count) == ExecResult::done);
    CHECK(rig.threads().size() == threads);
  }
}

TEST_CASE("vfe vld: a pause stops behind a macroblock, and the slice goes on there") {
  VldRig rig;
  rig.vld.picture_coding_type = gen5::VFE_STATE_VLD::PictureCodingType::I;
  BitWriter bits;
  for (unsigned i = 0; i < 9; ++i) flat_macroblock(bits);
  unsigned calls = 0;
  for (ExecResult result = ExecResult::preempted; result == ExecResult::preempted; ++calls) {
    REQUIRE(calls < 20);
    rig.stop.request(StopFlag::pause);
    result = rig.slice(bits);
    // What another context does between changes nothing: the place is in the image.
    std::vector<std::byte> image(rig.engine.context_size());
    rig.engine.save_context(image);
    rig.engine.reset_context();
    rig.engine.restore_context(image);
    rig.stop.clear(StopFlag::pause);
  }
  CHECK(calls == 9);
  const auto threads = rig.threads();
  REQUIRE(threads.size() == 9);
  for (unsigned i = 0; i < 9; ++i) CHECK(threads[i].mb.horizontal_origin == i * 16);
  rig.stop.request(StopFlag::reset);
  CHECK(rig.slice(bits) == ExecResult::aborted);
  CHECK(rig.threads().size() == 9);
}

TEST_CASE("vfe vld: hostile slices and states start no more threads than a slice may have") {
  quiet_log();
  std::mt19937 random(11);
  INFO("seed 11");
  size_t started = 0;
  for (unsigned round = 0; round < 200; ++round) {
    VldRig rig;
    std::array<uint32_t, gen5::VFE_STATE_VLD::dwords> state;
    for (uint32_t& dw : state) dw = static_cast<uint32_t>(random());
    rig.vld = gen5::VFE_STATE_VLD::unpack(state);
    if (round % 2) rig.vld.picture_coding_type = gen5::VFE_STATE_VLD::PictureCodingType::P;
    if (round % 3 == 0) rig.vfe.extended_vfe_state_present = false;
    BitWriter bits;
    bits.put("1");
    for (unsigned i = random() % 4000; i > 0; --i) bits.put(random() % 2 ? "1" : "0");
    const auto count = static_cast<uint32_t>(random() % 128);
    CHECK(rig.slice(bits, static_cast<uint32_t>(random() % 256), static_cast<uint32_t>(random() % 256), count) == ExecResult::done);
    CHECK(rig.threads().size() <= count + 1);
    started += rig.threads().size();
  }
  CHECK(started > 200);
}
