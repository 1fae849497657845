// SPDX-License-Identifier: GPL-2.0-or-later
// VFE's mode AVC_IT: what the threads of macroblocks get (intel-vaapi-driver shaders/h264/mc: intra_Header.inc, inter_Header.inc), from commands and data of
// BSD's formats.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "hw/base/log.h"
#include "hw/media/avc/transform.h"
#include "hw/media/bsd/bsd_packets.h"
#include "tests/quiet_log.h"
#include "tests/unit/media/vfe_rig.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::vfe;
using namespace softgen::media::vfe::test;

namespace {

constexpr unsigned residual_dword = 48;
using Data = std::array<uint32_t, bsd::max_it_dwords>;

/// Kernels 0 to 6 send what the header does not have of their first 35 registers; the table is i965_media_h264.c's for frames, with other numbers.
struct AvcIt : VfeRig {
  explicit AvcIt(bool motion = true) {
    quiet_log();
    clear_failure_counts();
    vfe.vfe_mode = gen5::VFE_STATE::VFEMode::AVC_IT, vfe.extended_vfe_state_present = true;
    vfe.urb_entry_allocation_size = 15;
    using State = gen5::VFE_STATE_AVC;
    State s;
    s.residual_data_fix_offset = true, s.residual_data_offset = residual_dword;
    if (motion) s.data_present = State::DataPresent::MOTION_VECTORS_AND_WEIGHTS, s.weight_grf_offset = 4, s.residual_grf_offset = 6;
    s.descriptor_remap = {6, 5, 4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    s.scoreboard_enable = true, s.scoreboard_mask = 0xff;
    fence.vfe_fence = 64;
    set_state();
    put(bases.general_state_base_address + extended_at, s);
    for (unsigned i = 0; i < 7; ++i) set_kernel(i, kernel());
  }
  static std::vector<eu::Instruction> kernel() {
    std::vector<eu::Instruction> code;
    for (const unsigned first : {1u, 13u, 25u}) send_registers(code, first, 12);
    const auto end = sending_kernel(0, 1);
    code.insert(code.end(), end.begin() + 2, end.end());
    return code;
  }
  void run(const gen5::AVC_IT_INLINE_DATA& mb, const Data& data, uint32_t bytes = sizeof(Data)) {
    view.write(data_at, data.data(), sizeof data);
    gen5::MEDIA_OBJECT_EX o;
    o.indirect_data_length = bytes, o.indirect_data_start_address = data_at, o.use_scoreboard = true, o.scoreboard_x = 3;
    const auto inline_data = mb.pack();
    REQUIRE(object(o, {inline_data.begin(), inline_data.end()}) == ExecResult::done);
    registers.clear();
    for (const Sent& s : sent) registers.insert(registers.end(), s.payload.begin() + 1, s.payload.end());
    sent.clear();
  }
  /// `n` registers from register `first` of the thread on.
  std::vector<uint32_t> dwords(unsigned first, unsigned n) const {
    std::vector<uint32_t> out;
    for (unsigned i = 0; i < n; ++i) out.insert(out.end(), std::begin(registers[first + i - 1].dw), std::end(registers[first + i - 1].dw));
    return out;
  }

  std::vector<Grf> registers;
};

/// Y2 (a coefficient in each of its 4x4 blocks) and Cr.
constexpr uint8_t pattern = 0b00'1001;
Data coefficients() {
  Data data{};
  std::iota(data.begin(), data.begin() + residual_dword, 0x100u);
  std::vector<uint32_t> words;
  for (unsigned block = 0; block < 8; ++block) {
    gen5::AVC_IT_COEFFICIENT c;
    c.value = static_cast<int32_t>(64 * (block + 1)), c.end_of_block = true;
    words.push_back(c.pack()[0]);
  }
  std::copy(words.begin(), words.end(), data.begin() + residual_dword);
  return data;
}

/// A DC of 64 n is n in all 16 places.
std::vector<uint32_t> expected_residual() {
  std::array<int16_t, bsd::max_coefficients> values{};
  for (unsigned block = 0; block < 8; ++block)
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned part = block < 4 ? 2 : 5;
      values[part * 64 + (block % 4 / 2 * 4 + i / 4) * 8 + block % 2 * 4 + i % 4] = static_cast<int16_t>(block + 1);
    }
  std::vector<uint32_t> dwords(values.size() / 2);
  std::memcpy(dwords.data(), values.data(), sizeof values);
  return dwords;
}

}  // namespace

TEST_CASE("vfe avc_it: an inter macroblock's thread gets vectors, weights and its residual") {
  AvcIt rig;
  gen5::AVC_IT_INLINE_DATA mb;
  mb.macroblock_type = 22, mb.coded_block_pattern = pattern, mb.horizontal_origin = 5;
  const Data data = coefficients();
  rig.run(mb, data);
  const auto inline_data = mb.pack();
  CHECK(rig.dwords(1, 1) == std::vector<uint32_t>(inline_data.begin(), inline_data.end()));
  CHECK(rig.dwords(2, 6) == std::vector<uint32_t>(data.begin(), data.begin() + residual_dword));
  CHECK(rig.dwords(8, 24) == expected_residual());
  // Data that ends before its coefficients: no residual.
  rig.run(mb, data, residual_dword * 4);
  CHECK(rig.dwords(2, 6) == std::vector<uint32_t>(data.begin(), data.begin() + residual_dword));
  CHECK(rig.dwords(8, 24) == std::vector<uint32_t>(192));
}

TEST_CASE("vfe avc_it: an intra macroblock's residual is behind its inline data, whatever the picture has") {
  for (const bool motion : {false, true}) {
    AvcIt rig(motion);
    gen5::AVC_IT_INLINE_DATA mb;
    mb.intra_macroblock = true, mb.macroblock_type = 3, mb.coded_block_pattern = pattern;
    rig.run(mb, coefficients());
    CHECK(rig.dwords(2, 24) == expected_residual());
  }
}

TEST_CASE("vfe avc_it: samples of I_PCM reach the thread as they are") {
  AvcIt rig;
  gen5::AVC_IT_INLINE_DATA mb;
  mb.intra_macroblock = true, mb.macroblock_type = 25, mb.coded_block_pattern = 0x3f;
  Data data{};
  std::iota(data.begin(), data.end(), 0xabcd0000u);
  rig.run(mb, data);
  CHECK(rig.dwords(2, 12) == std::vector<uint32_t>(data.begin() + residual_dword, data.begin() + residual_dword + 96));
}

TEST_CASE("vfe avc_it: the remap table has the descriptor of each kind of macroblock") {
  AvcIt rig;
  struct Kind {
    bool intra;
    unsigned type;
    bool transform8;
    unsigned descriptor;
  };
  // The header's second dword is the descriptor's address.
  for (unsigned i = 0; i < 7; ++i) rig.set_kernel(i, sending_kernel(0, 1));
  for (const Kind& k : {Kind{true, 1, false, 6}, Kind{true, 24, false, 6}, Kind{true, 0, true, 5}, Kind{true, 0, false, 4},
                        Kind{true, 25, false, 3}, Kind{false, 1, false, 2}, Kind{false, 22, true, 2}}) {
    gen5::AVC_IT_INLINE_DATA mb;
    mb.intra_macroblock = k.intra, mb.macroblock_type = k.type, mb.transform_8x8 = k.transform8;
    rig.run(mb, Data{});
    CHECK(rig.registers.at(0).dw[2] == VfeRig::descriptors_at + k.descriptor * 16);
  }
}

TEST_CASE("vfe avc_it: packets without state or inline data start nothing") {
  AvcIt rig;
  gen5::MEDIA_OBJECT_EX o;
  CHECK(rig.object(o, {1, 2, 3}) == ExecResult::done);
  CHECK(failure_count(Failure::guest_error, "VFE: a macroblock without its inline data") == 1);
  rig.vfe.extended_vfe_state_present = false;
  rig.set_state();
  CHECK(rig.object(o, std::vector<uint32_t>(8)) == ExecResult::done);
  CHECK(failure_count(Failure::guest_error, "VFE: mode AVC_IT without an extended state") == 1);
  CHECK(rig.sent.empty());
}
