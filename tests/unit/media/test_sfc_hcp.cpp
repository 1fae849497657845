// SPDX-License-Identifier: GPL-2.0-or-later
// Gen12's SFC behind HCP, with packets as iHD's codechal_decode_sfc_hevc_g12.cpp and codechal_decode_sfc_vp9_g12.cpp send them.
#include <array>

#include "hw/base/log.h"
#include "tests/unit/media/generations_rig.h"
#include "tests/unit/media/sfc_rig.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::test::generations;
using G = defs::Gen12;

namespace {

constexpr uint64_t output = 0x6'0000;
constexpr uint32_t out_pitch = 256, out_chroma_row = 64;
constexpr std::array<uint8_t, 4> nibbles{0x2, 0x7, 0xb, 0xe};

using Packets = test::SfcPacketsOf<G>;
using Fields = Packets::Fields;
using Format = Packets::Format;

struct Fixture : Rig<G> {
  Fixture() { sfc.lock.sfc_lock_body.pre_scaled_output_surface_output_enable = true; }
  /// SFC's packets with HCP's opcode.
  void start() {
    G::HCP_SFC_LOCK lock;
    lock.sfc_lock_body = sfc.lock.sfc_lock_body;
    G::HCP_SFC_STATE state;
    state.sfc_state_body = sfc.fields();
    G::HCP_SFC_AVS_STATE avs;
    avs.avs_state_body = sfc.avs.avs_state_body;
    G::HCP_SFC_AVS_LUMA_COEFF_TABLE luma;
    luma.avs_luma_coefficient_table_body = sfc.luma.avs_luma_coefficient_table_body;
    G::HCP_SFC_AVS_CHROMA_COEFF_TABLE chroma;
    chroma.avs_chroma_coefficient_table_body = sfc.chroma.avs_chroma_coefficient_table_body;
    G::HCP_SFC_IEF_STATE ief;
    ief.sfc_ief_state_body = sfc.ief.sfc_ief_state_body;
    // The dummy packets of Wa_14010222001 stand behind the lock.
    send(lock), send(G::VD_CONTROL_STATE{}), send(G::VD_CONTROL_STATE{}), send(state), send(avs), send(luma), send(chroma), send(ief);
    send(G::HCP_SFC_FRAME_START{});
  }
  void decode_hevc(bool ten_bits = false) {
    hcp_picture();
    if (ten_bits) {
      G::HCP_SURFACE_STATE surface;
      surface.surface_pitch = pitch - 1, surface.y_offset_for_u_cb = size;
      surface.surface_format = G::HCP_SURFACE_STATE::SurfaceFormat::P010;
      send(surface);
    }
    start();
    auto picture = hevc_picture();
    if (ten_bits) {
      picture.luma_bit_depth = static_cast<decltype(picture.luma_bit_depth)>(2);
      picture.chroma_bit_depth = static_cast<decltype(picture.chroma_bit_depth)>(2);
    }
    hevc_pcm_picture(picture, nibbles);
  }
  /// Of luma, or chroma with its rows.
  static uint8_t nibble(uint32_t x, uint32_t y) { return nibbles[x / 16 + y / 16 * 2]; }
  uint8_t stored(uint32_t x, uint32_t y) { return view.load<uint8_t>(target + surface::offset(surface::Tiling::y, 1, x, y, pitch)); }

  Packets sfc{SfcClient::hcp, size, size, output, out_pitch, out_chroma_row};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "sfc behind hcp: HEVC's pictures of 8 and 10 bits, in NV12 and P010") {
  const bool ten_bits = GENERATE(false, true), wide = GENERATE(false, true);
  if (ten_bits) sfc.fields().input_stream_bit_depth = Fields::InputStreamBitDepth::_10_BIT;
  sfc.become(wide ? Format::P016 : Format::NV12, size, size);
  decode_hevc(ten_bits);
  unsigned wrong = 0;
  for (uint32_t y = 0; y < size; ++y)
    for (uint32_t x = 0; x < size; ++x) {
      const uint32_t luma = nibble(x, y), chroma = nibble(x, y & ~1u);
      const uint64_t at = output + y * out_pitch, chroma_at = output + (out_chroma_row + y / 2) * out_pitch;
      if (wide) wrong += view.load<uint16_t>(at + 2 * x) != luma << 12 || view.load<uint16_t>(chroma_at + 2 * x) != chroma << 12;
      else wrong += view.load<uint8_t>(at + x) != luma << 4 || view.load<uint8_t>(chroma_at + x) != chroma << 4;
      if (!ten_bits) wrong += stored(x, y) != luma << 4;
    }
  CHECK(wrong == 0);
}

TEST_CASE_METHOD(Fixture, "sfc behind hcp: a picture that no later one refers to need not reach its surface") {
  sfc.lock.sfc_lock_body.pre_scaled_output_surface_output_enable = false;
  decode_hevc();
  CHECK(is_flat(untouched));
  CHECK(view.load<uint8_t>(output) == nibbles[0] << 4);
}

TEST_CASE_METHOD(Fixture, "sfc behind hcp: VP9's pictures") {
  constexpr unsigned vp9 = 1;
  hcp_picture(0, vp9);
  start();
  G::HCP_VP9_PIC_STATE picture{};
  picture.frame_width = picture.frame_height = size - 1;
  send(picture);
  send(G::HCP_BSD_OBJECT{});
  video.flush({}, env);
  unsigned wrong = 0;
  for (uint32_t y = 0; y < size; ++y)
    for (uint32_t x = 0; x < size; ++x) {
      wrong += view.load<uint8_t>(output + y * out_pitch + x) != stored(x, y);
      wrong += view.load<uint8_t>(output + (out_chroma_row + y / 2) * out_pitch + x) != stored(x, size + y / 2);
    }
  CHECK(wrong == 0);
  CHECK_FALSE(is_flat(untouched));
}

TEST_CASE_METHOD(Fixture, "sfc behind hcp: a frame of another client is counted, and the picture goes to its surface") {
  clear_failure_counts();
  sfc.set_client(SfcClient::mfx);
  decode_hevc();
  CHECK(failure_count(Failure::unimplemented, "SFC pipe mode") == 1);
  CHECK(view.load<uint8_t>(output) == untouched);
  CHECK(stored(0, 0) == nibbles[0] << 4);
}
